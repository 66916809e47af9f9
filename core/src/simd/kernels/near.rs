//! Copies the logits of a row that are not far from the top next to each other, so that exps are computed only for
//! these. Most tokens are too far down to matter.

use super::exp::UNROLL;
use super::{BLOCK_LEN, Segment};
use crate::simd::lanes::Simd;

/// Two tiles of the widest vectors.
const ROOM: usize = 2 * BLOCK_LEN * 16;

/// A logit l such that l - top, in binary32, is at least `floor` from l on and at most `floor` below l.
///
/// A binary32 number below `x`, rounded to binary32, is below x itself. So below the first l, l - top is below the
/// floor before it is rounded, and at most the floor after it. The steps upwards end at the top at the latest, and pass
/// over logits that are below the floor.
pub(super) fn lowest_near(top: f32, floor: f32) -> f32 {
    let mut low = (top + floor).next_down();
    while low - top < floor {
        low = low.next_up();
    }
    low
}

/// Calls `add` with the logits that reach `low`, in order, and returns their number. Each call has whole groups of
/// [`UNROLL`] vectors, at most a tile; the last is filled up with +inf.
#[inline(always)]
pub(super) fn for_near_logits<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    low: f32,
    mut add: impl FnMut(&[f32]),
) -> usize {
    let tile_len = BLOCK_LEN * S::LANES;
    if segment.logits.is_empty() {
        return 0;
    }
    let lows = simd.splat(low);
    // Less than a tile from before, a tile, and the vector behind.
    let mut near = [0.0; ROOM + 16];
    let (mut len, mut count) = (0, 0);
    let mut tiles = segment.tiles(S::LANES);
    // One place that calls `add`: code of this size is inlined only once.
    loop {
        let tile = tiles.next();
        if let Some((tile, maxima)) = tile {
            if !simd.any(simd.ge(simd.load(maxima), lows)) {
                continue;
            }
            for vector in tile.chunks_exact(S::LANES) {
                let logits = simd.load(vector);
                // The remainder is the number itself, but needs no check of bounds.
                let out = &mut near[len % ROOM..][..S::LANES];
                len += simd.compress(simd.ge(logits, lows), logits, out);
            }
            if len < tile_len {
                continue;
            }
        } else {
            near[len..tile_len].fill(f32::INFINITY);
        }
        let taken = len.min(tile_len);
        add(&near[..taken.next_multiple_of(UNROLL * S::LANES)]);
        near.copy_within(taken..len, 0);
        len -= taken;
        count += taken;
        if tile.is_none() {
            return count;
        }
    }
}
