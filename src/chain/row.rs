//! Candidates as the row itself, as long as nothing has been cut: no list of the vocabulary is made.
//!
//! What stages do to single logits is kept beside the row, and one division by a temperature too. The
//! first stage that cuts then selects by threshold from the row as it came:
//!
//! - *Edits.* The k best of the edited row are among the edited tokens and the k + e best of the row,
//!   e being the number of edits, for at most e of those are edited.
//! - *Division.* l / T rises with l, but not strictly: rounding can make equal what was not, and then the
//!   lower id comes first. So ranks are taken until the quotient of the last is below that of the k-th.
//!
//! Where that does not do, for sums over the row, and where the edits are many, the row is copied, 4 bytes
//! for each token.

use super::TokenData;
use super::list::List;
use super::softmax::exps;
use super::spread::deviation;
use super::tools::Tools;
use crate::entry::Entry;
use crate::memory::reserve;
use crate::select::{lowest, reaching};
use crate::{Error, SamplerParams, mass, nucleus};

/// More edits than this are made in a copy.
const MANY: usize = 512;

/// A row of candidates in id order.
#[derive(Debug)]
pub(super) struct Row<'a> {
    logits: &'a [f32],
    /// Whether [`Tools::copy`] has everything; then there are neither edits nor a divisor.
    copied: bool,
    /// What the logits that are not edited are still to be divided by; above 0 and finite.
    divisor: Option<f32>,
    /// The sum of all exps, if the probabilities are held.
    held: Option<f32>,
}

impl<'a> Row<'a> {
    pub(super) fn new(logits: &'a [f32], tools: &mut Tools) -> Self {
        tools.edits.clear();
        Self { logits, copied: false, divisor: None, held: None }
    }

    pub(super) fn len(&self) -> usize {
        self.logits.len()
    }

    /// The logits where they lie, but for edits and the divisor.
    fn logits<'b>(&'b self, copy: &'b [f32]) -> &'b [f32] {
        if self.copied { copy } else { self.logits }
    }

    /// Holds no probabilities any more.
    pub(super) fn release(&mut self) {
        self.held = None;
    }

    /// The logit of a token that was not edited.
    fn divided(&self, logit: f32) -> f32 {
        self.divisor.map_or(logit, |divisor| logit / divisor)
    }

    /// Changes the logit of one token, if the row has it; NaN becomes -inf.
    pub(super) fn edit(
        &mut self,
        tools: &mut Tools,
        id: i32,
        change: impl Fn(f32) -> f32,
    ) -> Result<(), Error> {
        let Some(id) = u32::try_from(id).ok().filter(|id| (*id as usize) < self.len()) else {
            return Ok(());
        };
        let change = |logit: f32| number(change(number(logit)));
        let place = tools.edits.binary_search_by_key(&id, |edit| edit.0);
        if !self.copied && place.is_err() && tools.edits.len() >= MANY {
            self.copy(tools)?;
        }
        if self.copied {
            let logit = tools.copy.get_mut(id as usize);
            logit.into_iter().for_each(|logit| *logit = change(*logit));
            return Ok(());
        }
        match place {
            Ok(place) => tools.edits[place].1 = change(tools.edits[place].1),
            Err(place) => {
                reserve(&mut tools.edits, 1)?;
                let logit = change(self.divided(self.logits[id as usize]));
                tools.edits.insert(place, (id, logit));
            }
        }
        Ok(())
    }

    /// Divides every logit by `t`, which is above 0.
    pub(super) fn divide(&mut self, tools: &mut Tools, t: f32) -> Result<(), Error> {
        self.held = None;
        // inf / inf is no number, and then the quotient does not rise with the logit.
        if self.copied || self.divisor.is_some() || t.is_infinite() {
            self.copy(tools)?;
            tools.copy.iter_mut().for_each(|logit| *logit /= t);
            return Ok(());
        }
        self.divisor = Some(t);
        tools.edits.iter_mut().for_each(|edit| edit.1 = number(edit.1 / t));
        Ok(())
    }

    /// Writes the row down with all that was done to it.
    fn copy(&mut self, tools: &mut Tools) -> Result<(), Error> {
        if self.copied {
            return Ok(());
        }
        let Tools { copy, edits, .. } = tools;
        copy.clear();
        reserve(copy, self.len())?;
        match self.divisor.take() {
            None => copy.extend_from_slice(self.logits),
            Some(divisor) => copy.extend(self.logits.iter().map(|logit| logit / divisor)),
        }
        for (id, logit) in edits.drain(..) {
            copy.get_mut(id as usize).into_iter().for_each(|place| *place = logit);
        }
        self.copied = true;
        Ok(())
    }

