//! Chapter "One draw".
#![allow(unsafe_code)]

use crate::{guard, pointers};
use s2sampler_core::SamplerParams;

/// Gives the default parameters: temperature 0.8, top_p 0.8, top_k 30.
///
/// Parameters: none.
///
/// Returns: the defaults by value. They are part of the ABI and stay as they are. A NULL `params`
/// means the same values, so this function is for callers that change one field and keep the rest.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_params_default() -> SamplerParams {
    guard::value(SamplerParams::DEFAULT, || SamplerParams::DEFAULT)
}

/// Draws one token from a row of logits with the calling thread's generator.
///
/// The steps and their arithmetic are those of "One draw, step by step" at the top of this file.
///
/// Parameters:
///
/// - `logits`: the row, one binary32 for each token; the token's id is its index. Natural-log
///   units, any offset: the row need not be normalised, and masked tokens are -inf. Every bit
///   pattern is allowed; NaN counts as -inf, and +inf wins at once. Read only, never kept, never
///   written; another thread may read it at the same time. Aligned like any `float`. NULL is an
///   error unless `vocab_size` is zero or less; then it is not looked at.
/// - `vocab_size`: the number of logits, at most 2147483647. Zero or less is not an error here:
///   the result is 0, because the engines whose sampler this call replaces rely on it.
/// - `params`: temperature, top_p and top_k, copied before the draw begins. NULL means
///   s2_sampler_params_default(). Every bit pattern is allowed, NaN too: see SamplerParams.
///
/// Returns: the id of the token, from 0 to `vocab_size` - 1. If the value is negative it is a
/// status, and no random word was used:
///
/// - S2_ERROR_NULL_POINTER: `logits` is NULL and `vocab_size` is positive.
/// - S2_ERROR_BAD_ARGUMENT: `logits` is not aligned like a `float`.
/// - S2_ERROR_OUT_OF_MEMORY: the working memory could not be had; a later call may succeed.
/// - S2_ERROR_NO_ENTROPY: this thread has no seed yet and the operating system gave none; after
///   s2_seed_thread() the call succeeds.
/// - S2_ERROR_INTERNAL: a defect of the library, or a signal handler that called this function
///   while it had interrupted another draw of the same thread.
///
/// Do not use a negative value as an index: check it once, where the token is first used.
///
/// Randomness: two words of this thread's generator, or none; see "Random words used per call".
/// Threads: any number at once, without a lock; each has its own generator. Not for signal
/// handlers. Memory: working memory of this thread, kept until the thread ends; a call allocates
/// only if it needs more than every call before it, see "Memory".
///
/// Since: 0.1.0
#[must_use]
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
        s2sampler_core::sample_token(row, &params)
    })
}

/// Puts the calling thread's generator in the state of `std::mt19937(seed)`.
///
/// From here on the tokens of this thread depend on nothing but the seed and the rows and
/// parameters of its calls, in order. Call it again at any time to start the stream again, for
/// example before each utterance. Without it a thread seeds itself at its first draw.
///
/// Parameters:
///
/// - `seed`: any value. None is special: 0 and 4294967295 are seeds like all others and do not mean
///   "random".
///
/// Returns: nothing; there is nothing that could go wrong. (In a signal handler that interrupted a
/// draw of the same thread the call does nothing.)
///
/// Randomness: uses no word; it replaces the state. Threads: changes the calling thread alone, and
/// needs no lock. Memory: none.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn s2_seed_thread(seed: u32) {
    guard::value((), || s2sampler_core::seed_thread(seed));
}
