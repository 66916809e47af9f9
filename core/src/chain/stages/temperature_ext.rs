//! A temperature that follows the entropy: low where the model is certain, high where it is not.

use super::super::not_nan;
use super::temperature::Temperature;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::rules::entropy::entropy;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TemperatureExt {
    pub t: f32,
    pub delta: f32,
    pub exponent: f32,
}

impl TemperatureExt {
    pub(in crate::chain) fn new(t: f32, delta: f32, exponent: f32) -> Result<Self, Error> {
        if !exponent.is_finite() {
            return Err(Error::BadArgument);
        }
        Ok(Self { t: not_nan(t)?, delta: not_nan(delta)?, exponent })
    }

    /// The temperature for these candidates, which are ranked for that; none if they are too few.
    pub(in crate::chain) fn choose(
        &self,
        candidates: &mut Candidates<'_>,
    ) -> Result<Option<f32>, Error> {
        if self.delta <= 0.0 {
            return Ok(Some(self.t));
        }
        if candidates.len() < 2 {
            return Ok(None);
        }
        let (list, _) = candidates.ranked()?;
        let tokens = list.tokens();
        let several = tokens.len() > 1;
        Ok(several.then(|| self.dynamic(tokens.iter().map(|token| token.p))))
    }

    /// The temperature for candidates of the given probabilities.
    fn dynamic(&self, probabilities: impl Iterator<Item = f32>) -> f32 {
        let (entropy, count) = entropy(probabilities);
        let share = (entropy / (count as f64).ln()) as f32;
        let low = (self.t - self.delta).max(0.0);
        low + (self.t + self.delta - low) * share.powf(self.exponent)
    }
}

impl StageOps for TemperatureExt {
    fn name(&self) -> &'static str {
        "temperature_ext"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "t {}, delta {}, exponent {}", self.t, self.delta, self.exponent)
    }

    fn is_off(&self) -> bool {
        self.delta <= 0.0 && self.t == 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        match self.choose(candidates)? {
            Some(t) => Temperature { t }.apply(candidates),
            None => Ok(()),
        }
    }
}
