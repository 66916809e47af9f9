//! A NumPy file: float32 or float16, one row or one of several.

use super::said;
use crate::progress::Progress;
use half::f16;
use npyz::{DType, Deserialize, NpyFile, NpyHeader, Order};
use std::io::{Read, Seek};

/// Reads the one row of `file`, or the one numbered `row`; the file is `bytes` long.
pub fn read(mut file: impl Read + Seek, bytes: u64, row: Option<u64>) -> Result<Vec<f32>, String> {
    if bytes == 0 {
        return Err("empty: no header in it".to_owned());
    }
    check(&mut file, bytes)?;
    let header =
        NpyHeader::from_reader(&mut file).map_err(|error| format!("no NumPy file: {error}"))?;
    let there = bytes.saturating_sub(file.stream_position().map_err(said)?);
    match dtype(&header.dtype()).as_str() {
        "f4" => values::<f32>(header, file, there / 4, row),
        "f2" => values::<f16>(header, file, there / 2, row),
        _ => {
            let found = header.dtype().descr();
            Err(format!("its dtype is {found}: float32 ('<f4') and float16 ('<f2') are read"))
        }
    }
}

/// Refuses headers that the parser would take too much memory or time for: it asks for memory before it
/// has looked how long the file is, and tries every bracket in several ways.
fn check(file: &mut (impl Read + Seek), bytes: u64) -> Result<(), String> {
    const DEEPEST: usize = 8;
    let mut start = Vec::new();
    file.by_ref().take(12).read_to_end(&mut start).map_err(said)?;
    let length = match start[..] {
        [_, _, _, _, _, _, 1, _, a, b, ..] => u64::from(u16::from_le_bytes([a, b])),
        [_, _, _, _, _, _, _, _, a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        _ => 0,
    };
    if length > bytes {
        return Err("no NumPy file: its header would be longer than the file".to_owned());
    }
    file.rewind().map_err(said)?;
    let mut header = Vec::new();
    file.by_ref().take(12 + length).read_to_end(&mut header).map_err(said)?;
    file.rewind().map_err(said)?;
    let mut depth = 0_usize;
    for byte in header {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err("no NumPy file: brackets in brackets in its header".to_owned());
        }
    }
    Ok(())
}

/// The type without its byte order, which the reader minds.
fn dtype(dtype: &DType) -> String {
    match dtype {
        DType::Plain(plain) => plain.to_string().trim_start_matches(['<', '>', '|']).to_owned(),
        _ => String::new(),
    }
}

