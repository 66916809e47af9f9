//! Which kind a file is: what is asked for, then what its first bytes say, then what its name says.

use super::{Choice, npy, npz, safetensors};
use crate::problem::Problem;

/// How many of a file's first bytes are looked at.
pub const HEAD: u64 = 4096;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    F32,
    Text,
    Json,
    Npy,
    Npz,
    Safetensors,
}

const LIST: [(Format, &str); 6] = [
    (Format::F32, "f32"),
    (Format::Text, "text"),
    (Format::Json, "json"),
    (Format::Npy, "npy"),
    (Format::Npz, "npz"),
    (Format::Safetensors, "safetensors"),
];

const BOM: &[u8] = "\u{feff}".as_bytes();

pub const PYTORCH: &str = "a PyTorch file, a kind that is not read; save the logits with \
                           numpy.save(path, logits.numpy()) or as safetensors";

const PICKLE: &str = "a Python pickle, a kind that is not read; save the logits with numpy.save";

/// What begins with certain bytes and is not read.
const OTHERS: [(&[u8], &str); 6] = [
    (b"GGUF", "a GGUF file, a kind that is not read: it holds a model, not logits"),
    (b"\x89HDF", "an HDF5 file, a kind that is not read; save the logits with numpy.save"),
    (b"\x1f\x8b", "packed by gzip; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd; unpack it first"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
];

impl Format {
    pub fn name(self) -> &'static str {
        LIST.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }
}

/// The kind of a file that begins with `head` and whose name has this `ending`; and what the bytes say
/// against the name.
pub fn of(
    head: &[u8],
    ending: Option<&str>,
    choice: &Choice,
) -> Result<(Format, Option<String>), Problem> {
    let seen = magic(head, ending);
    let named = LIST.iter().find(|(_, name)| ending == Some(name)).map(|(format, _)| *format);
    if head.starts_with(npz::MAGIC)
        && let Err(why) = seen
    {
        return Err(Problem::File(why.to_owned()));
    }
    if let Some(format) = choice.format {
        return match seen {
            Ok(Some(seen)) if seen != format => Err(Problem::Usage(format!(
                "--format {}: its first bytes are those of a .{} file",
                format.name(),
                seen.name()
            ))),
            _ => Ok((format, None)),
        };
    }
    if choice.columns.is_some() {
        let kind = match (seen.ok().flatten(), named, ending) {
            (Some(seen), ..) => seen.name(),
            (_, Some(named), _) if named != Format::F32 => named.name(),
            (.., Some("txt" | "csv" | "tsv")) => "text",
            _ => return Ok((Format::F32, None)),
        };
        return Err(Problem::Usage(format!(
            "--columns: only a raw file of float32 needs it, and this is {kind}; leave it out"
        )));
    }
    match (seen.map_err(|why| Problem::File(why.to_owned()))?, named) {
        (Some(seen), Some(named)) if seen != named => {
            let note = format!("read as .{}, as its first bytes say", seen.name());
            Ok((seen, Some(note)))
        }
        (Some(format), _) | (None, Some(format)) => Ok((format, None)),
        (None, None) => content(head, ending).map(|format| (format, None)).map_err(Problem::File),
    }
}

/// The kind that the first bytes alone decide; an error for kinds that are not read.
fn magic(head: &[u8], ending: Option<&str>) -> Result<Option<Format>, &'static str> {
    let torch = matches!(ending, Some("pt" | "pth" | "ckpt" | "bin"));
    if head.starts_with(npz::MAGIC) && torch {
        return Err(PYTORCH);
    }
    // A raw row may begin with any of the shorter ones.
    if ending != Some("f32") {
        if let Some((_, why)) = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Err(why);
        }
        // A pickle: its second byte is the version of that format.
        if let [0x80, 2..=5, ..] = head {
            return Err(PICKLE);
        }
    }
    Ok(if head.starts_with(npy::MAGIC) {
        Some(Format::Npy)
    } else if head.starts_with(npz::MAGIC) {
        Some(Format::Npz)
    } else if safetensors::is(head) {
        Some(Format::Safetensors)
    } else {
        None
    })
}

/// The kind of a file whose first bytes and name decide nothing.
fn content(head: &[u8], ending: Option<&str>) -> Result<Format, String> {
    let ending = ending.unwrap_or_default();
    let raw = "if it holds raw little-endian float32, use --format f32 or --columns";
    match ending {
        "pt" | "pth" | "ckpt" => return Err(PYTORCH.to_owned()),
        "bin" => return Err(format!("the ending .bin says nothing of the kind; {raw}")),
        "gguf" | "ggml" | "onnx" | "h5" | "hdf5" | "pkl" | "pickle" | "parquet" | "mat"
        | "msgpack" => {
            return Err(format!(
                ".{ending} is a kind that is not read; save the logits with numpy.save or as JSON"
            ));
        }
        _ => {}
    }
    let text = head.strip_prefix(BOM).unwrap_or(head);
    // The escape character of a terminal's colours is shown in its word.
    let binary = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    let cut = match str::from_utf8(text) {
        Ok(_) => false,
        // A character may go on behind the head.
        Err(error) => error.error_len().is_some(),
    };
    if cut || text.iter().any(binary) {
        return Err(format!("neither text nor a kind that is known by its first bytes; {raw}"));
    }
    Ok(match text.trim_ascii_start().first() {
        Some(b'[' | b'{') => Format::Json,
        _ => Format::Text,
    })
}

