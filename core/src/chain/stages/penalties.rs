//! Penalties for tokens that were accepted lately: by repetition (Keskar et al. 2019, "CTRL"), by
//! frequency and by presence.

use super::TryClone;
use super::tally::Tally;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::penalty;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct Penalties {
    strengths: penalty::Penalties,
    tally: Tally,
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
        Ok(Penalties { strengths, tally: Tally::new(last_n)? }.into())
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
        Ok(Self { tally: self.tally.try_clone()?, ..*self })
    }
}

impl StageOps for Penalties {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let penalty::Penalties { repeat, frequency, presence } = self.strengths;
        write!(out, "last_n {}, repeat {repeat}, frequency {frequency}", self.tally.last_n())?;
        write!(out, ", presence {presence}; {} tokens", self.tally.counts().len())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.i32(self.tally.last_n());
        out.f32(self.strengths.repeat);
        out.f32(self.strengths.frequency);
        out.f32(self.strengths.presence);
        out.list(self.tally.tokens().iter().copied());
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accept_saved(from)
    }

    fn is_off(&self) -> bool {
        self.strengths.are_off() || self.tally.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let counts = self.tally.counts();
        candidates.edit(counts, |count, logit| self.strengths.apply(logit, *count as usize))
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.tally.reserve()
    }

    fn accept(&mut self, token: i32) {
        self.tally.push(token);
    }

    fn reset(&mut self) {
        self.tally.clear();
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.tally.len())
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
