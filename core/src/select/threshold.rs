//! A logit that at least k tokens reach, and not many more.
//!
//! A maximum is the logit of some token, and different maxima are different tokens. So the k-th largest
//! maximum, over any grouping of the row, is reached by at least k tokens. With four times as many
//! groups as k, few groups hold two of the k best, and few more than k tokens reach it.

use super::scan::BlockedRow;
use crate::Error;
use crate::float_order::{float_at, index_of};
use crate::memory::resize;
use crate::simd::{BLOCK_LEN, FEW, Reached, Segment};

/// The fewest coarse maxima: a few vectors, so that a count is a few instructions.
const MIN_COARSE_MAXIMA: usize = 128;

/// The most groups that are made of the row itself, and not of block maxima: memory for them is kept.
pub(super) const MAX_ROW_GROUPS: usize = 2048;

/// The most ranks that are looked for among few tokens: so many that their threshold is hardly ever reached by more.
pub(super) const MAX_FEW_RANKS: usize = FEW / 4 * 3;

/// The number of the `k` tokens that an estimate expects in its sample of the row.
const SAMPLE_HITS: usize = 256;

/// The number of groups for `k` ranks.
fn coarse_len(k: usize) -> usize {
    (4 * k).next_power_of_two().max(MIN_COARSE_MAXIMA)
}

/// A threshold that at most so many values reach is close enough to the k-th largest.
fn enough(k: usize) -> usize {
    k + k / 8 + 2
}

/// A threshold that at least `k` tokens reach; the lowest finite value if fewer than `k` are finite. With
/// `estimate`, and fewer block maxima than `k` needs, a threshold that about `k` tokens reach.
pub(super) fn threshold(
    blocked: &mut BlockedRow<'_>,
    k: usize,
    estimate: bool,
) -> Result<f32, Error> {
    let count = |values: &[f32], t| blocked.kernels.count_reaching(values, t);
    let enough = enough(k);
    let coarse_len = coarse_len(k);
    let mut low = f32::MIN;
    let maxima = blocked.block_maxima;
    let of_maxima = coarse_len <= maxima.len();
    if of_maxima || coarse_len <= MAX_ROW_GROUPS.min(BLOCK_LEN * maxima.len()) {
        let reached = Reached { least: k, enough };
        if (coarse_len..2 * coarse_len).contains(&maxima.len()) {
            return Ok(blocked.kernels.threshold(maxima, blocked.top, reached));
        }
        // In a short row there are fewer blocks than groups are needed: groups of fewer tokens.
        let parts = match of_maxima {
            true => [maxima, &[], &[]],
            false => blocked.segments.map(|segment| segment.logits),
        };
        let coarse = &mut *blocked.coarse_maxima;
        resize(coarse, coarse_len, f32::NEG_INFINITY)?;
        blocked.kernels.coarsen(&parts, coarse);
        low = blocked.kernels.threshold(coarse, blocked.top, reached);
        // If several of the best tokens share a group, the coarse maxima say little. Few ranks show it themselves.
        if k > MAX_FEW_RANKS && count(maxima, low) > 2 * enough {
            low = finer_threshold(blocked, k, low);
        }
        return Ok(low);
    }
    let stride = k / SAMPLE_HITS;
    if estimate && stride > 1 {
        let tile_len = blocked.kernels.tile_len();
        let tiles = || blocked.body().logits.chunks_exact(tile_len).step_by(stride);
        let hits = k / stride + SAMPLE_HITS / 8;
        return Ok(bisect(low, blocked.top, hits, hits + SAMPLE_HITS / 16, |t| {
            tiles().map(|tile| count(tile, t)).sum()
        }));
    }
    if k <= blocked.block_maxima.len() {
        low = bisect(low, blocked.top, k, enough, |t| count(blocked.block_maxima, t));
    }
    Ok(among_tokens(blocked, k, low))
}

/// A threshold from smaller groups than those of [`threshold`], which gave `low`: if many more than `k` tokens reach
/// that, several of the best share a group.
#[cold]
pub(super) fn finer_threshold(blocked: &BlockedRow<'_>, k: usize, low: f32) -> f32 {
    if coarse_len(k) > blocked.block_maxima.len() {
        return among_tokens(blocked, k, low);
    }
    bisect(low, blocked.top, k, enough(k), |t| {
        blocked.kernels.count_reaching(blocked.block_maxima, t)
    })
}

