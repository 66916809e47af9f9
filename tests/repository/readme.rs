//! The README's code, output, commands, figures and links are true.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The texts of the code blocks in `language`.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let fence = format!("\n```{language}\n");
    let texts = document.split(&fence).skip(1).map(|rest| {
        let (code, _) = rest.split_once("\n```").expect("the block is closed");
        format!("{code}\n")
    });
    texts.collect()
}

/// The README's code block in `language`, and the block of output that must follow it.
fn shown(language: &str) -> (String, String) {
    let readme = read("README.md");
    let code = blocks(&readme, language).concat();
    let (_, rest) = readme.split_once(&format!("{code}```\n")).expect("one block in the language");
    let output = rest.trim_start().strip_prefix("```text\n").expect("the output follows the code");
    let (output, _) = output.split_once("```").expect("the block is closed");
    (code, output.to_owned())
}

/// The directory with the shared library, which `cargo test` does not build by itself: nothing can depend on
/// a library that is not for Rust.
fn libraries() -> &'static Path {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().expect("this test has a path");
        let target = test.ancestors().nth(3).expect("a target directory").to_owned();
        let mut build = Command::new(env!("CARGO"));
        build
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["build", "--quiet", "--lib", "--locked"]);
        printed(build.arg("--target-dir").arg(&target));
        target.join("debug")
    });
    &BUILT
}

/// What a C or C++ example prints.
fn output_of(source: &str) -> String {
    let (variable, default, standard) = match source.ends_with(".c") {
        true => ("CC", "cc", "-std=c99"),
        false => ("CXX", "c++", "-std=c++17"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(source.replace(['/', '.'], "_"));
    let compiler = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    let mut compile = Command::new(compiler);
    compile.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    compile.arg(root.join("include")).arg(root.join(source)).arg("-L").arg(libraries());
    printed(compile.args(["-ls2sampler", "-o"]).arg(&program));
    printed(Command::new(program).env("LD_LIBRARY_PATH", libraries()))
}

/// The standard output of a command that succeeds.
fn printed(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {}\n{errors}", done.status);
    String::from_utf8(done.stdout).expect("text")
}

#[test]
fn c_block_is_the_example_and_prints_what_is_shown() {
    let (code, output) = shown("c");
    assert_eq!(code, read("examples/quickstart.c"));
    assert_eq!(output, output_of("examples/quickstart.c"));
}

#[test]
fn rust_block_is_the_example_and_prints_what_is_shown() {
    let (code, output) = shown("rust");
    let file = read("core/examples/quickstart.rs");
    // What comes before is for rustdoc and clippy.
    let (_, example) = file.split_once("\n\n").expect("a head and the code");
    assert_eq!(code, example);
    let mut run = Command::new(env!("CARGO"));
    run.current_dir(env!("CARGO_MANIFEST_DIR"));
    run.args(["run", "--quiet", "--locked", "-p", "s2sampler-core", "--example", "quickstart"]);
    assert_eq!(output, printed(&mut run));
}

/// The C++ examples end with a comment that has their output.
#[test]
fn examples_print_what_their_last_comment_says() {
    for name in ["quickstart", "stream", "chain", "report"] {
        let source = format!("examples/{name}.cpp");
        assert!(read("README.md").contains(&format!("]({source})")), "{source} is not linked");
        let text = read(&source);
        let (_, comment) = text.rsplit_once("\n/* Prints").expect("a last comment");
        let (_, output) = comment.split_once(":\n").expect("a heading");
        assert_eq!(output.strip_suffix("*/\n"), Some(&*output_of(&source)), "{source}");
    }
}

#[test]
fn readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines < 260, "{lines} lines");
}

/// The stand-in engine is built with the lines that the README shows.
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
    assert!(readme.contains(&format!("Rust {rust} or newer")));
    assert!(readme.contains("cmake (3.14 or newer)"));
    assert!(read("CMakeLists.txt").contains("cmake_minimum_required(VERSION 3.14"));
    let series = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    assert!(readme.contains(&format!("find_package(s2sampler {series} REQUIRED)")));
    let commands = [
        "demo",
        "test",
        "check",
        "bench",
        "install",
        "dist",
        "vendored",
        "audit",
        "advisories",
        "msrv",
    ];
    for target in commands {
        assert!(readme.contains(&format!("make {target}")));
        assert!(read("Makefile").contains(&format!("\n{target}:")));
    }
}

