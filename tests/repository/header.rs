//! The committed header is what the sources generate, and it names what Cargo.toml says.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The chapters of the header, in the order in which one learns them.
const CHAPTERS: [&str; 18] = [
    "core/src/params.rs",
    "src/oneshot.rs",
    "core/src/id_mask.rs",
    "src/sampler.rs",
    "src/request.rs",
    "src/rows.rs",
    "src/stream_config.rs",
    "src/stream.rs",
    "src/chain.rs",
    "src/chain_logits.rs",
    "src/chain_stages.rs",
    "src/chain_preset.rs",
    "core/src/chain/token.rs",
    "src/chain_draw.rs",
    "src/report_structs.rs",
    "src/report.rs",
    "src/status.rs",
    "src/version.rs",
];

/// Files of the C layer that declare nothing.
const NOT_CHAPTERS: [&str; 4] = ["src/fp_env.rs", "src/guard.rs", "src/lib.rs", "src/pointers.rs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header_path() -> PathBuf {
    root().join("include/s2sampler.h")
}

/// The header in the tree; with S2_UPDATE set it is written first, once, for all tests.
fn committed() -> &'static str {
    static COMMITTED: LazyLock<String> = LazyLock::new(|| {
        if std::env::var_os("S2_UPDATE").is_some() {
            std::fs::write(header_path(), generated()).expect("include/s2sampler.h is writable");
        }
        std::fs::read_to_string(header_path()).expect("include/s2sampler.h is readable")
    });
    &COMMITTED
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let builder = CHAPTERS.iter().fold(cbindgen::Builder::new().with_config(config), |b, file| {
        b.with_src(root().join(file))
    });
    let mut text = Vec::new();
    builder.generate().expect("the C layer is understood").write(&mut text);
    // cbindgen ends each line of a blank comment with a space, and some editors would remove it.
    let text = String::from_utf8(text).expect("the header is UTF-8");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn committed_header_is_the_generated_one() {
    let new = generated();
    let old = committed();
    let differs = old.lines().zip(new.lines()).position(|(a, b)| a != b);
    assert!(
        old == new,
        "include/s2sampler.h is not what src/ and cbindgen.toml generate (first difference: \
         line {}). To rewrite it: S2_UPDATE=1 cargo test --test repository header",
        differs.unwrap_or_else(|| old.lines().count().min(new.lines().count())) + 1
    );
}

#[test]
fn every_file_of_the_c_layer_is_a_chapter_or_known_not_to_be() {
    for entry in std::fs::read_dir(root().join("src")).expect("src") {
        let file = entry.expect("an entry").file_name();
        let file = format!("src/{}", file.to_str().expect("a UTF-8 name"));
        assert!(
            CHAPTERS.contains(&file.as_str()) != NOT_CHAPTERS.contains(&file.as_str()),
            "{file} must be in exactly one of the two lists above"
        );
    }
}

#[test]
fn version_text_is_cargos() {
    let line = format!("#define S2_VERSION_STRING \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(committed().lines().any(|l| l == line), "no line {line}: see cbindgen.toml");
}

#[test]
fn header_names_every_status() {
    let header = committed();
    let numbers: Vec<i32> = header
        .lines()
        .filter_map(|line| line.strip_prefix("#define S2_ERROR_"))
        .map(|rest| rest.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number"))
        .collect();
    let expected: Vec<i32> =
        s2sampler_core::Error::ALL.iter().map(|error| error.status()).collect();
    assert_eq!(numbers, expected);
}

/// The header is the manual: about four fifths prose, and each function says the same things in the
/// same order.
#[test]
fn every_function_is_documented_in_the_same_order() {
    let header = committed();
    let prose = header.lines().filter(|l| is_comment(l)).count();
    let lines = header.lines().filter(|l| !l.is_empty()).count();
    assert!(prose * 5 >= lines * 4, "{prose} of {lines} lines are prose");

    let mut documented = 0;
    for (start, _) in header.match_indices("/**\n") {
        let (comment, rest) = header[start..].split_once("*/\n").expect("comments end");
        let declaration = rest.split(';').next().unwrap_or_default();
        let is_type = declaration.starts_with("typedef");
        if !declaration.contains("s2_") || declaration.contains("#define") || is_type {
            continue;
        }
        documented += 1;
        let parts = ["Parameters:", "Returns:", "Randomness:", "Threads:", "Memory:", "Since:"];
        let places: Vec<_> = parts.iter().map(|part| comment.find(part)).collect();
        assert!(places.iter().all(Option::is_some), "{declaration} lacks one of {parts:?}");
        assert!(places.is_sorted(), "{declaration} has {parts:?} in another order");
        let arguments = declaration.split_once('(').expect("a function").1;
        for name in arguments.split([',', ')']).filter_map(|a| a.trim().rsplit([' ', '*']).next()) {
            let listed = comment.contains(&format!("- `{name}`:"));
            assert!(listed || name.is_empty() || name == "void", "{declaration}: no `{name}`");
        }
    }
    let code = header.lines().filter(|line| !is_comment(line));
    let declared = code.filter(|l| l.contains(" s2_") || l.contains(" *s2_")).count();
    assert!(documented > 0 && documented == declared, "{documented} of {declared} functions");
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("/*") || line.starts_with("* ") || line == "*" || line.starts_with("*/")
}
