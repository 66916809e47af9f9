//! The one pass that reads the whole row: a maximum for every block.

use super::BLOCK_LEN;
use crate::simd::lanes::Simd;

/// Writes the `width` block maxima of each tile of `row`, -inf for a block of NaN. `simd` may have fewer
/// lanes than `width`; then it takes several turns at a tile.
#[inline(always)]
pub(crate) fn write_block_maxima<S: Simd>(simd: S, width: usize, row: &[f32], out: &mut [f32]) {
    debug_assert_eq!(row.len(), BLOCK_LEN * out.len());
    let bottom = simd.splat(f32::NEG_INFINITY);
    for (tile, out) in row.chunks_exact(BLOCK_LEN * width).zip(out.chunks_exact_mut(width)) {
        for (turn, out) in out.chunks_exact_mut(S::LANES).enumerate() {
            // Two chains, so that a maximum need not wait for the one before.
            let (mut even, mut odd) = (bottom, bottom);
            for pair in tile.chunks_exact(2 * width) {
                let (first, second) = pair.split_at(width);
                even = simd.max(simd.load(&first[turn * S::LANES..]), even);
                odd = simd.max(simd.load(&second[turn * S::LANES..]), odd);
            }
            simd.store(simd.max(even, odd), out);
        }
    }
}

/// Merges the values of each of `parts`, whole vectors, into fewer: coarse maximum i is the largest of the values i,
/// i + n, i + 2n, ... of the parts, n being the length of `coarse`; -inf if all are NaN.
#[inline(always)]
pub(crate) fn coarsen<S: Simd>(simd: S, parts: &[&[f32]], coarse: &mut [f32]) {
    coarse.fill(f32::NEG_INFINITY);
    for values in parts {
        for values in values.chunks(coarse.len()) {
            for (best, values) in
                coarse.chunks_exact_mut(S::LANES).zip(values.chunks_exact(S::LANES))
            {
                simd.store(simd.max(simd.load(values), simd.load(best)), best);
            }
        }
    }
}

/// The largest of `values`, -inf if all are NaN.
#[inline(always)]
pub(crate) fn largest<S: Simd>(simd: S, values: &[f32]) -> f32 {
    let mut best = simd.splat(f32::NEG_INFINITY);
    for vector in values.chunks_exact(S::LANES) {
        best = simd.max(simd.load(vector), best);
    }
    let mut lanes = [f32::NEG_INFINITY; 16];
    simd.store(best, &mut lanes);
    max_lane(lanes)
}

/// The largest of sixteen numbers that are not NaN. By halves: a chain of sixteen would wait for each step.
#[inline(always)]
pub(super) fn max_lane(mut lanes: [f32; 16]) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            let (a, b) = (lanes[i], lanes[i + half]);
            lanes[i] = if a > b { a } else { b };
        }
    }
    lanes[0]
}
