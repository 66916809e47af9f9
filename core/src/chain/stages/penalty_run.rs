//! The repetition penalty of the last token alone, by how often it came in a row, as TTS.cpp applies it.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::penalty;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct PenaltyRun {
    repeat: f32,
    /// The last token and how often it came in a row.
    run: Option<(i32, u32)>,
}

impl Stage {
    /// Divides the logit of the last accepted token, whatever its sign, by `repeat` to the power of the number
    /// of times that it came in a row. 1: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `repeat` is not above 0 and finite.
    pub fn penalty_run(repeat: f32) -> Result<Self, Error> {
        if !penalty::is_valid(repeat) {
            return Err(Error::BadArgument);
        }
        Ok(PenaltyRun { repeat, run: None }.into())
    }
}

impl PenaltyRun {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Float("REPEAT", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(repeat)] => Stage::penalty_run(*repeat),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for PenaltyRun {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "repeat {}; run {}", self.repeat, self.run.map_or(0, |run| run.1))
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.repeat);
        let (token, run) = self.run.unwrap_or_default();
        out.i32(token);
        out.u32(run);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        let (token, run) = (from.i32()?, from.u32()?);
        self.run = (run > 0).then_some((token, run));
        Ok(())
    }

    fn is_off(&self) -> bool {
        self.repeat == 1.0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates
            .edit(self.run.as_slice(), |run, logit| penalty::for_run(logit, self.repeat, *run))
    }

    fn accept(&mut self, token: i32) {
        self.run = match self.run {
            Some((last, run)) if last == token => Some((token, run.saturating_add(1))),
            _ => Some((token, 1)),
        };
    }

    fn reset(&mut self) {
        self.run = None;
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.repeat)
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.run.map_or(0, |_| 1))
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_penalty(self, self.repeat, warnings)
    }
}