/// A threshold at `low` or above, which at least `k` tokens reach, from the tokens themselves.
fn among_tokens(blocked: &BlockedRow<'_>, k: usize, low: f32) -> f32 {
    bisect(low, blocked.top, k, enough(k), |t| {
        let reaching = |s: &Segment<'_>| blocked.kernels.count_reaching(s.logits, t);
        blocked.segments.iter().map(reaching).sum()
    })
}

/// Narrows the threshold down between `low`, which is returned if fewer than `k` values reach it, and
/// `high`. Stops early at a threshold that `k` to `enough` values reach.
pub(super) fn bisect(
    low: f32,
    high: f32,
    k: usize,
    enough: usize,
    count: impl Fn(f32) -> usize,
) -> f32 {
    if count(high) >= k {
        return high;
    }
    let (mut reached, mut missed) = (index_of(low), index_of(high));
    while missed - reached > 1 {
        let middle = reached + (missed - reached) / 2;
        match count(float_at(middle)) {
            c if c < k => missed = middle,
            c => {
                reached = middle;
                if c <= enough {
                    break;
                }
            }
        }
    }
    float_at(reached)
}

/// The lowest finite float for which `is_high` holds, the largest float if there is none. `is_high` must
/// hold for every float above one for which it holds.
pub(crate) fn lowest(is_high: impl Fn(f32) -> bool) -> f32 {
    let (mut not, mut yes) = (index_of(f32::MIN) - 1, index_of(f32::MAX));
    while yes - not > 1 {
        let middle = not + (yes - not) / 2;
        *if is_high(float_at(middle)) { &mut yes } else { &mut not } = middle;
    }
    float_at(yes)
}

#[cfg(test)]
mod tests {
    use crate::rules::rank::RankKey;
    use crate::select::{RankedPrefix, RowScan};
    use crate::simd::{Kernels, SimdLevel};

    fn sorted(row: &[f32]) -> Vec<RankKey> {
        let finite = row.iter().zip(0..).filter(|(logit, _)| **logit > f32::NEG_INFINITY);
        let mut keys: Vec<RankKey> = finite.map(|(logit, id)| RankKey::new(*logit, id)).collect();
        keys.sort_unstable();
        keys
    }

    /// Rows around the lengths at which groups are of the row, of its blocks, and not enough. In a sawtooth the best
    /// tokens share few groups, whatever these are; in a row with few finite logits there are not enough groups.
    #[test]
    fn first_ranks_of_short_rows() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
            for len in [2, 31, 97, 127, 128, 255, 257, 512, 1000, 1024, 4095, 4097, 9000, 16_384] {
                let smooth: Vec<f32> = (0..len).map(|_| next() * 20.0).collect();
                let map = |f: &dyn Fn(usize, f32) -> f32| {
                    smooth.iter().enumerate().map(|(i, x)| f(i, *x)).collect::<Vec<f32>>()
                };
                let rows = [
                    map(&|i, x| (i % 128) as f32 + x / 32.0),
                    map(&|i, x| (i % 4096) as f32 + x / 32.0),
                    map(&|i, _| (i % 256 / 2) as f32),
                    map(&|_, _| 0.5),
                    map(&|i, x| if i % 50 == 7 { x } else { f32::NEG_INFINITY }),
                    map(&|i, x| if i % 2 == 1 { f32::NAN } else { x.round() }),
                    map(&|i, _| -(i as f32)),
                    smooth.clone(),
                ];
                for (shape, row) in rows.iter().enumerate() {
                    let sorted = sorted(row);
                    for wanted in [1, 5, 30, 40, 64, 95, 96, 97, 100, 128, 129] {
                        let wanted = wanted.min(len);
                        let (mut scan, mut prefix) = (RowScan::new(), RankedPrefix::new());
                        let mut blocked = scan.read(kernels, row).unwrap();
                        prefix.grow(&mut blocked, wanted).unwrap();
                        let found = prefix.keys();
                        let what = format!("{:?} {len} {shape} {wanted}", kernels.level());
                        assert!(found.len() >= wanted || prefix.is_whole(), "{what}");
                        assert_eq!(found, &sorted[..found.len()], "{what}");
                        assert!(!prefix.is_whole() || found.len() == sorted.len(), "{what}");
                    }
                }
            }
        }
    }
}
