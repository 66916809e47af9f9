//! Page one and the chapter "One draw".
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::{guard, pointers};
use s2sampler_core::{Error, SamplerParams};

/// Returns the defaults: temperature 0.8, top_p 0.8, top_k 30. They are part of the ABI and never
/// change.
///
/// A NULL `params` means the same values, so this is for callers that change one field.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_params_default() -> SamplerParams {
    SamplerParams::DEFAULT
}

/// Draws one token from a row of logits with the calling thread's generator.
///
/// `logits`: the row, one float for each token; a token's id is its index. Natural-log units with
/// any offset: the row need not be normalised. Masked tokens are -inf. Every bit pattern is
/// allowed.
///
/// `vocab_size`: the number of logits. <= 0 is not an error here: the result is 0, because the
/// engines whose sampler this call replaces rely on it. `logits` is then not read.
///
/// `params`: temperature, top_p and top_k. NULL: the defaults.
///
/// Returns the id of the token, 0 <= id < `vocab_size`, or a status (< 0), and then no random word
/// was used. Check it before it is an index. The statuses here: S2_ERROR_NULL_POINTER,
/// S2_ERROR_BAD_ARGUMENT (`logits` is not aligned like a float), S2_ERROR_OUT_OF_MEMORY,
/// S2_ERROR_NO_ENTROPY (the thread has no seed and the operating system gave none; s2_seed_thread()
/// helps), S2_ERROR_INTERNAL (also in a signal handler that interrupted another draw of this
/// thread).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_token(
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::number(|call| {
        let row = pointers::slice(call, logits, vocab_size)?;
        if row.is_empty() {
            return Ok(0);
        }
        s2sampler_core::sample_token(row, &pointers::params(params))
    })
}

/// Draws one token by the rule of the S2 engines' first generations, with the calling thread's
/// generator; "The first generations" states it. The drop-ins for these engines call this.
///
/// `logits`, `vocab_size`: as for s2_sample_token(). `params`: NULL: 0.7, 0.7, 30. `keep_id`: the
/// id that stays a candidate, with all that rank before it; < 0, or not in the row: none.
///
/// Returns as s2_sample_token().
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_token_first(
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
    keep_id: i32,
) -> i32 {
    guard::number(|call| {
        let row = pointers::slice(call, logits, vocab_size)?;
        if row.is_empty() {
            return Ok(0);
        }
        let params = pointers::params_or(params, SamplerParams::FIRST);
        s2sampler_core::sample_token_first(row, &params, (keep_id >= 0).then_some(keep_id))
    })
}

/// Puts the calling thread's generator in the state of `std::mt19937(seed)`.
///
/// From here on this thread's tokens depend only on `seed` and on the rows and parameters of its
/// calls. Without this call the operating system seeds a thread at its first draw. No value of
/// `seed` is special: 0 and 4294967295 do not mean "random". In a signal handler that interrupted a
/// draw of this thread the call does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn s2_seed_thread(seed: u32) {
    guard::value((), |_| s2sampler_core::seed_thread(seed));
}

/// Gets a seed from the operating system, to use and to log.
///
/// `seed`: written if the result is 0. Returns 0, S2_ERROR_NULL_POINTER or S2_ERROR_NO_ENTROPY.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_random_seed(seed: *mut u32) -> i32 {
    guard::status(|_| {
        if seed.is_null() {
            return Err(Error::NullPointer);
        }
        pointers::write(seed, s2sampler_core::random_seed()?)
    })
}

/// Counts the NaN and +inf of a row, to notice a broken model. Use it beside any kind of draw. It
/// costs one pass over the row, which a plain draw does without.
///
/// `logits`, `n`: the row; `n` <= 0 counts nothing. `nans`, `infinities`: where to write the number
/// of NaN and of +inf; NULL for a number that you do not need. (-inf is not counted: masks put it
/// there.)
///
/// Returns the sum of the two numbers, or S2_ERROR_NULL_POINTER or S2_ERROR_BAD_ARGUMENT for
/// `logits`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_count_special(
    logits: *const f32,
    n: i32,
    nans: *mut i32,
    infinities: *mut i32,
) -> i32 {
    guard::number(|call| {
        let counts = s2sampler_core::count_special(pointers::slice(call, logits, n)?);
        for (to, number) in [(nans, counts.nans), (infinities, counts.infinities)] {
            if !to.is_null() {
                // Both are at most `n`.
                pointers::write(to, number as i32)?;
            }
        }
        Ok((counts.nans + counts.infinities) as u32)
    })
}
