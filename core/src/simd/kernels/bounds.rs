//! Sums of exps with a known error: over the maxima alone, or over the row.

use super::DEPTH;
use super::exp::{ABREAST, exp};
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// An exp this far down is less than 2^-24, with room for the error of any `expf`.
pub(crate) const FLOOR: f32 = -16.64;

/// Sums over the maxima that are within [`FLOOR`] of the top; see `mass` for the slack they need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaximaMass {
    /// The sum of e^(max - top) over the maxima below `cap`.
    pub below_cap: f64,
    /// The sum of e^(min(max, cap) - top) over all of them.
    pub capped: f64,
    /// How many there are.
    pub count: usize,
    /// How many of them are at `cap` or above.
    pub reaching_cap: usize,
}

#[inline(always)]
pub(crate) fn maxima_mass<S: Simd>(simd: S, maxima: &[f32], top: f32, cap: f32) -> MaximaMass {
    let (top, cap, floor) = (simd.splat(top), simd.splat(cap), simd.splat(FLOOR));
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
    MaximaMass {
        below_cap: total(simd, below_cap),
        capped: total(simd, capped),
        count,
        reaching_cap,
    }
}

/// The sum of the exps of logits at most so far below the top, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowMass {
    pub sum: f64,
    pub count: f64,
}

#[inline(always)]
pub(crate) fn row_mass<S: Simd>(
    simd: S,
    row: &[f32],
    maxima: &[f32],
    top: f32,
    floor: f32,
) -> RowMass {
    let (tops, floors, one) = (simd.splat(top), simd.splat(floor), simd.splat(1.0));
    let mut mass = RowMass::default();
    let chunks = row.chunks_exact(DEPTH * S::LANES).zip(maxima.chunks_exact(S::LANES));
    for (chunk, chunk_tops) in chunks {
        if !simd.any(simd.ge(simd.sub(simd.load(chunk_tops), tops), floors)) {
            continue;
        }
        let (mut sum, mut count) = ([simd.splat(0.0); ABREAST], [simd.splat(0.0); ABREAST]);
        for vectors in chunk.chunks_exact(ABREAST * S::LANES) {
            let x: [S::F; ABREAST] =
                from_fn(|i| simd.sub(simd.load(&vectors[i * S::LANES..][..S::LANES]), tops));
            // Below the floor, and for NaN, the exp is anything; it is not kept.
            let e = exp(simd, x);
            sum = from_fn(|i| simd.add(sum[i], simd.keep(simd.ge(x[i], floors), e[i])));
            count = from_fn(|i| simd.add(count[i], simd.keep(simd.ge(x[i], floors), one)));
        }
        // In double from chunk to chunk: the binary32 lanes then have at most DEPTH roundings.
        mass.sum += total(simd, add_up(simd, sum));
        mass.count += total(simd, add_up(simd, count));
    }
    mass
}

#[inline(always)]
fn add_up<S: Simd>(simd: S, [a, b, c, d]: [S::F; ABREAST]) -> S::F {
    simd.add(simd.add(a, b), simd.add(c, d))
}

/// The sum of the lanes, in double.
#[inline(always)]
pub(super) fn total<S: Simd>(simd: S, v: S::F) -> f64 {
    let mut lanes = [0.0; 16];
    simd.store(v, &mut lanes);
    lanes.iter().map(|lane| f64::from(*lane)).sum()
}
