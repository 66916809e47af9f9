//! Candidates as the row itself, until a stage cuts it.
//!
//! Changes of single logits are kept beside the row, and so is one division by a temperature. Where that is
//! not enough (sums over the row, a second division, many edits) the row is copied, 4 bytes for each token.
//!
//! Cuts select by threshold from the row as it came:
//!
//! - *Edits.* The k best of the edited row are among the edited tokens and the k + e best of the row,
//!   e being the number of edits, for at most e of those are edited.
//! - *Division.* l / T rises with l, but not strictly: rounding can make unequal logits equal, and then the
//!   lower id comes first. So ranks are taken until the quotient of the last is below that of the k-th.

use super::{Cut, List};
use crate::chain::TokenData;
use crate::chain::exps::exps;
use crate::chain::scratch::Scratch;
use crate::draw::nucleus;
use crate::memory::{reserve, resize};
use crate::rules::nucleus::Nucleus;
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::rules::std_dev::std_dev;
use crate::rules::temperature::{Scaling, can_overflow, scaling, uniform};
use crate::select::{BlockedRow, RankedPrefix, RowScan, lowest, reaching};
use crate::simd::{Kernels, Segment};
use crate::{Error, SamplerParams};

/// More edits than this are made in a copy.
const MAX_EDITS: usize = 512;

/// What the changes to a row are written down in.
#[derive(Debug)]
pub(in crate::chain) struct RowMemory {
    /// The row with every change in it, where it had to be copied.
    copy: Vec<f32>,
    /// Tokens whose logits differ from the row's, in id order, with their logits.
    edits: Vec<(u32, f32)>,
}

impl RowMemory {
    pub(in crate::chain) const fn new() -> Self {
        Self { copy: Vec::new(), edits: Vec::new() }
    }
}

/// A row of candidates in id order, with what was done to it.
#[derive(Debug)]
pub(super) struct Row<'a> {
    logits: &'a [f32],
    memory: &'a mut RowMemory,
    /// Whether the copy has every change; then there are neither edits nor a divisor.
    copied: bool,
    /// What the logits that are not edited are still to be divided by; above 0 and finite.
    divisor: Option<f32>,
    /// The ranks that are left, if the probabilities are frozen.
    frozen: Option<Frozen>,
    /// Whether [`Scratch::scan`] has read the source as it is.
    scanned: bool,
    /// Whether the largest logit is known to be finite.
    finite_top: bool,
}

/// The first ranks of a row whose probabilities are frozen. A nucleus of these needs the sum over the row only
/// as closely as `nucleus::cut` does, so they stay a row as long as stages only cut.
#[derive(Debug, Clone, Copy)]
struct Frozen {
    /// How many there are; none while it is the whole row.
    ranks: Option<usize>,
    /// Whether they are in id order.
    by_id: bool,
}

impl<'a> Row<'a> {
    pub(super) fn new(logits: &'a [f32], memory: &'a mut RowMemory) -> Self {
        memory.edits.clear();
        Self {
            logits,
            memory,
            copied: false,
            divisor: None,
            frozen: None,
            scanned: false,
            finite_top: false,
        }
    }

