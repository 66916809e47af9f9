//! Division of the logits.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::temperature::Scale;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Temperature {
    t: f32,
}

impl Stage {
    /// Divides the logits by `t`. 0 and less keeps the best alone, and so does a largest quotient that is
    /// not finite. +inf makes all tokens above -inf equally likely. 1: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn temperature(t: f32) -> Result<Self, Error> {
        Ok(Temperature { t: not_nan(t)? }.into())
    }
}

impl Temperature {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Float("T", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(t)] => Stage::temperature(*t),
            _ => Err(Error::BadArgument),
        }
    }
}

/// Warns of an infinite temperature.
pub(super) fn warn_if_infinite(t: f32, warnings: &mut Warnings<'_>) -> Result<(), Error> {
    if t == f32::INFINITY {
        warnings(format_args!("temperature inf makes all candidates equally likely"))?;
    }
    Ok(())
}

impl StageOps for Temperature {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "t {}", self.t)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.t);
    }

    fn is_off(&self) -> bool {
        self.t == 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.scale(Scale::Divide(self.t))
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.t)
    }

    fn keeps_best(&self) -> bool {
        self.t.is_finite()
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.t, "temperature")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_all_banned(warnings)?;
        seen.warn_if_one_left(self, warnings)?;
        warn_if_infinite(self.t, warnings)
    }
}
