//! The golden files, parsed; whatever is not understood fails.

use super::rows;
use hexf_parse::parse_hexf32;
use s2sampler_core::SamplerParams;
use std::path::PathBuf;
use std::str::FromStr;

/// One line: a row, the parameters, a seed, and the tokens of successive draws.
pub struct Line {
    pub text: String,
    pub row: Vec<f32>,
    pub params: SamplerParams,
    pub seed: u32,
    pub tokens: Vec<u32>,
}

pub fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(path)
}

/// The lines of a golden table that are not comments.
pub fn table(name: &str) -> Vec<String> {
    lines_of("golden", name)
}

/// The lines of a table of another engine.
pub fn engine_table(name: &str) -> Vec<String> {
    lines_of("engines", name)
}

fn lines_of(folder: &str, name: &str) -> Vec<String> {
    let path = data(folder).join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect()
}

/// A table of generated rows.
pub fn generated(name: &str) -> impl Iterator<Item = Line> {
    table(name).into_iter().map(|text| {
        let mut fields = Fields::new(&text);
        let family: String = fields.parse();
        let (n, scale, seed) = (fields.parse(), fields.float(), fields.parse());
        let row = rows::generated(&family, n, scale, seed);
        let (params, seed, tokens) = (fields.params(), fields.parse(), fields.rest());
        Line { text, row, params, seed, tokens }
    })
}

/// A real row.
pub fn row(name: &str) -> Vec<f32> {
    let path = data("logits").join(format!("row{name}.f32"));
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (words, []) = bytes.as_chunks::<4>() else { panic!("{}: cut short", path.display()) };
    words.iter().map(|&w| f32::from_le_bytes(w)).collect()
}

/// The lines of `real_rows.tsv` over one real row.
pub fn real(row_name: &str) -> Vec<Line> {
    let row = row(row_name);
    let table = table("real_rows.tsv").into_iter();
    let mine = table.filter(|line| line.split(' ').next() == Some(row_name));
    mine.map(|text| {
        let mut fields = Fields::new(&text);
        let (_name, n): (String, usize) = (fields.parse(), fields.parse());
        assert_eq!(row.len(), n, "row {row_name}");
        let (params, seed, tokens) = (fields.params(), fields.parse(), fields.rest());
        Line { text, row: row.clone(), params, seed, tokens }
    })
    .collect()
}

/// The fields of one line, read from left to right.
pub struct Fields<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Fields<'a> {
    pub fn new(line: &'a str) -> Self {
        Self(line.split_whitespace())
    }

    fn text(&mut self) -> &'a str {
        self.0.next().expect("the line has more fields")
    }

    pub fn parse<T: FromStr>(&mut self) -> T {
        let text = self.text();
        text.parse().unwrap_or_else(|_| panic!("{text:?} is not a {}", std::any::type_name::<T>()))
    }

    /// The next field, if the line has one.
    pub fn last<T: FromStr>(&mut self) -> Option<T> {
        self.0.clone().next().map(|_| self.parse())
    }

    pub fn float(&mut self) -> f32 {
        let text = self.text();
        parse_hexf32(text, false).unwrap_or_else(|e| panic!("{text:?}: {e}"))
    }

    pub fn params(&mut self) -> SamplerParams {
        SamplerParams { temperature: self.float(), top_p: self.float(), top_k: self.parse() }
    }

    fn rest(&mut self) -> Vec<u32> {
        let tokens: Vec<u32> = self.0.by_ref().map(|t| t.parse().expect("a token")).collect();
        assert!(!tokens.is_empty(), "a line without tokens tests nothing");
        tokens
    }
}
