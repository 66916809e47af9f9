//! A raw row: little-endian binary32 numbers and nothing else.

use super::said;
use std::io::Read;

pub fn read(mut file: impl Read) -> Result<Vec<f32>, String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(said)?;
    let (values, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        Ok(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
    } else {
        Err(format!("{} bytes are no whole number of 4-byte floats", bytes.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_little_endian_floats() {
        let bytes = [0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xff];
        assert_eq!(read(&bytes[..]), Ok(vec![1.0, f32::NEG_INFINITY]));
        assert_eq!(read(&[][..]), Ok(vec![]));
    }

    #[test]
    fn odd_sizes_are_refused() {
        for size in [1, 3, 5, 7] {
            let problem = read(&[0; 8][..size]).expect_err("no whole floats");
            assert!(problem.starts_with(&format!("{size} bytes are no whole number")), "{problem}");
        }
    }
}
