//! The repetition penalty once for each occurrence, as zonos2.cpp applies it.

use super::TryClone;
use super::tally::Tally;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::penalty;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug)]
pub(in crate::chain) struct PenaltyEach {
    repeat: f32,
    tally: Tally,
}

impl Stage {
    /// For each occurrence of a token among the last `last_n` accepted: divides its logit by `repeat` if it is
    /// positive and multiplies it otherwise, rounded each time. `last_n` -1: all; 0: off. `repeat` 1: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `repeat` is not above 0 and finite, or `last_n` out of range as for
    /// [`Stage::penalties`]; [`Error::OutOfMemory`].
    pub fn penalty_each(last_n: i32, repeat: f32) -> Result<Self, Error> {
        if !penalty::is_valid(repeat) {
            return Err(Error::BadArgument);
        }
        Ok(PenaltyEach { repeat, tally: Tally::new(last_n)? }.into())
    }
}

impl PenaltyEach {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Int("LAST_N", None), Parameter::Float("REPEAT", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Int(last_n), Value::Float(repeat)] => Stage::penalty_each(*last_n, *repeat),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for PenaltyEach {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { tally: self.tally.try_clone()?, ..*self })
    }
}

impl StageOps for PenaltyEach {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let (last_n, repeat) = (self.tally.last_n(), self.repeat);
        write!(out, "last_n {last_n}, repeat {repeat}; {} tokens", self.tally.counts().len())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.i32(self.tally.last_n());
        out.f32(self.repeat);
        out.list(self.tally.tokens().iter().copied());
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accept_saved(from)
    }

    fn is_off(&self) -> bool {
        self.repeat == 1.0 || self.tally.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let each = |count: &u32, l| penalty::for_each(l, self.repeat, *count as usize);
        candidates.edit(self.tally.counts(), each)
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

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.repeat)
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.tally.len())
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_penalty(self, self.repeat, warnings)
    }
}
