//! The program as it is called: its tables, its JSON, its picture and its errors.
//!
//! `S2_UPDATE=1 cargo test -p s2sampler-inspector` writes the expected tables anew.

mod files;
mod support;

use std::path::Path;
use support::{Scratch, TRAP, printed, run};

fn golden(name: &str, args: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let found = printed(args);
    if std::env::var_os("S2_UPDATE").is_some() {
        std::fs::write(&path, &found).expect("the expected text is written");
    }
    let want = std::fs::read_to_string(&path).expect("an expected text");
    assert!(found == want, "{name} differs (S2_UPDATE=1 writes it anew); now:\n{found}");
}

#[test]
fn tables_of_a_plain_draw() {
    golden("plain.txt", &[TRAP, "--top-p", "0.5", "--show", "8"]);
}

/// min_p 0.9 leaves one candidate, since the second has less than 0.9 of the first; top_p 0.9 many.
#[test]
fn two_settings_side_by_side() {
    let chain = "min_p(0.9) dist(42)";
    golden("compare.txt", &[TRAP, "--chain", chain, "--compare", "top_p(0.9) dist(42)"]);
}

#[test]
fn a_histogram_of_draws() {
    let chain = "penalties(8, 1.1) top_k(10) xtc(1, 0.1) temperature(0.8) dist(7)";
    let args = [TRAP, "--chain", chain, "--history", "1,2,3", "--draws", "2000", "--show", "6"];
    golden("draws.txt", &args);
}

/// Draws follow the probabilities that the report states, whatever selects.
#[test]
fn draws_are_as_likely_as_stated() {
    for setting in [
        &["--top-p", "0.9"][..],
        &["--preset", "s2", "--top-p", "0.9"],
        &["--preset", "temperature-first"],
        &["--preset", "llama", "--repeat-penalty", "1.3", "--history", "4,4,9"],
        &["--preset", "huggingface"],
        &["--chain", "temperature_ext(1, 0.5) top_p(0.9) mirostat_v2(3)"],
    ] {
        let text = printed(&[&[TRAP, "--draws", "20000"], setting].concat());
        let line = text.lines().find(|line| line.starts_with("chi-square")).expect("a verdict");
        let share = line.split_once("farther in ").expect("a share").1;
        let share: f64 = share.split(' ').next().and_then(|s| s.parse().ok()).expect("percent");
        assert!(share > 0.1, "{setting:?}: {line}");
    }
}

#[test]
fn json_is_the_report() {
    let read = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&printed(args)).expect("JSON")
    };
    let one = read(&[TRAP, "--json", "--show", "3"]);
    assert_eq!(one["tokens"], 29);
    assert_eq!(one["candidates"].as_array().map(Vec::len), Some(3));
    let two = read(&[TRAP, "--json", "--compare", "min_p(0.9) greedy"]);
    assert_eq!(
        (&two[0]["stages"][0]["name"], &two[1]["stages"][0]["name"]),
        (&"s2".into(), &"min_p".into())
    );
}

