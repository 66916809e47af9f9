//! A raw file: little-endian float32 numbers and nothing else, one row or rows of equal length.

use super::array::{Array, Encoding, choose};
use super::input::{Input, Skip};
use super::{MAX_LOGITS, said, too_many};
use std::io::Read;

const SIZE: u64 = 4;

pub fn read(mut file: Input, columns: Option<u64>, row: Option<u64>) -> Result<Vec<f32>, String> {
    if let Some(len) = file.len().filter(|len| !len.is_multiple_of(SIZE)) {
        return Err(odd(&len.to_string()));
    }
    match columns {
        Some(columns) => one_of_many(&mut file, columns, row),
        None => whole(&mut file),
    }
}

fn odd(len: &str) -> String {
    format!(
        "{len} bytes are not a whole number of 4-byte floats; a raw file holds little-endian float32 \
         numbers and nothing else"
    )
}

fn several(found: &str) -> String {
    format!(
        "{found}; if these are several rows, give their length with --columns and choose one with --row"
    )
}

fn whole(file: &mut Input) -> Result<Vec<f32>, String> {
    if let Some(len) = file.len().filter(|len| *len / SIZE > MAX_LOGITS) {
        return Err(several(&too_many(len / SIZE)));
    }
    let mut bytes = Vec::new();
    file.by_ref().take(MAX_LOGITS * SIZE + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() as u64 > MAX_LOGITS * SIZE {
        return Err(several(&format!("more than {MAX_LOGITS} logits in one row")));
    }
    let (values, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(odd(&bytes.len().to_string()));
    }
    Ok(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
}

fn one_of_many(file: &mut Input, columns: u64, row: Option<u64>) -> Result<Vec<f32>, String> {
    if columns > MAX_LOGITS {
        return Err(too_many(columns));
    }
    let width = columns * SIZE;
    let chosen = match file.len() {
        Some(0) => return Ok(Vec::new()),
        Some(len) if !len.is_multiple_of(width) => {
            return Err(format!(
                "its {} floats are not a whole number of rows of {columns}; --columns is the number of \
                 logits in a row",
                len / SIZE
            ));
        }
        Some(len) => choose(row, len / width)?,
        // A pipe need not end: its rows are not counted.
        None => row.unwrap_or(0),
    };
    let short = || format!("it ends before the end of row {chosen}, at {columns} logits in a row");
    let before = chosen.checked_mul(width).ok_or_else(short)?;
    file.skip(before).map_err(|_| short())?;
    let one = Array { shape: &[columns], encoding: Encoding::F32, fortran: false };
    let logits = one.row(file, None, None).map_err(|_| short())?;
    if row.is_none() && !file.peek(1).map_err(said)?.is_empty() {
        return Err(format!("it has more than one row of {columns} logits; choose one with --row"));
    }
    Ok(logits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Cursor};

    fn both(bytes: &[u8], columns: Option<u64>, row: Option<u64>) -> [Result<Vec<f32>, String>; 2] {
        let file = Input::seekable(Cursor::new(bytes.to_vec())).expect("bytes in memory");
        let pipe = Input::pipe(Cursor::new(bytes.to_vec()));
        [file, pipe].map(|input| read(input, columns, row))
    }

    #[test]
    fn bytes_are_little_endian_floats() {
        let bytes = [0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff];
        let want = Ok(vec![1.0, f32::NEG_INFINITY]);
        assert_eq!(both(&bytes, None, None), [want.clone(), want]);
        assert_eq!(both(&[], None, None), [Ok(vec![]), Ok(vec![])]);
    }

    #[test]
    fn odd_sizes_are_refused() {
        for size in [1, 3, 5, 7] {
            for result in both(&[0; 8][..size], None, None) {
                let why = result.expect_err("no whole floats");
                assert!(why.starts_with(&format!("{size} bytes are not a whole number")), "{why}");
            }
        }
    }

    #[test]
    fn columns_divide_a_file_into_rows() {
        let bytes: Vec<u8> = (0..6).flat_map(|value| (value as f32).to_le_bytes()).collect();
        for (columns, row, want) in [
            (3, 0, vec![0.0, 1.0, 2.0]),
            (3, 1, vec![3.0, 4.0, 5.0]),
            (1, 4, vec![4.0]),
            (6, 0, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        ] {
            assert_eq!(both(&bytes, Some(columns), Some(row)), [Ok(want.clone()), Ok(want)]);
        }
        assert_eq!(both(&bytes, Some(6), None)[0].as_ref().map(Vec::len), Ok(6));
        assert_eq!(both(&bytes, Some(6), None)[1].as_ref().map(Vec::len), Ok(6));
        for (columns, row, file, pipe) in [
            (3, None, "it has 2 rows; choose one", "it has more than one row of 3 logits"),
            (3, Some(2), "--row 2: it has 2 rows", "it ends before the end of row 2"),
            (4, Some(1), "its 6 floats are not a whole number of rows of 4", "it ends before"),
            (7, None, "its 6 floats are not", "it ends before the end of row 0, at 7 logits"),
            (4_194_305, None, "4194305 logits in one row", "4194305 logits in one row"),
            (2, Some(u64::MAX), "--row 18446744073709551615: it has 3", "it ends before"),
        ] {
            let results = both(&bytes, Some(columns), row);
            for (result, want) in results.into_iter().zip([file, pipe]) {
                let why = result.expect_err(want);
                assert!(why.starts_with(want), "{why}");
            }
        }
    }

    #[test]
    fn more_logits_than_a_row_may_have_are_refused_before_they_are_read() {
        let why = read(Input::pipe(io::repeat(0)), None, None).expect_err("it never ends");
        assert!(why.starts_with("more than 4194304 logits in one row; if"), "{why}");
        // A file that claims to be long, and fails if it is read.
        struct Long(u64);
        impl io::Read for Long {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("read")
            }
        }
        impl io::Seek for Long {
            fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
                Ok(if to == io::SeekFrom::End(0) { self.0 } else { 0 })
            }
        }
        let long = Input::seekable(Long(400_000_000)).expect("a length");
        let why = read(long, None, None).expect_err("too long");
        assert!(why.starts_with("100000000 logits in one row: at most 4194304"), "{why}");
        assert!(why.ends_with("--columns and choose one with --row"), "{why}");
        assert_eq!(read(Input::pipe(io::repeat(0)), Some(3), Some(9)), Ok(vec![0.0; 3]));
    }
}
