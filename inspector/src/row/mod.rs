//! A row of logits from a file, by the name's ending: raw, NumPy's, or numbers in a text.
//!
//! - `raw`: `.f32`, the bytes of binary32 numbers, little-endian
//! - `npy`: `.npy` with float32 or float16, one row or several
//! - `text`: whatever else

pub mod npy;
mod raw;
mod text;

use crate::problem::Problem;
use crate::progress::Watched;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads the row in `path`; of a file with several rows the one numbered `row`.
pub fn read(path: &Path, row: Option<u64>) -> Result<Vec<f32>, Problem> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let is_npy = ending.as_deref() == Some("npy");
    if row.is_some() && !is_npy {
        return Err(Problem::Usage("--row: only an .npy file has several rows".to_owned()));
    }
    let read = || -> Result<Vec<f32>, String> {
        let file = File::open(path).map_err(said)?;
        let bytes = file.metadata().map_err(said)?.len();
        let logits = if is_npy {
            npy::read(BufReader::new(file), bytes, row)?
        } else if ending.as_deref() == Some("f32") {
            raw::read(Watched::new(file, bytes))?
        } else {
            text::read(BufReader::new(Watched::new(file, bytes)))?
        };
        if logits.is_empty() { Err("empty: no logits in it".to_owned()) } else { Ok(logits) }
    };
    read().map_err(|why| Problem::File(format!("{}: {why}", path.display())))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(name: &str, row: Option<u64>) -> Problem {
        read(Path::new(name), row).expect_err("no such row")
    }

    #[test]
    fn what_is_no_file_is_said_with_its_name() {
        for name in ["no/such.f32", "no/such.npy", "no/such.txt"] {
            let Problem::File(text) = problem(name, None) else { panic!("a file is missing") };
            assert!(text.starts_with(&format!("{name}: No such file")), "{text}");
        }
        let Problem::File(text) = problem(env!("CARGO_MANIFEST_DIR"), None) else {
            panic!("a folder is no usage error")
        };
        assert!(text.contains("directory"), "{text}");
    }

    #[test]
    fn rows_are_of_npy_files() {
        assert!(matches!(problem("row.f32", Some(0)), Problem::Usage(_)));
        assert!(matches!(problem("row.NPY", Some(0)), Problem::File(_)));
    }
}