/// The header declares every function, macro and field that the table of call sites names.
#[test]
fn names_are_the_headers() {
    let (document, header) = (read("docs/migration.md"), read("include/s2sampler.h"));
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared: std::collections::BTreeSet<&str> = header.split(|c| !is_part(c)).collect();
    let (_, table) = document.split_once("\n## What replaces which call\n").expect("the table");
    let (table, _) = table.split_once("\n## ").expect("a section after it");
    let dropins = read("dropin/CMakeLists.txt");
    let (_, forms) = dropins.split_once("\nforeach(form \"\" ").expect("the forms");
    let forms = forms.split(')').next().expect("the end of the list");
    let is_form = |form: &str| form.is_empty() || forms.split(' ').any(|known| known == form);
    // The second of four columns: | call site | replacement | ... |
    let replacements = table.lines().filter_map(|line| line.strip_prefix("| ")?.split('|').nth(1));
    let mut names = 0;
    for code in replacements.flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
        let name = code.split(|c| !is_part(c)).next().unwrap_or_default();
        let is_known = match code.strip_prefix("s2sampler::dropin") {
            Some(form) => is_form(form.trim_end_matches("_static")),
            None => declared.contains(name),
        };
        assert!(is_known, "{code} is not in the header");
        names += 1;
    }
    assert!(names > 20, "only {names} names: the table was not read");
}

/// What the blocks of docs/migration.md take as given.
const GIVEN: &str = "#include <s2sampler.h>
extern S2Chain *chain, *second_chain;
extern S2ChainRequest request;
extern S2ChainResult result;
extern const float *logits, *fast_logits;
extern const S2SamplerParams params;
extern float temperature, top_p, min_p, rep_pen, frequency_penalty, typical, epsilon, eta;
extern int32_t n, top_k, min_keep, no_repeat_ngram, token, code, codebook_size, keep_id;
extern int32_t first, last, end, allow_end, token_beg;
extern uint32_t seed;
extern double u;
extern float float_top_p_params;
double next_uniform(void);
int32_t float_top_p(void *user, S2TokenDataArray *array);
void fail(void);
";

/// The C blocks compile, each as the body of a function.
#[test]
fn recipes_compile() {
    let blocks = blocks(&read("docs/migration.md"), "c");
    assert!(blocks.len() > 12, "{} blocks", blocks.len());
    let bodies = blocks.iter().zip(0..).map(|(block, i)| {
        // A name that a block declares may be one that is given.
        format!("void block_{i}(void);\nvoid block_{i}(void) {{\n{block}}}\n")
    });
    let source = format!("{GIVEN}{}", bodies.collect::<String>());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("migration.c");
    std::fs::write(&path, source).expect("a file");
    let mut compile = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()));
    compile.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]);
    compile.args(["-Wno-unused-variable", "-Wno-unused-but-set-variable", "-I"]);
    printed(compile.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include")).arg(path));
}

/// The README's figures are lines of docs/benchmarks.md, and its first ratio follows from the raw times.
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

    let raw = read("docs/benchmarks/table.csv");
    let times = |subject: &str| -> Vec<f64> {
        let start = format!("normal,155776,default,hot,{subject},");
        let list = raw.lines().find_map(|line| line.strip_prefix(&start)).expect("it was timed");
        list.split(' ').map(|ns| ns.parse().expect("nanoseconds")).collect()
    };
    let ratios = times("full sort").into_iter().zip(times("s2sampler")).map(|(a, b)| a / b);
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    let ratio = f64::midpoint(ratios[(ratios.len() - 1) / 2], ratios[ratios.len() / 2]);
    let shown = section.replace(',', "");
    assert!(
        shown.contains(&format!(" {ratio:.0} times as fast as the plain full sort")),
        "{ratio}"
    );
}

/// A heading as the anchor that GitHub makes of it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

/// Every relative link of the README and the changelog leads to a file, and to a heading of it.
#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for document in ["README.md", "CHANGELOG.md"] {
        for part in read(document).split("](").skip(1) {
            let (target, _) = part.split_once(')').expect("the link is closed");
            if target.starts_with("https://") {
                continue;
            }
            links += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { document } else { file };
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            assert!(path.exists(), "no such file: {target}");
            if !heading.is_empty() {
                let text = read(file);
                let headings = text.lines().filter_map(|line| line.split_once("# "));
                let found = headings.map(|(_, text)| anchor(text)).any(|a| a == heading);
                assert!(found, "no such heading: {target}");
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
