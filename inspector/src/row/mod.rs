//! A row of logits from a file or from standard input.
//!
//! - `format`: which kind it is
//! - `f32`, raw numbers: `raw` · `npy` and `npz`, NumPy's · `safetensors` · `json`, with the words of
//!   `python` · `text`
//! - `array`: one row of an array, for those of them that have shapes and number types
//! - `input`: the bytes of a file or a pipe
//!
//! No length that a file states is trusted: memory is bounded by [`MAX_LOGITS`] and by fixed limits for
//! headers.

mod array;
mod format;
mod input;
mod json;
mod npy;
mod npz;
mod python;
mod raw;
mod safetensors;
mod text;

pub use format::Format;
pub use input::Input;

use crate::problem::Problem;
use input::Skip;
use std::fs::File;
use std::num::NonZeroU64;
use std::path::Path;

/// The most logits of a row, 16 MiB of float32. A longer file is a file of several rows.
pub const MAX_LOGITS: u64 = 1 << 22;

/// Which row of a file, and how the file is read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    pub row: Option<u64>,
    /// The length of a row in a raw file that has several.
    pub columns: Option<NonZeroU64>,
    /// The name of an array in a file that has several.
    pub tensor: Option<String>,
    pub format: Option<Format>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Row {
    pub logits: Vec<f32>,
    /// What somebody should know who did not expect it.
    pub notes: Vec<String>,
}

