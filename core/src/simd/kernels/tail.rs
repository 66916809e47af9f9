//! The binary32 sum over the tail of the ranks, in the order of the row.

use super::Segment;
use super::exp::{EXP_ERROR, UNROLL, exp};
use super::exp_sums::{MIN_ADDEND_LN, sum_lanes};
use crate::rules::expf::expf;
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// What the tail adds to a running binary32 sum that stays within one binade.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TailSum {
    /// The sum of the exps, each rounded to a multiple of the unit; ties rounded down.
    pub steps: f64,
    /// The number of ties, exps of an odd number of half units: each adds one unit more or does not.
    pub ties: u32,
}

/// The tail: every token whose logit is at most `highest`.
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

/// How far `expf` may be from the nearest multiple `step` of the unit if the kernel's exp
/// is `e`: at least half a unit if the two could round to different multiples
/// (`roundings_below_half_a_unit_of_doubt`).
#[inline(always)]
pub(crate) fn doubt<S: Simd>(simd: S, e: S::F, step: S::F) -> S::F {
    simd.mul_add(e, simd.splat(EXP_ERROR), simd.abs(simd.sub(e, step)))
}

/// Sums what each token of the tail adds; `normalizer` says why the order does not matter.
///
/// The lanes hold sums of multiples of the unit, which are exact below twice the binade. If a lane reaches
/// that, so does the total, and the caller sees it.
#[inline(always)]
pub(crate) fn tail_sum<S: Simd>(simd: S, segment: Segment<'_>, tail: Tail) -> TailSum {
    let Tail { top, highest, binade } = tail;
    let half_unit = binade / (1 << 24) as f32;
    let floor = min_addend_ln(binade);
    let (tops, highests) = (simd.splat(top), simd.splat(highest));
    let (floors, binades) = (simd.splat(floor), simd.splat(binade));
    let half_units = simd.splat(half_unit);
    let mut steps = [simd.splat(0.0); UNROLL];
    let mut doubtful = TailSum::default();
    for (tile, maxima) in segment.tiles(S::LANES) {
        if !simd.any(simd.ge(simd.sub(simd.load(maxima), tops), floors)) {
            continue;
        }
        for vectors in tile.chunks_exact(UNROLL * S::LANES) {
            let logits: [S::F; UNROLL] =
                from_fn(|i| simd.load(&vectors[i * S::LANES..][..S::LANES]));
            // NaN gives the floor, whose exp is too small to add anything.
            let e = exp(simd, logits.map(|logit| simd.max(simd.sub(logit, tops), floors)));
            let e: [S::F; UNROLL] = from_fn(|i| simd.keep(simd.ge(highests, logits[i]), e[i]));
            // Adding and subtracting the binade rounds to its unit.
            let sums = e.map(|e| simd.add(e, binades));
            let step = sums.map(|sum| simd.sub(sum, binades));
            let doubt: [S::F; UNROLL] = from_fn(|i| doubt(simd, e[i], step[i]));
            let [a, b, c, d] = doubt;
            let worst = simd.max(simd.max(a, b), simd.max(c, d));
            if simd.any(simd.ge(worst, half_units)) {
                for i in 0..UNROLL {
                    let sure = simd.keep(simd.lt(doubt[i], half_units), step[i]);
                    steps[i] = simd.add(steps[i], sure);
                    let unsure = simd.bits(simd.ge(doubt[i], half_units));
                    add_doubtful(unsure, &vectors[i * S::LANES..], top, half_unit, &mut doubtful);
                }
            } else {
                steps = from_fn(|i| simd.add(steps[i], step[i]));
            }
        }
    }
    doubtful.steps += steps.iter().map(|steps| sum_lanes(simd, *steps)).sum::<f64>();
    doubtful
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
                sum.ties += u32::from(rest == 1.0);
                sum.steps += units * unit;
            }
        }
    }
}
