//! The tokens of a row whose logits lie in an interval.

use super::{BLOCK_LEN, Segment};
use crate::rules::rank::RankKey;
use crate::simd::lanes::Simd;

/// Which tokens to collect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The lowest logit wanted.
    pub low: f32,
    /// The highest logit wanted.
    pub high: f32,
    /// The length up to which `out` may grow: memory for it is reserved.
    pub room: usize,
}

/// Appends the tokens with `low <= logit <= high` to `out`, in id order. Never allocates.
///
/// Returns the number of tiles done. It stops early if the next tile could take `out` past `room`.
#[inline(always)]
pub(crate) fn collect<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    wanted: Wanted,
    out: &mut Vec<RankKey>,
) -> usize {
    debug_assert!(out.capacity() >= wanted.room);
    let (lows, highs) = (simd.splat(wanted.low), simd.splat(wanted.high));
    let tile_len = BLOCK_LEN * S::LANES;
    for (done, (tile, maxima)) in segment.tiles(S::LANES).enumerate() {
        if !simd.any(simd.ge(simd.load(maxima), lows)) {
            continue;
        }
        if out.len() + tile_len > wanted.room {
            return done;
        }
        let tile_id = segment.first_id + (done * tile_len) as u32;
        for (v, vector) in tile.chunks_exact(S::LANES).enumerate() {
            let x = simd.load(vector);
            let mut hits = simd.bits(simd.and(simd.ge(x, lows), simd.ge(highs, x)));
            if hits == u32::MAX >> (32 - S::LANES) {
                let ids = tile_id + (v * S::LANES) as u32..;
                out.extend(vector.iter().zip(ids).map(|(logit, id)| RankKey::new(*logit, id)));
                continue;
            }
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                out.push(RankKey::new(vector[lane], tile_id + (v * S::LANES + lane) as u32));
            }
        }
    }
    segment.logits.len() / tile_len
}
