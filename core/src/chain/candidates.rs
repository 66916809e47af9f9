//! What the stages work on: a row until something is cut, a list from then on.

use super::TokenData;
use super::list::List;
use super::row::Row;
use super::softmax::exps;
use super::tools::Tools;
use crate::rules::nucleus::Nucleus;
use crate::rules::std_dev::std_dev;
use crate::{Error, SamplerParams, memory};

#[derive(Debug)]
enum Form<'a> {
    Row(Row<'a>),
    List(List<'a>),
}

/// How the weights of a draw are made of the logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Draw {
    /// Their exps, added up in double.
    Plain,
    /// As after the S2 rule: exps divided by their sum twice, then `std::discrete_distribution`.
    Discrete {
        /// Candidates at -inf that are not in the list: they cannot be drawn, but count.
        hidden: usize,
    },
}

/// The candidates between two stages, never none.
#[derive(Debug)]
pub(super) struct Candidates<'a, 't> {
    form: Form<'a>,
    pub tools: &'t mut Tools,
    pub draw: Draw,
    /// The place of the token that a stage selected.
    pub selected: Option<usize>,
}

impl<'a, 't> Candidates<'a, 't> {
    /// The tokens of a row, which must have some.
    pub(super) fn row(logits: &'a [f32], tools: &'t mut Tools) -> Self {
        let form = Form::Row(Row::new(logits, tools));
        Self { form, tools, draw: Draw::Plain, selected: None }
    }

    /// A caller's array, which must not be empty.
    pub(super) fn array(tokens: &'a mut [TokenData], sorted: bool, tools: &'t mut Tools) -> Self {
        let form = Form::List(List::of(tokens, sorted));
        Self { form, tools, draw: Draw::Plain, selected: None }
    }

    /// The candidates if they are a list.
    pub(super) fn listed(&self) -> Option<&List<'a>> {
        match &self.form {
            Form::Row(_) => None,
            Form::List(list) => Some(list),
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.form {
            Form::Row(row) => row.len(),
            Form::List(list) => list.tokens().len(),
        }
    }

    /// The id of the token that was selected.
    pub(super) fn token(&self) -> Option<i32> {
        match &self.form {
            Form::Row(_) => i32::try_from(self.selected?).ok(),
            Form::List(list) => list.tokens().get(self.selected?).map(|token| token.id),
        }
    }

    /// Gives memory back to the chain.
    pub(super) fn finish(self) {
        if let Form::List(list) = self.form {
            self.tools.list = list.into_own().unwrap_or_default();
        }
    }

    /// Changes the logits of a few tokens: those of `edits`, which are in rising order of ids, one
    /// after the other.
    pub(super) fn edit<T>(
        &mut self,
        edits: &[(i32, T)],
        change: impl Fn(&T, f32) -> f32,
    ) -> Result<(), Error> {
        self.leave_ranks()?;
        match &mut self.form {
            Form::Row(row) => {
                // As in a list: whether a token is there is not to decide what a nucleus adds up.
                row.release();
                edits.iter().try_for_each(|(id, edit)| {
                    row.edit(self.tools, *id, |logit| change(edit, logit))
                })
            }
            Form::List(list) => {
                // In lists in id order, as callers fill theirs, the edits need not be searched: the place
                // is mostly that of the token before, or the next.
                let mut place = 0;
                list.change(|token| {
                    let below = |edit: &(i32, T)| edit.0 < token.id;
                    place += usize::from(edits.get(place).is_some_and(below));
                    let (before, rest) = edits.split_at(place);
                    if !before.last().is_none_or(below) || rest.first().is_some_and(below) {
                        place = edits.partition_point(below);
                    }
                    let own = edits[place..].iter().take_while(|edit| edit.0 == token.id);
                    own.fold(token.logit, |logit, (_, edit)| change(edit, logit))
                });
                list.sorted = false;
                Ok(())
            }
        }
    }

