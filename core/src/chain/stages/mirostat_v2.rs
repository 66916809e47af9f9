//! Mirostat 2 (Basu et al. 2021, "Mirostat: a neural text decoding algorithm that directly controls
//! perplexity"): a limit of surprise that follows the surprise of the drawn tokens.

use super::TryClone;
use crate::chain::candidates::{Candidates, Threshold};
use crate::chain::finite;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{self, Observed};
use crate::chain::ops::StageOps;
use crate::rng;
use crate::rng::Generator;
use crate::rules::discrete::discrete_distribution;
use crate::rules::maths;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone)]
pub(in crate::chain) struct MirostatV2 {
    tau: f32,
    eta: f32,
    /// The limit of surprise, in bits.
    mu: f32,
    /// The limit of the last pass.
    limit: f32,
    generator: Generator,
}

impl Stage {
    /// Selects a token among those below a limit of surprise. Each draw moves the limit by `eta` times the
    /// difference between the surprise of the token and `tau`, in bits.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite.
    pub fn mirostat_v2(seed: u32, tau: f32, eta: f32) -> Result<Self, Error> {
        let (tau, eta) = (finite(tau)?, finite(eta)?);
        let (mu, generator) = (2.0 * tau, Generator::new(seed));
        Ok(MirostatV2 { tau, eta, mu, limit: mu, generator }.into())
    }
}

impl MirostatV2 {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Seed("SEED"),
        Parameter::Float("TAU", Some(5.0)),
        Parameter::Float("ETA", Some(0.1)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Seed(seed), Value::Float(tau), Value::Float(eta)] => {
                Stage::mirostat_v2(*seed, *tau, *eta)
            }
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for MirostatV2 {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl StageOps for MirostatV2 {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { tau, eta, mu, generator, .. } = self;
        write!(out, "tau {tau}, eta {eta}, seed {}, mu {mu}", generator.seed())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.u32(self.generator.seed());
        out.f32(self.tau);
        out.f32(self.eta);
        out.f32(self.mu);
        rng::put(&self.generator, out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.mu = from.f32()?;
        self.generator = rng::take(from)?;
        Ok(())
    }

    fn selects(&self) -> bool {
        true
    }

    fn writes_probs(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        self.limit = self.mu;
        let surprises = |p: f32| -maths::log2f(p) > self.mu;
        let least = maths::pow(2.0, -f64::from(self.mu));
        let kept =
            candidates.settle_row(None, &Threshold { stays: |p, _| !surprises(p), least })?;
        if let Some(kept) = kept {
            candidates.keep_settled(kept)?;
        } else {
            let (list, _) = candidates.ranked()?;
            if list.tokens().iter().all(|token| token.logit == f32::NEG_INFINITY) {
                return Err(Error::NoCandidate);
            }
            let kept = list.tokens().iter().position(|token| surprises(token.p));
            list.truncate(kept.unwrap_or(usize::MAX));
        }
        // Once more, since fewer are left.
        let one = candidates.ranked()?.0.tokens().len() < 2;
        let u = if one { 0.0 } else { candidates.uniform(&mut self.generator)? };
        let (list, scratch) = candidates.as_list()?;
        let weights = &mut scratch.weights;
        weights.iter_mut().zip(list.tokens()).for_each(|(weight, token)| *weight = token.p);
        let place = if one { 0 } else { discrete_distribution(weights, u) };
        let drawn = list.tokens().get(place).map_or(1.0, |token| token.p);
        self.mu -= self.eta * (-maths::log2f(drawn) - self.tau);
        candidates.selected = Some(place);
        Ok(())
    }

    fn reset(&mut self) {
        self.mu = 2.0 * self.tau;
        self.reseed(self.generator.seed());
    }

    fn seed(&self) -> Option<u32> {
        Some(self.generator.seed())
    }

    fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<observed::Threshold> {
        observed::Threshold::new(self.limit, "bits")
    }
}
