//! Rows of the logits of a caller's array. Ids in such a row are places in the array.

use super::{Row, RowMemory};
use crate::Error;
use crate::chain::TokenData;
use crate::chain::candidates::List;
use crate::chain::scratch::Scratch;
use crate::draw::normalizer::double::{by_definition, exact, from_maxima};
use crate::memory::resize;
use crate::rules::softmax::probability;
use crate::select::reaching;
use crate::simd::Kernels;

impl<'a> Row<'a> {
    /// The logits of a caller's array, copied.
    pub(in crate::chain::candidates) fn gathered(
        kernels: &Kernels,
        tokens: &'a mut [TokenData],
        memory: &'a mut RowMemory,
    ) -> Result<Self, Error> {
        resize(&mut memory.copy, tokens.len(), 0.0)?;
        memory.copy.truncate(tokens.len());
        let has_nan = kernels.gather(tokens, &mut memory.copy);
        let (len, row) = (tokens.len(), Self::new(&[], memory));
        Ok(Self { len, array: Some(tokens), is_stale: has_nan, copied: true, ..row })
    }

    pub(in crate::chain::candidates) fn is_array(&self) -> bool {
        self.array.is_some()
    }

    /// The caller's array; empty if there is none.
    pub(in crate::chain::candidates) fn array_mut(&mut self) -> &mut [TokenData] {
        self.array.as_deref_mut().unwrap_or_default()
    }

    /// Writes the logits into the caller's array.
    pub(in crate::chain::candidates) fn write_back(&mut self) {
        if let Some(tokens) = &mut self.array
            && self.is_stale
        {
            let logits = tokens.iter_mut().zip(&self.memory.copy);
            logits.for_each(|(token, logit)| token.logit = *logit);
            self.is_stale = false;
        }
    }

    /// The row's memory, and the caller's array.
    pub(in crate::chain::candidates) fn into_parts(
        self,
    ) -> (&'a mut RowMemory, Option<&'a mut [TokenData]>) {
        (self.memory, self.array)
    }

    /// The id of a token.
    pub(in crate::chain::candidates) fn id_at(&self, place: usize) -> Option<i32> {
        match &self.array {
            Some(tokens) => tokens.get(place).map(|token| token.id),
            None => i32::try_from(place).ok(),
        }
    }

    /// As [`Row::list_prefix`], for places in an array: among equal logits the lower id is first, not the lower place.
    /// The list gets every token that equals the last of the k, and then keeps the first k.
    pub(super) fn list_array_prefix(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        let Scratch { kernels, scan, prefix, keys, .. } = scratch;
        let ranked = prefix.keys();
        let last = ranked[..k.min(ranked.len())].last().map_or(f32::INFINITY, |key| key.logit());
        let end = ranked.partition_point(|key| key.logit() >= last);
        if end < ranked.len() || prefix.is_whole() {
            list.fill(ranked[..end].iter().map(|key| self.token(key)))?;
        } else {
            // Others may equal it.
            reaching(&self.scan(*kernels, scan)?, last, keys)?;
            list.fill(keys.iter().map(|key| self.token(key)))?;
        }
        list.keep_top_k(k);
        Ok(())
    }

    /// Fills in the probabilities of a nucleus of the row.
    ///
    /// p falls as S rises, and both roundings are monotone: where two bounds of S give the same p, that is it.
    pub(in crate::chain::candidates) fn put_probs(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
    ) -> Result<(), Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        let mut bounds = match prefix.is_whole() {
            true => by_definition(prefix),
            false => exact(&blocked, from_maxima(&blocked, prefix).high),
        };
        let same = |e: &f32| probability(*e, bounds.low) == probability(*e, bounds.high);
        if !prefix.exps().iter().take(list.tokens().len()).all(same) {
            prefix.grow(&mut blocked, self.len)?;
            bounds = by_definition(prefix);
        }
        let tokens = list.tokens_mut().iter_mut().zip(prefix.exps());
        tokens.for_each(|(token, e)| token.p = probability(*e, bounds.high));
        Ok(())
    }
}
