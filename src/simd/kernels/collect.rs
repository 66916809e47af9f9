//! The tokens of a row whose logits lie in an interval.

use super::DEPTH;
use crate::entry::Entry;
use crate::simd::lanes::Simd;

/// Appends the tokens with `low <= logit < high`, in id order; the first of `row` has `first_id`.
///
/// Returns the number of chunks done: fewer than there are if another chunk could bring `out` past
/// `room` elements, for which the caller has reserved memory. This never allocates.
#[inline(always)]
pub(crate) fn collect<S: Simd>(
    simd: S,
    row: &[f32],
    maxima: &[f32],
    first_id: u32,
    (low, high): (f32, f32),
    out: &mut Vec<Entry>,
    room: usize,
) -> usize {
    let (lows, highs) = (simd.splat(low), simd.splat(high));
    let chunk_len = DEPTH * S::LANES;
    let chunks = row.chunks_exact(chunk_len).zip(maxima.chunks_exact(S::LANES));
    for (done, (chunk, tops)) in chunks.enumerate() {
        if !simd.any(simd.ge(simd.load(tops), lows)) {
            continue;
        }
        if out.len() + chunk_len > room {
            return done;
        }
        let chunk_id = first_id + (done * chunk_len) as u32;
        for (v, vector) in chunk.chunks_exact(S::LANES).enumerate() {
            let x = simd.load(vector);
            let mut hits = simd.bits(simd.and(simd.ge(x, lows), simd.lt(x, highs)));
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                out.push(Entry::new(vector[lane], chunk_id + (v * S::LANES + lane) as u32));
            }
        }
    }
    row.len() / chunk_len
}
