//! The one pass that reads all of a row: a maximum for every [`DEPTH`] elements.

use super::DEPTH;
use crate::simd::lanes::Simd;

/// Writes `width` maxima for each chunk of `row`, -inf where a lane holds only NaN. `simd` may be
/// narrower than the chunk's lanes: then it does them in stretches.
#[inline(always)]
pub(crate) fn maxima<S: Simd>(simd: S, width: usize, row: &[f32], out: &mut [f32]) {
    let bottom = simd.splat(f32::NEG_INFINITY);
    for (chunk, out) in row.chunks_exact(DEPTH * width).zip(out.chunks_exact_mut(width)) {
        for (stretch, out) in out.chunks_exact_mut(S::LANES).enumerate() {
            // Two chains, so that the next maximum need not wait for the last.
            let (mut even, mut odd) = (bottom, bottom);
            for pair in chunk.chunks_exact(2 * width) {
                let (first, second) = pair.split_at(width);
                even = simd.max(simd.load(&first[stretch * S::LANES..]), even);
                odd = simd.max(simd.load(&second[stretch * S::LANES..]), odd);
            }
            simd.store(simd.max(even, odd), out);
        }
    }
}

/// Folds `values` into `groups`, each the maximum of every `groups.len()`-th vector lane of them.
#[inline(always)]
pub(crate) fn fold<S: Simd>(simd: S, values: &[f32], groups: &mut [f32]) {
    let stride = groups.len();
    for (g, group) in groups.chunks_exact_mut(S::LANES).enumerate() {
        let mut best = simd.splat(f32::NEG_INFINITY);
        let mut at = g * S::LANES;
        while at + S::LANES <= values.len() {
            best = simd.max(simd.load(&values[at..at + S::LANES]), best);
            at += stride;
        }
        simd.store(best, group);
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
    highest(lanes)
}

/// The largest of sixteen numbers, none NaN: by halves, since one after the other would wait.
#[inline(always)]
pub(super) fn highest(mut lanes: [f32; 16]) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            let (a, b) = (lanes[i], lanes[i + half]);
            lanes[i] = if a > b { a } else { b };
        }
    }
    lanes[0]
}
