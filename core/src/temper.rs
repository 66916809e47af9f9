//! Temperature and the draw: from the candidates' logits to the index that was drawn.
//!
//! Everything here is done literally, one operation after the other, since this is where the bits of
//! the result are made. The sums run in rank order and round at every step.

use crate::ordered::single;
use crate::simd::Kernels;

/// Turns the candidates' logits, in rank order, into the weights of the draw, in place.
///
/// `top` is the logit of rank 0. Returns false where no distribution can be made and rank 0 is the
/// answer.
pub(crate) fn weigh(kernels: &Kernels, logits: &mut [f32], top: f32, temperature: f32) -> bool {
    if temperature.is_nan() {
        logits.iter_mut().for_each(|l| *l = if *l == top { 1.0 } else { 0.0 });
    } else {
        logits.iter_mut().for_each(|l| *l = (*l - top) / temperature);
        (kernels.expf_all)(logits);
    }
    normalise(logits)
}

/// Divides weights by their sum, twice, since those of the original are normalised by two parties: the
/// sampler and the draw. Returns false where that makes no distribution.
pub(crate) fn normalise(weights: &mut [f32]) -> bool {
    let total = single::add(0.0, weights);
    if total > 0.0 {
        divide(weights, total);
    }
    let total = single::add(0.0, weights);
    if total <= 0.0 {
        return false;
    }
    divide(weights, total);
    true
}

fn divide(weights: &mut [f32], total: f32) {
    weights.iter_mut().for_each(|w| *w /= total);
}
