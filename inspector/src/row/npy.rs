//! A NumPy file: an array of float64, float32 or float16.

use super::array::{Array, Encoding, Scalar};
use super::input::{Input, Skip};
use super::{Row, said};
use npyz::{DType, NpyHeader, Order};
use std::io::Read;

pub const MAGIC: &[u8] = b"\x93NUMPY";

pub fn read(mut file: Input, row: Option<u64>) -> Result<Row, String> {
    let left = file.left().map_err(said)?;
    let logits = array(&mut file, left, row)?;
    let mut notes = Vec::new();
    if file.peek(MAGIC.len() as u64).map_err(said)? == MAGIC {
        let note = "several arrays, one after the other; only the first is read";
        notes.push(note.to_owned());
    }
    Ok(Row { logits, notes })
}

/// Reads a row of the array whose header comes next. `left` is how many bytes follow, if that is known.
pub fn array(
    file: &mut impl Skip,
    left: Option<u64>,
    row: Option<u64>,
) -> Result<Vec<f32>, String> {
    let text = header(file, left)?;
    let header = NpyHeader::from_reader(&text[..])
        .map_err(|error| format!("its NumPy header cannot be read ({error}); save it again"))?;
    let left = left.map(|left| left.saturating_sub(text.len() as u64));
    let fortran = header.order() == Order::Fortran;
    let encoding = encoding(&header.dtype())?;
    Array { shape: header.shape(), encoding, fortran }.row(file, left, row)
}

/// Takes the bytes of the header. Refuses headers that would cost the parser too much memory or time: it
/// asks for memory before it has looked how long the file is, and tries every bracket in several ways.
fn header(file: &mut impl Read, left: Option<u64>) -> Result<Vec<u8>, String> {
    const DEEPEST: usize = 8;
    // NumPy itself refuses headers above 10,000 bytes.
    const LONGEST: u64 = u16::MAX as u64;
    let cut = || "its NumPy header is cut off; save it again".to_owned();
    let mut text = Vec::new();
    file.by_ref().take(10).read_to_end(&mut text).map_err(said)?;
    if text.get(..MAGIC.len()).is_none_or(|magic| magic != MAGIC) {
        return Err(
            "not a NumPy file: its first bytes are others; save it with numpy.save".to_owned()
        );
    }
    let length = match text[..] {
        [_, _, _, _, _, _, 1, _, a, b] => u64::from(u16::from_le_bytes([a, b])),
        [_, _, _, _, _, _, 2 | 3, _, a, b] => {
            file.by_ref().take(2).read_to_end(&mut text).map_err(said)?;
            let [.., c, d] = text[..] else { return Err(cut()) };
            u32::from_le_bytes([a, b, c, d]).into()
        }
        [_, _, _, _, _, _, version, _, _, _] => {
            return Err(format!("NumPy format {version} is not read; save it with numpy.save"));
        }
        _ => return Err(cut()),
    };
    if left.is_some_and(|left| length > left) {
        return Err(cut());
    }
    if length > LONGEST {
        return Err(format!("its NumPy header has {length} bytes; at most {LONGEST} are read"));
    }
    let before = text.len() as u64;
    file.by_ref().take(length).read_to_end(&mut text).map_err(said)?;
    if text.len() as u64 != before + length {
        return Err(cut());
    }
    let mut depth = 0_usize;
    for byte in &text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err("its NumPy header has brackets in brackets; save a plain array".to_owned());
        }
    }
    Ok(text)
}

