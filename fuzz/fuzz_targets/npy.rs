//! The inspector's reader of `.npy` files: a row or an error, whatever the bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], u8)| {
    let (bytes, row) = input;
    if let Ok(logits) = s2inspect::npy(bytes, row.into()) {
        assert!(!logits.is_empty() && logits.len() <= bytes.len());
    }
});
