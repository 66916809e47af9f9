//! Another Rust library in the same program: it allocates, panics, catches the panic, and starts a thread
//! and a process, so that it needs much of the standard library.

use std::collections::HashMap;
use std::panic::catch_unwind;

#[unsafe(no_mangle)]
pub extern "C" fn other_library(number: u32) -> u32 {
    let caught = catch_unwind(|| {
        let mut counts = HashMap::new();
        for i in 0..number {
            *counts.entry(i % 7).or_insert(0) += 1;
        }
        assert!(number != 13, "for the test");
        counts.len() as u32
    });
    let joined = std::thread::spawn(move || number + 1).join().is_ok();
    let ran = std::process::Command::new("true").status().is_ok();
    caught.unwrap_or(if cfg!(panic = "unwind") && joined && ran { 99 } else { 0 })
}
