//! A row as JSON: a list of numbers, a list of such lists, or an object with one of them.
//!
//! `NaN`, `Infinity` and `-Infinity` are read as Python's `json` writes them, bare or in quotation marks.
//! Only one row is held at a time, whatever the length of the file.

use super::array::{choose, narrow};
use super::python::Quoting;
use super::{MAX_LOGITS, quoted, too_many};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::{BufRead, BufReader};

/// The key of an object's rows, unless another is asked for.
const KEY: &str = "logits";

pub fn read(file: impl BufRead, key: Option<&str>, row: Option<u64>) -> Result<Vec<f32>, String> {
    let mut rows = Rows { wanted: row.unwrap_or(0), ..Rows::default() };
    let mut text = BufReader::new(Quoting::new(file));
    let mut json = serde_json::Deserializer::from_reader(&mut text);
    let document = Document { key, rows: &mut rows };
    let read = document.deserialize(&mut json).and_then(|()| json.end());
    read.map_err(|error| explained(&error, text.get_ref().quoted))?;
    rows.chosen(row)
}

/// The error with what to do about it. Columns are those of the file if nothing was put in quotation marks.
fn explained(error: &serde_json::Error, quoted: bool) -> String {
    let mut text = error.to_string();
    // An error of the reader comes ahead of the parser's place.
    if error.is_io()
        && let Some(at) = text.rfind(" at line ")
    {
        text.truncate(at);
    }
    if quoted && let Some(at) = text.rfind(" column ") {
        text.truncate(at);
    }
    if error.is_data() {
        return text;
    }
    if text.starts_with("trailing characters") {
        return format!("{text}: one JSON value is read; make a list of several");
    }
    format!(
        "{text}: a list of numbers is read, as [1.5, -2], {{\"logits\": [1.5]}} or [[1.5], [2]]"
    )
}

/// What is known of the rows while they pass.
#[derive(Default)]
struct Rows {
    wanted: u64,
    /// How many lists of numbers came.
    count: u64,
    /// The wanted one.
    row: Vec<f32>,
    /// The number of each list, as long as every list has just one: a column is a row, too.
    column: Vec<f32>,
    longer: bool,
    /// The most lists in a list, for each depth.
    widths: Vec<u64>,
}

impl Rows {
    fn number<E: Error>(&mut self, place: u64, value: f32) -> Result<(), E> {
        if place >= MAX_LOGITS {
            return Err(E::custom(too_many(place + 1)));
        }
        if self.count == self.wanted {
            self.row.push(value);
        }
        if place > 0 {
            self.longer = true;
            self.column = Vec::new();
        } else if !self.longer {
            if self.column.len() as u64 == MAX_LOGITS {
                return Err(E::custom(too_many(MAX_LOGITS + 1)));
            }
            self.column.push(value);
        }
        Ok(())
    }

    fn lists(&mut self, depth: usize, count: u64) {
        if self.widths.len() <= depth {
            self.widths.resize(depth + 1, 0);
        }
        if let Some(width) = self.widths.get_mut(depth) {
            *width = count.max(*width);
        }
    }

    fn chosen(self, row: Option<u64>) -> Result<Vec<f32>, String> {
        if self.widths.iter().filter(|width| **width > 1).count() > 1 {
            return Err("its lists are nested too deeply; give one list of rows".to_owned());
        }
        if !self.longer && self.column.len() as u64 == self.count {
            choose(row, 1)?;
            return Ok(self.column);
        }
        choose(row, self.count)?;
        Ok(self.row)
    }
}

struct Document<'a> {
    key: Option<&'a str>,
    rows: &'a mut Rows,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers or an object that has one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        if let Some(key) = self.key {
            return Err(A::Error::custom(format!(
                "a list, without names: no {} in it",
                quoted(key)
            )));
        }
        Item { rows: self.rows, depth: 0, place: 0 }.visit_seq(list).map(drop)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let wanted = self.key.unwrap_or(KEY);
        let (mut found, mut others) = (false, Vec::new());
        while let Some(key) = object.next_key::<String>()? {
            if key == wanted {
                if found {
                    return Err(A::Error::custom(format!("{} comes twice", quoted(wanted))));
                }
                found = true;
                object.next_value_seed(List(self.rows))?;
            } else {
                object.next_value::<IgnoredAny>()?;
                if others.len() < 8 {
                    others.push(quoted(&key));
                }
            }
        }
        if found {
            return Ok(());
        }
        let others = others.join(", ");
        Err(A::Error::custom(format!(
            "no {} in the object; choose one of its keys with --tensor: {others}",
            quoted(wanted)
        )))
    }
}