fn encoding(dtype: &DType) -> Result<Encoding, String> {
    let found = dtype.descr();
    let (order, name) = match dtype {
        DType::Plain(plain) => {
            let text = plain.to_string();
            let name = text.trim_start_matches(['<', '>', '|', '=']).to_owned();
            (text.chars().next(), name)
        }
        _ => (None, String::new()),
    };
    let scalar = match name.as_str() {
        "f2" => Scalar::F16,
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        _ => {
            return Err(format!(
                "its dtype is {found}; float16, float32 and float64 are read: save it with \
                 .astype(numpy.float32)"
            ));
        }
    };
    Ok(Encoding { scalar, big_endian: order == Some('>') })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::io::Cursor;

    /// A file of NumPy's first version, its header padded as the format wants it.
    pub fn npy(dtype: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': {dtype}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
        let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend(u16::try_from(length).expect("a short header").to_le_bytes());
        file.extend(format!("{header:<0$}\n", length - 1).bytes());
        file.extend(data);
        file
    }

    fn whole(file: &[u8], row: Option<u64>) -> Result<Row, String> {
        let known = Input::seekable(Cursor::new(file.to_vec())).expect("bytes in memory");
        let known = super::read(known, row);
        // Of a pipe the length is not known; the result is the same.
        let piped = super::read(Input::pipe(Cursor::new(file.to_vec())), row);
        assert_eq!(known, piped);
        known
    }

    fn read(file: &[u8], row: Option<u64>) -> Result<Vec<f32>, String> {
        whole(file, row).map(|row| row.logits)
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
        let input = Input::seekable(Cursor::new(file.clone())).expect("bytes in memory");
        assert!(super::read(input, None).is_err_and(|why| why.contains("cut off")));
        let input = Input::pipe(Cursor::new(file));
        assert!(super::read(input, None).is_err_and(|why| why.contains("4294967295 bytes")));
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
    fn one_row_of_several() {
        for shape in ["(2, 3)", "(1, 2, 3)", "(2, 1, 3)"] {
            let file = npy("'<f4'", "False", shape, &floats(&SIX));
            assert_eq!(read(&file, Some(0)), Ok(SIX[..3].to_vec()));
            assert_eq!(read(&file, Some(1)), Ok(SIX[3..].to_vec()));
        }
        for shape in ["(6, 1)", "(1, 6)", "(1, 1, 6)"] {
            for order in ["True", "False"] {
                let file = npy("'<f4'", order, shape, &floats(&SIX));
                assert_eq!(read(&file, None), Ok(SIX.to_vec()));
            }
        }
        // Fortran order: the rows' numbers alternate.
        let file = npy("'<f4'", "True", "(2, 3)", &floats(&SIX));
        assert_eq!(read(&file, Some(1)), Ok(vec![2.0, -4.0, f32::NEG_INFINITY]));
    }

    #[test]
    fn every_dtype_in_both_byte_orders() {
        use half::f16;
        let halves = SIX.map(|value| f16::from_f32(value).to_le_bytes()).concat();
        let doubles = SIX.map(|value| f64::from(value).to_le_bytes()).concat();
        for (dtype, data) in [
            ("'<f2'", halves),
            ("'<f8'", doubles),
            ("'>f2'", SIX.map(|value| f16::from_f32(value).to_be_bytes()).concat()),
            ("'>f4'", SIX.map(f32::to_be_bytes).concat()),
            ("'>f8'", SIX.map(|value| f64::from(value).to_be_bytes()).concat()),
        ] {
            assert_eq!(
                read(&npy(dtype, "False", "(6,)", &data), None),
                Ok(SIX.to_vec()),
                "{dtype}"
            );
        }
    }

    #[test]
    fn a_second_array_behind_the_first_is_noted() {
        let mut file = npy("'<f4'", "False", "(2, 3)", &floats(&SIX));
        let first = whole(&file, Some(0)).expect("a row");
        assert_eq!(first.notes, Vec::<String>::new());
        file.extend(npy("'<f4'", "False", "(1,)", &floats(&[9.0])));
        let row = whole(&file, Some(0)).expect("a row");
        assert_eq!(row.logits, first.logits);
        let want = "several arrays, one after the other; only the first is read";
        assert_eq!(row.notes, [want]);
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let data = floats(&SIX);
        let record = "[('x', '<f4')]";
        for (dtype, shape, row, want) in [
            ("'<i4'", "(6,)", None, "its dtype is '<i4'; float16, float32 and float64 are read"),
            ("'|V2'", "(6,)", None, "its dtype is '|V2'"),
            (record, "(6,)", None, "its dtype is [('x', '<f4'), ]"),
            ("'<f4'", "(2, 2, 2)", None, "its shape is (2, 2, 2); at most two"),
            ("'<f4'", "()", None, "a single number"),
            ("'<f4'", "(2, 3)", None, "it has 2 rows; choose one with --row, from 0 to 1"),
            ("'<f4'", "(2, 3)", Some(2), "--row 2: it has 2"),
            ("'<f4'", "(7,)", None, "too short for its shape (7,)"),
            ("'<f4'", "(3, 3)", Some(0), "too short"),
            ("'<f4'", "(4294967296, 4294967297)", Some(1), "4294967297 logits in one row"),
            ("'<f4'", "(0,)", None, "empty: its shape is (0,)"),
        ] {
            let problem = read(&npy(dtype, "False", shape, &data), row).expect_err(want);
            assert!(problem.starts_with(want), "{problem}");
        }
    }

    #[test]
    fn every_cut_of_a_file_is_an_error() {
        let file = npy("'<f4'", "False", "(6,)", &floats(&SIX));
        for length in 0..file.len() {
            assert!(read(&file[..length], None).is_err(), "{length} bytes");
        }
    }
}