/// How many bytes of `head` come before the text.
pub fn bom(head: &[u8]) -> u64 {
    if head.starts_with(BOM) { BOM.len() as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;

    fn found(head: &[u8], ending: Option<&str>) -> Result<Format, String> {
        of(head, ending, &Choice::default())
            .map(|(format, _)| format)
            .map_err(|why| why.to_string())
    }

    const SAFETENSORS: &[u8] = b"\x02\0\0\0\0\0\0\0{}";

    #[test]
    fn bytes_decide_before_the_name() {
        for ending in [None, Some("txt"), Some("f32"), Some("json"), Some("dat"), Some("npy")] {
            assert_eq!(found(b"\x93NUMPY\x01\x00", ending), Ok(Format::Npy));
            assert_eq!(found(b"PK\x03\x04....", ending), Ok(Format::Npz));
            assert_eq!(found(SAFETENSORS, ending), Ok(Format::Safetensors));
        }
        let (_, note) = of(b"\x93NUMPY", Some("f32"), &Choice::default()).expect("a format");
        assert_eq!(note.as_deref(), Some("read as .npy, as its first bytes say"));
    }

    #[test]
    fn names_and_content_decide_the_rest() {
        for (head, ending, want) in [
            (&b"1 2"[..], None, Format::Text),
            (b"", None, Format::Text),
            (b"\xef\xbb\xbf 1", Some("txt"), Format::Text),
            (b"1,2", Some("csv"), Format::Text),
            (b"1", Some("dat"), Format::Text),
            (b" \n[1]", Some("txt"), Format::Json),
            (b"\xef\xbb\xbf{}", None, Format::Json),
            (b"1", Some("json"), Format::Json),
            (b"1", Some("npy"), Format::Npy),
            (b"[1.5", Some("f32"), Format::F32),
            (b"\0\0\x80\x3f", Some("f32"), Format::F32),
            (b"\x80\x03\x80\x3f", Some("f32"), Format::F32),
            (b"\xff\xfe\x80\x3f", Some("f32"), Format::F32),
            // Cut in a character.
            (b"1 \xc2", None, Format::Text),
        ] {
            assert_eq!(found(head, ending), Ok(want), "{head:?} {ending:?}");
        }
    }

    #[test]
    fn kinds_that_are_not_read_are_named() {
        for (head, ending, want) in [
            (&b"PK\x03\x04"[..], Some("pt"), "a PyTorch file"),
            (b"1", Some("pt"), "a PyTorch file"),
            (b"\x80\x02\x8a", Some("bin"), "a Python pickle"),
            (b"\x80\x04\x95", None, "a Python pickle"),
            (b"\x80\x02c", Some("pkl"), "a Python pickle"),
            (
                b"\0\0\x80\x3f",
                Some("bin"),
                "the ending .bin says nothing of the kind; if it holds raw",
            ),
            (b"GGUF\x03\0", None, "a GGUF file"),
            (b"GGUF\x03\0", Some("bin"), "a GGUF file"),
            (b"x", Some("gguf"), ".gguf is a kind that is not read"),
            (b"\x1f\x8b\x08", Some("txt"), "packed by gzip"),
            (b"\xff\xfe1\0", Some("txt"), "text in UTF-16"),
            (b"\0\0\0\0", None, "neither text nor a kind"),
            (b"1 \xff", Some("txt"), "neither text nor a kind"),
        ] {
            let why = found(head, ending).expect_err(want);
            assert!(why.starts_with(want), "{why}");
        }
    }

    #[test]
    fn what_is_asked_for_stands_above_the_name() {
        let columns = Choice { columns: NonZeroU64::new(2), ..Choice::default() };
        let raw = Choice { format: Some(Format::F32), ..Choice::default() };
        for ending in [None, Some("f32"), Some("bin"), Some("dat")] {
            for choice in [&columns, &raw] {
                let format = of(b"[\0\0\0", ending, choice).expect("a format").0;
                assert_eq!(format, Format::F32);
            }
        }
        for (head, ending) in [
            (&b"\x93NUMPY"[..], None),
            (SAFETENSORS, Some("f32")),
            (b"1", Some("npy")),
            (b"1", Some("txt")),
            (b"1", Some("json")),
        ] {
            assert!(matches!(of(head, ending, &columns), Err(Problem::Usage(_))), "{ending:?}");
        }
        assert!(matches!(of(b"\x93NUMPY", Some("f32"), &raw), Err(Problem::Usage(_))));
    }
}
