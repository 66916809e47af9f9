//! Candidates as the row itself, until a stage cuts it.
//!
//! Changes to single logits and one scaling of all of them are kept beside the row. Sums over the row, a
//! second scaling and many edits need a copy of it, 4 bytes for each token. `cuts` selects from the row, `ranked`
//! by probabilities; `entropy`, `typical` and `draw` are what the stages of these names need.

mod array;
mod cuts;
mod draw;
mod entropy;
mod listed;
mod ranked;
mod typical;

pub(in crate::chain) use entropy::Entropy;
pub(in crate::chain) use ranked::{RankCut, Side, Threshold};

use super::Cut;
use crate::Error;
use crate::chain::TokenData;
use crate::chain::exps::exps;
use crate::chain::scratch::Scratch;
use crate::draw::RowStats;
use crate::memory::reserve;
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::rules::std_dev::std_dev;
use crate::rules::temperature::{Scale, Scaling, is_greedy, scaling, uniform};
use crate::select::{BlockedRow, RowScan};
use crate::simd::Kernels;

/// More edits than this are made in a copy.
const MAX_EDITS: usize = 512;

/// The changes to a row.
#[derive(Debug)]
pub(in crate::chain) struct RowMemory {
    /// The row with every change in it, if it had to be copied.
    copy: Vec<f32>,
    /// Tokens whose logits differ from the row's, in id order, with their logits.
    edits: Vec<(u32, f32)>,
}

impl RowMemory {
    pub(in crate::chain) const fn new() -> Self {
        Self { copy: Vec::new(), edits: Vec::new() }
    }
}

/// A row of candidates in id order, with the changes to it.
#[derive(Debug)]
pub(super) struct Row<'a> {
    logits: &'a [f32],
    /// The number of tokens.
    len: usize,
    /// The caller's array that the logits in the copy come from; then ids in the row are places in it.
    array: Option<&'a mut [TokenData]>,
    /// Whether the logits in the array are not those in the copy.
    is_stale: bool,
    memory: &'a mut RowMemory,
    /// Whether the copy has every change but the scale; then there are no edits.
    copied: bool,
    /// What the unedited logits still are to be scaled by: a number above 0, finite.
    scale: Option<Scale>,
    /// The ranks that are left; none if all tokens are, in id order.
    left: Option<Left>,
    /// Whether the probabilities are frozen. Then no change is pending.
    frozen: bool,
    /// Whether [`Scratch::scan`] has read the source as it is.
    scanned: bool,
    /// Whether the largest logit is known to be finite.
    finite_top: bool,
}

/// The first ranks of a row, or all above -inf, which stay a row until a stage needs them one by one.
///
/// If the probabilities are frozen, a nucleus of these ranks needs the sum over the row only as closely as
/// `nucleus::double` does. Otherwise these are all tokens above -inf, in rank order, and a draw needs the
/// ranks only as far as it goes. A scale that is pending came after the order: the ranks are those of the source.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// How many there are.
    ranks: usize,
    /// Whether they are in id order, which only frozen ones can be.
    by_id: bool,
}

impl<'a> Row<'a> {
    pub(super) fn new(logits: &'a [f32], memory: &'a mut RowMemory) -> Self {
        memory.edits.clear();
        Self {
            logits,
            len: logits.len(),
            array: None,
            is_stale: false,
            memory,
            copied: false,
            scale: None,
            left: None,
            frozen: false,
            scanned: false,
            finite_top: false,
        }
    }

    /// A row that [`Scratch::scan`] has read.
    pub(super) fn scanned(logits: &'a [f32], memory: &'a mut RowMemory) -> Self {
        Self { scanned: true, ..Self::new(logits, memory) }
    }

    /// The candidate of a key.
    fn token(&self, key: &RankKey) -> TokenData {
        let place = key.id() as usize;
        match self.array.as_deref().zip(self.memory.copy.get(place)) {
            // The key has no sign of a zero.
            Some((tokens, logit)) => TokenData { logit: *logit, ..tokens[place] },
            None => TokenData { id: key.id() as i32, logit: key.logit(), p: 0.0 },
        }
    }

