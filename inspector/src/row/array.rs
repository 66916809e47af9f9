//! One row of an array in a file: which of its dimensions is the row, and its numbers as float32.

use super::input::Skip;
use super::{MAX_LOGITS, too_many};
use half::{bf16, f16};
use std::io::ErrorKind;

/// The number types that are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    F16,
    Bf16,
    F32,
    F64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Encoding {
    pub scalar: Scalar,
    pub big_endian: bool,
}

/// An array whose first byte is the next one of the reader.
#[derive(Debug)]
pub struct Array<'a> {
    pub shape: &'a [u64],
    pub encoding: Encoding,
    /// The first index varies fastest.
    pub fortran: bool,
}

impl Array<'_> {
    /// Reads one row and passes over the rest. `left` is how many bytes follow, if that is known.
    pub fn row(
        &self,
        bytes: &mut impl Skip,
        left: Option<u64>,
        row: Option<u64>,
    ) -> Result<Vec<f32>, String> {
        let (rows, columns) = self.rows()?;
        let row = choose(row, rows)?;
        if columns > MAX_LOGITS {
            return Err(too_many(columns));
        }
        let size = self.encoding.scalar.size();
        let whole = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
        let whole = whole.ok_or_else(|| format!("its shape {} is too large", self.shape_text()))?;
        let short = || {
            format!(
                "too short for its shape {}: the file was cut off; save it again",
                self.shape_text()
            )
        };
        if left.is_some_and(|left| left < whole) {
            return Err(short());
        }
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => short(),
            _ => error.to_string(),
        };
        // Either one piece of `columns` numbers, or `columns` pieces of one number.
        let (pieces, piece, before) = if self.fortran && rows > 1 {
            (columns, size, row * size)
        } else {
            (1, columns * size, row * columns * size)
        };
        let behind = whole / pieces.max(1) - before - piece;
        let mut buffer = vec![0; usize::try_from(piece).map_err(|error| error.to_string())?];
        let mut logits = Vec::new();
        for _ in 0..pieces {
            bytes.skip(before).map_err(failed)?;
            bytes.read_exact(&mut buffer).map_err(failed)?;
            bytes.skip(behind).map_err(failed)?;
            self.encoding.decode(&buffer, &mut logits)?;
        }
        Ok(logits)
    }

    /// Rows and columns. A dimension of 1 does not count; of two others the last is the row.
    fn rows(&self) -> Result<(u64, u64), String> {
        if self.shape.is_empty() {
            return Err("a single number; a row needs one dimension".to_owned());
        }
        let counted: Vec<u64> = self.shape.iter().copied().filter(|size| *size != 1).collect();
        match counted[..] {
            _ if counted.contains(&0) => Err(format!("empty: its shape is {}", self.shape_text())),
            [] => Ok((1, 1)),
            [columns] => Ok((1, columns)),
            [rows, columns] => Ok((rows, columns)),
            _ => Err(format!(
                "its shape is {}; at most two dimensions may be longer than 1, the rows and the \
                 logits: save a slice of it",
                self.shape_text()
            )),
        }
    }

    /// As Python writes it.
    fn shape_text(&self) -> String {
        let sizes: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        if sizes.len() == 1 {
            format!("({},)", sizes[0])
        } else {
            format!("({})", sizes.join(", "))
        }
    }
}

/// The row to read of `rows`.
pub fn choose(row: Option<u64>, rows: u64) -> Result<u64, String> {
    match row {
        Some(row) if row >= rows && rows == 1 => {
            Err(format!("--row {row}: it has one row, number 0"))
        }
        Some(row) if row >= rows => Err(format!(
            "--row {row}: it has {rows} rows, the last is --row {}",
            rows.saturating_sub(1)
        )),
        None if rows > 1 => {
            Err(format!("it has {rows} rows; choose one with --row, from 0 to {}", rows - 1))
        }
        chosen => Ok(chosen.unwrap_or(0)),
    }
}

