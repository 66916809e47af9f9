//! One draw with the calling thread's generator.

use crate::draw::first::Kept;
use crate::draw::{Draw, DrawOptions, DrawOutcome, MaskedRow, check_row_len};
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
            let outcome = draw.token_of_candidates(&mut source, scratch)?;
            take_words_of_no_token(&outcome, &mut source);
            Ok(outcome)
        })?,
    };
    // Engines rely on a token here; calls with a handle return `Error::NoCandidate`.
    Ok(outcome.index.unwrap_or(FALLBACK_ID))
}

/// As [`sample_token`], by the rule of the S2 engines' first generations, which [`Stage::s2_first`] states.
///
/// `keep_id` stays a candidate as there. A temperature of 0 and less takes words as other temperatures do.
///
/// # Errors
/// Those of [`sample_token`].
///
/// [`Stage::s2_first`]: crate::Stage::s2_first
pub fn sample_token_first(
    logits: &[f32],
    params: &SamplerParams,
    keep_id: Option<i32>,
) -> Result<u32, Error> {
    check_row_len(logits.len())?;
    let (kernels, row) = (Kernels::chosen(), MaskedRow::whole(logits));
    let draw = Draw { kernels, row, params, options: DrawOptions::default() };
    let kept = keep_id.and_then(|id| u32::try_from(id).ok());
    let kept = kept.map(Kept::unmasked);
    let outcome = thread_rng::with(|generator, scratch| {
        let mut source = Source::Generator(generator);
        let (outcome, _) = draw.sample_first(kept, &mut source, scratch)?;
        take_words_of_no_token(&outcome, &mut source);
        Ok(outcome)
    })?;
    Ok(outcome.index.unwrap_or(FALLBACK_ID))
}

/// The original samplers draw from NaN weights if nothing is above -inf; later tokens depend on the position.
fn take_words_of_no_token(outcome: &DrawOutcome, source: &mut Source<'_>) {
    if outcome.index.is_none() && outcome.candidates > 1 {
        source.uniform();
    }
}

/// Puts this thread's generator in the state of `std::mt19937(seed)`.
pub fn seed_thread(seed: u32) {
    // It can only fail inside a signal handler that interrupted a draw; the draw then keeps its seed.
    let _ = thread_rng::seed(seed);
}
