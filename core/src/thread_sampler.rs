//! One draw with the calling thread's generator.

use crate::draw::{DrawOptions, Row, greedy_or_single, sample};
use crate::rng::Source;
use crate::simd::Kernels;
use crate::{Error, SamplerParams, thread_rng};

/// Draws a token from a row of logits with this thread's generator.
///
/// Returns an id in `0..logits.len()`. NaN logits count as -inf. The generator is seeded by the
/// operating system at the thread's first draw unless [`seed_thread`] came first; a draw takes two
/// 32-bit words of it if at least two candidates are left and the temperature is not zero or less,
/// else none.
///
/// # Errors
/// [`Error::EmptyRow`] for an empty row (the C function returns 0 there), [`Error::BadArgument`]
/// for more than `i32::MAX` logits, [`Error::OutOfMemory`], [`Error::NoEntropy`].
pub fn sample_token(logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
    let (kernels, row) = (Kernels::chosen(), Row { logits, masked_out: 0 });
    let options = DrawOptions::default();
    let drawn = match greedy_or_single(kernels, row, params, options)? {
        Some(drawn) => drawn,
        None => thread_rng::with(|generator, scratch| {
            let mut source = Source::Generator(generator);
            sample(kernels, row, params, options, &mut source, scratch)
        })?,
    };
    Ok(drawn.index.unwrap_or(0))
}

/// Puts this thread's generator in the state of `std::mt19937(seed)`.
pub fn seed_thread(seed: u32) {
    // It can only fail inside a signal handler that interrupted a draw; the draw then keeps its seed.
    let _ = thread_rng::seed(seed);
}