    /// The number of candidates.
    pub(super) fn len(&self) -> usize {
        self.frozen.and_then(|frozen| frozen.ranks).unwrap_or(self.logits.len())
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Whether the candidates are some of the ranks, on which only cuts can work.
    pub(super) fn is_cut(&self) -> bool {
        self.frozen.is_some_and(|frozen| frozen.ranks.is_some())
    }

    /// From here on the probabilities are computed anew.
    pub(super) fn thaw(&mut self) {
        self.frozen = None;
    }

    /// The logits where they lie, but for edits and the divisor.
    fn source(&self) -> &[f32] {
        if self.copied { &self.memory.copy } else { self.logits }
    }

    /// Reads the source, or what is known of it.
    fn scan<'b>(
        &'b self,
        kernels: &'static Kernels,
        scan: &'b mut RowScan,
    ) -> Result<BlockedRow<'b>, Error> {
        let read = if self.scanned { RowScan::read_again } else { RowScan::read };
        read(scan, kernels, self.source())
    }

    fn is_untouched(&self) -> bool {
        self.divisor.is_none() && self.memory.edits.is_empty()
    }

    /// The logit of a token that was not edited.
    fn divided(&self, logit: f32) -> f32 {
        self.divisor.map_or(logit, |divisor| logit / divisor)
    }

    fn edit_of(&self, id: u32) -> Result<usize, usize> {
        self.memory.edits.binary_search_by_key(&id, |edit| edit.0)
    }

    /// Changes the logit of one token, if the row has it; NaN becomes -inf.
    pub(super) fn edit(&mut self, id: i32, change: impl Fn(f32) -> f32) -> Result<(), Error> {
        debug_assert!(self.frozen.is_none());
        self.finite_top = false;
        let Some(id) = u32::try_from(id).ok().filter(|id| (*id as usize) < self.logits.len())
        else {
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
                let logit = change(self.divided(self.logits[id as usize]));
                self.memory.edits.insert(place, (id, logit));
            }
        }
        Ok(())
    }

    /// What a temperature does to the row.
    pub(super) fn scaling(&mut self, scratch: &mut Scratch, t: f32) -> Result<Scaling, Error> {
        debug_assert!(!self.is_cut());
        if !can_overflow(t) || t <= 0.0 {
            // The quotient of any finite logit is finite, or there is none.
            return Ok(scaling(t, 0.0));
        }
        let blocked = self.scan(scratch.kernels, &mut scratch.scan)?;
        let edits = &self.memory.edits;
        let is_usual = |logit: f32| logit.is_finite() && (self.divided(logit) / t).is_finite();
        // The largest logit lies between a few that are cheap to find.
        let is_not_above = is_usual(blocked.top)
            && edits.iter().all(|edit| edit.1 <= 0.0 || (edit.1 / t).is_finite());
        let maxima = || blocked.block_maxima.iter().filter(|logit| is_usual(**logit));
        let is_not_below = edits.is_empty() || maxima().take(edits.len() + 1).count() > edits.len();
        let is_usual = is_not_above && is_not_below;
        self.scanned = true;
        self.finite_top = is_usual;
        Ok(if is_usual { Scaling::Divide } else { scaling(t, self.top(scratch)?) })
    }

    /// Makes all tokens above -inf equally likely.
    pub(super) fn make_uniform(&mut self) -> Result<(), Error> {
        self.thaw();
        self.copy()?;
        self.scanned = false;
        self.finite_top = false;
        self.memory.copy.iter_mut().for_each(|logit| *logit = uniform(*logit));
        Ok(())
    }

    /// Divides every logit by `t`, which is above 0 and finite.
    pub(super) fn divide(&mut self, t: f32) -> Result<(), Error> {
        self.thaw();
        if self.copied || self.divisor.is_some() {
            self.copy()?;
            self.scanned = false;
            self.memory.copy.iter_mut().for_each(|logit| *logit /= t);
            return Ok(());
        }
        self.divisor = Some(t);
        self.memory.edits.iter_mut().for_each(|edit| edit.1 = nan_to_neg_inf(edit.1 / t));
        Ok(())
    }

    /// Copies the row with every change in it.
    fn copy(&mut self) -> Result<(), Error> {
        if self.copied {
            return Ok(());
        }
        let RowMemory { copy, edits } = &mut *self.memory;
        copy.clear();
        reserve(copy, self.logits.len())?;
        match self.divisor.take() {
            None => copy.extend_from_slice(self.logits),
            Some(divisor) => copy.extend(self.logits.iter().map(|logit| logit / divisor)),
        }
        for (id, logit) in edits.drain(..) {
            copy[id as usize] = logit;
        }
        self.copied = true;
        self.scanned = false;
        Ok(())
    }

    /// As [`Row::copy`], but a row that nothing was done to stays where it is.
    fn materialize(&mut self) -> Result<(), Error> {
        if self.is_untouched() { Ok(()) } else { self.copy() }
    }

    /// Puts the exps of the row into [`Scratch::weights`]; false if no token is above -inf.
    pub(super) fn weigh(&mut self, scratch: &mut Scratch) -> Result<bool, Error> {
        debug_assert!(!self.is_cut());
        self.materialize()?;
        let logits = self.source().iter().copied().map(nan_to_neg_inf);
        exps(scratch.kernels, logits, &mut scratch.weights)
    }

    /// The standard deviation of the finite logits.
    pub(super) fn std_dev(&mut self, scratch: &mut Scratch) -> Result<f64, Error> {
        let Some(Frozen { ranks: Some(ranks), by_id }) = self.frozen else {
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

    /// Puts all candidates into the list. Frozen probabilities are so no longer.
    pub(super) fn to_list(&self, scratch: &mut Scratch, list: &mut List<'_>) -> Result<(), Error> {
        let Some(Frozen { ranks: Some(ranks), by_id }) = self.frozen else {
            return self.list_all(list);
        };
        self.top_k_list(scratch, list, ranks)?;
        if by_id {
            list.tokens_mut().sort_unstable_by_key(|token| token.id);
            list.sorted = false;
        }
        Ok(())
    }

    /// Puts the whole row into the list.
    fn list_all(&self, list: &mut List<'_>) -> Result<(), Error> {
        let token = |id: usize, logit: f32| TokenData {
            id: id as i32,
            logit: nan_to_neg_inf(logit),
            p: 0.0,
        };
        let logits = self.source().iter().enumerate();
        list.fill(logits.map(|(id, logit)| token(id, self.divided(*logit))))?;
        for (id, logit) in &self.memory.edits {
            list.tokens_mut()[*id as usize].logit = *logit;
        }
        Ok(())
    }

    /// Freezes the probabilities; unsupported where there is no sum to divide by.
    pub(super) fn freeze_probs(&mut self, scratch: &mut Scratch) -> Result<Cut, Error> {
        debug_assert!(!self.is_cut());
        self.materialize()?;
        let logits = self.source();
        let top = || scratch.kernels.argmax(logits).map(|place| logits[place as usize]);
        let can = self.finite_top || top().is_some_and(f32::is_finite);
        self.frozen = can.then_some(Frozen { ranks: None, by_id: true });
        Ok(if can { Cut::InPlace } else { Cut::Unsupported })
    }

    /// The largest logit.
    pub(super) fn top(&self, scratch: &mut Scratch) -> Result<f32, Error> {
        if self.memory.edits.is_empty() {
            // NaN counts as -inf in the scan, and dividing by a finite number keeps the order.
            let blocked = self.scan(scratch.kernels, &mut scratch.scan)?;
            return Ok(self.divided(blocked.top));
        }
        Ok(self.best(scratch)?.logit())
    }

    /// The place of the first in rank order; none if no token is above -inf.
    pub(super) fn argmax(&self, scratch: &mut Scratch) -> Result<Option<usize>, Error> {
        if self.is_untouched() {
            return Ok(scratch.kernels.argmax(self.source()).map(|id| id as usize));
        }
        let best = self.best(scratch)?;
        Ok((best.logit() > f32::NEG_INFINITY).then_some(best.id() as usize))
    }

    /// The first in rank order.
    fn best(&self, scratch: &mut Scratch) -> Result<RankKey, Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        let edits = self.memory.edits.iter().map(|(id, logit)| RankKey::new(*logit, *id));
        let unedited = |id: u32, logit: f32| {
            let key = || RankKey::new(nan_to_neg_inf(self.divided(logit)), id);
            self.edit_of(id).is_err().then(key)
        };
        let others = if blocked.top.is_finite() {
            self.grow_prefix(prefix, &mut blocked, 1)?;
            prefix.keys().iter().filter_map(|key| unedited(key.id(), key.logit())).min()
        } else {
            // Thresholds are for finite logits.
            (0..).zip(self.source()).filter_map(|(id, logit)| unedited(id, *logit)).min()
        };
        edits.chain(others).min().ok_or(Error::Internal)
    }

    /// Cuts down to the first `k` in rank order: to a list, or if probabilities are frozen, in place.
    pub(super) fn keep_top_k(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<Cut, Error> {
        if self.frozen.is_none() {
            self.top_k_list(scratch, list, k)?;
            return Ok(Cut::List);
        }
        let ranks = self.find_ranks(scratch, k.min(self.len()))?;
        self.frozen = Some(Frozen { ranks: Some(ranks), by_id: false });
        Ok(Cut::InPlace)
    }

    /// Puts the first `k` ranks of a row without pending changes into [`Scratch::prefix`], or as many as
    /// there are above -inf; returns their number.
    fn find_ranks(&self, scratch: &mut Scratch, k: usize) -> Result<usize, Error> {
        debug_assert!(self.is_untouched());
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        prefix.clear();
        prefix.grow(&mut blocked, k)?;
        Ok(k.min(prefix.keys().len()))
    }

    /// Puts the first `k` of the row in rank order into the list.
    fn top_k_list(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if !blocked.top.is_finite() {
            // Thresholds are for finite logits.
            self.list_all(list)?;
            list.keep_top_k(k);
            return Ok(());
        }
        self.grow_prefix(prefix, &mut blocked, k)?;
        if self.is_untouched() {
            return self.list_prefix(scratch, list, k);
        }
        self.list_merged(scratch, list, k)
    }

    /// Grows the prefix until it has the first `k` of the changed row, but for edited tokens.
    fn grow_prefix(
        &self,
        prefix: &mut RankedPrefix,
        blocked: &mut BlockedRow<'_>,
        k: usize,
    ) -> Result<(), Error> {
        prefix.clear();
        let needed = k.saturating_add(self.memory.edits.len()).min(blocked.len);
        prefix.grow(blocked, needed)?;
        if let Some(divisor) = self.divisor {
            let quotient = |key: Option<&RankKey>| key.map(|key| key.logit() / divisor);
            let worst = quotient(prefix.keys().get(needed - 1));
            while !prefix.is_whole() && quotient(prefix.keys().last()) >= worst {
                prefix.grow(blocked, (2 * prefix.keys().len()).min(blocked.len))?;
            }
        }
        Ok(())
    }

    /// Lists the first `k` of the prefix, with edits and the divisor.
    fn list_merged(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        let Scratch { prefix, keys, .. } = scratch;
        let edits = &self.memory.edits;
        let others = prefix.keys().iter().filter(|key| self.edit_of(key.id()).is_err());
        let others = others.map(|key| (key.id(), self.divided(key.logit())));
        keys.clear();
        reserve(keys, prefix.keys().len() + edits.len())?;
        let all =
            others.chain(edits.iter().copied()).filter(|(_, logit)| *logit > f32::NEG_INFINITY);
        keys.extend(all.map(|(id, logit)| RankKey::new(logit, id)));
        keys.sort_unstable();
        keys.truncate(k);
        list.fill_ranked(keys.iter().map(token))
    }

    /// Lists the first `k` of the prefix.
    fn list_prefix(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        let keys = scratch.prefix.keys();
        list.fill_ranked(keys[..k.min(keys.len())].iter().map(token))
    }

    /// Cuts down to the ranks up to and with the first that brings the running sum to `p`, but at least
    /// `min_keep`: to a list, or if probabilities are frozen, in place. Unsupported where there is no sum.
    pub(super) fn nucleus(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        p: f32,
        min_keep: usize,
    ) -> Result<Cut, Error> {
        self.materialize()?;
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if !blocked.top.is_finite() {
            return Ok(Cut::Unsupported);
        }
        let (kept, _) = nucleus::cut(Nucleus::Inclusive, &mut blocked, prefix, self.len(), p)?;
        prefix.grow(&mut blocked, min_keep.min(self.len()))?;
        let kept = kept.max(min_keep).min(self.len()).min(prefix.keys().len());
        if self.frozen.is_some() {
            self.frozen = Some(Frozen { ranks: Some(kept), by_id: false });
            return Ok(Cut::InPlace);
        }
        self.list_prefix(scratch, list, kept)?;
        Ok(Cut::List)
    }

    /// Cuts down to the candidates whose logits are at least `limit`, in id order; unsupported if these
    /// are fewer than `min_keep`.
    pub(super) fn at_least(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        limit: f64,
        min_keep: usize,
    ) -> Result<Cut, Error> {
        let reaches = |logit: f32| f64::from(logit) >= limit;
        // The lowest logit of the source whose quotient gets there.
        let low = lowest(|logit| reaches(self.divided(logit)));
        let Scratch { kernels, scan, keys, .. } = scratch;
        let blocked = self.scan(*kernels, scan)?;
        if let Some(frozen) = self.frozen {
            let reach = |part: &Segment<'_>| kernels.count_reaching(part.logits, low);
            // Where no finite logit gets there, `lowest` returns the largest.
            let counted = if reaches(low) { blocked.segments.iter().map(reach).sum() } else { 0 };
            let ranks = counted.min(self.len());
            if ranks < min_keep {
                return Ok(Cut::Unsupported);
            }
            self.frozen = Some(Frozen { ranks: Some(ranks), ..frozen });
            return Ok(Cut::InPlace);
        }
        reaching(&blocked, low, keys)?;
        let edited = |id: u32| self.edit_of(id).is_ok();
        if !self.memory.edits.is_empty() {
            keys.retain(|key| !edited(key.id()));
        }
        if self.divisor.is_some() {
            keys.iter_mut()
                .for_each(|key| *key = RankKey::new(self.divided(key.logit()), key.id()));
        }
        let edits = || self.memory.edits.iter().filter(|edit| reaches(edit.1));
        let (mut left, mut place) = (keys.len(), keys.len() + edits().count());
        if place < min_keep {
            return Ok(Cut::Unsupported);
        }
        // Both are in id order: merges them from the end, in place.
        resize(keys, place, RankKey::new(0.0, 0))?;
        for (id, logit) in edits().rev() {
            while left > 0 && keys[left - 1].id() > *id {
                (left, place) = (left - 1, place - 1);
                keys[place] = keys[left];
            }
            place -= 1;
            keys[place] = RankKey::new(*logit, *id);
        }
        list.fill(keys.iter().map(token))?;
        Ok(Cut::List)
    }

    /// Cuts down to what the S2 rule leaves with the limits of `params`, and returns how many more
    /// candidates there are, at -inf; unsupported where there is no sum.
    pub(super) fn s2(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        params: &SamplerParams,
    ) -> Result<(Cut, usize), Error> {
        self.materialize()?;
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if !blocked.top.is_finite() {
            return Ok((Cut::Unsupported, 0));
        }
        let limit = params.rank_limit(self.logits.len());
        let (kept, _) =
            nucleus::cut(Nucleus::Exclusive, &mut blocked, prefix, limit, params.nucleus())?;
        let neg_inf_tail = kept.saturating_sub(prefix.keys().len());
        self.list_prefix(scratch, list, kept)?;
        Ok((Cut::List, neg_inf_tail))
    }
}

fn token(key: &RankKey) -> TokenData {
    TokenData { id: key.id() as i32, logit: key.logit(), p: 0.0 }
}
