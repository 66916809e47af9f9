//! The softmax of candidates in binary32, one operation after the other.

use crate::Error;
use crate::memory::reserve;
use crate::sequential_sum::single;
use crate::simd::Kernels;

/// Puts `expf(l - m)` for each of `logits` into `weights`, m being the largest.
///
/// If m is +inf, the tokens at +inf have equal weights and the others 0. If nothing is above -inf, the first
/// token has the only weight, and the result is false.
pub(super) fn exps(
    kernels: &Kernels,
    logits: impl ExactSizeIterator<Item = f32>,
    weights: &mut Vec<f32>,
) -> Result<bool, Error> {
    weights.clear();
    reserve(weights, logits.len())?;
    weights.extend(logits);
    let best = kernels.argmax(weights).and_then(|index| weights.get(index as usize).copied());
    match best {
        None => {
            weights.fill(0.0);
            weights.iter_mut().take(1).for_each(|w| *w = 1.0);
        }
        Some(f32::INFINITY) => {
            weights.iter_mut().for_each(|w| *w = if *w == f32::INFINITY { 1.0 } else { 0.0 });
        }
        Some(top) => {
            weights.iter_mut().for_each(|w| *w -= top);
            kernels.expf_all(weights);
        }
    }
    Ok(best.is_some())
}

/// As [`exps`], each divided by the sum of all, added one by one in their order.
pub(super) fn softmax(
    kernels: &Kernels,
    logits: impl ExactSizeIterator<Item = f32>,
    weights: &mut Vec<f32>,
) -> Result<(), Error> {
    exps(kernels, logits, weights)?;
    let sum = single::add(0.0, weights);
    weights.iter_mut().for_each(|w| *w /= sum);
    Ok(())
}
