//! Candidates as a list, once a row has been cut or the caller brought an array.

use super::Cut;
use crate::chain::TokenData;
use crate::chain::exps::{Softmax, s2_probabilities};
use crate::chain::scratch::Scratch;
use crate::rules::first::{KEPT_ABOVE, Ranks};
use crate::rules::nucleus::{count_through, exclusive_in_double};
use crate::rules::rank::nan_to_neg_inf;
use crate::rules::softmax::probability;
use crate::{Error, memory};

/// A list of candidates; from one stage to the next it has at least one.
#[derive(Debug)]
pub(in crate::chain) struct List<'a> {
    /// The chain's memory.
    own: &'a mut Vec<TokenData>,
    /// The caller's array, if there is one and a row has not borrowed it.
    callers: Option<&'a mut [TokenData]>,
    /// Whether the candidates are the first of the caller's array.
    in_place: bool,
    len: usize,
    /// Whether the candidates are known to be in rank order.
    pub sorted: bool,
    /// Whether the probabilities in the list and their softmax are to be used as they are.
    pub frozen: bool,
    /// The softmax that the probabilities in the list come from, once they were filled in.
    softmax: Softmax,
}

impl<'a> List<'a> {
    /// A list to be filled when a row is cut.
    pub(super) fn empty(own: &'a mut Vec<TokenData>) -> Self {
        Self {
            own,
            callers: None,
            in_place: false,
            len: 0,
            sorted: false,
            frozen: false,
            softmax: Softmax::NONE,
        }
    }

    /// A caller's candidates. `sorted` says that they are in rank order. There may be NaN among them, see
    /// [`List::clean`].
    pub(super) fn of(
        tokens: &'a mut [TokenData],
        sorted: bool,
        own: &'a mut Vec<TokenData>,
    ) -> Self {
        let mut list = Self::empty(own);
        list.put_back(tokens);
        list.sorted = sorted;
        list
    }

    /// Makes all of the caller's array the candidates.
    pub(super) fn put_back(&mut self, tokens: &'a mut [TokenData]) {
        self.len = tokens.len();
        self.callers = Some(tokens);
        self.in_place = true;
        (self.sorted, self.frozen) = (false, false);
    }

    /// Keeps the caller's array until the pass ends. The candidates are elsewhere.
    pub(super) fn hold(&mut self, tokens: &'a mut [TokenData]) {
        debug_assert!(!self.in_place);
        self.callers = Some(tokens);
    }