    /// As [`Row::copy`], but a row that nothing was done to stays where it is.
    fn settle(&mut self, tools: &mut Tools) -> Result<(), Error> {
        if self.divisor.is_some() || !tools.edits.is_empty() {
            self.copy(tools)?;
        }
        Ok(())
    }

    /// The exps of the row for a draw, in [`Tools::weights`].
    pub(super) fn weigh(&mut self, tools: &mut Tools) -> Result<(), Error> {
        self.settle(tools)?;
        let logits = self.logits(&tools.copy);
        exps(tools.kernels, logits.iter().copied().map(number), &mut tools.weights)
    }

    /// The standard deviation of the finite logits.
    pub(super) fn deviation(&mut self, tools: &mut Tools) -> Result<f64, Error> {
        self.settle(tools)?;
        Ok(deviation(self.logits(&tools.copy)))
    }

    /// All candidates, in id order.
    pub(super) fn list(&mut self, tools: &mut Tools) -> Result<List<'static>, Error> {
        self.settle(tools)?;
        let mut list = core::mem::take(&mut tools.list);
        list.clear();
        reserve(&mut list, self.len())?;
        let logits = self.logits(&tools.copy);
        let token = |(id, logit): (i32, &f32)| TokenData { id, logit: number(*logit), p: 0.0 };
        list.extend((0..).zip(logits).map(token));
        let mut list = List::own(list, false);
        if self.held.is_some() {
            list.fill(tools)?;
            list.held = true;
        }
        Ok(list)
    }

    /// Sums up the exps of the row, and holds the probabilities that come of it; false where no sum
    /// can be made.
    pub(super) fn hold(&mut self, tools: &mut Tools) -> Result<bool, Error> {
        self.settle(tools)?;
        let Tools { kernels, survey, prefix, copy, .. } = tools;
        let logits = self.logits(copy);
        let mut view = survey.read(kernels, logits)?;
        if view.top.is_finite() {
            self.held = Some(mass::settled(&mut view, prefix)?);
        }
        Ok(self.held.is_some())
    }

    /// The place of the first in rank order.
    pub(super) fn argmax(&mut self, tools: &mut Tools) -> Result<usize, Error> {
        if self.divisor.is_none() && tools.edits.is_empty() {
            let logits = self.logits(&tools.copy);
            return Ok((tools.kernels.argmax)(logits).unwrap_or(0) as usize);
        }
        let list = self.best(tools, 1)?;
        let first = list.tokens().first().and_then(|token| usize::try_from(token.id).ok());
        tools.list = list.into_own().unwrap_or_default();
        first.ok_or(Error::Internal)
    }

    /// The first `k` in rank order.
    pub(super) fn best(&mut self, tools: &mut Tools, k: usize) -> Result<List<'static>, Error> {
        let Tools { kernels, survey, prefix, copy, edits, .. } = tools;
        let logits = self.logits(copy);
        let mut view = survey.read(kernels, logits)?;
        prefix.clear();
        let needed = k.saturating_add(edits.len()).min(self.len());
        prefix.grow(&mut view, needed)?;
        if let Some(divisor) = self.divisor {
            let quotient = |entry: Option<&Entry>| entry.map(|entry| entry.logit() / divisor);
            let worst = quotient(prefix.entries().get(needed - 1));
            while !prefix.is_whole() && quotient(prefix.entries().last()) >= worst {
                prefix.grow(&mut view, (2 * prefix.entries().len()).min(logits.len()))?;
            }
        }
        if edits.is_empty() && self.divisor.is_none() {
            return self.listed(tools, k);
        }
        self.merged(tools, k)
    }

    /// A list of the first `k` of what the prefix has, edited and divided.
    fn merged(&self, tools: &mut Tools, k: usize) -> Result<List<'static>, Error> {
        let Tools { prefix, edits, entries, list, .. } = tools;
        let edited = |id: u32| edits.binary_search_by_key(&id, |edit| edit.0).is_ok();
        let rest = prefix.entries().iter().filter(|entry| !edited(entry.id()));
        let rest = rest.map(|entry| (entry.id(), self.divided(entry.logit())));
        entries.clear();
        reserve(entries, prefix.entries().len() + edits.len())?;
        let all = rest.chain(edits.iter().copied()).filter(|(_, logit)| *logit > f32::NEG_INFINITY);
        entries.extend(all.map(|(id, logit)| Entry::new(logit, id)));
        entries.sort_unstable();
        entries.truncate(k);
        list.clear();
        reserve(list, entries.len().max(1))?;
        list.extend(entries.iter().map(token));
        Ok(List::ranked(core::mem::take(list), false))
    }

    /// A list of the first `k` of the prefix.
    fn listed(&self, tools: &mut Tools, k: usize) -> Result<List<'static>, Error> {
        let Tools { prefix, list, .. } = tools;
        let entries = prefix.entries();
        let entries = &entries[..k.min(entries.len())];
        list.clear();
        reserve(list, entries.len().max(1))?;
        list.extend(entries.iter().map(token));
        if let Some(sum) = self.held {
            list.iter_mut().zip(prefix.exps()).for_each(|(token, e)| token.p = e / sum);
        }
        Ok(List::ranked(core::mem::take(list), self.held.is_some()))
    }

    /// Up to and with the first rank that brings the running sum to `p`, but `min_keep` ranks; none
    /// where no sum can be made.
    pub(super) fn nucleus(
        &mut self,
        tools: &mut Tools,
        p: f32,
        min_keep: usize,
    ) -> Result<Option<List<'static>>, Error> {
        self.settle(tools)?;
        let Tools { kernels, survey, prefix, copy, .. } = tools;
        let mut view = survey.read(kernels, self.logits(copy))?;
        if !view.top.is_finite() {
            return Ok(None);
        }
        let (kept, _) = nucleus::cut::<true>(&mut view, prefix, self.len(), p)?;
        prefix.grow(&mut view, min_keep.min(self.len()))?;
        self.listed(tools, kept.max(min_keep)).map(Some)
    }

    /// What the S2 rule leaves with the limits of `params`: the list, and how many more candidates
    /// there are, at -inf; none where no sum can be made.
    pub(super) fn s2(
        &mut self,
        tools: &mut Tools,
        params: &SamplerParams,
    ) -> Result<Option<(List<'static>, usize)>, Error> {
        self.settle(tools)?;
        let Tools { kernels, survey, prefix, copy, .. } = tools;
        let mut view = survey.read(kernels, self.logits(copy))?;
        if !view.top.is_finite() {
            return Ok(None);
        }
        let limit = params.rank_limit(self.len());
        let (kept, _) = nucleus::cut::<false>(&mut view, prefix, limit, params.nucleus())?;
        let hidden = kept.saturating_sub(prefix.entries().len());
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
        let Tools { kernels, survey, copy, edits, entries, list, weights, .. } = tools;
        let view = survey.read(kernels, self.logits(copy))?;
        reaching(&view, low, entries)?;
        for (id, logit) in &*edits {
            let place = entries.binary_search_by_key(id, |entry| entry.id());
            match place {
                Ok(place) if !reaches(*logit) => drop(entries.remove(place)),
                Err(place) if reaches(*logit) => {
                    reserve(entries, 1)?;
                    entries.insert(place, Entry::new(*logit, *id));
                }
                _ => {}
            }
        }
        list.clear();
        reserve(list, entries.len())?;
        list.extend(entries.iter().map(token));
        for token in list.iter_mut() {
            let edit = edits.binary_search_by_key(&(token.id as u32), |edit| edit.0);
            token.logit = edit.map_or_else(|_| self.divided(token.logit), |place| edits[place].1);
        }
        if let Some(sum) = self.held {
            // The best token is in the list, so these are the row's exps.
            exps(kernels, list.iter().map(|token| token.logit), weights)?;
            list.iter_mut().zip(&*weights).for_each(|(token, e)| token.p = e / sum);
        }
        Ok(List::own(core::mem::take(list), self.held.is_some()))
    }
}

fn token(entry: &Entry) -> TokenData {
    TokenData { id: entry.id() as i32, logit: entry.logit(), p: 0.0 }
}

/// NaN counts as -inf.
fn number(logit: f32) -> f32 {
    if logit.is_nan() { f32::NEG_INFINITY } else { logit }
}
