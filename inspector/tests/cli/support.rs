//! Runs the program, and files that are gone afterwards.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const TRAP: &str = "tests/data/trap.txt";

pub fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_s2inspect"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("the program runs")
}

pub fn printed(args: &[&str]) -> String {
    let output = run(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{args:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs the program with `bytes` on its standard input.
pub fn piped(args: &[&str], bytes: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_s2inspect"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    // It may have seen enough.
    let _ = input.write_all(bytes);
    drop(input);
    child.wait_with_output().expect("the program ends")
}

/// A file of this test alone, gone afterwards.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Self(folder.join(format!("{}-{name}", std::process::id())))
    }

    pub fn with(name: &str, bytes: &[u8]) -> Self {
        let file = Self::new(name);
        std::fs::write(&file.0, bytes).expect("a file is written");
        file
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}
