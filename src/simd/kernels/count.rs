//! How many values reach a threshold.

use crate::simd::lanes::Simd;

#[inline(always)]
pub(crate) fn count_reaching<S: Simd>(simd: S, values: &[f32], threshold: f32) -> usize {
    let threshold = simd.splat(threshold);
    let mut count = 0;
    for vector in values.chunks_exact(S::LANES) {
        count += simd.bits(simd.ge(simd.load(vector), threshold)).count_ones() as usize;
    }
    count
}
