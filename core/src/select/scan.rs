//! The one pass over the whole row, and the row in the form that the kernels take.

use super::threshold::MAX_ROW_GROUPS;
use crate::Error;
use crate::memory::{reserve, resize};
use crate::simd::{BLOCK_LEN, Kernels, Segment};

/// Working memory for a [`BlockedRow`].
#[derive(Debug, Default)]
pub(crate) struct RowScan {
    block_maxima: Vec<f32>,
    coarse_maxima: Vec<f32>,
    /// Padded copies of the two ends of the row.
    ends: Vec<f32>,
}

/// A row in whole tiles, with its block maxima.
#[derive(Debug)]
pub(crate) struct BlockedRow<'a> {
    pub kernels: &'static Kernels,
    /// The row's length without padding.
    pub len: usize,
    /// The row in id order: the logits before the first cache line, copied and padded with -inf to a whole
    /// tile; the whole tiles, in place; the remaining logits, copied and padded. The first and the last
    /// segment can be empty.
    pub segments: [Segment<'a>; 3],
    /// The block maxima of all segments, in order.
    pub block_maxima: &'a [f32],
    /// The largest logit: -inf if all are -inf or NaN.
    pub top: f32,
    /// Working memory for maxima over more than a block.
    pub coarse_maxima: &'a mut Vec<f32>,
}

/// The fewest tiles of a row whose body is moved to a cache line. Loads that straddle cache lines are slow,
/// but shorter rows end before that outweighs one more tile.
const ALIGN_MIN_TILES: usize = 32;
const CACHE_LINE: usize = 64;

impl RowScan {
    pub(crate) const fn new() -> Self {
        Self { block_maxima: Vec::new(), coarse_maxima: Vec::new(), ends: Vec::new() }
    }

    /// Reads the row.
    pub(crate) fn read<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        row: &'a [f32],
    ) -> Result<BlockedRow<'a>, Error> {
        self.blocks(kernels, row, true)
    }

    /// As [`RowScan::read`], for the row that was read last and has not changed since.
    #[inline(never)]
    pub(crate) fn read_again<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        row: &'a [f32],
    ) -> Result<BlockedRow<'a>, Error> {
        self.blocks(kernels, row, false)
    }

    /// Copies `row` into `copy` with -inf in place of the tokens that the bits of `words` do not allow, bit
    /// i % 32 of word i / 32 being that of token i, and returns the copy, which counts as read: one pass does
    /// both.
    ///
    /// The copy begins with a cache line: stores that straddle two cost twice as much. So no logits lie before
    /// its tiles.
    pub(crate) fn mask<'a>(
        &mut self,
        kernels: &'static Kernels,
        row: &[f32],
        words: &[u32],
        copy: &'a mut Vec<f32>,
    ) -> Result<&'a mut [f32], Error> {
        let masked = room_for_copy(copy, row)?;
        if masked.as_ptr().align_offset(CACHE_LINE) != 0 {
            // The language does not promise that memory can be aligned.
            kernels.mask(row, words, masked);
            self.read(kernels, masked)?;
            return Ok(masked);
        }
        let tile_len = kernels.tile_len();
        let whole = row.len() - row.len() % tile_len;
        let (body, rest) = row.split_at(whole);
        let (masked_body, masked_rest) = masked.split_at_mut(whole);
        kernels.mask(rest, &words[whole / BLOCK_LEN..], masked_rest);
        // As `blocks` finds them, which also reserves what a draw needs.
        let maxima = row.len().div_ceil(tile_len) * tile_len / BLOCK_LEN;
        resize(&mut self.block_maxima, maxima, f32::NEG_INFINITY)?;
        resize(&mut self.ends, 2 * tile_len, f32::NEG_INFINITY)?;
        let rest_tile = pad(masked_rest, &mut self.ends[tile_len..]);
        let (of_body, of_rest) = self.block_maxima.split_at_mut(whole / BLOCK_LEN);
        kernels.mask_tiles(body, words, masked_body, of_body);
        kernels.write_block_maxima(rest_tile, of_rest);
        Ok(masked)
    }

    #[inline(always)]
    fn blocks<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        row: &'a [f32],
        is_new: bool,
    ) -> Result<BlockedRow<'a>, Error> {
        let tile_len = kernels.tile_len();
        let aligned = row.as_ptr().align_offset(CACHE_LINE);
        let lead = if row.len() >= ALIGN_MIN_TILES * tile_len { aligned.min(row.len()) } else { 0 };
        let (lead, body) = row.split_at(lead);
        let (body, rest) = body.split_at(body.len() - body.len() % tile_len);

        resize(&mut self.ends, 2 * tile_len, f32::NEG_INFINITY)?;
        let (lead_tile, rest_tile) = self.ends.split_at_mut(tile_len);
        let lead_tile = pad(lead, lead_tile);
        let rest_tile = pad(rest, rest_tile);

        let lens = [lead_tile.len(), body.len(), rest_tile.len()].map(|len| len / BLOCK_LEN);
        // The most maxima that a row of this length can have, whatever its alignment. There are never more coarse
        // maxima than these or than groups of a short row. So no later draw of this length allocates.
        let most = (row.len() + 2 * tile_len) / BLOCK_LEN;
        let more = most.saturating_sub(self.block_maxima.len());
        reserve(&mut self.block_maxima, more)?;
        // There is room.
        self.block_maxima.resize(lens.iter().sum(), f32::NEG_INFINITY);
        let more = most.max(MAX_ROW_GROUPS).saturating_sub(self.coarse_maxima.len());
        reserve(&mut self.coarse_maxima, more)?;
        let (of_lead, others) = self.block_maxima.split_at_mut(lens[0]);
        let (of_body, of_rest) = others.split_at_mut(lens[1]);
        if is_new {
            kernels.write_block_maxima(lead_tile, of_lead);
            kernels.write_block_maxima(body, of_body);
            kernels.write_block_maxima(rest_tile, of_rest);
        }

        let block_maxima = &self.block_maxima[..];
        let (of_lead, others) = block_maxima.split_at(lens[0]);
        let (of_body, of_rest) = others.split_at(lens[1]);
        let segment =
            |logits, block_maxima, first| Segment { logits, block_maxima, first_id: first as u32 };
        Ok(BlockedRow {
            kernels,
            len: row.len(),
            segments: [
                segment(lead_tile, of_lead, 0),
                segment(body, of_body, lead.len()),
                segment(rest_tile, of_rest, lead.len() + body.len()),
            ],
            block_maxima,
            top: kernels.largest(block_maxima),
            coarse_maxima: &mut self.coarse_maxima,
        })
    }
}

