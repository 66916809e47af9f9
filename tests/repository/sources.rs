//! What the compiler and clippy cannot hold of the sources: where unsafe code may be, and how long a file gets.

use std::path::{Path, PathBuf};

/// A file is read as a whole: this many lines are too many.
const TOO_LONG: usize = 400;

/// The same for the unit tests of a file, in a file of their own.
const TOO_LONG_FOR_TESTS: usize = 500;

/// Where the core may have unsafe code: intrinsics, the hook that sees a fork, the C library's calls to read the
/// system's seed, and the system's thread-local slots.
const UNSAFE: [&str; 4] = [
    "core/src/simd/",
    "core/src/rng/fork.rs",
    "core/src/rng/system_seed.rs",
    "core/src/thread_rng/mark.rs",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files below a folder, by their path in the repository, with their text.
fn rust_files(folder: &str) -> Vec<(String, String)> {
    let (mut folders, mut files): (Vec<PathBuf>, _) = (vec![root().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy();
                files.push((name.into_owned(), std::fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    assert!(!files.is_empty(), "no file below {folder}");
    files
}

/// rustc denies unsafe code unless an attribute allows it; the attribute has its places.
#[test]
fn unsafe_code_is_where_it_may_be() {
    let mut places = 0;
    for (name, text) in rust_files("core/src") {
        if text.contains("unsafe_code") {
            assert!(UNSAFE.iter().any(|place| name.starts_with(place)), "unsafe code in {name}");
            places += 1;
        }
    }
    assert!(places > 2, "only {places} files allow unsafe code: were they read?");
}

#[test]
fn files_are_short_and_say_what_they_are() {
    for folder in ["core", "src", "inspector", "tests", "fuzz/src", "fuzz/fuzz_targets"] {
        for (name, text) in rust_files(folder) {
            let lines = text.lines().count();
            let is_tests = name.ends_with("/tests.rs") || name.contains("/tests/");
            let too_long = if is_tests { TOO_LONG_FOR_TESTS } else { TOO_LONG };
            assert!(lines < too_long, "{name} has {lines} lines");
            assert!(text.starts_with("//! "), "{name} does not begin with what it is");
        }
    }
}
