//! Tokens that are not too improbable for the entropy (Hewitt et al. 2022, "Truncation Sampling as Language
//! Model Desmoothing"; Hugging Face's `EtaLogitsWarper`).

use super::cutoff::{cut, cut_row};
use crate::chain::candidates::{Candidates, Entropy};
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::entropy::entropy;
use crate::rules::maths;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct EtaCutoff {
    eta: f32,
    min_keep: usize,
    /// The least probability that stays, of the last pass that was followed for a report.
    limit: f64,
}

impl Stage {
    /// Keeps tokens whose probability is at least `min(eta, sqrt(eta) * exp(-entropy))`, in rank order, and the
    /// best in any case. 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn eta_cutoff(eta: f32, min_keep: usize) -> Result<Self, Error> {
        let eta = not_nan(eta)?;
        Ok(EtaCutoff { eta, min_keep, limit: f64::from(eta) }.into())
    }
}

impl EtaCutoff {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("ETA", None), Parameter::Count("MIN_KEEP", Some(1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(eta), Value::Count(min_keep)] => Stage::eta_cutoff(*eta, *min_keep),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for EtaCutoff {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "eta {}, min_keep {}", self.eta, self.min_keep)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.eta);
        out.count(self.min_keep);
    }

    fn is_off(&self) -> bool {
        self.eta <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let eta = f64::from(self.eta);
        let limit = |entropy: f64| eta.min(eta.sqrt() * maths::exp(-entropy));
        if let Some(Entropy { low, high, sum, .. }) = candidates.row_entropy()? {
            // An exponential within an ulp may rise where the entropy does: that is less than four ulps.
            let slack = 4.0 * f64::EPSILON;
            let limits = [limit(high) * (1.0 - slack), limit(low) * (1.0 + slack)];
            if cut_row(candidates, self.min_keep, Some(sum), limits[0], |_| limits)? {
                return Ok(());
            }
        }
        self.limit = cut(candidates, self.min_keep, |p| {
            let (entropy, _) = entropy(p);
            limit(entropy)
        })?;
        Ok(())
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.eta)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.limit, "probability")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
