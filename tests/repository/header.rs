//! The committed header is what the sources and include/manual.txt generate, and it reads as a manual.
//!
//! cbindgen makes the declarations with their comments, in one run. The manual has the text between them,
//! and a line `@name` at the place of each. So the order is the manual's, and nothing is left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The files that declare something, those of the Rust library first.
const SOURCES: &[&str] = &[
    "core/src/params.rs",
    "core/src/id_mask.rs",
    "core/src/chain/token.rs",
    "core/src/chain/request/probabilities.rs",
    "src/one_draw.rs",
    "src/samplers.rs",
    "src/requests.rs",
    "src/streams.rs",
    "src/chains.rs",
    "src/chain_requests.rs",
    "src/dist_options.rs",
    "src/stages.rs",
    "src/engine_stages.rs",
    "src/custom_stage.rs",
    "src/presets.rs",
    "src/report_layout.rs",
    "src/reports.rs",
    "src/status.rs",
    "src/versions.rs",
];

/// Files of the C layer that declare nothing.
const NOT_SOURCES: [&str; 5] =
    ["src/fp_env.rs", "src/guard.rs", "src/handle.rs", "src/lib.rs", "src/pointers.rs"];

/// The longest that the header may be, as a whole and for each function.
const MAX_LINES: usize = 2700;
const MAX_LINES_PER_FUNCTION: usize = 28;

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
    let manual = root().join("include/manual.txt");
    let manual = std::fs::read_to_string(manual).expect("include/manual.txt is readable");
    let mut items = declarations();
    let mut header = String::new();
    for line in manual.lines() {
        match line.strip_prefix('@') {
            Some(name) => {
                let item = items.remove(name);
                header += &item.unwrap_or_else(|| panic!("@{name} is no declaration, or is twice"));
            }
            None => header += &format!("{line}\n"),
        }
    }
    let left: Vec<_> = items.keys().collect();
    assert!(left.is_empty(), "include/manual.txt has no place for {left:?}");
    header
}

/// What cbindgen makes of the sources: each declaration with its comment, by the name in the manual.
fn declarations() -> BTreeMap<String, String> {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let builder =
        SOURCES.iter().fold(cbindgen::Builder::new().with_config(config), |builder, file| {
            builder.with_src(root().join(file))
        });
    let mut text = Vec::new();
    builder.generate().expect("the C layer is understood").write(&mut text);
    let text = String::from_utf8(text).expect("the header is UTF-8");
    // A constant of a struct follows it without a blank line.
    let text = text.replace(";\n/**", ";\n\n/**");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let items = lines.split(|line| line.is_empty()).filter(|item| !item.is_empty());
    let mut named = BTreeMap::new();
    for item in items {
        let name = name_of(item);
        // The constant of the parameters' defaults is Rust's; C has s2_sampler_params_default().
        if name.ends_with("_DEFAULT") {
            continue;
        }
        let name = if name == "S2SamplerParams" { "SamplerParams".to_owned() } else { name };
        assert!(named.insert(name.clone(), layout(item)).is_none(), "{name} is declared twice");
    }
    named
}

/// The name that a declaration declares.
fn name_of(item: &[&str]) -> String {
    let code: Vec<&str> = item.iter().copied().filter(|line| !is_comment(line)).collect();
    let code = code.join(" ");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = match code.strip_prefix("#define ") {
        Some(rest) => return rest.split(' ').next().expect("a name").to_owned(),
        None if code.starts_with("typedef") => code.trim_end_matches(';'),
        None => code.split_once('(').unwrap_or_else(|| panic!("no declaration: {code}")).0,
    };
    before.rsplit(|c| !is_name(c)).next().expect("a name").to_owned()
}

/// A declaration as it stands in the header: comments of one line on one line, and no `struct`, since every
/// struct has a typedef.
fn layout(item: &[&str]) -> String {
    let mut text = String::new();
    let mut i = 0;
    while i < item.len() {
        let one_line = item[i].trim_start() == "/**"
            && item.get(i + 2).is_some_and(|line| line.trim() == "*/")
            && item[i + 1].len() <= 95;
        if one_line {
            let (indent, _) = item[i].split_once("/**").expect("seen above");
            let words = item[i + 1].trim_start().trim_start_matches("* ");
            text += &format!("{indent}/** {words} */\n");
            i += 3;
        } else if item[i] == "S2_MUST_USE" && item[i + 1].ends_with(';') {
            text += "S2_MUST_USE ";
            i += 1;
        } else {
            let line = item[i];
            let is_code = !is_comment(line) && !line.starts_with("typedef");
            text += &if is_code { line.replace("struct ", "") } else { line.to_owned() };
            text.push('\n');
            i += 1;
        }
    }
    text
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("/*") || line.starts_with("* ") || line == "*" || line.starts_with("*/")
}

#[test]
fn committed_header_is_the_generated_one() {
    let new = generated();
    let old = committed();
    let differs = old.lines().zip(new.lines()).position(|(a, b)| a != b);
    assert!(
        old == new,
        "include/s2sampler.h is not what src/ and include/manual.txt generate (first difference: \
         line {}). To rewrite it: make header",
        differs.unwrap_or_else(|| old.lines().count().min(new.lines().count())) + 1
    );
}

