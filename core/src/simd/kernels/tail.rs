//! The binary32 sum over the tail of the ranks, in whatever order the row has it.

use super::DEPTH;
use super::bounds::total;
use super::exp::{ABREAST, EXP_ERROR, exp};
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// What the tail adds to a running binary32 sum that stays within one binade.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TailSum {
    /// The sum of the exps, each rounded to a multiple of the unit; halves rounded down.
    pub steps: f64,
    /// How many were halves: each adds one unit more or does not.
    pub halves: u32,
}

/// The tail: every token whose logit is at most `first`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tail {
    /// The logit of rank 0.
    pub top: f32,
    /// The largest logit of the tail.
    pub first: f32,
    /// The power of two at which the binade of the running sum starts, at least 1.
    pub binade: f32,
}

/// Sums what each token of the tail adds; see `mass` for why the order does not matter.
///
/// The lanes hold sums of multiples of the unit, which are exact while they stay below twice the
/// binade; if one does not, the total reaches that too and the caller sees it.
#[inline(always)]
pub(crate) fn tail_sum<S: Simd>(simd: S, row: &[f32], maxima: &[f32], tail: Tail) -> TailSum {
    let Tail { top, first, binade } = tail;
    let half_unit = binade / (1 << 24) as f32;
    // An exp below half a unit adds nothing: ln of that, with room for the error of any expf.
    let floor = half_unit.ln() - 0.005;
    let (tops, firsts) = (simd.splat(top), simd.splat(first));
    let (floors, binades) = (simd.splat(floor), simd.splat(binade));
    let error = simd.splat(EXP_ERROR);
    // The error is relative to the platform's exp, not to this one, and the doubt is rounded itself:
    // that makes one part in 2^20 of a doubt that is at most half a unit. Two are left for it.
    let limit = simd.splat(half_unit * (1.0 - 2.0 * EXP_ERROR));
    let mut steps = [simd.splat(0.0); ABREAST];
    let mut odd = TailSum::default();
    let chunks = row.chunks_exact(DEPTH * S::LANES).zip(maxima.chunks_exact(S::LANES));
    for (chunk, chunk_tops) in chunks {
        if !simd.any(simd.ge(simd.sub(simd.load(chunk_tops), tops), floors)) {
            continue;
        }
        for vectors in chunk.chunks_exact(ABREAST * S::LANES) {
            let logits: [S::F; ABREAST] =
                from_fn(|i| simd.load(&vectors[i * S::LANES..][..S::LANES]));
            // A NaN comes out at the floor, which is too small to add anything.
            let e = exp(simd, logits.map(|logit| simd.max(simd.sub(logit, tops), floors)));
            let e: [S::F; ABREAST] = from_fn(|i| simd.keep(simd.ge(firsts, logits[i]), e[i]));
            // Adding and taking away the binade rounds to its unit.
            let sums = e.map(|e| simd.add(e, binades));
            let step = sums.map(|sum| simd.sub(sum, binades));
            let off: [S::F; ABREAST] = from_fn(|i| simd.abs(simd.sub(e[i], step[i])));
            let doubt: [S::F; ABREAST] = from_fn(|i| simd.mul_add(e[i], error, off[i]));
            let [a, b, c, d] = doubt;
            let worst = simd.max(simd.max(a, b), simd.max(c, d));
            if simd.any(simd.ge(worst, limit)) {
                for i in 0..ABREAST {
                    let sure = simd.keep(simd.lt(doubt[i], limit), step[i]);
                    steps[i] = simd.add(steps[i], sure);
                    let unsure = simd.bits(simd.ge(doubt[i], limit));
                    settle(unsure, &vectors[i * S::LANES..], top, half_unit, &mut odd);
                }
            } else {
                steps = from_fn(|i| simd.add(steps[i], step[i]));
            }
        }
    }
    odd.steps += steps.iter().map(|steps| total(simd, *steps)).sum::<f64>();
    odd
}

/// The lanes in which the error of the vector exp could change the rounding: the platform's decides.
#[cold]
fn settle(mut lanes: u32, vector: &[f32], top: f32, half_unit: f32, sum: &mut TailSum) {
    while lanes != 0 {
        let e = (vector[lanes.trailing_zeros() as usize] - top).exp();
        lanes &= lanes - 1;
        let halves = f64::from(e) / f64::from(half_unit);
        let units = (halves / 2.0).floor();
        match halves - 2.0 * units {
            rest if rest > 1.0 => sum.steps += (units + 1.0) * 2.0 * f64::from(half_unit),
            rest => {
                sum.halves += u32::from(rest == 1.0);
                sum.steps += units * 2.0 * f64::from(half_unit);
            }
        }
    }
}
