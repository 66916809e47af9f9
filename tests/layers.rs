//! The shape of the source: one direction of use, unsafe code in two folders, nothing that prints or panics.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The modules from the lowest layer to the highest. A file uses its own module and lower layers only.
const LAYERS: &[&[&str]] = &[
    &["error"],
    &["params", "entry", "memory", "ordered"],
    &["allowed"],
    &["rng", "simd"],
    &["select"],
    &["mass"],
    &["nucleus", "temper"],
    &["sample"],
    &["thread_state"],
    &["oneshot", "sampler"],
    &["request", "stream", "chain"],
    &["report"],
    &["capi"],
];

/// The folders that may say `unsafe`: raw pointers come in through one, intrinsics live in the other.
const UNSAFE: [&str; 2] = ["capi", "simd"];

const MACROS: [&str; 12] = [
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "assert",
    "assert_eq",
    "assert_ne",
    "print",
    "println",
    "eprint",
    "eprintln",
    "dbg",
];
const METHODS: [&str; 4] = ["unwrap", "unwrap_err", "expect", "expect_err"];

const LONGEST: usize = 400;

/// A source file without its tests.
struct Source {
    /// Below `src/`.
    path: PathBuf,
    text: String,
    code: Vec<Word>,
}

/// A token of the code, groups laid flat.
#[derive(Clone)]
struct Word {
    text: String,
    line: usize,
}

#[test]
fn a_file_uses_lower_layers_only() {
    let sources = sources();
    let reexports = reexports(&sources);
    let mut crossings = 0;
    for source in sources.iter().filter(|s| s.path != Path::new("lib.rs")) {
        let own = source.module();
        let own_layer = layer(&own);
        for (used, line) in source.uses(&reexports) {
            if used != own {
                let place = format!("{}:{line}: {own} uses {used}", source.path.display());
                assert!(layer(&used) < own_layer, "{place}, which is no lower layer");
                crossings += 1;
            }
        }
    }
    assert!(crossings > 10, "the lint found {crossings} uses between modules: it reads nothing");
}

#[test]
fn unsafe_code_stays_in_its_folders() {
    let mut found = 0;
    for source in sources() {
        for word in &source.code {
            // `unsafe_code` is the lint; only the two folders may allow it.
            if word.text == "unsafe" || word.text == "unsafe_code" {
                assert!(UNSAFE.contains(&&*source.module()), "{}", source.at(word));
                found += 1;
            }
        }
    }
    assert!(found > 0, "the C layer cannot do without unsafe: the lint reads nothing");
}

#[test]
fn nothing_prints_or_panics() {
    for source in sources() {
        for pair in source.code.windows(2) {
            let [first, second] = pair else { unreachable!("windows of two") };
            let is_macro = MACROS.contains(&&*first.text) && second.text == "!";
            let is_method = first.text == "." && METHODS.contains(&&*second.text);
            assert!(!is_macro && !is_method, "{}", source.at(first));
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    for source in sources() {
        let path = source.path.display();
        let head: Vec<&str> =
            source.text.lines().map_while(|line| line.strip_prefix("//!")).collect();
        let paragraph = head.split(|line| line.trim().is_empty()).next().unwrap_or_default();
        let sentence = paragraph.concat();
        assert!(sentence.ends_with('.'), "{path} does not begin with a sentence: {sentence:?}");
        let lines = source.text.lines().count();
        assert!(lines < LONGEST, "{path} has {lines} lines");
    }
}

/// The lint on code made for it: what it must see and what it must not.
#[test]
fn the_lint_sees_through_tests_comments_and_strings() {
    let text = "//! \"unsafe\"\n\
        use crate::{rng::{self, pick}, Error};\n\
        const TEXT: &str = \"unsafe\"; // unsafe\n\
        fn code() { vec![super::super::sample::x(), super::entry(), crate::oneshot::y()] }\n\
        #[cfg(test)] mod tests { use crate::capi::all; }\n\
        #[cfg(test)] use crate::capi::all;\n\
        const _: () = { unsafe { crate::capi::all } };\n\
        use crate::temper;";
    let source = Source::new(PathBuf::from("select/scan.rs"), text.to_owned());
    assert!(source.code.iter().all(|word| word.text != "unsafe"));
    let reexports = BTreeMap::from([("Error".to_owned(), "error".to_owned())]);
    let used: Vec<(String, usize)> = source.uses(&reexports);
    let want =
        [("rng", 2), ("error", 2), ("sample", 4), ("select", 4), ("oneshot", 4), ("temper", 8)];
    assert_eq!(used, want.map(|(module, line)| (module.to_owned(), line)));
}

fn layer(module: &str) -> usize {
    let found = LAYERS.iter().position(|layer| layer.contains(&module));
    found.unwrap_or_else(|| panic!("module {module} has no place in LAYERS"))
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).expect("UTF-8");
                let path = path.strip_prefix(&root).expect("below src").to_owned();
                found.push(Source::new(path, text));
            }
        }
    }
    assert!(found.iter().any(|source| source.path == Path::new("capi/mod.rs")));
    found
}