#[test]
fn every_file_of_the_c_layer_is_a_source_or_known_not_to_be() {
    for entry in std::fs::read_dir(root().join("src")).expect("src") {
        let file = entry.expect("an entry").file_name();
        let file = format!("src/{}", file.to_str().expect("a UTF-8 name"));
        let is_source = SOURCES.contains(&file.as_str());
        assert!(
            is_source != NOT_SOURCES.contains(&file.as_str()),
            "{file} must be in exactly one of the two lists above"
        );
    }
}

#[test]
fn version_text_is_cargos() {
    let line = format!("#define S2_VERSION_STRING \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(committed().lines().any(|l| l == line), "no line {line}: see include/manual.txt");
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

/// Page one is enough for a drop-in; the contents list names the chapters that follow, in their order.
#[test]
fn page_one_and_contents_come_before_the_chapters() {
    let header = committed();
    let at = |text: &str| header.find(text).unwrap_or_else(|| panic!("no {text:?}"));
    let page_one = [
        "PAGE ONE",
        "typedef struct S2SamplerParams {",
        "s2_sampler_params_default(void);",
        "int32_t s2_sample_token(",
        "void s2_seed_thread(",
        "#define S2_ERROR_NULL_POINTER",
        "s2_status_string(int32_t status);",
        "This is all you need for a drop-in.",
        "CONTENTS",
    ];
    let places: Vec<usize> = page_one.map(at).to_vec();
    assert!(places.is_sorted(), "{page_one:?} are at {places:?}");
    let before = &header[..places[places.len() - 1]];
    let lines = before.lines().count();
    assert!(lines <= 190, "page one has {lines} lines");

    let chapters: Vec<(usize, &str)> = header
        .lines()
        .collect::<Vec<_>>()
        .windows(2)
        .filter(|pair| pair[0].starts_with("/* ====="))
        .map(|pair| pair[1].trim_start_matches(" * "))
        .map(|banner| (at(banner), banner))
        .collect();
    assert_eq!(chapters.len(), 8, "{chapters:?}");
    for (i, (place, banner)) in chapters.iter().enumerate() {
        let (number, title) = banner.split_once(". ").expect("a number and a title");
        assert_eq!(number, (i + 1).to_string());
        assert!(*place > places[places.len() - 1], "{banner} comes before the contents");
        let first = title.split(' ').next().expect("a word");
        let entry = header.lines().find(|line| line.starts_with(&format!(" *  {number}. ")));
        let listed = entry.is_some_and(|entry| entry.to_uppercase().contains(first));
        assert!(listed, "the contents list has no {banner:?}");
    }
    assert!(chapters.is_sorted(), "{chapters:?}");
}

/// Each function is documented and explains each parameter, but the handle it works on.
#[test]
fn every_function_is_documented() {
    let header = committed();
    let mut documented = 0;
    for (start, _) in header.match_indices("/**") {
        let (comment, rest) = header[start..].split_once("*/\n").expect("comments end");
        let declaration = rest.split(';').next().unwrap_or_default();
        let is_function = declaration.contains('(') && declaration.contains("s2_");
        if !is_function || declaration.contains("#define") || declaration.contains("typedef") {
            continue;
        }
        documented += 1;
        let (function, arguments) = declaration.split_once('(').expect("a function");
        let names = arguments.split([',', ')']);
        for name in names.filter_map(|a| a.trim().rsplit([' ', '*']).next()) {
            let is_handle = ["sampler", "stream", "chain", "report"].contains(&name);
            let is_row = ["logits", "vocab_size", "params"].contains(&name)
                && (function.ends_with("_sample")
                    || function.ends_with("_ranges")
                    || function.contains("s2_stream_"));
            let explained = comment.contains(&format!("`{name}`"));
            let named = explained || is_handle || is_row || name.is_empty() || name == "void";
            assert!(named, "{function}: no word about `{name}`");
        }
    }
    let code = header.lines().filter(|line| !is_comment(line));
    let declared = code.filter(|l| l.contains(" s2_") || l.contains(" *s2_")).count();
    assert!(documented > 60 && documented == declared, "{documented} of {declared} functions");

    let lines = header.lines().count();
    let most = MAX_LINES.min(MAX_LINES_PER_FUNCTION * documented);
    assert!(lines <= most, "{lines} lines for {documented} functions, at most {most}");
    let too_long = header.lines().filter(|line| line.chars().count() > 100).count();
    assert_eq!(too_long, 0, "lines above 100 columns");
}

/// Words that say nothing, or that a reader stumbles over.
#[test]
fn header_is_plain() {
    let header = committed();
    for words in ["Since:", "memory lacks", "one's own", "told of", " tells ", "lest ", "be it "] {
        let line = header.lines().position(|line| line.contains(words));
        assert_eq!(line, None, "{words:?} in this line, counted from 0");
    }
}
