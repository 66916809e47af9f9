//! The candidates that stages work on: a row until a stage cuts it, a list from then on.
//!
//! Both forms give the same candidates, logits and probabilities, to the last bit. `list` is the obvious
//! form; `row` reaches the same result without a list of the vocabulary. `cuts` chooses between the two, and
//! `array` between both ways for an array of the caller's. `draws` has what stages that draw need beside that,
//! `unranked` what others need that would rank a row, and `uniforms` their random numbers. `keep` lets a request's
//! kept token return.

mod array;
mod cuts;
mod draws;
mod edits;
mod keep;
mod list;
mod row;
mod uniforms;
mod unranked;

pub(super) use list::List;
pub(super) use row::{Entropy, RowMemory, Side, Threshold};
pub(super) use uniforms::Uniforms;

use super::TokenData;
use super::exps::exps;
use super::scratch::{Memory, Scratch};
use crate::rules::first::exponent;
use crate::rules::nucleus::count_below;
use crate::rules::std_dev::std_dev;
use crate::rules::temperature::{Scale, Scaling};
use crate::{Error, SamplerParams, memory};
use core::ops::RangeInclusive;
use row::Row;

/// How a cut of a row ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The row remembers which ranks are left; it is still a row.
    InPlace,
    /// The candidates that are left are in the list.
    List,
    /// The row cannot do it, and nothing changed.
    Unsupported,
}

/// How a draw turns logits into weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DrawRule {
    /// Their exps, added up in double.
    Softmax,
    /// As after the S2 rule: exps divided by their sum twice, then `std::discrete_distribution`.
    LibstdcxxDiscrete {
        /// Candidates at -inf that are not in the list: they cannot be drawn, but count.
        neg_inf_tail: usize,
        /// What the exps are divided by first; none for their own sum.
        sum: Option<f32>,
    },
}

/// The candidates between two stages, at least one.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    /// The row, until a stage cuts it.
    row: Option<Row<'a>>,
    /// The candidates once there is no row.
    list: List<'a>,
    pub scratch: &'a mut Scratch,
    pub draw_rule: DrawRule,
    /// Where stages that draw take their random numbers from.
    pub uniforms: Uniforms<'a>,
    /// Whether a later stage needs the probabilities that `softmax` freezes, so that they must exist; for an array also
    /// whether the caller sees those that a stage writes.
    pub needs_probs: bool,
    /// Whether the weights are wanted after the selection, and whether they are already there because they
    /// are not those of the logits.
    pub wants_weights: bool,
    pub has_weights: bool,
    /// During a stage: the candidate that a request keeps, as it was before. The stage takes it away if it
    /// leaves the best alone.
    pub kept: Option<TokenData>,
    /// During a stage: the id of the candidate that a request keeps, at -inf too.
    pub keep_id: Option<i32>,
    /// The number of candidates at the beginning of the pass.
    pub first_len: usize,
    /// Whether they were the tokens of a row.
    began_as_row: bool,
    /// For a row of a caller's array, while there is none.
    row_memory: Option<&'a mut RowMemory>,
    /// Whether the list is a caller's array in which there may be NaN.
    is_unread: bool,
    /// Whether [`Scratch::tokens`] has read the list as it is.
    is_scanned: bool,
    /// The place of the token that a stage selected.
    pub selected: Option<usize>,
}

impl<'a> Candidates<'a> {
    /// The tokens of a row, which must not be empty.
    pub(super) fn row(logits: &'a [f32], memory: &'a mut Memory) -> Self {
        debug_assert!(!logits.is_empty());
        let Memory { scratch, row, list } = memory;
        Self::new(Some(Row::new(logits, row)), List::empty(list), scratch)
    }

    /// As [`Candidates::row`], for a row that [`Scratch::scan`] has read.
    pub(super) fn scanned_row(logits: &'a [f32], memory: &'a mut Memory) -> Self {
        debug_assert!(!logits.is_empty());
        let Memory { scratch, row, list } = memory;
        Self::new(Some(Row::scanned(logits, row)), List::empty(list), scratch)
    }

    fn new(row: Option<Row<'a>>, list: List<'a>, scratch: &'a mut Scratch) -> Self {
        let first_len = row.as_ref().map_or(list.tokens().len(), Row::len);
        Self {
            began_as_row: row.is_some(),
            row_memory: None,
            is_unread: false,
            is_scanned: false,
            row,
            list,
            scratch,
            draw_rule: DrawRule::Softmax,
            uniforms: Uniforms::default(),
            needs_probs: false,
            wants_weights: false,
            has_weights: false,
            kept: None,
            keep_id: None,
            first_len,
            selected: None,
        }
    }

    /// The ids that candidates can have: those of the row that the pass began with; any of a caller's array.
    pub(super) fn ids(&self) -> RangeInclusive<i32> {
        if self.began_as_row { 0..=(self.first_len - 1) as i32 } else { i32::MIN..=i32::MAX }
    }

    pub(super) fn len(&self) -> usize {
        self.row.as_ref().map_or(self.list.tokens().len(), Row::len)
    }

