//! The one pass over the whole row, and the row in the form that the kernels take.

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
    pub(crate) fn read_again<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        row: &'a [f32],
    ) -> Result<BlockedRow<'a>, Error> {
        self.blocks(kernels, row, false)
    }

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
        // The most maxima that a row of this length can have, whatever its alignment. There are never more
        // coarse maxima than block maxima. So no later draw of this length allocates.
        let most = (row.len() + 2 * tile_len) / BLOCK_LEN;
        let more = most.saturating_sub(self.block_maxima.len());
        reserve(&mut self.block_maxima, more)?;
        resize(&mut self.block_maxima, lens.iter().sum(), f32::NEG_INFINITY)?;
        self.coarse_maxima.clear();
        reserve(&mut self.coarse_maxima, most)?;
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
