//! Chapter "One draw".
#![allow(unsafe_code)]

use super::{guard, pointers};
use crate::SamplerParams;

/// The default parameters: temperature 0.8, top_p 0.8, top_k 30.
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_params_default() -> SamplerParams {
    SamplerParams::default()
}

/// Draws one token.
///
/// # Safety
/// See the C header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_token(
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `logits` and `vocab_size`.
        let row = unsafe { pointers::row(logits, vocab_size) }?;
        if row.is_empty() {
            return Ok(0);
        }
        // SAFETY: the caller keeps the header's promise about `params`.
        let params = unsafe { pointers::params(params) };
        crate::sample_token(row, &params)
    })
}

/// Seeds this thread's generator.
#[unsafe(no_mangle)]
pub extern "C" fn s2_seed_thread(seed: u32) {
    guard::token(|| {
        crate::seed_thread(seed);
        Ok(0)
    });
}
