//! The binary32 sum over the tail of the ranks, in the order of the row.

use super::Segment;
use super::exp::{EXP_ERROR, UNROLL, exp};
use super::exp_sums::{MIN_ADDEND_LN, sum_lanes, sum_of_four};
use super::near::{for_near_logits, lowest_near};
use crate::rules::expf::expf;
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// What the tail adds to a running binary32 sum that stays within one binade.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TailSum {
    /// The sum of the exps, each rounded to a multiple of the unit; ties rounded down. If it is not exact, it is at
    /// least twice the binade.
    pub steps: f64,
    /// The number of ties, exps of an odd number of half units: each adds one unit more or does not.
    pub ties: f64,
    /// The sum of the kernel's exps.
    pub sum: f64,
    /// The number of tokens that reach the floor, those above the tail included.
    pub reaching: usize,
}

/// The tail: every token whose logit is at most `highest`. Exps of half a unit of the binade or more are summed, and
/// perhaps a few of those just below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tail {
    /// The logit of rank 0.
    pub top: f32,
    /// The largest logit of the tail.
    pub highest: f32,
    /// The power of two at which the binade of the running sum starts, at least 1.
    pub binade: f32,
}

/// Below this, e^x is less than half a unit of the binade and adds nothing to a sum in it.
pub(crate) fn min_addend_ln(binade: f32) -> f32 {
    MIN_ADDEND_LN + binade.ln()
}

/// What [`rounded`] multiplies the kernel's exp by: a bit more than [`EXP_ERROR`] from 1, for the rounding of the
/// product.
const DOWN: f32 = 1.0 - 1.125 * EXP_ERROR;
const UP: f32 = 1.0 + 1.125 * EXP_ERROR;

/// `binade` plus `expf` rounded to a multiple of the binade's unit, if the kernel's exp is `e`: the least and the
/// most that it can be.
///
/// Adding the binade rounds to its unit, and rounding is monotone: `expf` is above e [`DOWN`] and below e [`UP`]. If
/// both round to the same multiple, so does `expf`, and it is no tie: the numbers on either side of a tie, in this
/// order, round differently.
#[inline(always)]
pub(crate) fn rounded<S: Simd>(simd: S, e: S::F, binade: S::F) -> (S::F, S::F) {
    (simd.mul_add(e, simd.splat(DOWN), binade), simd.mul_add(e, simd.splat(UP), binade))
}

/// Sums what each token of the tail adds; `normalizer` says why the order does not matter.
#[inline(always)]
pub(crate) fn tail_sum<S: Simd>(simd: S, segment: Segment<'_>, tail: Tail) -> TailSum {
    let Tail { top, highest, binade } = tail;
    let half_unit = binade / (1 << 24) as f32;
    // Below, every exp is at most that of the floor, which adds nothing.
    let low = lowest_near(top, min_addend_ln(binade));
    let (tops, highests) = (simd.splat(top), simd.splat(highest));
    let (binades, zero) = (simd.splat(binade), simd.splat(0.0));
    let mut all = TailSum::default();
    // Sums of multiples of the unit, which are exact below twice the binade. If a lane reaches that, so does the
    // total, and the caller sees it.
    let mut steps = [zero; UNROLL];
    all.reaching = for_near_logits(simd, segment, low, |near| {
        let mut sum = [zero; UNROLL];
        for vectors in near.chunks_exact(UNROLL * S::LANES) {
            let logits: [S::F; UNROLL] =
                from_fn(|i| simd.load(&vectors[i * S::LANES..][..S::LANES]));
            let e = exp(simd, logits.map(|logit| simd.sub(logit, tops)));
            // The exp of +inf is arbitrary: it is masked out, like those above the tail.
            let e: [S::F; UNROLL] = from_fn(|i| simd.keep(simd.ge(highests, logits[i]), e[i]));
            sum = from_fn(|i| simd.add(sum[i], e[i]));
            let sums = e.map(|e| rounded(simd, e, binades));
            let doubt = sums.map(|(least, most)| simd.sub(most, least));
            let [a, b, c, d] = doubt;
            if simd.any(simd.lt(zero, simd.max(simd.max(a, b), simd.max(c, d)))) {
                for i in 0..UNROLL {
                    let (least, most) = sums[i];
                    let sure = simd.ge(least, most);
                    steps[i] = simd.add(steps[i], simd.keep(sure, simd.sub(least, binades)));
                    let unsure = simd.bits(simd.lt(least, most));
                    add_doubtful(unsure, &vectors[i * S::LANES..], top, half_unit, &mut all);
                }
            } else {
                steps = from_fn(|i| simd.add(steps[i], simd.sub(sums[i].0, binades)));
            }
        }
        // In double from tile to tile, so the binary32 lanes have at most TILE_ROUNDINGS roundings.
        all.sum += sum_lanes(simd, sum_of_four(simd, sum));
    });
    all.steps += steps.iter().map(|steps| sum_lanes(simd, *steps)).sum::<f64>();
    all
}

/// Adds the exps whose rounding the error of the vector exp could change: `expf` decides.
#[cold]
fn add_doubtful(mut lanes: u32, vector: &[f32], top: f32, half_unit: f32, sum: &mut TailSum) {
    let unit = 2.0 * f64::from(half_unit);
    while lanes != 0 {
        let e = expf(vector[lanes.trailing_zeros() as usize] - top);
        lanes &= lanes - 1;
        let halves = f64::from(e) / f64::from(half_unit);
        let units = (halves / 2.0).floor();
        match halves - 2.0 * units {
            rest if rest > 1.0 => sum.steps += (units + 1.0) * unit,
            rest => {
                sum.ties += f64::from(u8::from(rest == 1.0));
                sum.steps += units * unit;
            }
        }
    }
}
