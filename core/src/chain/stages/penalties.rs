//! Penalties for tokens that were accepted lately: by repetition (Keskar et al. 2019, "CTRL"), by
//! frequency and by presence.

use super::TryClone;
use super::history::History;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use crate::rules::penalty;
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct Penalties {
    strengths: penalty::Penalties,
    history: History,
    /// The distinct tokens of the history in rising order, with their counts.
    counts: Vec<(i32, u32)>,
}

impl Stage {
    /// For tokens among the last `last_n` accepted: divides positive logits by `repeat` and multiplies
    /// others, then subtracts `frequency` times the number of occurrences, and `presence`.
    /// `last_n` -1: all; 0: off. (1, 0, 0): off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `repeat` is not positive, a number not finite, or `last_n` below -1
    /// or above 1,048,576; [`Error::OutOfMemory`].
    pub fn penalties(
        last_n: i32,
        repeat: f32,
        frequency: f32,
        presence: f32,
    ) -> Result<Self, Error> {
        let strengths = penalty::Penalties { repeat, frequency, presence };
        if !strengths.are_valid() {
            return Err(Error::BadArgument);
        }
        let history = History::new(last_n)?;
        let mut counts = Vec::new();
        reserve(&mut counts, history.room())?;
        Ok(Penalties { strengths, history, counts }.into())
    }
}

impl Penalties {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Int("LAST_N", None),
        Parameter::Float("REPEAT", None),
        Parameter::Float("FREQUENCY", Some(0.0)),
        Parameter::Float("PRESENCE", Some(0.0)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [
                Value::Int(last_n),
                Value::Float(repeat),
                Value::Float(frequency),
                Value::Float(presence),
            ] => Stage::penalties(*last_n, *repeat, *frequency, *presence),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for Penalties {
    fn try_clone(&self) -> Result<Self, Error> {
        let history = self.history.try_clone()?;
        let mut counts = copy(&self.counts)?;
        let room = history.room().saturating_sub(counts.len());
        reserve(&mut counts, room)?;
        Ok(Self { history, counts, ..*self })
    }
}

impl StageOps for Penalties {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { history, counts, .. } = self;
        let penalty::Penalties { repeat, frequency, presence } = self.strengths;
        write!(out, "last_n {}, repeat {repeat}, frequency {frequency}", history.last_n())?;
        write!(out, ", presence {presence}; {} tokens", counts.len())
    }

    fn is_off(&self) -> bool {
        self.strengths.are_off() || self.history.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.edit(&self.counts, |count, logit| self.strengths.apply(logit, *count as usize))
    }

    fn prepare(&mut self) -> Result<(), Error> {
        reserve(&mut self.counts, 1)?;
        self.history.reserve()
    }

    fn accept(&mut self, token: i32) {
        match self.counts.binary_search_by_key(&token, |count| count.0) {
            Ok(place) => self.counts[place].1 += 1,
            Err(place) => self.counts.insert(place, (token, 1)),
        }
        let old = self.history.push(token);
        let place = old.and_then(|old| self.counts.binary_search_by_key(&old, |c| c.0).ok());
        if let Some(place) = place {
            self.counts[place].1 -= 1;
            if self.counts[place].1 == 0 {
                self.counts.remove(place);
            }
        }
    }

    fn reset(&mut self) {
        self.history.clear();
        self.counts.clear();
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.history.tokens().len())
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        match self.history_len() {
            Some(0) => seen.warn_if_no_history(self, warnings)?,
            _ => seen.warn_if_unchanged(warnings)?,
        }
        let penalty::Penalties { repeat, frequency, presence } = self.strengths;
        for (kind, penalty, off) in
            [("repeat", repeat, 1.0), ("frequency", frequency, 0.0), ("presence", presence, 0.0)]
        {
            if penalty < off {
                let what = "rewards repetition";
                warnings(format_args!("{kind} penalty {penalty} below {off} {what}"))?;
            }
        }
        seen.warn_if_all_banned(warnings)
    }
}
