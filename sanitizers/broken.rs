//! Does one wrong thing, named by the argument, which a sanitizer must report: proof that it looks at the Rust
//! code. Ends with 0 if nothing hinders it.
#![allow(unsafe_code)]

use s2sampler_core::{SamplerParams, sample_token};
use std::hint::black_box;
use std::process::ExitCode;

/// The library is told of one logit more than there is.
fn read() {
    let row = vec![1.0_f32; 1000];
    // SAFETY: none; that is the point.
    let longer = unsafe { core::slice::from_raw_parts(black_box(row.as_ptr()), 1001) };
    black_box(sample_token(longer, &SamplerParams::default())).ok();
}

fn leak() {
    black_box(Box::leak(Box::new([1_u8; 100])));
}

/// The library reads a row that this thread writes.
fn race() {
    let mut row = vec![1.0_f32; 1000];
    let start = row.as_mut_ptr();
    // SAFETY: none; that is the point.
    let same = unsafe { core::slice::from_raw_parts(black_box(start), 1000) };
    std::thread::scope(|scope| {
        scope.spawn(|| black_box(sample_token(same, &SamplerParams::default())).ok());
        for i in 0..1000 {
            // SAFETY: as above.
            unsafe { start.add(i).write_volatile(2.0) };
        }
    });
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("nothing") => {}
        Some("read") => read(),
        Some("leak") => leak(),
        Some("race") => race(),
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}
