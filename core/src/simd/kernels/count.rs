//! How many values reach a threshold.

use super::bounds::total;
use crate::simd::lanes::Simd;

/// Vectors between two looks at the lanes: their counts stay far below 2^24, where binary32 ends.
const STRETCH: usize = 1 << 16;

#[inline(always)]
pub(crate) fn count_reaching<S: Simd>(simd: S, values: &[f32], threshold: f32) -> usize {
    let (threshold, one, zero) = (simd.splat(threshold), simd.splat(1.0), simd.splat(0.0));
    let mut count = 0.0;
    for stretch in values.chunks(STRETCH * S::LANES) {
        let (mut even, mut odd) = (zero, zero);
        for pair in stretch.chunks(2 * S::LANES) {
            let (first, second) = pair.split_at(S::LANES);
            even = simd.add(even, simd.keep(simd.ge(simd.load(first), threshold), one));
            if second.len() == S::LANES {
                odd = simd.add(odd, simd.keep(simd.ge(simd.load(second), threshold), one));
            }
        }
        count += total(simd, simd.add(even, odd));
    }
    count as usize
}
