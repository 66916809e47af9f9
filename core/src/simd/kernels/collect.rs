//! The tokens of a row whose logits lie in an interval.

use super::DEPTH;
use crate::rules::rank::RankKey;
use crate::simd::lanes::Simd;

/// Which tokens to collect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The lowest logit wanted.
    pub low: f32,
    /// The highest logit wanted.
    pub high: f32,
    /// The id of the row's first token.
    pub first_id: u32,
    /// The length up to which the vector may grow: memory for it is reserved.
    pub room: usize,
}

/// Appends the tokens with `low <= logit <= high`, in id order.
///
/// Returns the number of chunks done: fewer than there are if another chunk could bring `out` past
/// its room. This never allocates.
#[inline(always)]
pub(crate) fn collect<S: Simd>(
    simd: S,
    row: &[f32],
    maxima: &[f32],
    wanted: Wanted,
    out: &mut Vec<RankKey>,
) -> usize {
    let (lows, highs) = (simd.splat(wanted.low), simd.splat(wanted.high));
    let chunk_len = DEPTH * S::LANES;
    let chunks = row.chunks_exact(chunk_len).zip(maxima.chunks_exact(S::LANES));
    for (done, (chunk, tops)) in chunks.enumerate() {
        if !simd.any(simd.ge(simd.load(tops), lows)) {
            continue;
        }
        if out.len() + chunk_len > wanted.room {
            return done;
        }
        let chunk_id = wanted.first_id + (done * chunk_len) as u32;
        for (v, vector) in chunk.chunks_exact(S::LANES).enumerate() {
            let x = simd.load(vector);
            let mut hits = simd.bits(simd.and(simd.ge(x, lows), simd.ge(highs, x)));
            if hits == u32::MAX >> (32 - S::LANES) {
                let ids = chunk_id + (v * S::LANES) as u32..;
                out.extend(vector.iter().zip(ids).map(|(logit, id)| RankKey::new(*logit, id)));
                continue;
            }
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                out.push(RankKey::new(vector[lane], chunk_id + (v * S::LANES + lane) as u32));
            }
        }
    }
    row.len() / chunk_len
}