    /// The id of the selected token.
    pub(super) fn token(&self) -> Option<i32> {
        match &self.row {
            Some(row) => row.id_at(self.selected?),
            None => self.list.tokens().get(self.selected?).map(|token| token.id),
        }
    }

    /// Changes the logits of a few tokens: those of `edits`, which are in rising order of ids, one
    /// after the other.
    pub(super) fn edit<T>(
        &mut self,
        edits: &[(i32, T)],
        change: impl Fn(&T, f32) -> f32,
    ) -> Result<(), Error> {
        self.materialize_ranks()?;
        self.end_array_row()?;
        if let Some(row) = &mut self.row {
            // As in a list, even if the row has none of these tokens: a later nucleus must not depend on
            // that.
            row.thaw();
            let mut edits = edits.iter();
            return edits.try_for_each(|(id, edit)| row.edit(*id, |logit| change(edit, logit)));
        }
        self.is_scanned = false;
        self.list.edit(edits, change);
        Ok(())
    }

    /// Changes every logit, by id and logit; NaN becomes -inf.
    pub(super) fn change(&mut self, change: impl Fn(i32, f32) -> f32) -> Result<(), Error> {
        self.materialize_ranks()?;
        self.end_array_row()?;
        if let Some(row) = &mut self.row {
            return row.change(change);
        }
        self.touch();
        self.list.change(|token| change(token.id, token.logit));
        Ok(())
    }

    /// Scales the logits, as a temperature or a factor does.
    pub(super) fn scale(&mut self, by: Scale) -> Result<(), Error> {
        if !self.row.as_ref().is_some_and(Row::can_scale_ranks) {
            self.materialize_ranks()?;
        }
        let Some(row) = &mut self.row else { return self.scale_list(by) };
        match row.scaling(self.scratch, by)? {
            Scaling::Best => {
                self.kept = None;
                self.keep_top_k(1)
            }
            Scaling::Each => row.scale(by),
            Scaling::Uniform if row.is_cut() => {
                self.as_list()?;
                self.scale_list(by)
            }
            Scaling::Uniform => row.make_uniform(),
        }
    }

    /// The largest logit.
    pub(super) fn top(&mut self) -> Result<f32, Error> {
        let is_scanned = self.scan_list()?;
        let top = match &mut self.row {
            Some(row) => row.top(self.scratch)?,
            None if is_scanned => self.scratch.tokens.top(self.scratch.kernels),
            None => self.list.top(),
        };
        let is_array = self.row.as_ref().is_none_or(Row::is_array);
        // Of several zeros the list knows the sign.
        if top == 0.0 && is_array { Ok(self.as_list()?.0.top()) } else { Ok(top) }
    }

    /// The standard deviation of the finite logits.
    pub(super) fn std_dev(&mut self) -> Result<f64, Error> {
        self.list_ordered()?;
        self.gather()?;
        if let Some(row) = &mut self.row {
            return row.std_dev(self.scratch);
        }
        let weights = &mut self.scratch.weights;
        weights.clear();
        memory::reserve(weights, self.list.tokens().len())?;
        weights.extend(self.list.logits());
        Ok(std_dev(weights))
    }

    /// Computes the probabilities for a later nucleus.
    pub(super) fn freeze_probs(&mut self) -> Result<(), Error> {
        self.materialize_ranks()?;
        if !self.needs_probs {
            self.gather()?;
        }
        if !self.needs_probs
            && let Some(row) = &mut self.row
            && row.freeze_probs(self.scratch)? == Cut::InPlace
        {
            return Ok(());
        }
        let (list, scratch) = self.as_list()?;
        list.freeze_probs(scratch)
    }

    /// The candidates as a list, with the memory beside it.
    pub(super) fn as_list(&mut self) -> Result<(&mut List<'a>, &mut Scratch), Error> {
        self.end_row()?;
        Ok((&mut self.list, self.scratch))
    }

    /// The candidates as a list in rank order, without those at -inf, and their probabilities in it; their
    /// exps are in [`Scratch::weights`].
    pub(super) fn ranked(&mut self) -> Result<(&mut List<'a>, &mut Scratch), Error> {
        let (list, scratch) = self.ranked_list()?;
        list.fill_probs(scratch)?;
        Ok((list, scratch))
    }

    /// The candidates as a list in rank order, without those at -inf.
    fn ranked_list(&mut self) -> Result<(&mut List<'a>, &mut Scratch), Error> {
        self.keep_top_k(usize::MAX)?;
        self.as_list()
    }

    /// The place of the first in rank order; none if no candidate is above -inf.
    pub(super) fn argmax(&mut self) -> Result<Option<usize>, Error> {
        self.end_array_row()?;
        let is_scanned = self.scan_list()?;
        let Scratch { kernels, tokens, .. } = &mut *self.scratch;
        match &mut self.row {
            Some(row) => row.argmax(self.scratch),
            None if is_scanned => Ok(tokens.best(*kernels, self.list.tokens())),
            None => Ok(self.list.argmax()),
        }
    }

