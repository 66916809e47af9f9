//! Smoothing of the logits by their distance from the largest: quadratic (kalomaze, text-generation-webui, pull
//! request 5403) and with a curve cubic (pull request 5551; koboldcpp).

use crate::chain::candidates::Candidates;
use crate::chain::finite;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Smoothing {
    factor: f32,
    curve: f32,
}

impl Stage {
    /// Lowers each logit by `factor` times the square of its distance from the largest; a `curve` above 1 turns
    /// part of that into the third power. `factor` 0 and less: off; `curve` 1 is quadratic.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite.
    pub fn smoothing(factor: f32, curve: f32) -> Result<Self, Error> {
        Ok(Smoothing { factor: finite(factor)?, curve: finite(curve)? }.into())
    }
}

impl Smoothing {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("FACTOR", None), Parameter::Float("CURVE", Some(1.0))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(factor), Value::Float(curve)] => Stage::smoothing(*factor, *curve),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for Smoothing {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "factor {}, curve {}", self.factor, self.curve)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.factor);
        out.f32(self.curve);
    }

    fn is_off(&self) -> bool {
        self.factor <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let top = candidates.top()?;
        let (k, s) = ((3.0 - self.curve) / 2.0, (self.curve - 1.0) / 2.0);
        let (k, s) = (k * self.factor, s * self.factor);
        candidates.change(|_, logit| {
            let d = logit - top;
            if d.is_finite() { (s * d * d * d - k * d * d) + top } else { logit }
        })
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.factor)
    }

    /// Between these, the curve falls on both sides of the best.
    fn keeps_best(&self) -> bool {
        (1.0..=3.0).contains(&self.curve)
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        if !self.keeps_best() {
            let what = "can make an improbable token the best";
            warnings(format_args!("smoothing curve {} outside 1 to 3 {what}", self.curve))?;
        }
        seen.warn_if_one_left(self, warnings)
    }
}
