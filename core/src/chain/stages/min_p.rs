//! Tokens that are not too improbable beside the best.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::min_p;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct MinP {
    p: f32,
    min_keep: usize,
}

impl Stage {
    /// Keeps tokens whose probability is at least `p` times the largest. 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn min_p(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(MinP { p: not_nan(p)?, min_keep }.into())
    }
}

impl MinP {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("P", None), Parameter::Count("MIN_KEEP", Some(1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(p), Value::Count(min_keep)] => Stage::min_p(*p, *min_keep),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for MinP {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.p);
        out.count(self.min_keep);
    }

    fn is_off(&self) -> bool {
        min_p::is_off(self.p)
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let limit = min_p::lowest_logit(candidates.top()?, self.p);
        candidates.at_least(f64::from(limit), self.min_keep)
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.p)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn keeps_frozen(&self) -> bool {
        true
    }

    fn threshold(&self, seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(f64::from(self.p) * seen.first_two[0], "probability")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
