//! What the stages that cut take from a row: selected by threshold from the row as it came.
//!
//! - *Edits.* The k best of the edited row are among the edited tokens and the k + e best of the row,
//!   e being the number of edits, for at most e of those are edited.
//! - *Division.* l / T rises with l, but not strictly: rounding can make equal what was not, and then the
//!   lower id comes first. So ranks are taken until the quotient of the last is below that of the k-th.

use super::TokenData;
use super::list::List;
use super::row::{Held, Row};
use super::tools::Tools;
use crate::draw::nucleus;
use crate::memory::reserve;
use crate::rules::nucleus::Nucleus;
use crate::rules::rank::{FALLBACK_ID, RankKey, nan_to_neg_inf};
use crate::select::{lowest, reaching};
use crate::simd::Segment;
use crate::{Error, SamplerParams};

impl Row<'_> {
    /// All candidates. Probabilities that were held are so no longer.
    pub(super) fn list(&mut self, tools: &mut Tools) -> Result<List<'static>, Error> {
        if let Some(Held { ranks: Some(ranks), by_id }) = self.held {
            let mut list = self.first(tools, ranks)?;
            if by_id {
                list.tokens_mut().sort_unstable_by_key(|token| token.id);
                list.sorted = false;
            }
            return Ok(list);
        }
        self.settle(tools)?;
        let mut list = core::mem::take(&mut tools.list);
        list.clear();
        reserve(&mut list, self.len())?;
        let logits = self.logits(&tools.copy);
        let token =
            |(id, logit): (i32, &f32)| TokenData { id, logit: nan_to_neg_inf(*logit), p: 0.0 };
        list.extend((0..).zip(logits).map(token));
        Ok(List::own(list))
    }

    /// Holds the probabilities of the row; false where there is no sum to divide by.
    pub(super) fn hold(&mut self, tools: &mut Tools) -> Result<bool, Error> {
        self.settle(tools)?;
        let logits = self.logits(&tools.copy);
        let top = tools.kernels.argmax(logits).and_then(|place| logits.get(place as usize));
        let can = top.is_some_and(|top| top.is_finite());
        self.held = can.then_some(Held { ranks: None, by_id: true });
        Ok(can)
    }

    /// The place of the first in rank order.
    pub(super) fn argmax(&mut self, tools: &mut Tools) -> Result<usize, Error> {
        if self.divisor.is_none() && tools.edits.is_empty() {
            let logits = self.logits(&tools.copy);
            return Ok(tools.kernels.argmax(logits).unwrap_or(FALLBACK_ID) as usize);
        }
        let list = self.first(tools, 1)?;
        let first = list.tokens().first().and_then(|token| usize::try_from(token.id).ok());
        tools.list = list.into_own().unwrap_or_default();
        first.ok_or(Error::Internal)
    }

    /// Cuts down to the first `k` in rank order: to a list, or if probabilities are held, in place.
    pub(super) fn best(
        &mut self,
        tools: &mut Tools,
        k: usize,
    ) -> Result<Option<List<'static>>, Error> {
        if self.held.is_none() {
            return self.first(tools, k).map(Some);
        }
        let Tools { kernels, scan, prefix, copy, .. } = tools;
        let mut blocked = scan.read(*kernels, self.logits(copy))?;
        prefix.clear();
        prefix.grow(&mut blocked, k.min(self.len()))?;
        let ranks = Some(k.min(self.len()).min(prefix.keys().len()));
        self.held = Some(Held { ranks, by_id: false });
        Ok(None)
    }

    /// A list of the first `k` of the row in rank order.
    pub(super) fn first(&mut self, tools: &mut Tools, k: usize) -> Result<List<'static>, Error> {
        let Tools { kernels, scan, prefix, copy, edits, .. } = tools;
        let logits = self.logits(copy);
        let mut blocked = scan.read(*kernels, logits)?;
        if !blocked.top.is_finite() {
            // Thresholds are for finite logits.
            let mut list = self.list(tools)?;
            list.best(k);
            return Ok(list);
        }
        prefix.clear();
        let needed = k.saturating_add(edits.len()).min(logits.len());
        prefix.grow(&mut blocked, needed)?;
        if let Some(divisor) = self.divisor {
            let quotient = |key: Option<&RankKey>| key.map(|key| key.logit() / divisor);
            let worst = quotient(prefix.keys().get(needed - 1));
            while !prefix.is_whole() && quotient(prefix.keys().last()) >= worst {
                prefix.grow(&mut blocked, (2 * prefix.keys().len()).min(logits.len()))?;
            }
        }
        if edits.is_empty() && self.divisor.is_none() {
            return self.listed(tools, k);
        }
        self.merged(tools, k)
    }

    /// A list of the first `k` of what the prefix has, edited and divided.
    fn merged(&self, tools: &mut Tools, k: usize) -> Result<List<'static>, Error> {
        let Tools { prefix, edits, keys, list, .. } = tools;
        let edited = |id: u32| edits.binary_search_by_key(&id, |edit| edit.0).is_ok();
        let rest = prefix.keys().iter().filter(|key| !edited(key.id()));
        let rest = rest.map(|key| (key.id(), self.divided(key.logit())));
        keys.clear();
        reserve(keys, prefix.keys().len() + edits.len())?;
        let all = rest.chain(edits.iter().copied()).filter(|(_, logit)| *logit > f32::NEG_INFINITY);
        keys.extend(all.map(|(id, logit)| RankKey::new(logit, id)));
        keys.sort_unstable();
        keys.truncate(k);
        list.clear();
        reserve(list, keys.len().max(1))?;
        list.extend(keys.iter().map(token));
        Ok(List::ranked(core::mem::take(list)))
    }

    /// A list of the first `k` of the prefix.
    fn listed(&self, tools: &mut Tools, k: usize) -> Result<List<'static>, Error> {
        let Tools { prefix, list, .. } = tools;
        let keys = prefix.keys();
        let keys = &keys[..k.min(keys.len())];
        list.clear();
        reserve(list, keys.len().max(1))?;
        list.extend(keys.iter().map(token));
        Ok(List::ranked(core::mem::take(list)))
    }

    /// Cuts down to the ranks up to and with the first that brings the running sum to `p`, but
    /// `min_keep` ranks: to a list, or if probabilities are held, in place. False where there is no sum.
    pub(super) fn nucleus(
        &mut self,
        tools: &mut Tools,
        p: f32,
        min_keep: usize,
    ) -> Result<(bool, Option<List<'static>>), Error> {
        self.settle(tools)?;
        let Tools { kernels, scan, prefix, copy, .. } = tools;
        let mut blocked = scan.read(*kernels, self.logits(copy))?;
        if !blocked.top.is_finite() {
            return Ok((false, None));
        }
        let (kept, _) = nucleus::cut(Nucleus::Inclusive, &mut blocked, prefix, self.len(), p)?;
        prefix.grow(&mut blocked, min_keep.min(self.len()))?;
        let kept = kept.max(min_keep).min(self.len()).min(prefix.keys().len());
        if self.held.is_some() {
            self.held = Some(Held { ranks: Some(kept), by_id: false });
            return Ok((true, None));
        }
        Ok((true, Some(self.listed(tools, kept)?)))
    }

    /// Cuts down to the ranks whose logits are at least `limit`, while probabilities are held; false,
    /// and nothing happens, if these are fewer than `min_keep`.
    pub(super) fn held_at_least(
        &mut self,
        tools: &mut Tools,
        limit: f64,
        min_keep: usize,
    ) -> Result<bool, Error> {
        let low = lowest(|logit| f64::from(logit) >= limit);
        let Tools { kernels, scan, copy, .. } = tools;
        let blocked = scan.read(*kernels, self.logits(copy))?;
        let reach = |part: &Segment<'_>| kernels.count_reaching(part.logits, low);
        // Without a logit so high the lowest is the largest there is.
        let counted =
            if f64::from(low) >= limit { blocked.segments.iter().map(reach).sum() } else { 0 };
        let ranks = counted.min(self.len());
        if let Some(held) = self.held.as_mut().filter(|_| ranks >= min_keep) {
            held.ranks = Some(ranks);
            return Ok(true);
        }
        Ok(false)
    }

    /// What the S2 rule leaves with the limits of `params`: the list, and how many more candidates
    /// there are, at -inf; none where no sum can be made.
    pub(super) fn s2(
        &mut self,
        tools: &mut Tools,
        params: &SamplerParams,
    ) -> Result<Option<(List<'static>, usize)>, Error> {
        self.settle(tools)?;
        let Tools { kernels, scan, prefix, copy, .. } = tools;
        let mut blocked = scan.read(*kernels, self.logits(copy))?;
        if !blocked.top.is_finite() {
            return Ok(None);
        }
        let limit = params.rank_limit(self.logits.len());
        let (kept, _) =
            nucleus::cut(Nucleus::Exclusive, &mut blocked, prefix, limit, params.nucleus())?;
        let hidden = kept.saturating_sub(prefix.keys().len());
        Ok(Some((self.listed(tools, kept)?, hidden)))
    }

    /// Those whose logits are at least `limit`, in id order, which can be none at all.
    pub(super) fn at_least(
        &mut self,
        tools: &mut Tools,
        limit: f64,
    ) -> Result<List<'static>, Error> {
        let reaches = |logit: f32| f64::from(logit) >= limit;
        // The lowest logit of the row whose quotient gets there.
        let low = lowest(|logit| reaches(self.divided(logit)));
        let Tools { kernels, scan, copy, edits, keys, list, .. } = tools;
        let blocked = scan.read(*kernels, self.logits(copy))?;
        reaching(&blocked, low, keys)?;
        for (id, logit) in &*edits {
            let place = keys.binary_search_by_key(id, |key| key.id());
            match place {
                Ok(place) if !reaches(*logit) => drop(keys.remove(place)),
                Err(place) if reaches(*logit) => {
                    reserve(keys, 1)?;
                    keys.insert(place, RankKey::new(*logit, *id));
                }
                _ => {}
            }
        }
        list.clear();
        reserve(list, keys.len())?;
        list.extend(keys.iter().map(token));
        for token in list.iter_mut() {
            let edit = edits.binary_search_by_key(&(token.id as u32), |edit| edit.0);
            token.logit = edit.map_or_else(|_| self.divided(token.logit), |place| edits[place].1);
        }
        Ok(List::own(core::mem::take(list)))
    }
}

fn token(key: &RankKey) -> TokenData {
    TokenData { id: key.id() as i32, logit: key.logit(), p: 0.0 }
}
