//! The first ranks of a row if few tokens reach a threshold.
//!
//! No branch depends on where in the row these tokens are, since nobody could predict it: places are written to
//! lists, and a list's length grows by 0 or 1.
//!
//! 1. *Complete.* A token that reaches `low` is not NaN, so the maximum of its block reaches it and its tile is looked
//!    at; so does the maximum of its lane in its strip, and the strip is listed; and its bit in the strip's word is 1.
//!    Tiles, strips and bits are read in rising order, and so are the segments: the ids rise.
//! 2. *Ranks.* Rank order is the falling order of the logits and, among equal ones, the rising order of the ids, which
//!    is that of the list. Token i ranks after token j if l_j > l_i, or if l_j = l_i and j < i. The number of tokens
//!    that i ranks after is its rank, and no two have the same. Binary32 counts up to [`FEW`] exactly.
//! 3. *First ranks of the row.* A token that does not reach `low` ranks after all that do. So the first ranks among
//!    those listed are the first ranks of the row.

use super::{BLOCK_LEN, Segment};
use crate::rules::rank::RankKey;
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// The most tokens that are few.
pub(crate) const FEW: usize = 128;

/// The elements of a strip, which has one bit for each in a word.
const STRIP_LEN: usize = u64::BITS as usize;

/// The strips of the longest tile, of sixteen lanes.
const MAX_STRIPS: usize = BLOCK_LEN * 16 / STRIP_LEN;

/// Working memory.
#[derive(Debug)]
pub(crate) struct Few {
    /// The numbers of the strips that have a token.
    strips: [u32; FEW + MAX_STRIPS],
    /// The tokens' places in their segment, then their ids. Those of one strip are written before they are too many.
    ids: [u32; FEW + STRIP_LEN],
    logits: [f32; FEW + STRIP_LEN],
    ranks: [f32; FEW + STRIP_LEN],
}

impl Few {
    pub(crate) const fn new() -> Self {
        Self {
            strips: [0; FEW + MAX_STRIPS],
            ids: [0; FEW + STRIP_LEN],
            logits: [0.0; FEW + STRIP_LEN],
            ranks: [0.0; FEW + STRIP_LEN],
        }
    }
}

/// Puts the first `wanted` ranks among the tokens that reach `low`, which is finite, into `out`, whose length is
/// `wanted`. Returns the number of tokens that reach it; none if that is more than [`FEW`], and then `out` is
/// unspecified.
#[inline(always)]
pub(crate) fn first_ranks<S: Simd>(
    simd: S,
    segments: &[Segment<'_>; 3],
    low: f32,
    few: &mut Few,
    out: &mut [RankKey],
) -> Option<usize> {
    let mut len = 0;
    for segment in segments {
        let start = len;
        len = collect(simd, *segment, low, few, len)?;
        for (id, logit) in few.ids[start..len].iter_mut().zip(&mut few.logits[start..len]) {
            *logit = segment.logits[*id as usize];
            *id += segment.first_id;
        }
    }
    count_ranks(simd, few, len);
    for ((logit, id), rank) in few.logits[..len].iter().zip(&few.ids).zip(&few.ranks) {
        if let Some(key) = out.get_mut(*rank as usize) {
            *key = RankKey::new(*logit, *id);
        }
    }
    Some(len)
}

/// Appends the places of the tokens in `segment` that reach `low` to the `len` ids that `few` has, and returns the
/// new length.
#[inline(always)]
fn collect<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    low: f32,
    few: &mut Few,
    mut len: usize,
) -> Option<usize> {
    const TILES: usize = u64::BITS as usize;
    let lows = simd.splat(low);
    let reaches = |values| simd.any(simd.ge(values, lows));
    let tile_len = BLOCK_LEN * S::LANES;
    for (chunk, maxima) in segment.block_maxima.chunks(TILES * S::LANES).enumerate() {
        let mut tiles = 0_u64;
        for (i, maxima) in maxima.chunks_exact(S::LANES).enumerate() {
            tiles |= u64::from(reaches(simd.load(maxima))) << i;
        }
        let mut strips = 0;
        while tiles != 0 {
            let tile = (chunk * TILES + tiles.trailing_zeros() as usize) * tile_len;
            tiles &= tiles - 1;
            for (i, strip) in segment.logits[tile..][..tile_len].chunks_exact(STRIP_LEN).enumerate()
            {
                let mut best = simd.splat(f32::NEG_INFINITY);
                for vector in strip.chunks_exact(S::LANES) {
                    best = simd.max(simd.load(vector), best);
                }
                few.strips[strips] = (tile / STRIP_LEN + i) as u32;
                strips += usize::from(reaches(best));
            }
            if strips > FEW {
                return None;
            }
        }
        for strip in &few.strips[..strips] {
            let first = *strip * STRIP_LEN as u32;
            let mut hits = 0_u64;
            let strip = &segment.logits[first as usize..][..STRIP_LEN];
            for (i, vector) in strip.chunks_exact(S::LANES).enumerate() {
                let bits = simd.bits(simd.ge(simd.load(vector), lows));
                hits |= u64::from(bits) << (i * S::LANES);
            }
            // Two at least, and only the strip's own count. A third is rare.
            let ids = &mut few.ids[len..][..STRIP_LEN];
            len += hits.count_ones() as usize;
            let mut i = 0;
            loop {
                ids[i] = first + hits.trailing_zeros();
                hits &= hits.wrapping_sub(1);
                ids[i + 1] = first + hits.trailing_zeros();
                hits &= hits.wrapping_sub(1);
                if hits == 0 {
                    break;
                }
                i += 2;
            }
            if len > FEW {
                return None;
            }
        }
    }
    Some(len)
}

/// Counts the ranks of the first `len` logits, which are in id order: lemma 2. Against a token before all those of a
/// vector the vector's lanes lose ties, against one behind them they win ties.
#[inline(always)]
fn count_ranks<S: Simd>(simd: S, few: &mut Few, len: usize) {
    const CHAINS: usize = 4;
    let whole = len.next_multiple_of(S::LANES);
    // These rank after no token and no token ranks after them.
    few.logits[len..whole].fill(f32::NEG_INFINITY);
    let (one, zero) = (simd.splat(1.0), simd.splat(0.0));
    let logits = &few.logits[..whole];
    for (v, ranks) in few.ranks[..whole].chunks_exact_mut(S::LANES).enumerate() {
        let start = v * S::LANES;
        let own = simd.load(&logits[start..]);
        let before = |other: f32| simd.keep(simd.lt(own, simd.splat(other)), one);
        let before_or_equal = |other: f32| simd.keep(simd.ge(simd.splat(other), own), one);
        let mut counts = [zero; CHAINS];
        for others in logits[..start].chunks_exact(CHAINS) {
            counts = from_fn(|i| simd.add(counts[i], before_or_equal(others[i])));
        }
        for (i, other) in logits[start..start + S::LANES].iter().enumerate() {
            // The lanes above i have higher ids.
            let above = simd.mask_of(u32::MAX << i << 1);
            let ranks_after = simd.select(above, before_or_equal(*other), before(*other));
            counts[i % CHAINS] = simd.add(counts[i % CHAINS], ranks_after);
        }
        for others in logits[start + S::LANES..].chunks_exact(CHAINS) {
            counts = from_fn(|i| simd.add(counts[i], before(others[i])));
        }
        let [a, b, c, d] = counts;
        simd.store(simd.add(simd.add(a, b), simd.add(c, d)), ranks);
    }
}
