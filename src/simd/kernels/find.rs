//! Where a value stands first.

use crate::simd::lanes::Simd;

/// The first index of a value at or above `threshold`.
#[inline(always)]
pub(crate) fn find_reaching<S: Simd>(simd: S, values: &[f32], threshold: f32) -> Option<usize> {
    let threshold = simd.splat(threshold);
    for (i, vector) in values.chunks_exact(S::LANES).enumerate() {
        let hits = simd.ge(simd.load(vector), threshold);
        if simd.any(hits) {
            return Some(i * S::LANES + simd.bits(hits).trailing_zeros() as usize);
        }
    }
    None
}