/// What `lib.rs` makes public under the crate's root, with the module it comes from.
fn reexports(sources: &[Source]) -> BTreeMap<String, String> {
    let lib = sources.iter().find(|s| s.path == Path::new("lib.rs")).expect("lib.rs");
    let text = |i: usize| lib.code.get(i).map_or("", |word| &*word.text);
    let mut found = BTreeMap::new();
    for i in (0..lib.code.len()).filter(|&i| text(i) == "pub" && text(i + 1) == "use") {
        let module = text(i + 2);
        let names = (i + 3..).map(text).take_while(|t| *t != ";" && !t.is_empty());
        for name in names.filter(|t| t.chars().all(|c| c.is_alphanumeric() || c == '_')) {
            found.insert(name.to_owned(), module.to_owned());
        }
    }
    found
}

impl Source {
    fn new(path: PathBuf, text: String) -> Self {
        let tokens: TokenStream =
            text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut code = Vec::new();
        flatten(tokens, &mut code);
        Self { path, text, code }
    }

    fn at(&self, word: &Word) -> String {
        format!("{}:{}: {}", self.path.display(), word.line, word.text)
    }

    /// The top-level module that the file belongs to.
    fn module(&self) -> String {
        let first = self.path.iter().next().and_then(|p| p.to_str()).expect("a name");
        first.trim_end_matches(".rs").to_owned()
    }

    /// How many `super` lead from the file to the crate's root.
    fn depth(&self) -> usize {
        self.path.iter().count() - usize::from(self.path.ends_with("mod.rs"))
    }

    /// The top-level modules named by paths from `crate` or `super`, with the lines.
    fn uses(&self, reexports: &BTreeMap<String, String>) -> Vec<(String, usize)> {
        let text = |i: usize| self.code.get(i).map_or("", |word| &*word.text);
        let after_colons = |i: usize| (text(i) == ":" && text(i + 1) == ":").then_some(i + 2);
        let mut found = Vec::new();
        let mut i = 0;
        while i < self.code.len() {
            let line = self.code[i].line;
            let mut at_root = text(i) == "crate";
            let mut end = i + 1;
            if text(i) == "super" {
                let mut supers = 1;
                while let Some(next) = after_colons(end).filter(|&next| text(next) == "super") {
                    supers += 1;
                    end = next + 1;
                }
                at_root = supers >= self.depth();
                if !at_root {
                    found.push((self.module(), line));
                }
            }
            if let Some(first) = after_colons(end).filter(|_| at_root) {
                for name in self.names(first) {
                    let module = reexports.get(name).map_or(name, |module| module);
                    found.push((module.to_owned(), line));
                }
            }
            i = end;
        }
        found
    }

    /// The name at `first`, or the names that the braces there list.
    fn names(&self, first: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut depth = 0;
        let mut starts = true;
        for word in &self.code[first..] {
            match &*word.text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "," => starts = depth == 1,
                name if starts => {
                    names.push(name);
                    starts = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        names
    }
}

/// Lays the tokens flat and leaves out items under `#[cfg(test)]`, and `const _`, which only the
/// compiler runs.
fn flatten(tokens: TokenStream, into: &mut Vec<Word>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(p) if p.as_char() == '#');
        let is_test = |t: &TokenTree| t.to_string().replace(' ', "") == "[cfg(test)]";
        let is_check =
            token.to_string() == "const" && tokens.peek().is_some_and(|t| t.to_string() == "_");
        if is_check || is_hash && tokens.peek().is_some_and(is_test) {
            let ends_item = |t: &TokenTree| match t {
                TokenTree::Group(g) => g.delimiter() == Delimiter::Brace,
                TokenTree::Punct(p) => p.as_char() == ';',
                _ => false,
            };
            tokens.by_ref().find(ends_item);
            continue;
        }
        let line = token.span().start().line;
        let mut word = |text: &str| into.push(Word { text: text.to_owned(), line });
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                word(open);
                flatten(group.stream(), into);
                into.push(Word { text: close.to_owned(), line });
            }
            other => word(&other.to_string()),
        }
    }
}
