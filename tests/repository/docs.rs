//! The documents name what there is: modules, files, commands.

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

#[test]
fn every_module_has_its_line_in_the_architecture() {
    let text = read(&root().join("docs/architecture.md"));
    let described: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(module, _)| module.to_owned())
        .collect();
    let lib = read(&root().join("src/lib.rs"));
    let declared: BTreeSet<String> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(described, declared);
}
