//! One draw with the calling thread's generator.

use crate::draw::{Draw, DrawOptions, MaskedRow};
use crate::rng::Source;
use crate::rules::rank::FALLBACK_ID;
use crate::simd::Kernels;
use crate::{Error, SamplerParams, thread_rng};

/// Draws a token from a row of logits with this thread's generator.
///
/// Returns an id in `0..logits.len()`. NaN logits count as -inf. The operating system seeds the
/// generator at the thread's first draw, unless [`seed_thread`] came first. A draw takes two 32-bit
/// words of it if at least two candidates are left and the temperature is above zero, else none.
///
/// # Errors
/// [`Error::EmptyRow`] for an empty row (the C function returns 0 there), [`Error::BadArgument`]
/// for more than `i32::MAX` logits, [`Error::OutOfMemory`], [`Error::NoEntropy`].
pub fn sample_token(logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
    let (kernels, row) = (Kernels::chosen(), MaskedRow::whole(logits));
    let draw = Draw { kernels, row, params, options: DrawOptions::default() };
    // A certain token needs neither the thread's state nor a seed.
    let outcome = match draw.greedy_or_single()? {
        Some(outcome) => outcome,
        None => thread_rng::with(|generator, scratch| {
            let mut source = Source::Generator(generator);
            let (outcome, _) = draw.sample_candidates(&mut source, scratch)?;
            if outcome.index.is_none() && outcome.candidates > 1 {
                // The original sampler draws from NaN weights here; later tokens depend on the position.
                source.uniform();
            }
            Ok(outcome)
        })?,
    };
    // Engines rely on a token here; calls with a handle return `Error::NoCandidate`.
    Ok(outcome.index.unwrap_or(FALLBACK_ID))
}

/// Puts this thread's generator in the state of `std::mt19937(seed)`.
pub fn seed_thread(seed: u32) {
    // It can only fail inside a signal handler that interrupted a draw; the draw then keeps its seed.
    let _ = thread_rng::seed(seed);
}
