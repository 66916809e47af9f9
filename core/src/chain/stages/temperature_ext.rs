//! A temperature that follows the entropy: low where the model is certain, high where it is not (Zhu et al.
//! 2024, "Hot or Cold? Adaptive Temperature Sampling for Code Generation with Large Language Models").

use crate::chain::candidates::{Candidates, Entropy};
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold};
use crate::chain::ops::StageOps;
use crate::rules::entropy::entropy;
use crate::rules::maths;
use crate::rules::temperature::{Scale, dynamic};
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TemperatureExt {
    t: f32,
    delta: f32,
    exponent: f32,
    /// The temperature of the last pass; none if there were too few candidates for an entropy.
    chosen: Option<f32>,
}

impl Stage {
    /// Divides the logits by a temperature between `t` - `delta` and `t` + `delta`. The entropy as a share of
    /// the largest possible, to the power of `exponent`, gives its place there. `delta` 0 and less: as
    /// [`Stage::temperature`].
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN, or if the exponent is infinite.
    pub fn temperature_ext(t: f32, delta: f32, exponent: f32) -> Result<Self, Error> {
        if !exponent.is_finite() {
            return Err(Error::BadArgument);
        }
        let (t, delta) = (not_nan(t)?, not_nan(delta)?);
        Ok(TemperatureExt { t, delta, exponent, chosen: None }.into())
    }
}

impl TemperatureExt {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("T", None),
        Parameter::Float("DELTA", None),
        Parameter::Float("EXPONENT", Some(1.0)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(t), Value::Float(delta), Value::Float(exponent)] => {
                Stage::temperature_ext(*t, *delta, *exponent)
            }
            _ => Err(Error::BadArgument),
        }
    }

    /// The temperature for these candidates, which are in rank order afterwards; none if they are too few.
    fn choose(&self, candidates: &mut Candidates<'_>) -> Result<Option<f32>, Error> {
        if self.delta <= 0.0 {
            return Ok(Some(self.t));
        }
        if candidates.len() < 2 {
            return Ok(None);
        }
        if let Some(Entropy { low, high, count, .. }) = candidates.row_entropy()?
            && count > 1
        {
            let [share, same] = [low, high].map(|entropy| share(entropy, count));
            let [t, other] =
                [share, same].map(|share| dynamic(self.t, self.delta, self.exponent, share));
            // Without a power, the temperature rises with the share.
            if share == same || (self.exponent == 1.0 && t == other) {
                candidates.order_row(count, 0)?;
                return Ok(Some(t));
            }
        }
        let (list, _) = candidates.ranked()?;
        let tokens = list.tokens();
        let several = tokens.len() > 1;
        Ok(several.then(|| self.dynamic(tokens.iter().map(|token| token.p))))
    }

    /// The temperature for candidates of the given probabilities.
    fn dynamic(&self, probabilities: impl Iterator<Item = f32>) -> f32 {
        let (entropy, count) = entropy(probabilities);
        dynamic(self.t, self.delta, self.exponent, share(entropy, count))
    }
}

/// The entropy of `count` candidates as a share of the largest possible. It rises with the entropy.
fn share(entropy: f64, count: usize) -> f32 {
    (entropy / maths::ln(count as f64)) as f32
}

impl StageOps for TemperatureExt {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "t {}, delta {}, exponent {}", self.t, self.delta, self.exponent)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.t);
        out.f32(self.delta);
        out.f32(self.exponent);
    }

    fn is_off(&self) -> bool {
        self.delta <= 0.0 && self.t == 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        self.chosen = self.choose(candidates)?;
        self.chosen.map_or(Ok(()), |t| candidates.scale(Scale::Divide(t)))
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.chosen?, "temperature")
    }
}