    /// The candidates as a part of the caller's array, which the list gives away; none if they are not there.
    pub(super) fn take_array(&mut self) -> Option<&'a mut [TokenData]> {
        if !self.in_place {
            return None;
        }
        self.in_place = false;
        let len = core::mem::take(&mut self.len);
        self.callers.take().map(|tokens| &mut tokens[..len])
    }

    /// Moves the candidates to the caller's array, if there is one.
    pub(super) fn move_to_array(&mut self) {
        if let Some(callers) = self.callers.as_deref_mut()
            && !self.in_place
        {
            callers[..self.len].copy_from_slice(&self.own[..self.len]);
            self.in_place = true;
        }
    }

    /// Makes NaN -inf. The list was in rank order at most up to the first of them.
    pub(super) fn clean(&mut self) {
        let mut has_nan = false;
        for token in self.tokens_mut() {
            has_nan |= token.logit.is_nan();
            token.logit = nan_to_neg_inf(token.logit);
        }
        self.sorted = self.sorted && !has_nan;
    }

    /// Makes these the candidates.
    pub(super) fn fill(
        &mut self,
        tokens: impl ExactSizeIterator<Item = TokenData>,
    ) -> Result<(), Error> {
        debug_assert!(!self.in_place, "a row has the caller's array");
        self.own.clear();
        // Room for one more: `fill_ranked` needs it.
        memory::reserve(self.own, tokens.len() + 1)?;
        self.own.extend(tokens);
        self.len = self.own.len();
        (self.sorted, self.frozen) = (false, false);
        Ok(())
    }

    /// As [`List::fill`] with candidates above -inf in rank order. If there are none, token 0 stays.
    pub(super) fn fill_ranked(
        &mut self,
        tokens: impl ExactSizeIterator<Item = TokenData>,
    ) -> Result<(), Error> {
        self.fill(tokens)?;
        if self.len == 0 {
            self.own.push(TokenData { id: 0, logit: f32::NEG_INFINITY, p: 0.0 });
            self.len = 1;
        }
        self.sorted = true;
        Ok(())
    }

    /// Adds a candidate behind the others of a filled list.
    pub(super) fn push(&mut self, token: TokenData) -> Result<(), Error> {
        debug_assert!(!self.in_place && self.len == self.own.len());
        memory::reserve(self.own, 1)?;
        self.own.push(token);
        self.len += 1;
        Ok(())
    }

    pub(in crate::chain) fn tokens(&self) -> &[TokenData] {
        let callers = self.callers.as_deref().filter(|_| self.in_place);
        &callers.unwrap_or(self.own)[..self.len]
    }

    pub(in crate::chain) fn tokens_mut(&mut self) -> &mut [TokenData] {
        let callers = self.callers.as_deref_mut().filter(|_| self.in_place);
        &mut callers.unwrap_or(self.own)[..self.len]
    }

    pub(super) fn logits(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.tokens().iter().map(|token| token.logit)
    }

    /// Puts a candidate at `place`; only in the chain's own memory.
    pub(super) fn insert(&mut self, place: usize, token: TokenData) -> Result<(), Error> {
        debug_assert!(!self.in_place && place <= self.len);
        self.own.truncate(self.len);
        memory::reserve(self.own, 1)?;
        self.own.insert(place, token);
        self.len += 1;
        Ok(())
    }

    /// Drops all but the first `len`, of which at least one stays.
    pub(in crate::chain) fn truncate(&mut self, len: usize) {
        self.len = len.max(1).min(self.len);
    }

    /// Drops the first `count`; at least one stays.
    pub(in crate::chain) fn drop_first(&mut self, count: usize) {
        let count = count.min(self.len);
        self.tokens_mut().copy_within(count.., 0);
        self.truncate(self.len - count);
    }

    /// The place of the first in rank order; none if no candidate is above -inf.
    pub(super) fn argmax(&self) -> Option<usize> {
        let ranked = self.tokens().iter().enumerate().min_by_key(|(_, token)| token.rank());
        ranked.filter(|(_, best)| best.logit > f32::NEG_INFINITY).map(|(place, _)| place)
    }

    /// The largest logit.
    pub(in crate::chain) fn top(&self) -> f32 {
        self.logits().fold(f32::NEG_INFINITY, f32::max)
    }

    /// Keeps the first `k` in rank order, without those at -inf unless there are no others.
    pub(super) fn keep_top_k(&mut self, k: usize) {
        if self.sorted {
            let above = self.tokens().partition_point(|token| token.logit > f32::NEG_INFINITY);
            self.truncate(k.min(above));
            return;
        }
        let first = self.tokens().iter().min_by_key(|token| token.rank()).copied();
        self.retain(|token| token.logit > f32::NEG_INFINITY);
        if self.len == 0 {
            // Nothing is above -inf.
            self.len = 1;
            self.tokens_mut().iter_mut().zip(first).for_each(|(place, first)| *place = first);
        }
        if k < self.len {
            self.tokens_mut().select_nth_unstable_by_key(k, TokenData::rank);
            self.truncate(k);
        }
        self.tokens_mut().sort_unstable_by_key(TokenData::rank);
        self.sorted = true;
    }

    /// The k-th largest logit above -inf, or the smallest if there are fewer; none if there is none.
    pub(super) fn kth(&self, scratch: &mut Scratch, k: usize) -> Result<Option<f32>, Error> {
        let keys = &mut scratch.keys;
        keys.clear();
        memory::reserve(keys, self.len)?;
        let above = self.tokens().iter().filter(|token| token.logit > f32::NEG_INFINITY);
        keys.extend(above.map(TokenData::rank));
        let Some(place) = k.min(keys.len()).checked_sub(1) else { return Ok(None) };
        Ok(Some(keys.select_nth_unstable(place).1.logit()))
    }

    /// Keeps the first `limit` in rank order, and `keep_id`: step 1 of `rules::first`.
    pub(super) fn first_ranks(&mut self, limit: usize, keep_id: Option<i32>) -> Ranks {
        let with_id = self.tokens().iter().filter(|token| Some(token.id) == keep_id);
        let kept = with_id.min_by_key(|token| token.rank()).copied();
        let before = |kept: TokenData| {
            self.tokens().iter().filter(|token| token.rank() < kept.rank()).count()
        };
        let place = kept.map(before);
        self.keep_top_k(limit);
        match kept.zip(place) {
            Some((kept, place)) if place >= limit && kept.logit > KEPT_ABOVE => {
                // It was dropped, so the list has room for it.
                self.len += 1;
                self.tokens_mut().iter_mut().rev().take(1).for_each(|last| *last = kept);
                Ranks { count: limit + 1, kept: Some(limit) }
            }
            _ => Ranks { count: limit, kept: place.filter(|place| *place < limit) },
        }
    }

    /// Keeps the candidates whose logits are at least `limit`, unless these are fewer than `min_keep`.
    pub(super) fn at_least(&mut self, limit: f64, min_keep: usize) -> Cut {
        let reaches = |token: &TokenData| f64::from(token.logit) >= limit;
        if self.tokens().iter().filter(|token| reaches(token)).count() < min_keep {
            return Cut::Unsupported;
        }
        self.retain(reaches);
        Cut::List
    }

    /// Keeps the candidates for which `keep` is true, in their order; possibly no candidate.
    pub(in crate::chain) fn retain(&mut self, keep: impl Fn(&TokenData) -> bool) {
        let tokens = self.tokens_mut();
        let mut kept = 0;
        for index in 0..tokens.len() {
            if keep(&tokens[index]) {
                tokens[kept] = tokens[index];
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Changes the logits; NaN becomes -inf. Rounding can make unequal logits equal, and then the order of a
    /// sorted list may be wrong.
    pub(in crate::chain) fn change(&mut self, mut change: impl FnMut(&TokenData) -> f32) {
        for token in self.tokens_mut() {
            token.logit = nan_to_neg_inf(change(token));
        }
        self.frozen = false;
        self.sorted = self.sorted && self.tokens().is_sorted_by_key(TokenData::rank);
    }

    /// S of the probabilities in the list, once they were filled in.
    pub(in crate::chain) fn sum(&self) -> f64 {
        self.softmax.sum
    }

    /// Fills in the probabilities of a list in rank order. [`Scratch::weights`] then has the exps.
    pub(super) fn fill_probs(&mut self, scratch: &mut Scratch) -> Result<(), Error> {
        debug_assert!(self.sorted);
        self.softmax = Softmax::of(scratch.kernels, self.logits(), &mut scratch.weights)?;
        self.put_probs(scratch);
        self.frozen = false;
        Ok(())
    }

    /// Fills in the probabilities of the S2 rule in a list in rank order.
    pub(super) fn fill_s2_probs(&mut self, scratch: &mut Scratch) -> Result<(), Error> {
        debug_assert!(self.sorted);
        s2_probabilities(scratch.kernels, self.logits(), &mut scratch.weights)?;
        self.tokens_mut().iter_mut().zip(&scratch.weights).for_each(|(token, q)| token.p = *q);
        self.frozen = false;
        Ok(())
    }

    /// Fills in the probabilities and freezes them. Their sum runs in rank order whatever the order of the
    /// list, so a row and the list of its tokens have the same sum.
    pub(super) fn freeze_probs(&mut self, scratch: &mut Scratch) -> Result<(), Error> {
        let Scratch { kernels, keys, weights, .. } = scratch;
        keys.clear();
        memory::reserve(keys, self.len)?;
        keys.extend(self.tokens().iter().map(TokenData::rank));
        keys.sort_unstable();
        self.softmax = Softmax::of(*kernels, keys.iter().map(|key| key.logit()), weights)?;
        self.softmax.exps(*kernels, self.logits(), weights)?;
        if self.softmax.top == f32::NEG_INFINITY {
            // All weight is that of the first in rank order, which is the lowest id.
            let ids = self.tokens().iter().map(|token| token.id).enumerate();
            let first = ids.min_by_key(|(_, id)| *id).map_or(0, |(place, _)| place);
            weights.rotate_right(first);
        }
        self.put_probs(scratch);
        self.frozen = true;
        Ok(())
    }

    /// Writes the probabilities of [`Scratch::weights`] into the list.
    fn put_probs(&mut self, scratch: &Scratch) {
        let sum = self.softmax.sum;
        let tokens = self.tokens_mut().iter_mut().zip(&scratch.weights);
        tokens.for_each(|(token, e)| token.p = probability(*e, sum));
    }

    /// Keeps the ranks before the first, but rank 0, at which the running double sum of the probabilities
    /// passes `p`.
    pub(super) fn exclusive_nucleus(&mut self, scratch: &mut Scratch, p: f32) -> Result<(), Error> {
        self.keep_top_k(usize::MAX);
        if !self.frozen {
            self.fill_probs(scratch)?;
        }
        self.truncate(exclusive_in_double(self.tokens().iter().map(|token| token.p), p));
        Ok(())
    }

    /// Keeps the ranks up to and including the first at which the running sum of the probabilities reaches
    /// `p`, but at least `min_keep`.
    pub(super) fn nucleus(
        &mut self,
        scratch: &mut Scratch,
        p: f32,
        min_keep: usize,
    ) -> Result<(), Error> {
        self.keep_top_k(usize::MAX);
        if self.frozen {
            // Cuts have dropped candidates since, but changed no logit.
            self.softmax.exps(scratch.kernels, self.logits(), &mut scratch.weights)?;
        } else {
            self.fill_probs(scratch)?;
        }
        let reached = count_through(&scratch.weights, p, self.softmax.sum);
        self.truncate(reached.unwrap_or(self.len).max(min_keep));
        Ok(())
    }
}