    /// The number of candidates.
    pub(super) fn len(&self) -> usize {
        self.left.map_or(self.len, |left| left.ranks)
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Whether the candidates are some of the ranks or in rank order, on which only few stages can work.
    pub(super) fn is_cut(&self) -> bool {
        self.left.is_some()
    }

    /// Whether all tokens above -inf are left, in rank order.
    pub(super) fn is_ordered(&self) -> bool {
        self.is_cut() && !self.frozen
    }

    /// Whether it is in rank order and [`Row::scale`] keeps it so.
    pub(super) fn can_scale_ranks(&self) -> bool {
        self.is_ordered() && self.is_untouched()
    }

    /// The next stage that needs probabilities computes them again.
    pub(super) fn thaw(&mut self) {
        self.frozen = false;
    }

    /// The logits where they lie, but for edits and the scale.
    fn source(&self) -> &[f32] {
        if self.copied { &self.memory.copy } else { self.logits }
    }

    /// Scans the source, unless the last scan is still valid.
    fn scan<'b>(
        &'b self,
        kernels: &'static Kernels,
        scan: &'b mut RowScan,
    ) -> Result<BlockedRow<'b>, Error> {
        let read = if self.scanned { RowScan::read_again } else { RowScan::read };
        read(scan, kernels, self.source())
    }

    fn is_untouched(&self) -> bool {
        self.scale.is_none() && self.memory.edits.is_empty()
    }

    /// The logit of a token that was not edited.
    fn scaled(&self, logit: f32) -> f32 {
        self.scale.map_or(logit, |by| by.apply(logit))
    }

    fn edit_of(&self, id: u32) -> Result<usize, usize> {
        self.memory.edits.binary_search_by_key(&id, |edit| edit.0)
    }

    /// The logit of a token, if the row has it.
    pub(super) fn logit_of(&self, id: i32) -> Option<f32> {
        let id = u32::try_from(id).ok()?;
        let logit = *self.source().get(id as usize)?;
        Some(match self.edit_of(id) {
            Ok(place) => self.memory.edits[place].1,
            Err(_) => nan_to_neg_inf(self.scaled(logit)),
        })
    }

    /// Changes the logit of one token, if the row has it; NaN becomes -inf.
    pub(super) fn edit(&mut self, id: i32, change: impl Fn(f32) -> f32) -> Result<(), Error> {
        debug_assert!(!self.frozen && !self.is_cut());
        self.finite_top = false;
        let Some(id) = u32::try_from(id).ok().filter(|id| (*id as usize) < self.len) else {
            return Ok(());
        };
        let change = |logit: f32| nan_to_neg_inf(change(nan_to_neg_inf(logit)));
        let place = self.edit_of(id);
        if place.is_err() && self.memory.edits.len() >= MAX_EDITS {
            self.copy()?;
        }
        if self.copied {
            let logit = &mut self.memory.copy[id as usize];
            *logit = change(*logit);
            self.scanned = false;
            return Ok(());
        }
        match place {
            Ok(place) => {
                let edit = &mut self.memory.edits[place].1;
                *edit = change(*edit);
            }
            Err(place) => {
                reserve(&mut self.memory.edits, 1)?;
                let logit = change(self.scaled(self.logits[id as usize]));
                self.memory.edits.insert(place, (id, logit));
            }
        }
        Ok(())
    }

    /// The effect of scaling the row.
    pub(super) fn scaling(&mut self, scratch: &mut Scratch, by: Scale) -> Result<Scaling, Error> {
        debug_assert!(!self.frozen || !self.is_cut());
        if matches!(by, Scale::Divide(t) if is_greedy(t) || t == f32::INFINITY) {
            return Ok(scaling(by, 0.0));
        }
        let blocked = self.scan(scratch.kernels, &mut scratch.scan)?;
        let edits = &self.memory.edits;
        let is_usual = |logit: f32| logit.is_finite() && by.apply(self.scaled(logit)).is_finite();
        // The largest logit lies between a few that are cheap to find.
        let is_not_above = is_usual(blocked.top)
            && edits.iter().all(|edit| edit.1 <= 0.0 || by.apply(edit.1).is_finite());
        let maxima = || blocked.block_maxima.iter().filter(|logit| is_usual(**logit));
        let is_not_below = edits.is_empty() || maxima().take(edits.len() + 1).count() > edits.len();
        let is_usual = is_not_above && is_not_below;
        self.scanned = true;
        self.finite_top = is_usual;
        Ok(if is_usual { Scaling::Each } else { scaling(by, self.top(scratch)?) })
    }

    /// Makes all tokens above -inf equally likely.
    pub(super) fn make_uniform(&mut self) -> Result<(), Error> {
        self.change(|_, logit| uniform(logit))
    }

    /// Changes every logit, by id and logit, in a copy of the row; NaN becomes -inf.
    pub(super) fn change(&mut self, change: impl Fn(i32, f32) -> f32) -> Result<(), Error> {
        debug_assert!(!self.is_cut());
        self.thaw();
        self.copy()?;
        self.scanned = false;
        self.finite_top = false;
        self.is_stale = self.is_array();
        for (id, logit) in (0..).zip(&mut self.memory.copy) {
            *logit = nan_to_neg_inf(change(id, nan_to_neg_inf(*logit)));
        }
        Ok(())
    }

    /// Scales every logit by a number above 0, finite.
    pub(super) fn scale(&mut self, by: Scale) -> Result<(), Error> {
        debug_assert!(!self.is_cut() || self.is_untouched());
        self.thaw();
        if !self.is_cut() && (self.copied || self.scale.is_some()) {
            self.copy()?;
            self.scanned = false;
            self.is_stale = self.is_array();
            self.memory.copy.iter_mut().for_each(|logit| *logit = by.apply(*logit));
            return Ok(());
        }
        self.scale = Some(by);
        self.memory.edits.iter_mut().for_each(|edit| edit.1 = nan_to_neg_inf(by.apply(edit.1)));
        Ok(())
    }

    /// Copies the row with every change in it.
    fn copy(&mut self) -> Result<(), Error> {
        if self.copied {
            if let Some(by) = self.scale.take() {
                self.memory.copy.iter_mut().for_each(|logit| *logit = by.apply(*logit));
                self.scanned = false;
            }
            return Ok(());
        }
        let RowMemory { copy, edits } = &mut *self.memory;
        copy.clear();
        reserve(copy, self.len)?;
        match self.scale.take() {
            None => copy.extend_from_slice(self.logits),
            Some(by) => copy.extend(self.logits.iter().map(|logit| by.apply(*logit))),
        }
        for (id, logit) in edits.drain(..) {
            copy[id as usize] = logit;
        }
        self.copied = true;
        self.scanned = false;
        Ok(())
    }

    /// As [`Row::copy`], but an unchanged row stays where it is.
    fn materialize(&mut self) -> Result<(), Error> {
        if self.is_untouched() { Ok(()) } else { self.copy() }
    }

    /// See [`Candidates::row_stats`](super::Candidates::row_stats).
    pub(super) fn stats(
        &mut self,
        scratch: &mut Scratch,
        known: Option<RowStats>,
        copy: &mut Vec<f32>,
    ) -> Result<(RowStats, bool), Error> {
        if self.is_untouched() && !self.copied {
            if let Some(known) = known {
                return Ok((known, false));
            }
        } else {
            self.copy()?;
            copy.clear();
            reserve(copy, self.len)?;
            copy.extend_from_slice(&self.memory.copy);
        }
        let stats = RowStats::of_blocked(&self.scan(scratch.kernels, &mut scratch.scan)?);
        self.scanned = true;
        Ok((stats, self.copied))
    }

    /// Puts the exps of the row into [`Scratch::weights`]; returns the largest logit.
    pub(super) fn weigh(&mut self, scratch: &mut Scratch) -> Result<f32, Error> {
        debug_assert!(!self.is_cut());
        self.materialize()?;
        let logits = self.source().iter().copied().map(nan_to_neg_inf);
        exps(scratch.kernels, logits, &mut scratch.weights)
    }

    /// The standard deviation of the finite logits.
    pub(super) fn std_dev(&mut self, scratch: &mut Scratch) -> Result<f64, Error> {
        let Some(Left { ranks, by_id }) = self.left else {
            self.materialize()?;
            return Ok(std_dev(self.source()));
        };
        self.find_ranks(scratch, ranks)?;
        let Scratch { prefix, keys, weights, .. } = scratch;
        keys.clear();
        reserve(keys, ranks)?;
        keys.extend_from_slice(&prefix.keys()[..ranks]);
        if by_id {
            keys.sort_unstable_by_key(|key| key.id());
        }
        weights.clear();
        reserve(weights, ranks)?;
        weights.extend(keys.iter().map(|key| key.logit()));
        Ok(std_dev(weights))
    }

    /// Freezes the probabilities; unsupported where there is no sum to divide by.
    pub(super) fn freeze_probs(&mut self, scratch: &mut Scratch) -> Result<Cut, Error> {
        debug_assert!(!self.is_cut());
        self.materialize()?;
        let logits = self.source();
        let top = || scratch.kernels.argmax(logits).map(|place| logits[place as usize]);
        let can = self.finite_top || top().is_some_and(f32::is_finite);
        self.frozen = can;
        Ok(if can { Cut::InPlace } else { Cut::Unsupported })
    }
}

#[cfg(test)]
mod tests;
