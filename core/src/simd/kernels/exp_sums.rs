//! Sums of exps with a known error: over the block maxima alone, or over the row.

use super::exp::{UNROLL, exp};
use super::near::{for_near_logits, lowest_near};
use super::{BLOCK_LEN, Segment};
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// Below this, e^x is less than 2^-24 and adds nothing to a binary32 sum of 1 or more. For an `expf` within
/// [`EXP_ERROR`](super::exp::EXP_ERROR) of glibc's, -16.635534 is low enough
/// (`small_addends_are_below_half_a_unit`); the rest is slack.
pub(crate) const MIN_ADDEND_LN: f32 = -16.64;

/// The exps that [`sum_maxima_exps`] adds up: of the maxima themselves, and of the maxima cut down to
/// `cap`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cap {
    /// The logit of rank 0.
    pub top: f32,
    pub cap: f32,
    /// How far below the top a maximum counts: negative, at least [`EXP_MIN_ARG`](super::exp::EXP_MIN_ARG).
    pub floor: f32,
}

/// Sums over the maxima within the floor of the top. `normalizer` has the slack that they need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaximaExpSums {
    /// The sum of e^(max - top) over the maxima below `cap`.
    pub below_cap: f64,
    /// The sum of e^(min(max, cap) - top) over all of them.
    pub capped: f64,
    /// The number of maxima.
    pub count: usize,
    /// The number of maxima at `cap` or above.
    pub reaching_cap: usize,
}

#[inline(always)]
pub(crate) fn sum_maxima_exps<S: Simd>(simd: S, maxima: &[f32], cap: Cap) -> MaximaExpSums {
    let Cap { top, cap, floor } = cap;
    let (top, cap, floor) = (simd.splat(top), simd.splat(cap), simd.splat(floor));
    let zero = simd.splat(0.0);
    let (mut below_cap, mut capped) = (zero, zero);
    let (mut count, mut reaching_cap) = (0, 0);
    for vector in maxima.chunks_exact(S::LANES) {
        let max = simd.load(vector);
        let x = simd.sub(simd.min(max, cap), top);
        let near = simd.ge(x, floor);
        let [e] = exp(simd, [simd.max(x, floor)]);
        let e = simd.keep(near, e);
        capped = simd.add(capped, e);
        below_cap = simd.add(below_cap, simd.keep(simd.lt(max, cap), e));
        count += simd.bits(near).count_ones() as usize;
        reaching_cap += simd.bits(simd.ge(max, cap)).count_ones() as usize;
    }
    MaximaExpSums {
        below_cap: sum_lanes(simd, below_cap),
        capped: sum_lanes(simd, capped),
        count,
        reaching_cap,
    }
}

/// The exps that [`sum_exps`] adds up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpRange {
    /// The logit of rank 0.
    pub top: f32,
    /// The largest logit that counts.
    pub highest: f32,
    /// How far below the top a logit counts: negative, at least [`EXP_MIN_ARG`](super::exp::EXP_MIN_ARG).
    pub floor: f32,
}

/// A sum of exps.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpSum {
    pub sum: f64,
    /// The number of tokens that reach the floor, those above the highest included.
    pub reaching: usize,
}

/// The binary32 roundings on the way of an exp into a sum: those of its lane, whose first addition is exact, and two
/// for the sum of four lanes.
pub(crate) const TILE_ROUNDINGS: usize = BLOCK_LEN / UNROLL - 1 + 2;

/// The sum of the exps of the range. A logit at the floor counts or not.
#[inline(always)]
pub(crate) fn sum_exps<S: Simd>(simd: S, segment: Segment<'_>, range: ExpRange) -> ExpSum {
    let ExpRange { top, highest, floor } = range;
    let (tops, highests) = (simd.splat(top), simd.splat(highest));
    let mut all = ExpSum::default();
    all.reaching = for_near_logits(simd, segment, lowest_near(top, floor), |near| {
        let mut sum = [simd.splat(0.0); UNROLL];
        for vectors in near.chunks_exact(UNROLL * S::LANES) {
            let logits: [S::F; UNROLL] =
                from_fn(|i| simd.load(&vectors[i * S::LANES..][..S::LANES]));
            let e = exp(simd, logits.map(|logit| simd.sub(logit, tops)));
            // The exp of +inf is arbitrary: it is masked out, like those above the highest.
            let e: [S::F; UNROLL] = from_fn(|i| simd.keep(simd.ge(highests, logits[i]), e[i]));
            sum = from_fn(|i| simd.add(sum[i], e[i]));
        }
        // In double from tile to tile, so the binary32 lanes have at most TILE_ROUNDINGS roundings.
        all.sum += sum_lanes(simd, sum_of_four(simd, sum));
    });
    all
}

/// As [`sum_exps`], by an exp of every logit: this costs less if most are near the top, and nothing is moved together.
#[inline(always)]
pub(crate) fn sum_most_exps<S: Simd>(simd: S, segment: Segment<'_>, range: ExpRange) -> ExpSum {
    let ExpRange { top, highest, floor } = range;
    let (tops, highests) = (simd.splat(top), simd.splat(highest));
    let lows = simd.splat(lowest_near(top, floor));
    let mut all = ExpSum::default();
    let mut reaching = simd.none_counted();
    for (tile, _) in segment.tiles(S::LANES) {
        let mut sum = [simd.splat(0.0); UNROLL];
        for vectors in tile.chunks_exact(UNROLL * S::LANES) {
            let logits: [S::F; UNROLL] =
                from_fn(|i| simd.load(&vectors[i * S::LANES..][..S::LANES]));
            let e = exp(simd, logits.map(|logit| simd.sub(logit, tops)));
            for i in 0..UNROLL {
                // Below the floor the exp is arbitrary, and so is that of NaN: they are masked out.
                let is_near = simd.ge(logits[i], lows);
                reaching = simd.count(reaching, is_near);
                let counts = simd.and(is_near, simd.ge(highests, logits[i]));
                sum[i] = simd.add(sum[i], simd.keep(counts, e[i]));
            }
        }
        // In double from tile to tile, as in `sum_exps`.
        all.sum += sum_lanes(simd, sum_of_four(simd, sum));
    }
    all.reaching = simd.total(reaching);
    all
}

#[inline(always)]
pub(super) fn sum_of_four<S: Simd>(simd: S, [a, b, c, d]: [S::F; UNROLL]) -> S::F {
    simd.add(simd.add(a, b), simd.add(c, d))
}

/// The sum of the lanes, in double.
#[inline(always)]
pub(super) fn sum_lanes<S: Simd>(simd: S, v: S::F) -> f64 {
    let mut lanes = [0.0; 16];
    simd.store(v, &mut lanes);
    lanes.iter().map(|lane| f64::from(*lane)).sum()
}
