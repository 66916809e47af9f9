//! The inspector's reader of `.npy` files: a row no longer than the file, or an error, whatever the bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use s2sampler_fuzz::row::npy;
use std::io::Cursor;

fuzz_target!(|input: (Option<u8>, &[u8])| {
    let (row, bytes) = input;
    if let Ok(logits) = npy::read(Cursor::new(bytes), bytes.len() as u64, row.map(u64::from)) {
        assert!(logits.len() <= bytes.len());
    }
});
