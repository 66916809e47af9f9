//! The exps of candidates, from which their probabilities come.

use crate::Error;
use crate::memory::reserve;
use crate::rules::softmax;
use crate::rules::temperature::Scale;
use crate::sequential_sum::single;
use crate::simd::Kernels;

/// A softmax: its largest logit, -inf if no candidate is above that, and S.
#[derive(Debug, Clone, Copy)]
pub(super) struct Softmax {
    pub top: f32,
    pub sum: f64,
}

impl Softmax {
    /// Before there is one: of one candidate at -inf.
    pub(super) const NONE: Self = Self { top: f32::NEG_INFINITY, sum: 1.0 };

    /// Of `logits` in rank order, whose exps are put into `weights`.
    pub(super) fn of(
        kernels: &Kernels,
        logits: impl ExactSizeIterator<Item = f32>,
        weights: &mut Vec<f32>,
    ) -> Result<Self, Error> {
        let top = exps(kernels, logits, weights)?;
        Ok(Self { top, sum: softmax::sum(weights) })
    }

    /// Puts the exps of `logits` into `weights`. If the top is -inf, the first has the only weight.
    pub(super) fn exps(
        &self,
        kernels: &Kernels,
        logits: impl ExactSizeIterator<Item = f32>,
        weights: &mut Vec<f32>,
    ) -> Result<(), Error> {
        fill(logits, weights)?;
        exps_below(kernels, self.top, weights);
        Ok(())
    }
}

/// Puts `expf(l - m)` for each of `logits` into `weights`, m being the largest; returns m.
///
/// If m is +inf, the tokens at +inf have equal weights and the others 0. If nothing is above -inf, the first
/// token has the only weight, and the result is -inf.
pub(super) fn exps(
    kernels: &Kernels,
    logits: impl ExactSizeIterator<Item = f32>,
    weights: &mut Vec<f32>,
) -> Result<f32, Error> {
    fill(logits, weights)?;
    let best = kernels.argmax(weights).and_then(|index| weights.get(index as usize).copied());
    let top = best.unwrap_or(f32::NEG_INFINITY);
    exps_below(kernels, top, weights);
    Ok(top)
}

/// Puts the scaled `logits` into `out`; NaN stays NaN.
pub(super) fn scaled_into(
    kernels: &Kernels,
    logits: &[f32],
    by: Scale,
    out: &mut Vec<f32>,
) -> Result<(), Error> {
    fill(logits.iter().copied(), out)?;
    kernels.scale_all(out, by);
    Ok(())
}

fn fill(logits: impl ExactSizeIterator<Item = f32>, weights: &mut Vec<f32>) -> Result<(), Error> {
    weights.clear();
    reserve(weights, logits.len())?;
    weights.extend(logits);
    Ok(())
}

/// Replaces each logit by its exp.
fn exps_below(kernels: &Kernels, top: f32, weights: &mut [f32]) {
    match top {
        f32::NEG_INFINITY => {
            weights.fill(0.0);
            weights.iter_mut().take(1).for_each(|w| *w = 1.0);
        }
        f32::INFINITY => {
            weights.iter_mut().for_each(|w| *w = if *w == f32::INFINITY { 1.0 } else { 0.0 });
        }
        top => {
            weights.iter_mut().for_each(|w| *w -= top);
            kernels.expf_all(weights);
        }
    }
}

/// The q of the S2 engines' rule: the exps of `logits` in rank order, each divided by the sum of all, added one by
/// one, everything in binary32.
pub(super) fn s2_probabilities(
    kernels: &Kernels,
    logits: impl ExactSizeIterator<Item = f32>,
    weights: &mut Vec<f32>,
) -> Result<(), Error> {
    exps(kernels, logits, weights)?;
    let sum = single::add(0.0, weights);
    weights.iter_mut().for_each(|w| *w /= sum);
    Ok(())
}
