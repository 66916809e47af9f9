//! How many values reach a threshold.

use super::exp_sums::sum_lanes;
use crate::simd::lanes::Simd;

/// Vectors that are counted in binary32 lanes before the lanes are added up: so no lane's count comes near
/// 2^24, above which binary32 cannot count.
const COUNT_CHUNK: usize = 1 << 16;

#[inline(always)]
pub(crate) fn count_reaching<S: Simd>(simd: S, values: &[f32], threshold: f32) -> usize {
    let (threshold, one, zero) = (simd.splat(threshold), simd.splat(1.0), simd.splat(0.0));
    let mut count = 0.0;
    for chunk in values.chunks(COUNT_CHUNK * S::LANES) {
        let (mut even, mut odd) = (zero, zero);
        for pair in chunk.chunks(2 * S::LANES) {
            let (first, second) = pair.split_at(S::LANES);
            even = simd.add(even, simd.keep(simd.ge(simd.load(first), threshold), one));
            if second.len() == S::LANES {
                odd = simd.add(odd, simd.keep(simd.ge(simd.load(second), threshold), one));
            }
        }
        count += sum_lanes(simd, simd.add(even, odd));
    }
    count as usize
}
