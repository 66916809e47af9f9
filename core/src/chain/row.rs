//! Candidates as the row itself, as long as nothing has been cut: no list of the vocabulary is made.
//!
//! What stages do to single logits is kept beside the row, and one division by a temperature too. Where
//! that does not do, for sums over the row, and where the edits are many, the row is copied, 4 bytes for
//! each token. `ranks` has what comes of a row that is cut.

use super::softmax::exps;
use super::tools::Tools;
use crate::Error;
use crate::memory::reserve;
use crate::rules::rank::nan_to_neg_inf;
use crate::rules::std_dev::std_dev;

/// More edits than this are made in a copy.
const MANY: usize = 512;

/// A row of candidates in id order.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) logits: &'a [f32],
    /// Whether [`Tools::copy`] has everything; then there are neither edits nor a divisor.
    pub(super) copied: bool,
    /// What the logits that are not edited are still to be divided by; above 0 and finite.
    pub(super) divisor: Option<f32>,
    /// The ranks that are left, if probabilities are held.
    pub(super) held: Option<Held>,
}

/// The first ranks of a row whose probabilities are held. A nucleus of these needs the sum over the row only
/// as well as `nucleus::cut` does, so they are no list as long as stages do nothing but cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// How many there are; none while it is the whole row.
    pub ranks: Option<usize>,
    /// Whether they are in id order.
    pub by_id: bool,
}

impl<'a> Row<'a> {
    pub(super) fn new(logits: &'a [f32], tools: &mut Tools) -> Self {
        tools.edits.clear();
        Self { logits, copied: false, divisor: None, held: None }
    }

    /// The number of candidates.
    pub(super) fn len(&self) -> usize {
        self.held.and_then(|held| held.ranks).unwrap_or(self.logits.len())
    }

    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Whether the candidates are some of the ranks, and no other stage but one that cuts can work on them.
    pub(super) fn is_cut(&self) -> bool {
        self.held.is_some_and(|held| held.ranks.is_some())
    }

    /// The logits where they lie, but for edits and the divisor.
    pub(super) fn logits<'b>(&'b self, copy: &'b [f32]) -> &'b [f32] {
        if self.copied { copy } else { self.logits }
    }

    /// Holds no probabilities any more.
    pub(super) fn release(&mut self) {
        self.held = None;
    }

    /// The logit of a token that was not edited.
    pub(super) fn divided(&self, logit: f32) -> f32 {
        self.divisor.map_or(logit, |divisor| logit / divisor)
    }

    /// Changes the logit of one token, if the row has it; NaN becomes -inf.
    pub(super) fn edit(
        &mut self,
        tools: &mut Tools,
        id: i32,
        change: impl Fn(f32) -> f32,
    ) -> Result<(), Error> {
        let Some(id) = u32::try_from(id).ok().filter(|id| (*id as usize) < self.logits.len())
        else {
            return Ok(());
        };
        let change = |logit: f32| nan_to_neg_inf(change(nan_to_neg_inf(logit)));
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
        tools.edits.iter_mut().for_each(|edit| edit.1 = nan_to_neg_inf(edit.1 / t));
        Ok(())
    }

    /// Writes the row down with all that was done to it.
    fn copy(&mut self, tools: &mut Tools) -> Result<(), Error> {
        if self.copied {
            return Ok(());
        }
        let Tools { copy, edits, .. } = tools;
        copy.clear();
        reserve(copy, self.logits.len())?;
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
    pub(super) fn settle(&mut self, tools: &mut Tools) -> Result<(), Error> {
        if self.divisor.is_some() || !tools.edits.is_empty() {
            self.copy(tools)?;
        }
        Ok(())
    }

    /// The exps of the row for a draw, in [`Tools::weights`].
    pub(super) fn weigh(&mut self, tools: &mut Tools) -> Result<(), Error> {
        self.settle(tools)?;
        let logits = self.logits(&tools.copy);
        exps(tools.kernels, logits.iter().copied().map(nan_to_neg_inf), &mut tools.weights)
    }

    /// The standard deviation of the finite logits.
    pub(super) fn std_dev(&mut self, tools: &mut Tools) -> Result<f64, Error> {
        if self.is_cut() {
            let list = self.list(tools)?;
            tools.weights.clear();
            reserve(&mut tools.weights, list.tokens().len())?;
            tools.weights.extend(list.logits());
            tools.list = list.into_own().unwrap_or_default();
            return Ok(std_dev(&tools.weights));
        }
        self.settle(tools)?;
        Ok(std_dev(self.logits(&tools.copy)))
    }
}
