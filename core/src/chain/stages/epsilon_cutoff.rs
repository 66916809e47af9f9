//! Tokens that are not too improbable by themselves (Hewitt et al. 2022, "Truncation Sampling as Language
//! Model Desmoothing"; Hugging Face's `EpsilonLogitsWarper`).

use super::cutoff::{cut, cut_row};
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct EpsilonCutoff {
    epsilon: f32,
    min_keep: usize,
}

impl Stage {
    /// Keeps tokens whose probability is at least `epsilon`, in rank order, and the best in any case.
    /// 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn epsilon_cutoff(epsilon: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(EpsilonCutoff { epsilon: not_nan(epsilon)?, min_keep }.into())
    }
}

impl EpsilonCutoff {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("EPSILON", None), Parameter::Count("MIN_KEEP", Some(1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(epsilon), Value::Count(min_keep)] => {
                Stage::epsilon_cutoff(*epsilon, *min_keep)
            }
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for EpsilonCutoff {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "epsilon {}, min_keep {}", self.epsilon, self.min_keep)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.epsilon);
        out.count(self.min_keep);
    }

    fn is_off(&self) -> bool {
        self.epsilon <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let limit = f64::from(self.epsilon);
        if cut_row(candidates, self.min_keep, None, limit, |_| [limit; 2])? {
            return Ok(());
        }
        cut(candidates, self.min_keep, |_| limit).map(|_| ())
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.epsilon)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.epsilon, "probability")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
