//! A safetensors file: a length, a JSON header that names tensors, their bytes.

use super::array::{Array, Encoding, Scalar};
use super::input::{Input, Skip};
use super::{choose_name, said};
use safetensors::Dtype;
use safetensors::tensor::Metadata;
use std::io::Read;

/// The longest header that is read, six times that of a model with 100,000 tensors.
const LONGEST: u64 = 1 << 26;

/// Whether a file that begins with `head` is one: the header's length, and the header's first byte.
pub fn is(head: &[u8]) -> bool {
    let length = head.first_chunk().map(|length| u64::from_le_bytes(*length));
    // 100,000,000 is the limit of the format itself.
    length.is_some_and(|length| (2..=100_000_000).contains(&length)) && head.get(8) == Some(&b'{')
}

pub fn read(mut file: Input, name: Option<&str>, row: Option<u64>) -> Result<Vec<f32>, String> {
    let cut = || "its safetensors header is cut off; save it again".to_owned();
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|_| cut())?;
    let length = u64::from_le_bytes(length);
    if file.len().is_some_and(|len| length > len) {
        return Err(cut());
    }
    if length > LONGEST {
        return Err(format!(
            "its safetensors header has {length} bytes; at most {LONGEST} are read"
        ));
    }
    let mut header = Vec::new();
    file.by_ref().take(length).read_to_end(&mut header).map_err(said)?;
    if header.len() as u64 != length {
        return Err(cut());
    }
    let wrong = |error| format!("its safetensors header cannot be read ({error}); save it again");
    let metadata: Metadata = serde_json::from_slice(&header).map_err(wrong)?;
    let tensors = metadata.offset_keys();
    let names: Vec<&str> = tensors.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Err("no tensors in it".to_owned());
    }
    let name = choose_name("tensors", &names, name)?;
    let tensor = metadata.info(name).ok_or_else(cut)?;
    let at = |why| format!("tensor {name:?}: {why}");
    let scalar = match tensor.dtype {
        Dtype::F16 => Scalar::F16,
        Dtype::BF16 => Scalar::Bf16,
        Dtype::F32 => Scalar::F32,
        Dtype::F64 => Scalar::F64,
        other => {
            let why = format!(
                "its dtype is {other}; F16, BF16, F32 and F64 are read: convert it to float32"
            );
            return Err(at(why));
        }
    };
    // The crate has compared the offsets with the shapes, not with the length of the file.
    let (begin, _) = tensor.data_offsets;
    let shape: Vec<u64> = tensor.shape.iter().map(|size| *size as u64).collect();
    let too_short = |_| at("too short: the file was cut off; save it again".to_owned());
    file.skip(begin as u64).map_err(too_short)?;
    let left = file.left().map_err(said)?;
    let encoding = Encoding { scalar, big_endian: false };
    Array { shape: &shape, encoding, fortran: false }.row(&mut file, left, row).map_err(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};
    use std::io::Cursor;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn tensor(dtype: &str, shape: &str, begin: usize, end: usize) -> String {
        format!(r#"{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}"#)
    }

    fn read(file: &[u8], name: Option<&str>, row: Option<u64>) -> Result<Vec<f32>, String> {
        let known = Input::seekable(Cursor::new(file.to_vec())).expect("bytes in memory");
        let known = super::read(known, name, row);
        let piped = super::read(Input::pipe(Cursor::new(file.to_vec())), name, row);
        assert_eq!(known.is_ok(), piped.is_ok());
        if known.is_ok() {
            assert_eq!(known, piped);
        }
        known
    }

    const FOUR: [f32; 4] = [1.0, -2.5, 0.0, f32::NEG_INFINITY];

    #[test]
    fn every_dtype_that_is_read() {
        for (dtype, data) in [
            ("F16", FOUR.map(|v| f16::from_f32(v).to_le_bytes().to_vec())),
            ("BF16", FOUR.map(|v| bf16::from_f32(v).to_le_bytes().to_vec())),
            ("F32", FOUR.map(|v| v.to_le_bytes().to_vec())),
            ("F64", FOUR.map(|v| f64::from(v).to_le_bytes().to_vec())),
        ] {
            let data = data.concat();
            for (shape, row, want) in
                [("[4]", None, &FOUR[..]), ("[1,1,4]", None, &FOUR), ("[2,2]", Some(1), &FOUR[2..])]
            {
                let header = format!(r#"{{"logits":{}}}"#, tensor(dtype, shape, 0, data.len()));
                assert!(is(&file(&header, &data)));
                assert_eq!(read(&file(&header, &data), None, row), Ok(want.to_vec()), "{dtype}");
            }
        }
    }

    #[test]
    fn one_tensor_of_several_by_its_name() {
        let data = FOUR.map(f32::to_le_bytes).concat();
        let header = format!(
            r#"{{"__metadata__":{{"a":"b"}},"x":{},"y":{}}}"#,
            tensor("F32", "[3]", 4, 16),
            tensor("F32", "[1]", 0, 4)
        );
        let file = file(&header, &data);
        assert_eq!(read(&file, Some("x"), None), Ok(FOUR[1..].to_vec()));
        assert_eq!(read(&file, Some("y"), None), Ok(vec![1.0]));
        let why = read(&file, None, None).expect_err("two");
        assert_eq!(why, "it has 2 tensors; choose one with --tensor: \"y\", \"x\"");
        let why = read(&file, Some("z"), None).expect_err("no such");
        assert_eq!(why, "it has no \"z\"; choose one of its 2 tensors with --tensor: \"y\", \"x\"");
    }

    #[test]
    fn headers_that_promise_too_much_are_refused() {
        let data = FOUR.map(f32::to_le_bytes).concat();
        let one = |tensor: String| file(&format!(r#"{{"a":{tensor}}}"#), &data);
        for (bytes, want) in [
            (one(tensor("F32", "[5]", 0, 20)), "tensor \"a\": too short"),
            (one(tensor("F32", "[4]", 8, 24)), "its safetensors header cannot be read"),
            (one(tensor("F32", "[4]", 1 << 62, (1 << 62) + 16)), "its safetensors header cannot"),
            (one(tensor("F32", "[4]", 0, 12)), "its safetensors header cannot be read"),
            (one(tensor("F32", "[4]", 16, 0)), "its safetensors header cannot be read"),
            (one(tensor("F32", "[4294967296,4294967296]", 0, 16)), "its safetensors header cannot"),
            (one(tensor("F32", "[2,268435456]", 0, 1 << 31)), "tensor \"a\": it has 2 rows"),
            (one(tensor("F32", "[268435456]", 0, 1 << 30)), "tensor \"a\": 268435456 logits in"),
            (one(tensor("I64", "[2]", 0, 16)), "tensor \"a\": its dtype is I64"),
            (one(tensor("F8_E4M3", "[16]", 0, 16)), "tensor \"a\": its dtype is F8_E4M3"),
            (file("{}", &[]), "no tensors in it"),
            (file("{\"a\":1}", &[]), "its safetensors header cannot be read"),
            ([&u64::MAX.to_le_bytes()[..], b"{"].concat(), "its safetensors header is cut off"),
            ([&(1_u64 << 26).to_le_bytes()[..], b"{"].concat(), "its safetensors header is cut"),
        ] {
            let why = read(&bytes, None, None).expect_err(want);
            assert!(why.starts_with(want), "{why}");
        }
    }

    #[test]
    fn every_cut_of_a_file_is_an_error() {
        let whole = file(
            &format!(r#"{{"a":{}}}"#, tensor("F32", "[4]", 0, 16)),
            &FOUR.map(f32::to_le_bytes).concat(),
        );
        for length in 0..whole.len() {
            assert!(read(&whole[..length], None, None).is_err(), "{length} bytes");
        }
    }
}