/// How a file is called in what is printed: `-` is standard input.
pub fn name(path: &Path) -> String {
    if is_standard_input(path) {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a row of the file, or of standard input for `-`.
pub fn read(path: &Path, choice: &Choice) -> Result<Row, Problem> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let open = || -> std::io::Result<Input> {
        if is_standard_input(path) {
            return Ok(Input::pipe(std::io::stdin()));
        }
        let file = File::open(path)?;
        // What is no plain file has no length, and may not end.
        if file.metadata()?.is_file() { Input::seekable(file) } else { Ok(Input::pipe(file)) }
    };
    let row = open().map_err(|error| Problem::File(said(error)));
    let row = row.and_then(|input| decode(input, ending.as_deref(), choice));
    let mut row = row.map_err(|problem| problem.of(&name(path)))?;
    row.notes.iter_mut().for_each(|note| *note = format!("{}: {note}", name(path)));
    Ok(row)
}

/// Reads a row of `input`, a file whose name has this `ending`.
pub fn decode(mut input: Input, ending: Option<&str>, choice: &Choice) -> Result<Row, Problem> {
    let head = input.peek(format::HEAD).map_err(|error| Problem::File(said(error)))?;
    let (format, note) = format::of(&head, ending, choice)?;
    if head.is_empty() {
        return Err(Problem::File("empty: no logits in it".to_owned()));
    }
    suits(format, choice)?;
    let tensor = choice.tensor.as_deref();
    let plain = |logits| Row { logits, notes: Vec::new() };
    let row = match format {
        Format::F32 => raw::read(input, choice.columns.map(NonZeroU64::get), choice.row).map(plain),
        Format::Npy => npy::read(input, choice.row),
        Format::Npz => npz::read(input, tensor, choice.row).map(plain),
        Format::Safetensors => safetensors::read(input, tensor, choice.row).map(plain),
        Format::Json | Format::Text => {
            input.skip(format::bom(&head)).map_err(|error| Problem::File(said(error)))?;
            let row = if format == Format::Json {
                json::read(input, tensor, choice.row)
            } else {
                text::read(input)
            };
            row.map(plain)
        }
    };
    let mut row = row.map_err(Problem::File)?;
    if row.logits.is_empty() {
        return Err(Problem::File("empty: no logits in it".to_owned()));
    }
    row.notes.extend(note);
    Ok(row)
}

/// Refuses options that would be ignored.
fn suits(format: Format, choice: &Choice) -> Result<(), Problem> {
    let wrong = match format {
        Format::Text if choice.row.is_some() => {
            "--row: a text has one row; several are read from JSON"
        }
        Format::F32 if choice.row.is_some() && choice.columns.is_none() => {
            "--row: a raw file has rows only with --columns, the number of logits in a row"
        }
        Format::Text | Format::F32 | Format::Npy if choice.tensor.is_some() => {
            "--tensor: only .npz, .safetensors and JSON have arrays with names"
        }
        _ if choice.columns.is_some() && format != Format::F32 => {
            "--columns: only a raw file of float32 needs it; leave it out"
        }
        _ => return Ok(()),
    };
    Err(Problem::Usage(wrong.to_owned()))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn too_many(count: u64) -> String {
    format!("{count} logits in one row: at most {MAX_LOGITS} are read")
}

/// A word of a file as it is shown: what a terminal would act on is escaped, and long words are cut.
fn quoted(word: &str) -> String {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", word.get(..end).unwrap_or_default()),
        None => format!("{word:?}"),
    }
}

/// The one called `wanted` of a file's arrays, or the only one.
fn choose_name<'a>(what: &str, names: &[&'a str], wanted: Option<&str>) -> Result<&'a str, String> {
    const SHOWN: usize = 8;
    let same = |name: &&&str| Some(**name) == wanted || wanted == Some(&format!("{name}.npy"));
    if let Some(name) = names.iter().find(same) {
        return Ok(name);
    }
    if let (None, [name]) = (wanted, names) {
        return Ok(name);
    }
    let mut list: Vec<String> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    if names.len() > SHOWN {
        list.push(format!("and {} more", names.len() - SHOWN));
    }
    let (count, list) = (names.len(), list.join(", "));
    Err(match wanted {
        Some(name) => {
            format!(
                "it has no {}; choose one of its {count} {what} with --tensor: {list}",
                quoted(name)
            )
        }
        None => format!("it has {count} {what}; choose one with --tensor: {list}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn problem(name: &str, choice: &Choice) -> Problem {
        read(Path::new(name), choice).expect_err("no such row")
    }

    #[test]
    fn what_is_no_file_is_said_with_its_name() {
        for name in ["no/such.f32", "no/such.npy", "no/such.txt"] {
            let Problem::File(text) = problem(name, &Choice::default()) else {
                panic!("a file is missing")
            };
            assert!(text.starts_with(&format!("{name}: No such file")), "{text}");
        }
        let Problem::File(text) = problem(env!("CARGO_MANIFEST_DIR"), &Choice::default()) else {
            panic!("a folder is no usage error")
        };
        assert!(text.contains("directory"), "{text}");
    }

    fn of_bytes(bytes: &[u8], ending: &str, choice: &Choice) -> Result<Row, Problem> {
        let file = Input::seekable(Cursor::new(bytes.to_vec())).expect("bytes in memory");
        let file = decode(file, Some(ending), choice);
        assert_eq!(file, decode(Input::pipe(Cursor::new(bytes.to_vec())), Some(ending), choice));
        file
    }

    #[test]
    fn options_that_a_format_has_no_use_for_are_refused() {
        let row = Choice { row: Some(0), ..Choice::default() };
        let tensor = Choice { tensor: Some("a".to_owned()), ..Choice::default() };
        let columns = Choice { columns: NonZeroU64::new(1), ..Choice::default() };
        let text = Choice { format: Some(Format::Text), ..columns.clone() };
        for (bytes, ending, choice, want) in [
            (&b"1 2"[..], "txt", &row, "--row: a text has one row"),
            (b"\0\0\0\0", "f32", &row, "--row: a raw file has rows only with --columns"),
            (b"1 2", "txt", &tensor, "--tensor: only .npz, .safetensors and JSON"),
            (b"\0\0\0\0", "f32", &tensor, "--tensor: only .npz"),
            (b"1 2", "txt", &columns, "--columns: only a raw file of float32 needs it"),
            (b"1 2", "dat", &text, "--columns: only a raw file of float32 needs it"),
        ] {
            let problem = of_bytes(bytes, ending, choice).expect_err(want);
            let Problem::Usage(text) = problem else { panic!("{problem} is a usage error") };
            assert!(text.starts_with(want), "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        let choice = Choice::default();
        for text in ["\u{feff}1.5 2", "\u{feff}[1.5, 2]", "\u{feff}{\"logits\": [1.5, 2]}"] {
            let row = of_bytes(text.as_bytes(), "txt", &choice).map(|row| row.logits);
            assert_eq!(row, Ok(vec![1.5, 2.0]));
        }
    }

    #[test]
    fn nothing_is_no_row() {
        for ending in ["txt", "f32", "npy", "npz", "json", "safetensors"] {
            let why = of_bytes(b"", ending, &Choice::default()).expect_err("empty").to_string();
            assert_eq!(why, "empty: no logits in it");
        }
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        let names: Vec<String> = (0..20).map(|n| format!("{n}{}", "x".repeat(100))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let why = choose_name("tensors", &names, None).expect_err("twenty");
        assert!(why.ends_with("..., and 12 more") && why.len() < 500, "{why}");
    }
}