    /// Divides all logits by `t`, which is above 0.
    pub(super) fn divide(&mut self, t: f32) -> Result<(), Error> {
        self.leave_ranks()?;
        match &mut self.form {
            Form::Row(row) => row.divide(self.tools, t),
            Form::List(list) => {
                list.change(|token| token.logit / t);
                // inf / inf is no number and comes last.
                list.sorted &= t.is_finite();
                Ok(())
            }
        }
    }

    /// Keeps the first `k` in rank order, none of them at -inf if there is another.
    pub(super) fn best(&mut self, k: usize) -> Result<(), Error> {
        self.unhide();
        match &mut self.form {
            Form::Row(row) => {
                if let Some(list) = row.best(self.tools, k)? {
                    self.form = Form::List(list);
                }
            }
            Form::List(list) => list.best(k),
        }
        Ok(())
    }

    /// Keeps the ranks up to and with the one that brings the running sum of the probabilities to
    /// `p`, but `min_keep`.
    pub(super) fn nucleus(&mut self, p: f32, min_keep: usize) -> Result<(), Error> {
        self.unhide();
        if let Form::Row(row) = &mut self.form {
            let (done, list) = row.nucleus(self.tools, p, min_keep)?;
            if let Some(list) = list {
                self.form = Form::List(list);
            }
            if done {
                return Ok(());
            }
        }
        let (list, tools) = self.list()?;
        list.nucleus(tools, p, min_keep)
    }

    /// Keeps those whose logits are at least `limit`, in their order; if these are not `min_keep`,
    /// the first in rank order instead.
    pub(super) fn at_least(&mut self, limit: f64, min_keep: usize) -> Result<(), Error> {
        self.unhide();
        let min_keep = min_keep.max(1);
        if limit == f64::NEG_INFINITY && self.len() >= min_keep {
            return Ok(());
        }
        let reaches = |token: &TokenData| f64::from(token.logit) >= limit;
        match &mut self.form {
            Form::Row(row) if row.is_held() => {
                if row.held_at_least(self.tools, limit, min_keep)? {
                    return Ok(());
                }
            }
            Form::Row(row) if limit.is_finite() => {
                let list = row.at_least(self.tools, limit)?;
                if list.tokens().len() >= min_keep {
                    self.form = Form::List(list);
                    return Ok(());
                }
                self.tools.list = list.into_own().unwrap_or_default();
            }
            _ => {
                let (list, _) = self.list()?;
                if list.tokens().iter().filter(|token| reaches(token)).count() >= min_keep {
                    list.retain(reaches);
                    return Ok(());
                }
            }
        }
        self.best(min_keep)
    }

    /// The largest logit.
    pub(super) fn top(&mut self) -> Result<f32, Error> {
        let first = |list: &List<'_>| list.tokens().iter().min_by_key(|t| t.rank()).copied();
        let first = match &mut self.form {
            Form::Row(row) => {
                let list = row.first(self.tools, 1)?;
                let found = first(&list);
                self.tools.list = list.into_own().unwrap_or_default();
                found
            }
            Form::List(list) => first(list),
        };
        Ok(first.map_or(f32::NEG_INFINITY, |token| token.logit))
    }

    /// The standard deviation of the finite logits.
    pub(super) fn std_dev(&mut self) -> Result<f64, Error> {
        if let Form::Row(row) = &mut self.form {
            // A row stays one, and holds what it held.
            return row.std_dev(self.tools);
        }
        self.put_logits()?;
        Ok(std_dev(&self.tools.weights))
    }

    /// Computes the probabilities, for a nucleus that comes later.
    pub(super) fn hold(&mut self) -> Result<(), Error> {
        self.leave_ranks()?;
        if let Form::Row(row) = &mut self.form
            && row.hold(self.tools)?
        {
            return Ok(());
        }
        let (list, tools) = self.list()?;
        list.hold(tools)
    }

