//! Don't repeat yourself: penalises tokens that would continue a repetition, more the longer it is.

use super::TryClone;
use super::breakers::{Breakers, Progress};
use super::history::History;
use super::repeats::Repeats;
use crate::chain::candidates::Candidates;
use crate::chain::finite;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::reserve;
use crate::rules::maths;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct Dry {
    multiplier: f32,
    base: f32,
    allowed_length: i32,
    history: History,
    breakers: Breakers,
    /// The breakers in the history.
    progress: Progress,
    repeats: Repeats,
}

impl Stage {
    /// Subtracts `multiplier * base^(length - allowed_length)` from the logits of tokens that would
    /// continue a repetition of at least `allowed_length` tokens within the last `last_n` (-1: all), back
    /// to the last of the breakers. `multiplier` 0, `base` below 1, `last_n` 0: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite, `allowed_length` below 0, or `last_n` out of
    /// range as for [`Stage::penalties`]; [`Error::OutOfMemory`].
    pub fn dry(
        multiplier: f32,
        base: f32,
        allowed_length: i32,
        last_n: i32,
        breakers: &[&[i32]],
    ) -> Result<Self, Error> {
        if allowed_length < 0 {
            return Err(Error::BadArgument);
        }
        Ok(Dry {
            multiplier: finite(multiplier)?,
            base: finite(base)?,
            allowed_length,
            history: History::new(last_n)?,
            breakers: Breakers::new(breakers)?,
            progress: Progress::default(),
            repeats: Repeats::default(),
        }
        .into())
    }
}

impl TryClone for Dry {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            history: self.history.try_clone()?,
            breakers: self.breakers.try_clone()?,
            repeats: Repeats::default(),
            ..*self
        })
    }
}

impl Dry {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("MULTIPLIER", None),
        Parameter::Float("BASE", Some(1.75)),
        Parameter::Int("ALLOWED_LENGTH", Some(2)),
        Parameter::Int("LAST_N", Some(-1)),
        Parameter::Breakers,
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        let [
            Value::Float(multiplier),
            Value::Float(base),
            Value::Int(allowed_length),
            Value::Int(last_n),
            Value::Breakers(lists),
        ] = values
        else {
            return Err(Error::BadArgument);
        };
        let mut breakers = Vec::new();
        reserve(&mut breakers, lists.len())?;
        breakers.extend(lists.iter().map(Vec::as_slice));
        Stage::dry(*multiplier, *base, *allowed_length, *last_n, &breakers)
    }

    /// Finds the repetitions that a next token would continue, in time linear in the history.
    fn find(&mut self) -> Result<(), Error> {
        let allowed = usize::try_from(self.allowed_length).unwrap_or(0);
        let limit = self.progress.tokens_since(self.history.tokens().len());
        let next = self.repeats.find(self.history.tokens(), allowed, limit)?;
        next.retain(|(token, _)| !self.breakers.is_breaker(*token));
        Ok(())
    }

    /// The penalty for continuing a repetition of `length` tokens.
    fn penalty(&self, length: usize) -> f32 {
        // ln of the largest binary32.
        const LN_F32_MAX: f32 = 88.722_84;
        let most =
            if self.base > 1.000_001 { (LN_F32_MAX / maths::lnf(self.base)) as i32 } else { 0 };
        let excess = length as i32 - self.allowed_length;
        let exponent = if most > 0 { excess.min(most) } else { excess };
        (f64::from(self.multiplier) * maths::pow(self.base.into(), exponent.into())) as f32
    }
}

impl StageOps for Dry {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { multiplier, base, allowed_length, .. } = self;
        write!(out, "multiplier {multiplier}, base {base}, allowed_length {allowed_length}")?;
        write!(out, ", last_n {}, {} breakers", self.history.last_n(), self.breakers.count())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.multiplier);
        out.f32(self.base);
        out.i32(self.allowed_length);
        out.i32(self.history.last_n());
        self.breakers.save(out);
        out.list(self.history.tokens().iter().copied());
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accept_saved(from)
    }

    fn is_off(&self) -> bool {
        self.multiplier == 0.0 || self.base < 1.0 || self.history.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        self.find()?;
        candidates.edit(self.repeats.found(), |length, logit| logit - self.penalty(*length))
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.history.reserve()
    }

    fn accept(&mut self, token: i32) {
        self.history.push(token);
        self.breakers.read(&mut self.progress, token);
    }

    fn reset(&mut self) {
        self.history.clear();
        self.progress = Progress::default();
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.history.tokens().len())
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_no_history(self, warnings)?;
        seen.warn_if_all_banned(warnings)
    }
}
