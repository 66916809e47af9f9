//! The documents name existing modules, files, items and commands, in plain English.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The documents at the top and in `docs`.
fn documents() -> Vec<PathBuf> {
    let folders = [root().to_owned(), root().join("docs")];
    let files = folders.iter().flat_map(|folder| folder.read_dir().expect("a folder"));
    let paths = files.map(|file| file.expect("an entry").path());
    let found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    assert!(found.len() >= 6, "{found:?}");
    found
}

/// What stands between `open` and `close`, wherever that is.
fn between<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for document in documents() {
        let text = read(&document);
        for link in between(&text, "](", ')').filter(|link| !link.contains("://")) {
            let path = link.split('#').next().unwrap_or_default();
            let target = document.parent().expect("a folder").join(path);
            assert!(path.is_empty() || target.exists(), "{}: {link}", document.display());
            links += 1;
        }
    }
    assert!(links > 30, "{links} links: nothing was read");
}

#[test]
fn commands_are_targets_of_the_makefile() {
    let makefile = read(&root().join("Makefile"));
    let targets: BTreeSet<&str> =
        makefile.lines().filter_map(|l| l.split_once(':')).map(|t| t.0).collect();
    let mut commands = 0;
    for document in documents() {
        let text = read(&document);
        for command in between(&text, "`make ", '`') {
            let target =
                command.split_whitespace().find(|word| !word.contains('=')).unwrap_or("help");
            assert!(targets.contains(target), "{}: make {command}", document.display());
            commands += 1;
        }
    }
    assert!(commands > 10, "{commands} commands: nothing was read");
}

/// The first column of the tables between two headings: what stands between backticks.
fn modules_in(text: &str, from: &str, to: &str) -> BTreeSet<String> {
    let (_, section) = text.split_once(from).expect("the heading");
    let (section, _) = section.split_once(to).expect("the next heading");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(module, _)| module.to_owned()).collect()
}

fn modules_of(lib: &str) -> BTreeSet<String> {
    let text = read(&root().join(lib));
    let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    modules.map(str::to_owned).collect()
}

#[test]
fn every_module_is_in_the_architecture() {
    let text = read(&root().join("docs/architecture.md"));
    let core = modules_in(&text, "\n### core\n", "\n### The C ABI\n");
    assert_eq!(core, modules_of("core/src/lib.rs"));
    let abi = modules_in(&text, "\n### The C ABI\n", "\n## ");
    assert_eq!(abi, modules_of("src/lib.rs"));
}

/// Whether `text` defines an item of this name.
fn defines(text: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "const", "static", "trait", "macro_rules!"].iter().any(|keyword| {
        text.split(&format!("{keyword} {name}"))
            .skip(1)
            .any(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}

/// The rows of "Where is ...?" name a file, which defines the item in the last column.
#[test]
fn where_is_names_the_items_of_its_files() {
    let text = read(&root().join("CONTRIBUTING.md"));
    let (_, section) = text.split_once("\n## Where is ...?\n").expect("the table");
    let (section, _) = section.split_once("\n## ").expect("a section after it");
    let mut rules = 0;
    for line in section.lines().filter(|line| line.contains("](")) {
        let (_, rest) = line.split_once("](").expect("a link");
        let (file, rest) = rest.split_once(')').expect("the link is closed");
        let item = rest.split('`').nth(1).expect("an item");
        assert!(defines(&read(&root().join(file)), item), "{file} does not define {item}");
        rules += 1;
    }
    assert!(rules >= 20, "{rules} rules");
}

/// The tests that SECURITY.md refers to exist.
#[test]
fn security_names_existing_tests() {
    let text = read(&root().join("SECURITY.md"));
    let files: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|s| s.contains('/')).collect();
    let files = files.iter().filter(|name| !name.starts_with('/'));
    let mut tests = 0;
    for name in files {
        assert!(root().join(name).exists(), "SECURITY.md: {name}");
        tests += 1;
    }
    assert!(tests > 8, "{tests} tests: nothing was read");
}

/// Phrases that no text for readers uses: each has a plain form.
const PHRASES: [&str; 11] = [
    "one's own",
    "memory lacks",
    "randomness lacks",
    "told of",
    "who wants",
    "nobody's business",
    "is to be had",
    "lest",
    "be it",
    "that is never nothing",
    "vector unit",
];

/// A text in lower case, as one line, without the signs that begin a line of a comment.
fn running_text(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches(['/', '*', '#', '!']));
    let words = lines.flat_map(str::split_whitespace).collect::<Vec<_>>();
    words.join(" ").to_lowercase()
}

/// Whether a phrase occurs with no letter right before or after it.
fn occurs(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn files_below(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in path.read_dir().expect("a folder") {
            files_below(&entry.expect("an entry").path(), found);
        }
    } else if path.extension().is_some_and(|e| {
        ["md", "rs", "h", "hpp", "c", "cpp", "py", "txt", "cmake", "in", "toml"]
            .iter()
            .any(|known| e == *known)
    }) {
        found.push(path.to_owned());
    }
}

#[test]
fn texts_are_plain_english() {
    assert!(occurs(&running_text("// so that, lest\n// it"), "lest"));
    assert!(occurs(&running_text(" * a seed of one's\n * own."), "one's own"));
    assert!(!occurs(&running_text("the smallest, maybe items"), "lest"));
    assert!(!occurs(&running_text("maybe item"), "be it"));
    let places = ["include", "docs", "src", "core", "dropin", "cmake", "examples", "inspector/src"];
    let mut files = documents();
    places.iter().for_each(|place| files_below(&root().join(place), &mut files));
    assert!(files.len() > 100, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = running_text(&read(&file));
        let here = PHRASES.iter().filter(|phrase| occurs(&text, phrase));
        found.extend(here.map(|phrase| format!("{}: {phrase}", file.display())));
    }
    assert!(found.is_empty(), "not plain English:\n{}", found.join("\n"));
}
