//! The one pass over the row, and the row cut the way the kernels want it.

use crate::Error;
use crate::memory::{reserve, resize};
use crate::simd::{DEPTH, Kernels};

/// Memory for [`View`]s.
#[derive(Debug, Default)]
pub(crate) struct RowScan {
    maxima: Vec<f32>,
    ends: Vec<f32>,
    groups: Vec<f32>,
}

/// A row in whole chunks, with its maxima.
#[derive(Debug)]
pub(crate) struct BlockedRow<'a> {
    pub kernels: &'static Kernels,
    /// The row's length without padding.
    pub len: usize,
    /// The row in id order: what comes before the first cache line, copied and padded with -inf to a
    /// whole chunk; the whole chunks, where they lie; what remains, copied and padded. The first and
    /// the last can be empty.
    pub segments: [Segment<'a>; 3],
    /// All maxima, in the order of the parts.
    pub maxima: &'a [f32],
    /// The largest logit: -inf if there are only -inf and NaN.
    pub top: f32,
    /// Room for coarser maxima.
    pub groups: &'a mut Vec<f32>,
}

/// A stretch of the row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment<'a> {
    pub logits: &'a [f32],
    pub maxima: &'a [f32],
    pub first_id: u32,
}

/// Loads that straddle cache lines are slow; rows of fewer chunks than this are over too soon for
/// that to outweigh one more chunk.
const ALIGN_FROM: usize = 32;
const CACHE_LINE: usize = 64;

impl RowScan {
    pub(crate) const fn new() -> Self {
        Self { maxima: Vec::new(), ends: Vec::new(), groups: Vec::new() }
    }

    /// Reads the row.
    pub(crate) fn read<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        row: &'a [f32],
    ) -> Result<BlockedRow<'a>, Error> {
        let chunk = kernels.chunk;
        let aligned = row.as_ptr().align_offset(CACHE_LINE);
        let lead = if row.len() >= ALIGN_FROM * chunk { aligned.min(row.len()) } else { 0 };
        let (lead, body) = row.split_at(lead);
        let (body, rest) = body.split_at(body.len() - body.len() % chunk);

        resize(&mut self.ends, 2 * chunk, f32::NEG_INFINITY)?;
        let (lead_chunk, rest_chunk) = self.ends.split_at_mut(chunk);
        let lead_chunk = pad(lead, lead_chunk);
        let rest_chunk = pad(rest, rest_chunk);

        let lens = [lead_chunk.len(), body.len(), rest_chunk.len()].map(|len| len / DEPTH);
        // As many as there could be if the row began elsewhere, and groups are never more than maxima:
        // room for them now spares a later draw the allocation.
        let most = (row.len() + 2 * chunk) / DEPTH;
        let more = most.saturating_sub(self.maxima.len());
        reserve(&mut self.maxima, more)?;
        resize(&mut self.maxima, lens.iter().sum(), f32::NEG_INFINITY)?;
        self.groups.clear();
        reserve(&mut self.groups, most)?;
        let (of_lead, others) = self.maxima.split_at_mut(lens[0]);
        let (of_body, of_rest) = others.split_at_mut(lens[1]);
        (kernels.maxima)(lead_chunk, of_lead);
        (kernels.maxima)(body, of_body);
        (kernels.maxima)(rest_chunk, of_rest);

        let maxima = &self.maxima[..];
        let (of_lead, others) = maxima.split_at(lens[0]);
        let (of_body, of_rest) = others.split_at(lens[1]);
        let part = |logits, maxima, first| Segment { logits, maxima, first_id: first as u32 };
        Ok(BlockedRow {
            kernels,
            len: row.len(),
            segments: [
                part(lead_chunk, of_lead, 0),
                part(body, of_body, lead.len()),
                part(rest_chunk, of_rest, lead.len() + body.len()),
            ],
            maxima,
            top: (kernels.largest)(maxima),
            groups: &mut self.groups,
        })
    }
}

/// A copy of `end` in `chunk`, filled up with -inf; nothing if there is nothing.
fn pad<'a>(end: &[f32], chunk: &'a mut [f32]) -> &'a [f32] {
    if end.is_empty() {
        return &[];
    }
    let (copy, padding) = chunk.split_at_mut(end.len());
    copy.copy_from_slice(end);
    padding.fill(f32::NEG_INFINITY);
    chunk
}

impl BlockedRow<'_> {
    /// The part that is whole chunks of the row itself.
    pub(crate) fn body(&self) -> Segment<'_> {
        self.segments[1]
    }

    /// The logit of a token of the row.
    pub(crate) fn logit(&self, id: u32) -> Option<f32> {
        if id as usize >= self.len {
            return None;
        }
        let part = self.segments.iter().rev().find(|p| !p.logits.is_empty() && p.first_id <= id)?;
        part.logits.get((id - part.first_id) as usize).copied()
    }
}