#[test]
fn the_picture_is_well_formed_and_shows_the_cuts() {
    let trap = Path::new(env!("CARGO_MANIFEST_DIR")).join(TRAP);
    // The name has what XML must escape, and a character that XML cannot have.
    let row = Scratch::with("<&\u{1}>.txt", &std::fs::read(trap).expect("a row"));
    let picture = Scratch::new("picture.svg");
    let chain = "top_k(10) top_p(1) top_p(0.5) temperature(0.8) dist(42)";
    printed(&[
        row.path(),
        "--chain",
        chain,
        "--compare",
        "--preset llama",
        "--svg",
        picture.path(),
    ]);
    let text = std::fs::read_to_string(picture.path()).expect("a picture");
    let document = roxmltree::Document::parse(&text).expect("well-formed XML");
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let groups: Vec<_> =
        document.root_element().children().filter(|node| node.has_tag_name("g")).collect();
    assert_eq!(groups.len(), 2);
    let count = |tag: &str, has: &str| {
        groups[0]
            .descendants()
            .filter(|node| node.has_tag_name(tag) && node.has_attribute(has))
            .count()
    };
    // All 29 ranks have a dot, and three more are in the legend.
    assert_eq!(count("circle", "cx"), 29 + 3);
    let across = |tag: &str, name: &str, only: &str| -> Vec<f64> {
        let nodes =
            groups[0].descendants().filter(|n| n.has_tag_name(tag) && n.has_attribute(only));
        nodes
            .map(|node| node.attribute(name).and_then(|x| x.parse().ok()).expect("a number"))
            .collect()
    };
    let (dots, cuts) = (across("circle", "cx", "cx"), across("line", "x1", "stroke-dasharray"));
    // top_k 10 and top_p 0.5 cut: each line is between the last rank that stays and the next.
    let report = printed(&[TRAP, "--chain", chain, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let left = [0, 2].map(|stage| report["stages"][stage]["after"].as_u64().expect("a count"));
    assert_eq!((cuts.len(), left[0]), (2, 10));
    for (cut, left) in cuts.iter().zip(left) {
        let left = usize::try_from(left).expect("a count");
        assert!(dots[left - 1] < *cut && *cut < dots[left], "{cut} behind {left}: {dots:?}");
    }
    let title = document.root_element().first_element_child().and_then(|title| title.text());
    assert!(title.is_some_and(|title| title.contains("<&\u{fffd}>.txt")), "{title:?}");
}

#[test]
fn rows_at_the_edges_are_shown() {
    for row in ["5", "nan", "-inf -inf -inf", "inf 1 inf", "nan -inf 3", "0 0 0 0", "1e38 -1e38"] {
        let row = Scratch::with("edge.txt", row.as_bytes());
        let picture = Scratch::new("edge.svg");
        for chain in ["s2 dist", "top_p(0.9) dist", "temperature(0) greedy", "typical(0.5)"] {
            printed(&[row.path(), "--chain", chain, "--svg", picture.path()]);
            let text = std::fs::read_to_string(picture.path()).expect("a picture");
            roxmltree::Document::parse(&text).expect("well-formed XML");
            assert!(!text.contains("NaN") && !text.contains("inf\""), "{chain}: {text}");
        }
    }
}

#[test]
fn what_is_wrong_is_said_and_told_apart() {
    let no_folder = Scratch::new("no/picture.svg");
    let binary = Scratch::with("raw.bin", &[0; 8]);
    for (args, code, want) in [
        (&["no/such.f32"][..], 1, "error: no/such.f32: No such file"),
        (&["tests"], 1, "error: tests: Is a directory"),
        (&[TRAP, "--svg", no_folder.path()], 1, "picture.svg: No such file"),
        (&[], 2, "required arguments"),
        (&[TRAP, "--row", "1"], 2, "tests/data/trap.txt: --row: a text has one row"),
        (&[TRAP, "--columns", "29"], 2, "--columns: only a raw file of float32 needs it"),
        (&[TRAP, "--tensor", "a"], 2, "--tensor: only .npz, .safetensors and JSON have arrays"),
        (
            &[binary.path(), "--format", "f32", "--row", "0"],
            2,
            "--row: a raw file has rows only with",
        ),
        (&[TRAP, "--top-p", "0,9"], 2, "numbers have a decimal point here: 0.9"),
        (&[TRAP, "--chain", "top_p(0,9) dist"], 2, "chain, column 7: 0,9 may be one number or two"),
        (&[TRAP, "--compare", "temperature(0,8) dist"], 2, "chain, column 13: 0,8 may be"),
        (&[TRAP, "--chain", "top_k(40"], 2, "chain, column 9"),
        (&[TRAP, "--chain", "topk(40)"], 2, "no stage is called topk"),
        (&[TRAP, "--chain", "top_p(nan)"], 2, "top_p(nan): an argument is out of range"),
        (&[TRAP, "--chain", "top_k(40)", "--draws", "5"], 2, "selects"),
        (&[TRAP, "--preset", "llama", "--top-p", "nan"], 2, "preset llama: an argument is out"),
        (&[TRAP, "--history", "1"], 2, "the plain draw has none"),
        (&[TRAP, "--preset", "s2", "--min-p", "0.1"], 2, "--min-p: preset s2 has no stage for it"),
        (&[TRAP, "--compare", "--preset s2 --penalty-last-n 9"], 2, "--penalty-last-n: preset s2"),
        (&[TRAP, "--compare", "--top-k x"], 2, "--compare: invalid value 'x'"),
        // A wrong setting is said before the file is looked at.
        (&["no/such.f32", "--chain", "greedy("], 2, "chain, column 8"),
    ] {
        let output = run(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains(want), "{args:?}: {said}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
