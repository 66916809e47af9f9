//! Sums of exps with a known error: over the block maxima alone, or over the row.

use super::exp::{UNROLL, exp};
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

/// The exps that [`sum_exps`] adds up: of the logits within `floor`, which is negative, of `top`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpRange {
    /// The logit of rank 0.
    pub top: f32,
    pub floor: f32,
}

/// The binary32 roundings on the way of an exp into [`ExpSum::sum`]: those of its lane, whose first
/// addition is exact, and two for the sum of four lanes.
pub(crate) const TILE_ROUNDINGS: usize = BLOCK_LEN / UNROLL - 1 + 2;

/// A sum of exps and their number.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpSum {
    pub sum: f64,
    pub count: f64,
}

#[inline(always)]
pub(crate) fn sum_exps<S: Simd>(simd: S, segment: Segment<'_>, range: ExpRange) -> ExpSum {
    sum_exps_where(simd, segment, range, |_, near| near)
}

/// As [`sum_exps`], over the logits that are at most `highest`.
#[inline(always)]
pub(crate) fn sum_exps_up_to<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    range: ExpRange,
    highest: f32,
) -> ExpSum {
    let highest = simd.splat(highest);
    sum_exps_where(simd, segment, range, |logits, near| simd.and(near, simd.ge(highest, logits)))
}

/// As [`sum_exps`], over the logits that `which` leaves of those within the floor.
#[inline(always)]
fn sum_exps_where<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    range: ExpRange,
    which: impl Fn(S::F, S::M) -> S::M,
) -> ExpSum {
    let ExpRange { top, floor } = range;
    let (tops, floors, one) = (simd.splat(top), simd.splat(floor), simd.splat(1.0));
    let mut all = ExpSum::default();
    for (tile, maxima) in segment.tiles(S::LANES) {
        if !simd.any(simd.ge(simd.sub(simd.load(maxima), tops), floors)) {
            continue;
        }
        let (mut sum, mut count) = ([simd.splat(0.0); UNROLL], [simd.splat(0.0); UNROLL]);
        for vectors in tile.chunks_exact(UNROLL * S::LANES) {
            let logits: [S::F; UNROLL] =
                from_fn(|i| simd.load(&vectors[i * S::LANES..][..S::LANES]));
            let x = logits.map(|logits| simd.sub(logits, tops));
            // The exp of NaN or of x below the floor is arbitrary: it is masked out.
            let e = exp(simd, x);
            let counts: [S::M; UNROLL] = from_fn(|i| which(logits[i], simd.ge(x[i], floors)));
            sum = from_fn(|i| simd.add(sum[i], simd.keep(counts[i], e[i])));
            count = from_fn(|i| simd.add(count[i], simd.keep(counts[i], one)));
        }
        // In double from tile to tile, so the binary32 lanes have at most TILE_ROUNDINGS roundings.
        all.sum += sum_lanes(simd, sum_of_four(simd, sum));
        all.count += sum_lanes(simd, sum_of_four(simd, count));
    }
    all
}

#[inline(always)]
fn sum_of_four<S: Simd>(simd: S, [a, b, c, d]: [S::F; UNROLL]) -> S::F {
    simd.add(simd.add(a, b), simd.add(c, d))
}

/// The sum of the lanes, in double.
#[inline(always)]
pub(super) fn sum_lanes<S: Simd>(simd: S, v: S::F) -> f64 {
    let mut lanes = [0.0; 16];
    simd.store(v, &mut lanes);
    lanes.iter().map(|lane| f64::from(*lane)).sum()
}