    /// The candidates as a list, with the memory beside it.
    pub(super) fn list(&mut self) -> Result<(&mut List<'a>, &mut Tools), Error> {
        if let Form::Row(row) = &mut self.form {
            self.form = Form::List(row.list(self.tools)?);
        }
        match &mut self.form {
            Form::List(list) => Ok((list, self.tools)),
            Form::Row(_) => Err(Error::Internal),
        }
    }

    /// The candidates as a list in rank order, without those at -inf, and their probabilities in it.
    pub(super) fn ranked(&mut self) -> Result<(&mut List<'a>, &mut Tools), Error> {
        self.best(usize::MAX)?;
        let (list, tools) = self.list()?;
        list.held = false;
        list.fill(tools)?;
        Ok((list, tools))
    }

    /// The exps of the candidates, in [`Tools::weights`].
    pub(super) fn weigh(&mut self) -> Result<(), Error> {
        self.leave_ranks()?;
        match &mut self.form {
            Form::Row(row) => row.weigh(self.tools),
            Form::List(list) => exps(self.tools.kernels, list.logits(), &mut self.tools.weights),
        }
    }

    /// The logits of the list, in [`Tools::weights`].
    pub(super) fn put_logits(&mut self) -> Result<(), Error> {
        let (list, tools) = self.list()?;
        tools.weights.clear();
        memory::reserve(&mut tools.weights, list.tokens().len())?;
        tools.weights.extend(list.logits());
        Ok(())
    }

    /// Selects the best.
    pub(super) fn select_best(&mut self) -> Result<(), Error> {
        self.selected = match &mut self.form {
            Form::Row(row) => Some(row.argmax(self.tools)?),
            Form::List(list) => {
                let ranked = list.tokens().iter().enumerate().min_by_key(|(_, token)| token.rank());
                ranked.map(|(place, _)| place)
            }
        };
        Ok(())
    }

    /// Writes what is in [`Tools::weights`] into the list as probabilities, if there is a list; `sum`
    /// is theirs.
    pub(super) fn put_weights(&mut self, sum: f64) {
        if let Form::List(list) = &mut self.form {
            let weights = self.tools.weights.iter();
            let tokens = list.tokens_mut().iter_mut().zip(weights);
            tokens.for_each(|(token, w)| token.p = (f64::from(*w) / sum) as f32);
        }
    }

    /// Keeps what top_k and top_p of the S2 rule leave; says how many more there are, at -inf.
    pub(super) fn s2(&mut self, params: &SamplerParams) -> Result<usize, Error> {
        self.leave_ranks()?;
        if let Form::Row(row) = &mut self.form
            && let Some((list, hidden)) = row.s2(self.tools, params)?
        {
            self.form = Form::List(list);
            return Ok(hidden);
        }
        let all = self.len();
        let limit = params.rank_limit(all);
        let (list, _) = self.ranked()?;
        let ranks = list.tokens().len();
        if !list.tokens().first().is_some_and(|token| token.logit.is_finite()) {
            // No sum can be made, so top_p drops nothing, and rank 0 is the answer.
            list.truncate(1);
            return Ok(limit - 1);
        }
        let p = params.nucleus();
        let passed = Nucleus::Exclusive.count(list.tokens().iter().map(|token| token.p), p);
        // Candidates at -inf add nothing to the sum: they stay if it does not pass p.
        let kept = passed.unwrap_or(all).min(limit);
        list.truncate(kept);
        Ok(kept.saturating_sub(ranks))
    }

    /// Makes a list of what a row has left where that is some of its ranks.
    fn leave_ranks(&mut self) -> Result<(), Error> {
        match &self.form {
            Form::Row(row) if row.is_cut() => self.list().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// From here on there are no candidates but those in the list.
    fn unhide(&mut self) {
        if let Draw::Discrete { hidden } = &mut self.draw {
            *hidden = 0;
        }
    }
}
