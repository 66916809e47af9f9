//! How many values are of a kind.

use crate::row_counts::RowCounts;
use crate::simd::lanes::Simd;

/// The number of `values`, whole vectors, that reach the threshold.
#[inline(always)]
pub(crate) fn count_reaching<S: Simd>(simd: S, values: &[f32], threshold: f32) -> usize {
    let threshold = simd.splat(threshold);
    // Two chains, so that a count need not wait for the one before.
    let (mut even, mut odd) = (simd.none_counted(), simd.none_counted());
    for pair in values.chunks(2 * S::LANES) {
        let (first, second) = pair.split_at(S::LANES);
        even = simd.count(even, simd.ge(simd.load(first), threshold));
        if second.len() == S::LANES {
            odd = simd.count(odd, simd.ge(simd.load(second), threshold));
        }
    }
    simd.total(even) + simd.total(odd)
}

/// The NaN and +inf of a row of any length.
#[inline(always)]
pub(crate) fn count_special<S: Simd>(simd: S, row: &[f32]) -> RowCounts {
    let (neg_inf, inf) = (simd.splat(f32::NEG_INFINITY), simd.splat(f32::INFINITY));
    let (mut numbers, mut infinities) = (simd.none_counted(), simd.none_counted());
    let vectors = row.chunks_exact(S::LANES);
    let rest = vectors.remainder();
    for vector in vectors {
        let values = simd.load(vector);
        // Everything but NaN reaches -inf.
        numbers = simd.count(numbers, simd.ge(values, neg_inf));
        infinities = simd.count(infinities, simd.ge(values, inf));
    }
    let of_rest = |is: fn(&f32) -> bool| rest.iter().filter(|value| is(value)).count();
    RowCounts {
        nans: row.len() - rest.len() - simd.total(numbers) + of_rest(|value| value.is_nan()),
        infinities: simd.total(infinities) + of_rest(|value| *value == f32::INFINITY),
    }
}
