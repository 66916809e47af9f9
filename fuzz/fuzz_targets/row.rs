//! The inspector's readers of rows: a row of no more logits than it may have or an error, whatever the bytes, and
//! the same from a pipe as from a file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use s2sampler_fuzz::row::{Choice, Format, Input, MAX_LOGITS, decode};
use std::io::Cursor;
use std::num::NonZeroU64;

fuzz_target!(|input: (Option<u8>, &[u8])| {
    let (row, bytes) = input;
    let first = Choice { row: row.map(u64::from), ..Choice::default() };
    let columns = NonZeroU64::new(u64::from(row.unwrap_or(0)) % 5 + 1);
    for choice in [
        first.clone(),
        Choice { tensor: Some("a".to_owned()), ..first.clone() },
        Choice { columns, ..first.clone() },
        Choice { format: Some(Format::Json), ..first.clone() },
        Choice { format: Some(Format::Text), row: None, ..first },
    ] {
        let file = Input::seekable(Cursor::new(bytes.to_vec())).expect("bytes in memory");
        let Ok(file) = decode(file, None, &choice) else { continue };
        assert!((1..=MAX_LOGITS).contains(&(file.logits.len() as u64)));
        let pipe = decode(Input::pipe(Cursor::new(bytes.to_vec())), None, &choice);
        let pipe = pipe.expect("a row, as of the file");
        assert!(file.notes == pipe.notes);
        assert!(file.logits.iter().map(|l| l.to_bits()).eq(pipe.logits.iter().map(|l| l.to_bits())));
    }
});
