//! A NumPy archive: a ZIP file with one `.npy` member for each array.

use super::input::{Input, Unseekable};
use super::{choose_name, npy, said};
use std::borrow::Cow;
use std::io::Read;
use zip::ZipArchive;
use zip::result::ZipError;

pub const MAGIC: &[u8] = b"PK\x03\x04";

/// How much of a pipe is kept, as an archive is read from its end.
const LONGEST_PIPE: u64 = 1 << 28;

pub fn read(file: Input, name: Option<&str>, row: Option<u64>) -> Result<Vec<f32>, String> {
    let wrong =
        |error: ZipError| format!("the ZIP archive cannot be read ({error}); save it again");
    let mut archive = ZipArchive::new(file.into_seekable(LONGEST_PIPE)?).map_err(wrong)?;
    let members = archive.file_names().map(|member| member.map(Cow::into_owned));
    let members: Vec<String> = members.collect::<Result<_, _>>().map_err(wrong)?;
    if members.iter().any(|member| member.ends_with("data.pkl")) {
        return Err(super::format::PYTORCH.to_owned());
    }
    let arrays: Vec<&str> =
        members.iter().filter_map(|member| member.strip_suffix(".npy")).collect();
    if arrays.is_empty() {
        return Err("a ZIP archive without .npy arrays; save it with numpy.savez".to_owned());
    }
    let array = choose_name("arrays", &arrays, name)?;
    let member = archive.by_name(&format!("{array}.npy")).map_err(wrong)?;
    let mut member = Unseekable(member);
    let at = |why| format!("array {array:?}: {why}");
    let logits = npy::array(&mut member, None, row).map_err(at)?;
    // The checksum is compared at the end.
    member.read(&mut [0]).map_err(|error| at(said(error)))?;
    Ok(logits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::npy::tests::npy;
    use std::io::{Cursor, Write};
    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    fn archive(method: CompressionMethod, members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            let options = SimpleFileOptions::default().compression_method(method);
            writer.start_file(*name, options).expect("a member");
            writer.write_all(bytes).expect("bytes in memory");
        }
        writer.finish().expect("an archive").into_inner()
    }

    fn read(file: &[u8], name: Option<&str>, row: Option<u64>) -> Result<Vec<f32>, String> {
        let known = Input::seekable(Cursor::new(file.to_vec())).expect("bytes in memory");
        let known = super::read(known, name, row);
        let piped = super::read(Input::pipe(Cursor::new(file.to_vec())), name, row);
        assert_eq!(known, piped);
        known
    }

    fn array(shape: &str, values: &[f32]) -> Vec<u8> {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        npy("'<f4'", "False", shape, &data)
    }

    #[test]
    fn the_only_array_or_the_named_one() {
        let (one, two) = (array("(3,)", &[1.0, 2.0, 3.0]), array("(2, 2)", &[4.0, 5.0, 6.0, 7.0]));
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let single = archive(method, &[("arr_0.npy", &one)]);
            assert_eq!(read(&single, None, None), Ok(vec![1.0, 2.0, 3.0]));
            let both = archive(method, &[("one.npy", &one), ("a/two.npy", &two), ("x.txt", b"1")]);
            assert_eq!(read(&both, Some("one"), None), Ok(vec![1.0, 2.0, 3.0]));
            assert_eq!(read(&both, Some("one.npy"), None), Ok(vec![1.0, 2.0, 3.0]));
            assert_eq!(read(&both, Some("a/two"), Some(1)), Ok(vec![6.0, 7.0]));
            for (name, row, want) in [
                (None, None, "it has 2 arrays; choose one with --tensor: "),
                (Some("three"), None, "it has no \"three\"; choose one of its 2 arrays"),
                (Some("a/two"), None, "array \"a/two\": it has 2 rows; choose one with --row"),
            ] {
                let why = read(&both, name, row).expect_err(want);
                assert!(why.starts_with(want), "{why}");
            }
        }
    }

    #[test]
    fn other_archives_are_refused() {
        let method = CompressionMethod::Stored;
        let why = read(&archive(method, &[("a.txt", b"1")]), None, None).expect_err("no arrays");
        assert!(why.starts_with("a ZIP archive without .npy arrays"), "{why}");
        let torch = archive(method, &[("model/data.pkl", b"1"), ("model/data/0", b"1")]);
        let why = read(&torch, None, None).expect_err("PyTorch's");
        assert!(why.starts_with("a PyTorch file"), "{why}");
    }

    #[test]
    fn damage_is_an_error() {
        let whole = archive(CompressionMethod::Stored, &[("a.npy", &array("(2,)", &[1.0, 2.0]))]);
        for length in 0..whole.len() {
            assert!(read(&whole[..length], None, None).is_err(), "{length} bytes");
        }
        let mut changed = whole;
        let last = 2.0_f32.to_le_bytes();
        let at = changed.windows(4).position(|bytes| bytes == last).expect("the number");
        changed[at] ^= 1;
        let why = read(&changed, None, None).expect_err("another number");
        assert!(why.contains("checksum"), "{why}");
    }

    #[test]
    fn a_member_that_unpacks_to_much_more_is_refused_by_its_header() {
        let mut long = array("(50000000,)", &[]);
        long.resize(long.len() + 1_000_000, 0);
        let file = archive(CompressionMethod::Deflated, &[("a.npy", &long)]);
        let why = read(&file, None, None).expect_err("too long");
        assert!(why.contains("50000000 logits in one row"), "{why}");
    }
}
