//! The one pass over the row, and the row cut the way the kernels want it.

use crate::Error;
use crate::memory::{reserve, resize};
use crate::simd::{DEPTH, Kernels};

/// Memory for [`View`]s.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    maxima: Vec<f32>,
    rest: Vec<f32>,
    groups: Vec<f32>,
}

/// A row in whole chunks, with its maxima.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub kernels: &'static Kernels,
    /// The row's length without padding.
    pub len: usize,
    /// The part of the row that is whole chunks, where it lies, and its maxima.
    pub body: Part<'a>,
    /// What remains, copied and padded with -inf to a whole chunk; empty if nothing remains.
    pub rest: Part<'a>,
    /// All maxima, those of `rest` last.
    pub maxima: &'a [f32],
    /// The largest logit: -inf if there are only -inf and NaN.
    pub top: f32,
    /// Room for coarser maxima.
    pub groups: &'a mut Vec<f32>,
}

/// A stretch of the row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub logits: &'a [f32],
    pub maxima: &'a [f32],
    pub first_id: u32,
}

impl Survey {
    pub(crate) const fn new() -> Self {
        Self { maxima: Vec::new(), rest: Vec::new(), groups: Vec::new() }
    }

    /// Reads the row.
    pub(crate) fn read<'a>(
        &'a mut self,
        kernels: &'static Kernels,
        row: &'a [f32],
    ) -> Result<View<'a>, Error> {
        let (body, rest) = row.split_at(row.len() - row.len() % kernels.chunk);
        let per_chunk = kernels.chunk / DEPTH;
        let body_maxima = body.len() / DEPTH;
        let rest_maxima = if rest.is_empty() { 0 } else { per_chunk };
        resize(&mut self.maxima, body_maxima + rest_maxima, f32::NEG_INFINITY)?;
        // Groups are never more than maxima: room for them now spares a later draw the allocation.
        self.groups.clear();
        reserve(&mut self.groups, self.maxima.len())?;
        let (of_body, of_rest) = self.maxima.split_at_mut(body_maxima);
        (kernels.maxima)(body, of_body);
        self.rest.clear();
        if !rest.is_empty() {
            resize(&mut self.rest, kernels.chunk, f32::NEG_INFINITY)?;
            self.rest[..rest.len()].copy_from_slice(rest);
            (kernels.maxima)(&self.rest, of_rest);
        }
        let (of_body, of_rest) = self.maxima.split_at(body_maxima);
        Ok(View {
            kernels,
            len: row.len(),
            body: Part { logits: body, maxima: of_body, first_id: 0 },
            rest: Part { logits: &self.rest, maxima: of_rest, first_id: body.len() as u32 },
            maxima: &self.maxima,
            top: (kernels.largest)(&self.maxima),
            groups: &mut self.groups,
        })
    }
}

impl View<'_> {
    pub(crate) fn parts(&self) -> [Part<'_>; 2] {
        [self.body, self.rest]
    }

    /// The lowest id whose logit is the largest; 0 where all logits are -inf or NaN.
    pub(crate) fn argmax(&self) -> u32 {
        if self.top == f32::NEG_INFINITY {
            return 0;
        }
        let lanes = self.kernels.chunk / DEPTH;
        for part in self.parts() {
            let Some(at) = (self.kernels.find_reaching)(part.maxima, self.top) else { continue };
            let chunk = at / lanes * self.kernels.chunk;
            let logits = &part.logits[chunk..chunk + self.kernels.chunk];
            if let Some(index) = (self.kernels.find_reaching)(logits, self.top) {
                return part.first_id + (chunk + index) as u32;
            }
        }
        0
    }
}