    /// Writes the candidates to `out`.
    pub(super) fn snapshot(&mut self, out: &mut Vec<TokenData>) -> Result<(), Error> {
        self.end_array_row()?;
        self.clean();
        if let Some(row) = &mut self.row {
            return row.to_list(self.scratch, &mut List::empty(out));
        }
        out.clear();
        memory::reserve(out, self.list.tokens().len())?;
        out.extend_from_slice(self.list.tokens());
        Ok(())
    }

    /// Keeps the candidates that top_k and top_p of the S2 rule leave; returns the number of further
    /// candidates, at -inf.
    pub(super) fn s2(&mut self, params: &SamplerParams) -> Result<usize, Error> {
        self.materialize_ranks()?;
        if self.needs_probs {
            self.end_array_row()?;
        } else {
            self.gather()?;
        }
        if let Some(row) = &mut self.row {
            let (cut, neg_inf_tail) = row.s2(self.scratch, &mut self.list, params)?;
            self.end_cut(cut);
            if cut == Cut::List {
                return Ok(neg_inf_tail);
            }
        }
        let all = self.len();
        let limit = params.rank_limit(all);
        let (list, scratch) = self.ranked_list()?;
        list.fill_s2_probs(scratch)?;
        let ranks = list.tokens().len();
        if !list.tokens().first().is_some_and(|token| token.logit.is_finite()) {
            // There is no sum to divide by, so top_p drops nothing, and rank 0 is the answer.
            list.truncate(1);
            return Ok(limit - 1);
        }
        let p = params.nucleus();
        let passed = count_below(list.tokens().iter().map(|token| token.p), p);
        // Candidates at -inf add nothing to the sum: they stay if it does not pass p.
        let kept = passed.unwrap_or(all).min(limit);
        list.truncate(kept);
        Ok(kept.saturating_sub(ranks))
    }

    /// Keeps the candidates that the rule of the first generations leaves, with the exponents of their
    /// weights as logits.
    pub(super) fn s2_first(
        &mut self,
        params: &SamplerParams,
        keep_id: Option<i32>,
    ) -> Result<(), Error> {
        self.clear_tail();
        self.materialize_ranks()?;
        let limit = params.rank_limit(self.len());
        let mut ranks = None;
        self.end_array_row()?;
        if let Some(row) = &mut self.row {
            ranks = row.first_ranks(self.scratch, &mut self.list, limit, keep_id)?;
            self.end_cut(if ranks.is_some() { Cut::List } else { Cut::Unsupported });
        }
        let (list, scratch) = self.as_list()?;
        let ranks = match ranks {
            Some(ranks) => ranks,
            None => list.first_ranks(limit, keep_id),
        };
        list.frozen = false;
        let top = list.tokens().first().map_or(f32::NEG_INFINITY, |token| token.logit);
        let (kept, sum) = if top.is_finite() {
            list.change(|token| exponent(token.logit, top, params.temperature));
            exps(scratch.kernels, list.logits(), &mut scratch.weights)?;
            let (kept, sum) = ranks.cut(&mut scratch.weights, params.top_p);
            (kept, Some(sum))
        } else {
            // There is no distribution, and rank 0 is the answer.
            list.truncate(1);
            list.change(|token| if token.logit == f32::INFINITY { 0.0 } else { token.logit });
            scratch.weights.clear();
            memory::reserve(&mut scratch.weights, 1)?;
            scratch.weights.push(1.0);
            (ranks.count, None)
        };
        list.truncate(kept);
        let neg_inf_tail = kept.saturating_sub(list.tokens().len());
        self.put_weights(1.0);
        self.draw_rule = DrawRule::LibstdcxxDiscrete { neg_inf_tail, sum };
        Ok(())
    }

    /// Makes a list of a row of which some ranks are left: only cuts can work on that.
    pub(super) fn materialize_ranks(&mut self) -> Result<(), Error> {
        if self.row.as_ref().is_some_and(Row::is_cut) {
            self.as_list()?;
        }
        Ok(())
    }

    /// Makes a list of a row of places in an array: what goes by ids cannot work on that.
    pub(super) fn end_array_row(&mut self) -> Result<(), Error> {
        if self.row.as_ref().is_some_and(Row::is_array) { self.end_row() } else { Ok(()) }
    }

    /// Makes a list of a row in rank order: its order matters to what follows.
    pub(super) fn list_ordered(&mut self) -> Result<(), Error> {
        if self.row.as_ref().is_some_and(Row::is_ordered) { self.end_row() } else { Ok(()) }
    }

    fn end_cut(&mut self, cut: Cut) {
        if cut == Cut::List {
            self.release_row(false);
        }
    }

    /// From here on there are no candidates but those in the list.
    pub(super) fn clear_tail(&mut self) {
        if let DrawRule::LibstdcxxDiscrete { neg_inf_tail, .. } = &mut self.draw_rule {
            *neg_inf_tail = 0;
        }
    }
}
