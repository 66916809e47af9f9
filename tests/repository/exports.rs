//! The shared library exports the names that the header declares and that a list records: no more, no
//! less.
#![cfg(target_os = "linux")]

use crate::library;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The names that the shared library exports.
fn exported() -> BTreeSet<String> {
    library::exported(&library::built().join("libs2sampler.so"))
}

/// The names that the header declares as functions, comments left out.
fn declared() -> BTreeSet<String> {
    let header = read("include/s2sampler.h");
    let code: String = header
        .split("/*")
        .map(|part| part.split_once("*/").map_or(part, |(_, code)| code))
        .flat_map(str::chars)
        .collect();
    code.match_indices('(')
        .filter_map(|(at, _)| {
            code[..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
        })
        .filter(|name| name.starts_with("s2_"))
        .map(str::to_owned)
        .collect()
}

/// A new function is a line in the list, and a line that goes breaks programs: hence a list.
fn listed() -> BTreeSet<String> {
    read("abi/exports.txt").lines().map(str::to_owned).collect()
}

#[test]
fn library_exports_what_the_list_says() {
    assert_eq!(exported(), listed());
}

#[test]
fn header_declares_what_the_list_says() {
    assert_eq!(declared(), listed());
}

#[test]
fn exported_names_have_the_prefix() {
    assert!(exported().iter().all(|name| name.starts_with("s2_")));
}
