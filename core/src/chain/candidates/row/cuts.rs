//! What the stages select from a row without sorting it: by a threshold on the row as it came.
//!
//! - *Edits.* The k best of the edited row are among the edited tokens and the k + e best of the row,
//!   e being the number of edits, for at most e of those are edited.
//! - *Scaling.* l / T and l * factor rise with l, but not strictly: rounding can make unequal logits equal, and then the
//!   lower id comes first. So ranks are taken until the scaled logit of the last is below that of the k-th.

use super::ranked::ExclusiveNucleus;
use super::{Left, Row};
use crate::chain::TokenData;
use crate::chain::candidates::{Cut, List};
use crate::chain::scratch::Scratch;
use crate::draw::first::{self, Kept};
use crate::draw::nucleus;
use crate::memory::{reserve, resize};
use crate::rules::first::Ranks;
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::select::{BlockedRow, RankedPrefix, lowest, reaching};
use crate::simd::Segment;
use crate::{Error, SamplerParams};

/// A changed row is copied if more than one token in this many is ranked. Changes kept beside the row take
/// about 270 instructions for each token ranked, a copy less than one for each token of the row.
const COPY_ABOVE_ONE_IN: usize = 512;

impl Row<'_> {
    /// The largest logit.
    pub(in crate::chain::candidates) fn top(&self, scratch: &mut Scratch) -> Result<f32, Error> {
        if self.memory.edits.is_empty() {
            // NaN counts as -inf in the scan, and scaling keeps the order.
            let blocked = self.scan(scratch.kernels, &mut scratch.scan)?;
            return Ok(self.scaled(blocked.top));
        }
        Ok(self.best(scratch)?.logit())
    }

    /// The place of the first in rank order; none if no token is above -inf.
    pub(in crate::chain::candidates) fn argmax(
        &self,
        scratch: &mut Scratch,
    ) -> Result<Option<usize>, Error> {
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
            let key = || RankKey::new(nan_to_neg_inf(self.scaled(logit)), id);
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
    pub(in crate::chain::candidates) fn keep_top_k(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<Cut, Error> {
        if !self.frozen {
            self.forget_order();
            let ranked = k.saturating_add(self.memory.edits.len());
            if ranked > self.len / COPY_ABOVE_ONE_IN {
                self.materialize()?;
            }
            self.top_k_list(scratch, list, k)?;
            return Ok(Cut::List);
        }
        let ranks = self.find_ranks(scratch, k.min(self.len()))?;
        self.left = Some(Left { ranks, by_id: false });
        Ok(Cut::InPlace)
    }

    /// Puts the first `k` ranks of a row without pending changes into [`Scratch::prefix`], or as many as
    /// there are above -inf; returns their number.
    pub(super) fn find_ranks(&self, scratch: &mut Scratch, k: usize) -> Result<usize, Error> {
        debug_assert!(self.is_untouched());
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        prefix.clear();
        prefix.grow(&mut blocked, k)?;
        Ok(k.min(prefix.keys().len()))
    }

    /// Puts the first `k` of the row in rank order into the list.
    pub(super) fn top_k_list(
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
        if let Some(by) = self.scale {
            let scaled = |key: Option<&RankKey>| key.map(|key| by.apply(key.logit()));
            let worst = scaled(prefix.keys().get(needed - 1));
            while !prefix.is_whole() && scaled(prefix.keys().last()) >= worst {
                prefix.grow(blocked, (2 * prefix.keys().len()).min(blocked.len))?;
            }
        }
        Ok(())
    }

    /// The k-th largest logit above -inf, or the smallest if there are fewer; none if there is none, or the
    /// largest is not finite.
    pub(in crate::chain::candidates) fn kth(
        &mut self,
        scratch: &mut Scratch,
        k: usize,
    ) -> Result<Option<f32>, Error> {
        let ranked = k.saturating_add(self.memory.edits.len());
        if ranked > self.len / COPY_ABOVE_ONE_IN {
            self.materialize()?;
        }
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if !blocked.top.is_finite() {
            return Ok(None);
        }
        let k = k.min(self.len());
        self.grow_prefix(prefix, &mut blocked, k)?;
        if self.is_untouched() {
            let keys = prefix.keys();
            return Ok(keys[..k.min(keys.len())].last().map(|key| key.logit()));
        }
        self.merge(scratch, k)?;
        Ok(scratch.keys.last().map(|key| key.logit()))
    }

    /// Lists the first `k` of the prefix, with edits and the scale.
    fn list_merged(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        self.merge(scratch, k)?;
        list.fill_ranked(scratch.keys.iter().map(|key| self.token(key)))
    }

    /// Puts the first `k` of the prefix, with edits and the scale, into [`Scratch::keys`].
    fn merge(&self, scratch: &mut Scratch, k: usize) -> Result<(), Error> {
        let Scratch { prefix, keys, .. } = scratch;
        let edits = &self.memory.edits;
        let others = prefix.keys().iter().filter(|key| self.edit_of(key.id()).is_err());
        let others = others.map(|key| (key.id(), self.scaled(key.logit())));
        keys.clear();
        reserve(keys, prefix.keys().len() + edits.len())?;
        let all =
            others.chain(edits.iter().copied()).filter(|(_, logit)| *logit > f32::NEG_INFINITY);
        keys.extend(all.map(|(id, logit)| RankKey::new(logit, id)));
        keys.sort_unstable();
        keys.truncate(k);
        Ok(())
    }

    /// Lists the first `k` of the prefix.
    fn list_prefix(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        let keys = scratch.prefix.keys();
        let ranked = &keys[..k.min(keys.len())];
        if self.is_array() {
            return self.list_array_prefix(scratch, list, k);
        }
        list.fill_ranked(ranked.iter().map(|key| self.token(key)))
    }

    /// Cuts down to the ranks up to and including the first at which the running sum reaches `p`, but at
    /// least `min_keep`: to a list, or if probabilities are frozen, in place. Unsupported where there is no
    /// sum.
    pub(in crate::chain::candidates) fn nucleus(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        p: f32,
        min_keep: usize,
    ) -> Result<Cut, Error> {
        self.forget_order();
        self.materialize()?;
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if !blocked.top.is_finite() {
            return Ok(Cut::Unsupported);
        }
        let (kept, _) = nucleus::double::cut(&mut blocked, prefix, self.len(), p.into())?;
        prefix.grow(&mut blocked, min_keep.min(self.len()))?;
        let kept = kept.max(min_keep).min(self.len()).min(prefix.keys().len());
        if self.frozen {
            self.left = Some(Left { ranks: kept, by_id: false });
            return Ok(Cut::InPlace);
        }
        self.list_prefix(scratch, list, kept)?;
        Ok(Cut::List)
    }

    /// Cuts down to the ranks before the first, but rank 0, at which the running double sum of the
    /// probabilities passes `p`: to a list, or if probabilities are frozen, in place. Unsupported where there
    /// is no sum.
    pub(in crate::chain::candidates) fn exclusive_nucleus(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        p: f32,
    ) -> Result<Cut, Error> {
        self.forget_order();
        self.materialize()?;
        if !self.scan(scratch.kernels, &mut scratch.scan)?.top.is_finite() {
            return Ok(Cut::Unsupported);
        }
        self.scanned = true;
        let kept = self.settle(scratch, None, &ExclusiveNucleus { p })?.ok_or(Error::Internal)?;
        let kept = kept.max(1).min(self.len());
        if self.frozen {
            self.left = Some(Left { ranks: kept, by_id: false });
            return Ok(Cut::InPlace);
        }
        self.list_prefix(scratch, list, kept)?;
        Ok(Cut::List)
    }

    /// Cuts down to the candidates whose logits are at least `limit`, in id order; unsupported if these
    /// are fewer than `min_keep`.
    pub(in crate::chain::candidates) fn at_least(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        limit: f64,
        min_keep: usize,
    ) -> Result<Cut, Error> {
        let reaches = |logit: f32| f64::from(logit) >= limit;
        // The lowest logit of the source that reaches the limit once scaled.
        let low = lowest(|logit| reaches(self.scaled(logit)));
        let Scratch { kernels, scan, keys, .. } = scratch;
        let blocked = self.scan(*kernels, scan)?;
        if self.frozen {
            let reach = |part: &Segment<'_>| kernels.count_reaching(part.logits, low);
            // If no finite logit reaches it, `lowest` returns the largest.
            let counted = if reaches(low) { blocked.segments.iter().map(reach).sum() } else { 0 };
            let ranks = counted.min(self.len());
            if ranks < min_keep {
                return Ok(Cut::Unsupported);
            }
            self.left = Some(Left { ranks, by_id: self.left.is_none_or(|left| left.by_id) });
            return Ok(Cut::InPlace);
        }
        reaching(&blocked, low, keys)?;
        if self.is_ordered() {
            if keys.len() < min_keep {
                return Ok(Cut::Unsupported);
            }
            // The order is that of the source.
            keys.sort_unstable();
            list.fill(
                keys.iter()
                    .map(|key| TokenData { logit: self.scaled(key.logit()), ..self.token(key) }),
            )?;
            list.sorted = list.tokens().is_sorted_by_key(TokenData::rank);
            return Ok(Cut::List);
        }
        if !self.memory.edits.is_empty() {
            // Both are in id order.
            let mut edits = self.memory.edits.iter().map(|edit| edit.0).peekable();
            keys.retain(|key| {
                while edits.next_if(|id| *id < key.id()).is_some() {}
                edits.peek() != Some(&key.id())
            });
        }
        if self.scale.is_some() {
            keys.iter_mut().for_each(|key| *key = RankKey::new(self.scaled(key.logit()), key.id()));
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
        list.fill(keys.iter().map(|key| self.token(key)))?;
        Ok(Cut::List)
    }

    /// Cuts down to the candidates that the S2 rule leaves with the limits of `params`, and returns the
    /// number of further candidates, at -inf; unsupported where there is no sum.
    pub(in crate::chain::candidates) fn s2(
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
        let limit = params.rank_limit(self.len);
        let (kept, _) = nucleus::single::cut(&mut blocked, prefix, limit, params.nucleus())?;
        let neg_inf_tail = kept.saturating_sub(prefix.keys().len());
        self.list_prefix(scratch, list, kept)?;
        Ok((Cut::List, neg_inf_tail))
    }

    /// Cuts down to step 1 of `rules::first`, to a list; none where there is no sum, and nothing changed.
    pub(in crate::chain::candidates) fn first_ranks(
        &mut self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        limit: usize,
        keep_id: Option<i32>,
    ) -> Result<Option<Ranks>, Error> {
        self.materialize()?;
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if !blocked.top.is_finite() {
            return Ok(None);
        }
        let kept = keep_id.and_then(|id| u32::try_from(id).ok());
        let kept = kept.map(Kept::unmasked);
        let (ranks, joined) = first::ranks(self.source(), &mut blocked, prefix, limit, kept)?;
        self.list_prefix(scratch, list, limit)?;
        if let Some(key) = joined {
            list.push(self.token(&key))?;
        }
        Ok(Some(ranks))
    }
}
