//! The loops over a row, generic over the instruction set, one file each.
//!
//! Callers pad rows, so the kernels see whole tiles: `LANES` blocks of [`BLOCK_LEN`] elements each,
//! interleaved. Element i of a tile belongs to block i mod `LANES`; so one vector holds the block maxima of
//! a tile, and no kernel reduces across lanes on its way through the row.

pub(super) mod argmax;
pub(super) mod collect;
pub(super) mod count;
pub(super) mod draw_sums;
pub(super) mod entropy;
pub(super) mod exp;
pub(super) mod exp_sums;
pub(super) mod expf;
pub(super) mod expf_sums;
pub(super) mod few;
pub(super) mod groups;
pub(super) mod ids;
pub(super) mod mask;
pub(super) mod maxima;
pub(super) mod near;
pub(super) mod tail;
pub(super) mod threshold;
pub(super) mod tokens;

/// The number of elements in a block: those that share one maximum.
pub(crate) const BLOCK_LEN: usize = 32;

/// Consecutive tokens of a row in whole tiles, with their block maxima.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment<'a> {
    pub logits: &'a [f32],
    /// One for each [`BLOCK_LEN`] logits: the maximum, -inf if all of a block are NaN.
    pub block_maxima: &'a [f32],
    /// The id of the first token.
    pub first_id: u32,
}

impl<'a> Segment<'a> {
    /// Its tiles in order, each with its block maxima.
    #[inline(always)]
    fn tiles(self, lanes: usize) -> impl Iterator<Item = (&'a [f32], &'a [f32])> {
        debug_assert_eq!(self.logits.len(), BLOCK_LEN * self.block_maxima.len());
        debug_assert_eq!(self.block_maxima.len() % lanes, 0);
        self.logits.chunks_exact(BLOCK_LEN * lanes).zip(self.block_maxima.chunks_exact(lanes))
    }

    /// The logits of a tile.
    #[inline(always)]
    fn tile_len(self, lanes: usize) -> usize {
        BLOCK_LEN * lanes
    }

    /// What follows the first `tiles` tiles.
    pub(crate) fn skip_tiles(self, tiles: usize, tile_len: usize) -> Self {
        let skipped = tiles * tile_len;
        Self {
            logits: &self.logits[skipped..],
            block_maxima: &self.block_maxima[skipped / BLOCK_LEN..],
            first_id: self.first_id + skipped as u32,
        }
    }

    /// The tile with the given number.
    pub(crate) fn tile(self, number: usize, tile_len: usize) -> Self {
        let rest = self.skip_tiles(number, tile_len);
        Self {
            logits: &rest.logits[..tile_len],
            block_maxima: &rest.block_maxima[..tile_len / BLOCK_LEN],
            ..rest
        }
    }
}
