//! The binary32 sum over the tail of the ranks, in whatever order the row has it.

use super::DEPTH;
use super::bounds::total;
use super::exp::{EXP_ERROR, exp};
use crate::simd::lanes::Simd;

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
    let limit = simd.splat(half_unit * (1.0 - EXP_ERROR));
    let mut steps = simd.splat(0.0);
    let mut odd = TailSum::default();
    let chunks = row.chunks_exact(DEPTH * S::LANES).zip(maxima.chunks_exact(S::LANES));
    for (chunk, chunk_tops) in chunks {
        if !simd.any(simd.ge(simd.sub(simd.load(chunk_tops), tops), floors)) {
            continue;
        }
        for vector in chunk.chunks_exact(S::LANES) {
            let logit = simd.load(vector);
            let x = simd.max(simd.sub(logit, tops), floors);
            // `x` is never NaN here, but a NaN logit came out at the floor: too small to add anything.
            let e = simd.keep(simd.ge(firsts, logit), exp(simd, x));
            // Adding and taking away the binade rounds to its unit.
            let step = simd.sub(simd.add(e, binades), binades);
            let off = simd.abs(simd.sub(e, step));
            let unsure = simd.ge(simd.mul_add(e, error, off), limit);
            if simd.any(unsure) {
                steps =
                    simd.add(steps, simd.keep(simd.lt(simd.mul_add(e, error, off), limit), step));
                settle(simd.bits(unsure), vector, top, half_unit, &mut odd);
            } else {
                steps = simd.add(steps, step);
            }
        }
    }
    odd.steps += total(simd, steps);
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
