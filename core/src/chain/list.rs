//! Candidates as a list, once something has been cut or the caller brought one.

use super::TokenData;
use super::softmax::{exps, softmax};
use super::tools::Tools;
use crate::Error;
use crate::memory::reserve;
use crate::rules::nucleus::Nucleus;
use crate::rules::rank::nan_to_neg_inf;
use crate::sequential_sum::single;

/// Where the list lies.
#[derive(Debug)]
enum Data<'a> {
    /// In memory of the chain.
    Own(Vec<TokenData>),
    /// In the caller's array.
    Callers(&'a mut [TokenData]),
}

/// A list of candidates; not empty from one stage to the next.
#[derive(Debug)]
pub(super) struct List<'a> {
    data: Data<'a>,
    len: usize,
    /// Whether they are known to be in rank order.
    pub sorted: bool,
    /// Whether the probabilities in the list are to be used as they are.
    pub held: bool,
}

impl<'a> List<'a> {
    /// Candidates in memory of the chain.
    pub(super) fn own(data: Vec<TokenData>) -> Self {
        let len = data.len();
        Self { data: Data::Own(data), len, sorted: false, held: false }
    }

    /// As [`List::own`], in rank order and without those at -inf; if there is nothing else, the first.
    pub(super) fn ranked(mut data: Vec<TokenData>) -> Self {
        if data.is_empty() {
            // No memory is asked for: there was room for at least one.
            data.push(TokenData { id: 0, logit: f32::NEG_INFINITY, p: 0.0 });
        }
        Self { sorted: true, ..Self::own(data) }
    }

    /// A caller's candidates.
    pub(super) fn of(data: &'a mut [TokenData], sorted: bool) -> Self {
        data.iter_mut().for_each(|token| token.logit = nan_to_neg_inf(token.logit));
        let sorted = sorted && data.is_sorted_by_key(TokenData::rank);
        let len = data.len();
        Self { data: Data::Callers(data), len, sorted, held: false }
    }

    /// The memory, if it is the chain's.
    pub(super) fn into_own(self) -> Option<Vec<TokenData>> {
        match self.data {
            Data::Own(data) => Some(data),
            Data::Callers(_) => None,
        }
    }

    pub(super) fn tokens(&self) -> &[TokenData] {
        let all = match &self.data {
            Data::Own(data) => &data[..],
            Data::Callers(data) => data,
        };
        &all[..self.len]
    }

    pub(super) fn tokens_mut(&mut self) -> &mut [TokenData] {
        let all = match &mut self.data {
            Data::Own(data) => &mut data[..],
            Data::Callers(data) => data,
        };
        &mut all[..self.len]
    }

    pub(super) fn logits(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.tokens().iter().map(|token| token.logit)
    }

    /// Drops all but the first `len`, and at least one.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = len.max(1).min(self.len);
    }

    /// Drops the first `count`, of which at least one is left.
    pub(super) fn drop_first(&mut self, count: usize) {
        let count = count.min(self.len);
        self.tokens_mut().copy_within(count.., 0);
        self.truncate(self.len - count);
    }

    /// Puts the candidates in rank order and drops those at -inf; if there is nothing else, the first
    /// stays.
    pub(super) fn sort(&mut self) {
        self.best(usize::MAX);
    }

    /// The first `k` in rank order, none of them at -inf if there is another.
    pub(super) fn best(&mut self, k: usize) {
        if self.sorted {
            let finite = self.tokens().partition_point(|token| token.logit > f32::NEG_INFINITY);
            self.truncate(k.min(finite));
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

    /// Those that `keep` says yes to, in their order, which can be none.
    pub(super) fn retain(&mut self, keep: impl Fn(&TokenData) -> bool) {
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

    /// Changes the logits; NaN becomes -inf.
    pub(super) fn change(&mut self, mut change: impl FnMut(&TokenData) -> f32) {
        for token in self.tokens_mut() {
            token.logit = nan_to_neg_inf(change(token));
        }
        self.held = false;
    }

    /// Fills in the softmax of the logits, unless probabilities are held.
    pub(super) fn fill(&mut self, tools: &mut Tools) -> Result<(), Error> {
        if !self.held {
            softmax(tools.kernels, self.logits(), &mut tools.weights)?;
            for (token, p) in self.tokens_mut().iter_mut().zip(&tools.weights) {
                token.p = *p;
            }
        }
        Ok(())
    }

    /// Fills in the probabilities and holds them. The sum runs in rank order, wherever the candidates
    /// stand: so it is that of the row they are from.
    pub(super) fn hold(&mut self, tools: &mut Tools) -> Result<(), Error> {
        let Tools { kernels, keys, weights, .. } = tools;
        keys.clear();
        reserve(keys, self.len)?;
        keys.extend(self.tokens().iter().map(TokenData::rank));
        keys.sort_unstable();
        exps(*kernels, keys.iter().map(|key| key.logit()), weights)?;
        let sum = single::add(0.0, weights);
        exps(tools.kernels, self.logits(), &mut tools.weights)?;
        let weights = tools.weights.iter();
        self.tokens_mut().iter_mut().zip(weights).for_each(|(token, e)| token.p = e / sum);
        self.held = true;
        Ok(())
    }

    /// Up to and with the first rank that brings the running sum of the probabilities to `p`, but
    /// `min_keep` ranks.
    pub(super) fn nucleus(
        &mut self,
        tools: &mut Tools,
        p: f32,
        min_keep: usize,
    ) -> Result<(), Error> {
        self.sort();
        self.fill(tools)?;
        let reached = Nucleus::Inclusive.count(self.tokens().iter().map(|token| token.p), p);
        self.truncate(reached.unwrap_or(self.len).max(min_keep));
        Ok(())
    }
}