/// The value of the key: a list, not a number.
struct List<'a>(&'a mut Rows);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        match json.deserialize_any(Item { rows: self.0, depth: 0, place: 0 })? {
            Found::List => Ok(()),
            Found::Number(_) => Err(D::Error::custom("a number; a list of numbers is read")),
        }
    }
}

/// An element of a list of the given depth, at its `place`.
struct Item<'a> {
    rows: &'a mut Rows,
    depth: usize,
    place: u64,
}

#[derive(Clone, Copy)]
enum Found {
    Number(f32),
    List,
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = Found;
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Found, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Item<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Found, E> {
        let value =
            narrow(value).map_err(|why| E::custom(format!("logit {}: {why}", self.place)))?;
        Ok(Found::Number(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Found, E> {
        Ok(Found::Number(value as f32))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Found, E> {
        Ok(Found::Number(value as f32))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Found, E> {
        match text {
            "NaN" => Ok(Found::Number(f32::NAN)),
            "Infinity" => Ok(Found::Number(f32::INFINITY)),
            "-Infinity" => Ok(Found::Number(f32::NEG_INFINITY)),
            _ => {
                let text = quoted(text);
                Err(E::custom(format!("{text} is not a number; numbers have no quotation marks")))
            }
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Found, E> {
        let why = "null is not a number; write NaN or -Infinity, whichever it stands for";
        Err(E::custom(why))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Found, A::Error> {
        let Self { rows, depth, .. } = self;
        let (mut numbers, mut lists) = (0, 0);
        while let Some(found) =
            list.next_element_seed(Item { rows: &mut *rows, depth: depth + 1, place: numbers })?
        {
            match found {
                Found::Number(value) => {
                    rows.number(numbers, value)?;
                    numbers += 1;
                }
                Found::List => lists += 1,
            }
            if numbers > 0 && lists > 0 {
                return Err(A::Error::custom(
                    "numbers and lists in one list; give rows of numbers",
                ));
            }
        }
        if lists == 0 {
            rows.count += 1;
        }
        rows.lists(depth, lists);
        Ok(Found::List)
    }
}

#[cfg(test)]
mod tests {
    use super::super::python::LONGEST_TEXT;
    use super::*;
    use std::io::{self, Read};

    fn read(text: &str, key: Option<&str>, row: Option<u64>) -> Result<Vec<f32>, String> {
        let whole = super::read(text.as_bytes(), key, row);
        // However the bytes come.
        let single = super::read(BufReader::with_capacity(1, text.as_bytes()), key, row);
        assert_eq!(format!("{whole:?}"), format!("{single:?}"));
        whole
    }

    #[test]
    fn lists_and_objects_of_numbers() {
        for (text, row, want) in [
            ("[1.5, -2, 3e-1]", None, vec![1.5, -2.0, 0.3]),
            (" [ ]\n", None, vec![]),
            ("[7]", Some(0), vec![7.0]),
            ("[[1, 2, 3]]", None, vec![1.0, 2.0, 3.0]),
            ("[[1, 2], [3, 4]]", Some(1), vec![3.0, 4.0]),
            ("[[[1, 2], [3, 4]]]", Some(0), vec![1.0, 2.0]),
            ("[[1], [2], [3]]", None, vec![1.0, 2.0, 3.0]),
            ("[[[1, 2, 3]]]", None, vec![1.0, 2.0, 3.0]),
            (r#"{"logits": [1, 2]}"#, None, vec![1.0, 2.0]),
            (r#"{"a": {"logits": [9]}, "b\"": "[", "logits": [[1], [2]]}"#, None, vec![1.0, 2.0]),
        ] {
            assert_eq!(read(text, None, row), Ok(want), "{text}");
        }
        let text = r#"{"logits": [1], "other": [[2, 3], [4, 5]]}"#;
        assert_eq!(read(text, Some("other"), Some(1)), Ok(vec![4.0, 5.0]));
    }

    #[test]
    fn numbers_are_rounded_once_and_never_become_infinities() {
        let text = "[0.1, 3.4028234663852886e38, 1e-60, 18446744073709551615, -9007199254740993]";
        let want = vec![0.1, f32::MAX, 0.0, 1.844_674_4e19, -9.007_199e15];
        assert_eq!(read(text, None, None), Ok(want));
        for text in ["[0, 1e39]", "[0,-3.5e38]"] {
            let why = read(text, None, None).expect_err("beyond float32");
            assert!(why.starts_with("logit 1: ") && why.contains("beyond the range"), "{why}");
        }
        assert!(read("[1e400]", None, None).is_err_and(|why| why.contains("out of range")));
    }

    #[test]
    fn words_of_python_are_numbers() {
        let text = r#"{"NaN": "-Infinity \" NaN", "logits": [NaN,-Infinity, Infinity,-1,"NaN","-Infinity"]}"#;
        let row = read(text, None, None).expect("six numbers");
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        assert_eq!(format!("{row:?}"), format!("{:?}", [nan, -inf, inf, -1.0, nan, -inf]));
        for text in ["[Nan]", "[--Infinity]", "[-", "[Infinit]", "[N", "[-NaN]"] {
            assert!(read(text, None, None).is_err(), "{text}");
        }
        // A column that would be another than the file's is left out.
        let why = read("[NaN, x]", None, None).expect_err("no number");
        assert!(why.starts_with("expected value at line 1: a list"), "{why}");
    }

    #[test]
    fn what_is_no_row_is_refused_with_its_place() {
        for (text, key, row, want) in [
            ("[1, 2", None, None, "EOF while parsing a list at line 1 column"),
            ("[1 2]", None, None, "expected `,` or `]` at line 1 column 4: a list of numbers"),
            (
                "[1,\n\"x\"]",
                None,
                None,
                "\"x\" is not a number; numbers have no quotation marks at",
            ),
            ("[null]", None, None, "null is not a number; write NaN or -Infinity"),
            ("[true]", None, None, "invalid type: boolean `true`, expected a number"),
            ("[1, [2]]", None, None, "numbers and lists in one list"),
            ("[[1, 2], [3, 4]]", None, None, "it has 2 rows; choose one with --row, from 0 to 1"),
            ("[[1, 2], [3, 4]]", None, Some(2), "--row 2: it has 2 rows"),
            ("[1, 2]", None, Some(1), "--row 1: it has one row"),
            ("[[[1, 2], [1, 2]], [[1, 2], [1, 2]]]", None, Some(0), "its lists are nested too"),
            (
                "{\"a\": [1], \"b\": 2}",
                None,
                None,
                "no \"logits\" in the object; choose one of its",
            ),
            ("{\"logits\": 1}", None, None, "a number; a list of numbers is read"),
            ("{\"logits\": {}}", None, None, "invalid type: map, expected a number or a list"),
            ("{\"logits\": [1], \"logits\": [1]}", None, None, "\"logits\" comes twice"),
            ("[1]", Some("a"), None, "a list, without names: no \"a\" in it"),
            ("[1]\n[2]", None, None, "trailing characters at line 2 column 1: one JSON value"),
            ("5", None, None, "invalid type: integer `5`, expected a list of numbers"),
        ] {
            let why = read(text, key, row).expect_err(want);
            assert!(why.starts_with(want), "{text}: {why}");
        }
        assert!(read(&"[".repeat(1000), None, None).is_err_and(|why| why.contains("recursion")));
    }

    #[test]
    fn a_row_that_never_ends_is_refused() {
        for pattern in [&b"1,"[..], b"[1],"] {
            let (mut at, head) = (0, Some(b'['));
            let mut first = head;
            let endless = std::iter::from_fn(move || {
                Some(first.take().unwrap_or_else(|| {
                    at += 1;
                    pattern[(at - 1) % pattern.len()]
                }))
            });
            struct Bytes<I>(I);
            impl<I: Iterator<Item = u8>> Read for Bytes<I> {
                fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                    let pairs = buffer.iter_mut().zip(&mut self.0);
                    Ok(pairs.map(|(to, from)| *to = from).count())
                }
            }
            let why = super::read(BufReader::new(Bytes(endless)), None, None).expect_err("endless");
            assert!(why.starts_with("4194305 logits in one row"), "{why}");
        }
        let mut text = vec![b'a'; LONGEST_TEXT as usize + 2];
        text[0] = b'"';
        let why = super::read(&text[..], None, None).expect_err("a long string");
        assert!(why.starts_with("a string of more than 16 MiB"), "{why}");
    }
}
