//! One line of a file, its columns by name.

use super::Mismatch;
use crate::common::rows;
use hexf_parse::parse_hexf32;
use std::str::FromStr;

/// The columns of a line, named by the file's header.
pub struct Record(Vec<(String, String)>);

/// The names in a header, and what separates the columns below it.
pub struct Header {
    names: Vec<String>,
    separator: char,
}

impl Header {
    /// Takes a line that begins with `# `. A name ends at a colon: what follows describes the column.
    pub fn parse(line: &str) -> Result<Self, Mismatch> {
        let names = line.strip_prefix("# ").ok_or("no header line")?;
        let separator = if names.contains('\t') { '\t' } else { ' ' };
        // The last column of a file with spaces is what stands behind a bar, spaces included.
        let (names, last) = names.split_once(" | ").unwrap_or((names, ""));
        let names = names.split(separator).chain((!last.is_empty()).then_some(last));
        let names = names.map(|name| name.split(':').next().unwrap_or_default().to_owned());
        Ok(Self { names: names.collect(), separator })
    }

    pub fn record(&self, line: &str) -> Result<Record, Mismatch> {
        let (line, last) = match self.separator {
            ' ' => line.split_once(" | ").ok_or("no bar")?,
            _ => (line, ""),
        };
        let texts = line.split(self.separator).chain((!last.is_empty()).then_some(last));
        let texts: Vec<String> = texts.map(String::from).collect();
        if texts.len() != self.names.len() {
            return Err(format!("{} columns, not {}", texts.len(), self.names.len()).into());
        }
        Ok(Record(self.names.iter().cloned().zip(texts).collect()))
    }
}

impl Record {
    /// Changes the last digit of what the engine returned.
    pub fn alter(&mut self) {
        let results = ["tokens", "frames", "calls", "ids_or_hash"];
        let result = self.0.iter_mut().find(|(name, _)| results.contains(&&**name));
        let (_, text) = result.expect("a column of results");
        let last = text.pop();
        text.push(if last == Some('0') { '1' } else { '0' });
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(column, _)| column == name)
    }

    pub fn text(&self, name: &str) -> Result<&str, Mismatch> {
        let column = self.0.iter().find(|(column, _)| column == name);
        Ok(&column.ok_or_else(|| format!("no column {name}"))?.1)
    }

    pub fn number<T: FromStr>(&self, name: &str) -> Result<T, Mismatch> {
        number(self.text(name)?)
    }

    pub fn float(&self, name: &str) -> Result<f32, Mismatch> {
        float(self.text(name)?)
    }

    pub fn numbers<T: FromStr>(&self, name: &str) -> Result<Vec<T>, Mismatch> {
        split(self.text(name)?, ',').map(number).collect()
    }

    pub fn floats(&self, name: &str) -> Result<Vec<f32>, Mismatch> {
        split(self.text(name)?, ',').map(float).collect()
    }

    /// The row of the family, length, scale and seed.
    pub fn row(&self) -> Result<Vec<f32>, Mismatch> {
        self.row_of(self.number("seed")?)
    }

    /// As [`Record::row`], with another seed.
    pub fn row_of(&self, seed: u64) -> Result<Vec<f32>, Mismatch> {
        // A sign at the end says which seeds the line uses.
        let family = self.text("family")?.trim_end_matches(['+', '=']);
        if !["bell", "peaky", "masked", "tied"].contains(&family) {
            return Err(format!("family {family}").into());
        }
        Ok(rows::generated(family, self.number("n")?, self.float("scale")?, seed))
    }
}

pub fn number<T: FromStr>(text: &str) -> Result<T, Mismatch> {
    text.parse().map_err(|_| format!("{text:?} is no {}", std::any::type_name::<T>()).into())
}

fn float(text: &str) -> Result<f32, Mismatch> {
    parse_hexf32(text, false).map_err(|_| format!("{text:?} is no float").into())
}

/// The elements of a list; `-` is an empty one.
pub fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    text.split(separator).filter(move |_| text != "-")
}
