//! Tokens at most n standard deviations below the best (Tang et al. 2024, "Top-nσ: Not All Logits Are You
//! Need").

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopNSigma {
    n: f32,
    /// The least logit that stayed in the last pass.
    limit: f64,
}

impl Stage {
    /// Keeps tokens whose logits are at most `n` standard deviations below the largest. 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn top_n_sigma(n: f32) -> Result<Self, Error> {
        Ok(TopNSigma { n: not_nan(n)?, limit: f64::NAN }.into())
    }
}

impl TopNSigma {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Float("N", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(n)] => Stage::top_n_sigma(*n),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for TopNSigma {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "n {}", self.n)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.n);
    }

    fn is_off(&self) -> bool {
        self.n <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let std_dev = candidates.std_dev()?;
        self.limit = f64::from(candidates.top()?) - f64::from(self.n) * std_dev;
        // inf * 0, inf - inf and the deviation without finite logits are NaN, and no logit is below NaN.
        if self.limit.is_nan() { Ok(()) } else { candidates.at_least(self.limit, 1) }
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.n)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn keeps_frozen(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.limit, "logit")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