/// The row of a file that has `there` values after its header.
fn values<T: Deserialize + Into<f32>>(
    header: NpyHeader,
    file: impl Read + Seek,
    there: u64,
    row: Option<u64>,
) -> Result<Vec<f32>, String> {
    let (rows, columns) = match *header.shape() {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        ref shape => return Err(format!("its shape is {shape:?}: one or two dimensions are read")),
    };
    if header.order() == Order::Fortran && rows > 1 && columns > 1 {
        return Err("it is in Fortran order, its rows in pieces: save a C-ordered copy".to_owned());
    }
    let row = match row {
        Some(row) if row >= rows => return Err(format!("--row {row}: it has {rows}, from 0 on")),
        None if rows > 1 => return Err(format!("it has {rows} rows: choose one with --row")),
        None if rows == 0 => return Ok(Vec::new()),
        chosen => chosen.unwrap_or(0),
    };
    if rows.checked_mul(columns).is_none_or(|promised| promised > there) {
        return Err(format!("too short: {there} values are there, not {rows} x {columns}"));
    }
    let mut data = NpyFile::with_header(header, file).data::<T>().map_err(said)?;
    data.seek_to(row * columns).map_err(said)?;
    let mut progress = Progress::new("reading", columns);
    let length = usize::try_from(columns).map_err(said)?;
    let values = data.take(length).map(|value| {
        progress.add(1);
        value.map(Into::into).map_err(said)
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A file of NumPy's first version, its header padded as the format wants it.
    fn npy(dtype: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': {dtype}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
        let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend(u16::try_from(length).expect("a short header").to_le_bytes());
        file.extend(format!("{header:<0$}\n", length - 1).bytes());
        file.extend(data);
        file
    }

    fn read(file: &[u8], row: Option<u64>) -> Result<Vec<f32>, String> {
        super::read(Cursor::new(file), file.len() as u64, row)
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    const SIX: [f32; 6] = [1.0, 2.0, 3.0, -4.0, 5.5, f32::NEG_INFINITY];

    #[test]
    fn one_dimension_is_the_row() {
        let file = npy("'<f4'", "False", "(6,)", &floats(&SIX));
        assert_eq!(read(&file, None), Ok(SIX.to_vec()));
        assert_eq!(read(&file, Some(0)), Ok(SIX.to_vec()));
    }

    #[test]
    fn headers_that_cost_too_much_are_refused_before_they_are_read() {
        let mut file = b"\x93NUMPY\x03\x00\xff\xff\xff\xff{'descr': '<f4'".to_vec();
        assert!(read(&file, None).is_err_and(|why| why.contains("longer than the file")));
        // Each bracket doubles the parser's time.
        let nested = npy(&"[".repeat(60), "False", "(6,)", &floats(&SIX));
        assert!(read(&nested, None).is_err_and(|why| why.contains("brackets")));
        // The second version itself is read.
        file = npy("'<f4'", "False", "(6,)", &floats(&SIX));
        file[6] = 2;
        file.splice(10..10, [0, 0]);
        assert_eq!(read(&file, None), Ok(SIX.to_vec()));
    }

    #[test]
    fn one_row_of_two_dimensions() {
        let file = npy("'<f4'", "False", "(2, 3)", &floats(&SIX));
        assert_eq!(read(&file, Some(0)), Ok(SIX[..3].to_vec()));
        assert_eq!(read(&file, Some(1)), Ok(SIX[3..].to_vec()));
        // Fortran order is no other order where there is one row.
        let file = npy("'<f4'", "True", "(1, 6)", &floats(&SIX));
        assert_eq!(read(&file, None), Ok(SIX.to_vec()));
    }

    #[test]
    fn half_precision_and_the_other_byte_order() {
        let halves = SIX.map(|value| f16::from_f32(value).to_le_bytes()).concat();
        assert_eq!(read(&npy("'<f2'", "False", "(6,)", &halves), None), Ok(SIX.to_vec()));
        let turned = SIX.map(f32::to_be_bytes).concat();
        assert_eq!(read(&npy("'>f4'", "False", "(6,)", &turned), None), Ok(SIX.to_vec()));
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let data = floats(&SIX);
        let record = "[('x', '<f4')]";
        for (dtype, fortran, shape, row, want) in [
            ("'<f8'", "False", "(3,)", None, "its dtype is '<f8'"),
            ("'<i4'", "False", "(6,)", None, "its dtype is '<i4'"),
            (record, "False", "(6,)", None, "its dtype is [('x', '<f4'), ]"),
            ("'<f4'", "True", "(2, 3)", Some(0), "it is in Fortran order"),
            ("'<f4'", "False", "(1, 2, 3)", None, "its shape is [1, 2, 3]"),
            ("'<f4'", "False", "()", None, "its shape is []"),
            ("'<f4'", "False", "(2, 3)", None, "it has 2 rows: choose one with --row"),
            ("'<f4'", "False", "(2, 3)", Some(2), "--row 2: it has 2"),
            ("'<f4'", "False", "(7,)", None, "too short: 6 values are there, not 1 x 7"),
            ("'<f4'", "False", "(3, 3)", Some(0), "too short"),
            ("'<f4'", "False", "(4294967296, 4294967297)", Some(1), "too short"),
        ] {
            let problem = read(&npy(dtype, fortran, shape, &data), row).expect_err(want);
            assert!(problem.starts_with(want), "{problem}");
        }
    }

    #[test]
    fn every_cut_of_a_file_is_an_error() {
        let whole = npy("'<f4'", "False", "(6,)", &floats(&SIX));
        for length in 0..whole.len() {
            assert!(read(&whole[..length], None).is_err(), "{length} bytes");
        }
        assert_eq!(read(&npy("'<f4'", "False", "(0,)", &[]), None), Ok(vec![]));
    }
}
