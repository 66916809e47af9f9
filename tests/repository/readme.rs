//! What the README shows and states is what the project has.

use std::path::Path;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The texts of the README's code blocks in `language`.
fn blocks(readme: &str, language: &str) -> Vec<String> {
    let fence = format!("\n```{language}\n");
    let texts = readme.split(&fence).skip(1).map(|rest| {
        let (code, _) = rest.split_once("\n```").expect("the block is closed");
        format!("{code}\n")
    });
    texts.collect()
}

#[test]
fn examples_are_the_compiled_files() {
    let readme = read("README.md");
    assert_eq!(blocks(&readme, "c"), [read("examples/quickstart.c")]);
    let cpp = ["quickstart", "stream", "chain"].map(|name| read(&format!("examples/{name}.cpp")));
    assert_eq!(blocks(&readme, "cpp"), cpp);
}

/// The line of the engine's change is one that the stand-in engine is built with.
#[test]
fn engine_lines_are_the_tested_ones() {
    let shown = blocks(&read("README.md"), "diff").concat();
    assert!(!shown.is_empty());
    let tested = read("c_tests/engine/CMakeLists.txt").replace("engine_dropin", "engine");
    for line in shown.lines() {
        match line.split_at(1) {
            ("+", added) => assert!(tested.contains(added.trim()), "not tested: {added}"),
            ("-", removed) => {
                let own = tested.lines().find(|line| line.starts_with("add_library(engine_own"));
                let with =
                    tested.lines().find(|line| line.starts_with("add_library(engine SHARED"));
                assert!(own.expect("the engine before").contains(removed.trim()));
                assert!(!with.expect("the engine after").contains(removed.trim()));
            }
            _ => panic!("neither added nor removed: {line}"),
        }
    }
}

#[test]
fn quoted_facts_hold() {
    let readme = read("README.md");
    let rust = env!("CARGO_PKG_RUST_VERSION");
    assert!(readme.contains(&format!("Rust toolchain ({rust} or newer)")));
    assert!(readme.contains("cmake (3.14 or newer)"));
    assert!(read("CMakeLists.txt").contains("cmake_minimum_required(VERSION 3.14"));
    let series = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    assert!(readme.contains(&format!("find_package(s2sampler {series} REQUIRED)")));
    let commands =
        ["demo", "test", "bench", "install", "dist", "vendored", "audit", "advisories", "msrv"];
    for target in commands {
        assert!(readme.contains(&format!("make {target}")));
        assert!(read("Makefile").contains(&format!("\n{target}:")));
    }
}

/// What the README names of the C interface, functions, macros and fields, the header declares.
#[test]
fn names_are_the_headers() {
    let (readme, header) = (read("README.md"), read("include/s2sampler.h"));
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared: std::collections::BTreeSet<&str> = header.split(|c| !is_part(c)).collect();
    let (_, table) = readme.split_once("\n### What replaces which call\n").expect("the table");
    let (table, _) = table.split_once("\n## ").expect("a section after it");
    let replacements = table.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit('|').next());
    let mut names = 0;
    for code in replacements.flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
        let name = code.split(|c| !is_part(c)).next().unwrap_or_default();
        let is_target = code.strip_prefix("s2sampler::").is_some_and(|target| {
            read("dropin/CMakeLists.txt").contains(&format!("\ns2_dropin({target} "))
        });
        assert!(is_target || declared.contains(name), "{code} is not in the header");
        names += 1;
    }
    assert!(names > 20, "only {names} names: the table was not read");
}

/// The README's figures are lines of docs/benchmarks.md, and that those are the measured ones can be seen
/// in the raw results: the full sort's and the library's times, and their ratio.
#[test]
fn speed_is_the_measured_one() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("<!-- Speed: written by ").expect("the section begins");
    let (section, _) = rest.split_once("<!-- Speed: end -->").expect("the section ends");
    let (_, section) = section.split_once("-->").expect("the marker is closed");
    let document = read("docs/benchmarks.md");
    let lines: Vec<&str> = document.lines().collect();
    let mut rows = 0;
    for line in section.lines().filter(|line| line.contains(|c: char| c.is_ascii_digit())) {
        assert!(lines.contains(&line), "not in docs/benchmarks.md: {line}");
        rows += usize::from(line.starts_with('|'));
    }
    assert!(rows > 0, "no figures");
    assert!(section.contains("](docs/benchmarks.md)"));
    assert!(section.contains(".svg)"), "no plot");

    let raw = read("docs/benchmarks/table.csv");
    let times = |subject: &str| -> Vec<f64> {
        let start = format!("normal,155776,default,cache,{subject},");
        let list = raw.lines().find_map(|line| line.strip_prefix(&start)).expect("it was timed");
        list.split(' ').map(|ns| ns.parse().expect("nanoseconds")).collect()
    };
    let ratios = times("full sort").into_iter().zip(times("s2sampler")).map(|(a, b)| a / b);
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    let shown = section.replace(',', "");
    assert!(
        shown.contains(&format!(" {ratio:.0} times as fast as the plain full sort")),
        "{ratio}"
    );
}

/// Every relative link of the README and the changelog leads to a file.
#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for text in [read("README.md"), read("CHANGELOG.md")] {
        for part in text.split("](").skip(1) {
            let (target, _) = part.split_once(')').expect("the link is closed");
            if !target.starts_with("https://") {
                links += 1;
                assert!(
                    Path::new(env!("CARGO_MANIFEST_DIR")).join(target).exists(),
                    "no such file: {target}"
                );
            }
        }
    }
    assert!(links > 0);
}

#[test]
fn changelog_has_this_version_and_its_reproducibility() {
    let changelog = read("CHANGELOG.md");
    let heading = format!("\n## [{}]", env!("CARGO_PKG_VERSION"));
    let (_, section) = changelog.split_once(&heading).expect("this version has a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    assert!(section.contains("\n### Reproducibility\n"));
}