impl Scalar {
    pub fn size(self) -> u64 {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl Encoding {
    pub const F32: Self = Self { scalar: Scalar::F32, big_endian: false };

    /// Appends the numbers in `bytes`, a whole number of them.
    fn decode(self, bytes: &[u8], logits: &mut Vec<f32>) -> Result<(), String> {
        match self.scalar {
            Scalar::F16 => {
                logits.extend(self.words(bytes).map(|word| f16::from_le_bytes(word).to_f32()));
            }
            Scalar::Bf16 => {
                logits.extend(self.words(bytes).map(|word| bf16::from_le_bytes(word).to_f32()));
            }
            Scalar::F32 => logits.extend(self.words(bytes).map(f32::from_le_bytes)),
            Scalar::F64 => {
                for word in self.words(bytes) {
                    let value = narrow(f64::from_le_bytes(word));
                    logits.push(value.map_err(|why| format!("logit {}: {why}", logits.len()))?);
                }
            }
        }
        Ok(())
    }

    /// The numbers' bytes in little-endian order.
    fn words<const N: usize>(self, bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
        let (words, _) = bytes.as_chunks::<N>();
        words.iter().map(move |word| {
            let mut word = *word;
            if self.big_endian {
                word.reverse();
            }
            word
        })
    }
}

/// Rounds to float32; what would become an infinity that nobody wrote is an error.
pub fn narrow(value: f64) -> Result<f32, String> {
    let rounded = value as f32;
    if rounded.is_infinite() && value.is_finite() {
        return Err(format!("{value:e} is beyond the range of float32, in which logits are held"));
    }
    Ok(rounded)
}

#[cfg(test)]
mod tests {
    use super::super::input::Unseekable;
    use super::*;

    const F64: Encoding = Encoding { scalar: Scalar::F64, big_endian: false };

    fn read(
        shape: &[u64],
        encoding: Encoding,
        fortran: bool,
        data: &[u8],
        row: Option<u64>,
    ) -> Result<Vec<f32>, String> {
        let array = Array { shape, encoding, fortran };
        let known = array.row(&mut Unseekable(data), Some(data.len() as u64), row);
        // Of a pipe the length is not known; the result is the same.
        let piped = array.row(&mut Unseekable(data), None, row);
        // As text, in which a NaN is like itself.
        assert_eq!(format!("{known:?}"), format!("{piped:?}"));
        known
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn dimensions_of_one_do_not_count() {
        let data = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let six: [&[u64]; 5] = [&[6], &[1, 6], &[6, 1], &[1, 1, 6], &[1, 6, 1, 1]];
        for shape in six {
            for fortran in [false, true] {
                let row = read(shape, Encoding::F32, fortran, &data, None);
                assert_eq!(row, Ok(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "{shape:?}");
                assert_eq!(row, read(shape, Encoding::F32, fortran, &data, Some(0)));
                let why = read(shape, Encoding::F32, fortran, &data, Some(1)).expect_err("one row");
                assert_eq!(why, "--row 1: it has one row, number 0");
            }
        }
        let two: [&[u64]; 4] = [&[2, 3], &[1, 2, 3], &[2, 1, 3], &[2, 3, 1]];
        for shape in two {
            assert_eq!(read(shape, Encoding::F32, false, &data, Some(0)), Ok(vec![1.0, 2.0, 3.0]));
            assert_eq!(read(shape, Encoding::F32, false, &data, Some(1)), Ok(vec![4.0, 5.0, 6.0]));
            assert_eq!(read(shape, Encoding::F32, true, &data, Some(1)), Ok(vec![2.0, 4.0, 6.0]));
            let why = read(shape, Encoding::F32, false, &data, None).expect_err("two rows");
            assert_eq!(why, "it has 2 rows; choose one with --row, from 0 to 1");
        }
        assert_eq!(read(&[1, 1], Encoding::F32, false, &data[..4], None), Ok(vec![1.0]));
    }

    #[test]
    fn shapes_without_a_row_are_refused() {
        let data = floats(&[0.0; 12]);
        for (shape, row, want) in [
            (&[][..], None, "a single number"),
            (&[0], None, "empty: its shape is (0,)"),
            (&[0, 5], Some(0), "empty: its shape is (0, 5)"),
            (&[2, 2, 3], Some(0), "its shape is (2, 2, 3); at most two dimensions"),
            (&[3, 4], Some(3), "--row 3: it has 3 rows, the last is --row 2"),
            (&[13], None, "too short for its shape (13,)"),
            (&[4, 4], Some(0), "too short for its shape (4, 4)"),
            (&[4, 4_194_305], Some(0), "4194305 logits in one row"),
            (&[1 << 62, 3], Some(0), "its shape (4611686018427387904, 3) is too large"),
            (&[1 << 40, 3], Some(1), "too short for its shape"),
        ] {
            let why = read(shape, Encoding::F32, false, &data, row).expect_err(want);
            assert!(why.starts_with(want), "{why}");
        }
    }

    #[test]
    fn every_number_type_in_both_byte_orders() {
        let values = [1.0_f32, -2.5, 65504.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0];
        let bits = values.map(f32::to_bits);
        for (scalar, bytes) in [
            (Scalar::F16, values.map(|v| f16::from_f32(v).to_le_bytes().to_vec())),
            (Scalar::F32, values.map(|v| v.to_le_bytes().to_vec())),
            (Scalar::F64, values.map(|v| f64::from(v).to_le_bytes().to_vec())),
        ] {
            for big_endian in [false, true] {
                let mut bytes = bytes.clone();
                if big_endian {
                    bytes.iter_mut().for_each(|word| word.reverse());
                }
                let row = read(&[7], Encoding { scalar, big_endian }, false, &bytes.concat(), None);
                let row = row.expect("seven numbers");
                assert_eq!(row.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), bits, "{scalar:?}");
            }
        }
        let data = [1.0_f32, -2.5, 3e38].map(|v| bf16::from_f32(v).to_le_bytes()).concat();
        let encoding = Encoding { scalar: Scalar::Bf16, big_endian: false };
        let row = read(&[3], encoding, false, &data, None).expect("three numbers");
        assert_eq!(row, [1.0, -2.5, bf16::from_f32(3e38).to_f32()]);
    }

    #[test]
    fn float64_is_rounded_and_never_becomes_an_infinity() {
        let data = [0.1_f64, 1e-60, f64::from(f32::MAX)].map(f64::to_le_bytes).concat();
        assert_eq!(read(&[3], F64, false, &data, None), Ok(vec![0.1, 0.0, f32::MAX]));
        for beyond in [3.5e38, -1e39, f64::MAX] {
            let data = [0.0, beyond].map(f64::to_le_bytes).concat();
            let why = read(&[2], F64, false, &data, None).expect_err("beyond float32");
            let want = format!("logit 1: {beyond:e} is beyond the range of float32");
            assert!(why.starts_with(&want), "{why}");
        }
    }
}
