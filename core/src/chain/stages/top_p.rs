//! The nucleus, with the token that reaches it.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{ConflictingSettings, Observed, ObservedChain, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopP {
    p: f32,
    min_keep: usize,
}

impl Stage {
    /// Keeps the ranks up to and including the first at which the running sum of the probabilities reaches
    /// `p`. 1 and more: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn top_p(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(TopP { p: not_nan(p)?, min_keep }.into())
    }
}

impl TopP {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("P", None), Parameter::Count("MIN_KEEP", Some(1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(p), Value::Count(min_keep)] => Stage::top_p(*p, *min_keep),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for TopP {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.p);
        out.count(self.min_keep);
    }

    fn is_off(&self) -> bool {
        self.p >= 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.nucleus(self.p.max(0.0), self.min_keep)
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
