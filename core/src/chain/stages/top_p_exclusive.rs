//! The nucleus without the token that passes it: exllamav3's top_p, and that of audio.cpp's fish_audio.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{ConflictingSettings, Observed, ObservedChain, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopPExclusive {
    p: f32,
}

impl Stage {
    /// Keeps the ranks before the first, but rank 0, at which the running sum of the probabilities passes `p`.
    /// 1 is not off, since rounding can carry the sum past it; above 1: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn top_p_exclusive(p: f32) -> Result<Self, Error> {
        Ok(TopPExclusive { p: not_nan(p)? }.into())
    }
}

impl TopPExclusive {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Float("P", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(p)] => Stage::top_p_exclusive(*p),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for TopPExclusive {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}", self.p)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.p);
    }

    fn is_off(&self) -> bool {
        self.p > 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.exclusive_nucleus(self.p)
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.p)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn uses_frozen(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.p, "running probability")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }

    fn warn_in_chain(
        &self,
        chain: &ObservedChain<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        let temperature = chain.highest_temperature;
        ConflictingSettings { temperature, top_p: self.p }.warn(warnings)
    }
}
