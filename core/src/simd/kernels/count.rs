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

/// The vectors that are looked at together for a special value.
const CHUNK_VECTORS: usize = 8;

/// The NaN and +inf of a row of any length. All other values are less than +inf: in a chunk of only such values, the
/// usual case, each vector takes one comparison and nothing is counted.
#[inline(always)]
pub(crate) fn count_special<S: Simd>(simd: S, row: &[f32]) -> RowCounts {
    let inf = simd.splat(f32::INFINITY);
    let all = u32::MAX >> (u32::BITS as usize - S::LANES);
    let mut counts = RowCounts { nans: 0, infinities: 0 };
    let chunks = row.chunks_exact(CHUNK_VECTORS * S::LANES);
    add_specials(&mut counts, chunks.remainder());
    for chunk in chunks {
        let mut less = simd.mask_of(all);
        for vector in chunk.chunks_exact(S::LANES) {
            less = simd.and(less, simd.lt(simd.load(vector), inf));
        }
        if simd.bits(less) != all {
            add_specials(&mut counts, chunk);
        }
    }
    counts
}

/// Counts those of `values`.
#[inline(always)]
fn add_specials(counts: &mut RowCounts, values: &[f32]) {
    let count =
        |is: fn(&f32) -> bool| values.iter().map(|v| u32::from(is(v))).sum::<u32>() as usize;
    counts.nans += count(|value| value.is_nan());
    counts.infinities += count(|value| *value == f32::INFINITY);
}
