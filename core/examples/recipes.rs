//! Runs the recipe of each file, at each SIMD level: `recipes FILE|DIR...`. Prints a line for each file: its
//! name, how many of its lines hold, of how many. The status is 0 if all do.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a program for the terminal, with the helpers of the tests"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::recipes;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        println!("usage: recipes FILE|DIR...");
        return ExitCode::FAILURE;
    }
    // A file that is wrong as a whole does not hide the others.
    let mut all = true;
    for path in &paths {
        match recipes::files(path) {
            Ok(files) => files.iter().for_each(|file| all &= run(file)),
            Err(what) => {
                println!("{what}");
                all = false;
            }
        }
    }
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether every line of the file holds.
fn run(file: &Path) -> bool {
    match recipes::run(file) {
        Ok(held) => {
            held.failures.iter().for_each(|failure| println!("{failure}"));
            println!("Rust  {held}");
            held.holds()
        }
        Err(what) => {
            println!("{what}");
            false
        }
    }
}
