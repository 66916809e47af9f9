//! Multiplication of the logits. Engines that compute l * (1 / T) get another last bit than l / T, and so
//! other tokens (koboldcpp, qwentts.cpp).

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::temperature::Scale as By;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Scale {
    factor: f32,
}

impl Stage {
    /// Multiplies the logits by `factor`. A largest product that is not finite keeps the best alone. 1: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for a factor that is not above 0 and finite.
    pub fn scale(factor: f32) -> Result<Self, Error> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(Error::BadArgument);
        }
        Ok(Scale { factor }.into())
    }
}

impl Scale {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Float("FACTOR", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(factor)] => Stage::scale(*factor),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for Scale {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "factor {}", self.factor)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.factor);
    }

    fn is_off(&self) -> bool {
        self.factor == 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.scale(By::Multiply(self.factor))
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.factor)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_all_banned(warnings)?;
        seen.warn_if_one_left(self, warnings)
    }
}