/// `buffer` as room for a copy of `row` that begins with a cache line; what is in it is unspecified.
///
/// It lies about half a page from the row, modulo a page: CPUs compare the addresses of loads and of stores that
/// are not done by their place in a page, and a load waits for a store that seems to be to the same place.
fn room_for_copy<'a>(buffer: &'a mut Vec<f32>, row: &[f32]) -> Result<&'a mut [f32], Error> {
    const PAGE: usize = 4096;
    const PAGE_LEN: usize = PAGE / size_of::<f32>();
    const LINE_LEN: usize = CACHE_LINE / size_of::<f32>();
    let room = row.len() + PAGE_LEN;
    buffer.truncate(room);
    resize(buffer, room, 0.0)?;
    let place = (PAGE_LEN / 2).wrapping_sub(row.as_ptr().align_offset(PAGE)) % PAGE_LEN;
    let page = buffer.as_ptr().align_offset(PAGE) % PAGE_LEN;
    let lead = (page + place - place % LINE_LEN) % PAGE_LEN;
    Ok(&mut buffer[lead..lead + row.len()])
}

/// A copy of `end` in `tile`, padded with -inf; empty if `end` is.
fn pad<'a>(end: &[f32], tile: &'a mut [f32]) -> &'a [f32] {
    if end.is_empty() {
        return &[];
    }
    let (copy, padding) = tile.split_at_mut(end.len());
    copy.copy_from_slice(end);
    padding.fill(f32::NEG_INFINITY);
    tile
}

impl BlockedRow<'_> {
    /// The segment of whole tiles in place.
    pub(crate) fn body(&self) -> Segment<'_> {
        self.segments[1]
    }

    /// The logit of a token; none if the row has no such id.
    pub(crate) fn logit(&self, id: u32) -> Option<f32> {
        if id as usize >= self.len {
            return None;
        }
        let mut segments = self.segments.iter().rev();
        let segment = segments.find(|s| !s.logits.is_empty() && s.first_id <= id);
        debug_assert!(segment.is_some(), "the segments cover the row");
        segment.map(|s| s.logits[(id - s.first_id) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::{ALIGN_MIN_TILES, BLOCK_LEN, CACHE_LINE, RowScan};
    use crate::SimdLevel;
    use crate::simd::Kernels;

    /// Lengths around a block, a tile and the fewest tiles that are aligned; rows at every place in a cache line; a
    /// longer and a shorter row before.
    #[test]
    fn a_masked_copy_counts_as_read() {
        for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
            let (mut copy, mut scan) = (Vec::new(), RowScan::new());
            let tile_len = kernels.tile_len();
            let edges = [1, BLOCK_LEN, tile_len, 3 * tile_len, ALIGN_MIN_TILES * tile_len];
            let lens = edges.iter().flat_map(|edge| [*edge - 1, *edge, *edge + 1, *edge + 31]);
            let mut state = 5_u32;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state
            };
            for len in lens.filter(|len| *len > 0) {
                for start in 0..CACHE_LINE / 4 + 1 {
                    let logits: Vec<f32> = (0..start + len)
                        .map(|i| if i % 9 == 4 { f32::NAN } else { (next() >> 8) as f32 - 8e6 })
                        .collect();
                    let row = &logits[start..];
                    let words: Vec<u32> = (0..len.div_ceil(32))
                        .map(|i| if i / 40 % 2 == 1 { 0 } else { next() ^ next() >> 16 })
                        .collect();
                    let by_hand: Vec<f32> = (0..len)
                        .map(|i| match words[i / 32] >> (i % 32) & 1 {
                            1 => row[i],
                            _ => f32::NEG_INFINITY,
                        })
                        .collect();
                    let what = format!("{:?} {len} {start}", kernels.level());
                    let masked = &*scan.mask(kernels, row, &words, &mut copy).unwrap();
                    assert_eq!(masked.as_ptr().align_offset(CACHE_LINE), 0, "{what}");
                    let bits = |row: &[f32]| row.iter().map(|l| l.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(masked), bits(&by_hand), "{what}");

                    let mut fresh = RowScan::new();
                    let want = fresh.read(kernels, masked).unwrap();
                    let got = scan.read_again(kernels, masked).unwrap();
                    assert_eq!(got.block_maxima, want.block_maxima, "{what}");
                    assert_eq!((got.top, got.len), (want.top, want.len), "{what}");
                    for (got, want) in got.segments.iter().zip(want.segments) {
                        assert_eq!(got.first_id, want.first_id, "{what}");
                        assert_eq!(bits(got.logits), bits(want.logits), "{what}");
                    }
                }
            }
        }
    }
}
