//! Mirostat 2 (Basu et al. 2021, "Mirostat: a neural text decoding algorithm that directly controls
//! perplexity"): a limit of surprise that follows the surprise of what was drawn.

use super::super::finite;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::rng::Generator;
use crate::rules::discrete::discrete_distribution;
use core::fmt::{self, Write};

#[derive(Debug, Clone)]
pub(in crate::chain) struct MirostatV2 {
    pub tau: f32,
    pub eta: f32,
    /// The limit of surprise, in bits.
    pub mu: f32,
    generator: Generator,
}

impl MirostatV2 {
    pub(in crate::chain) fn new(seed: u32, tau: f32, eta: f32) -> Result<Self, Error> {
        let (tau, eta) = (finite(tau)?, finite(eta)?);
        Ok(Self { tau, eta, mu: 2.0 * tau, generator: Generator::new(seed) })
    }
}

impl StageOps for MirostatV2 {
    fn name(&self) -> &'static str {
        "mirostat_v2"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { tau, eta, mu, generator } = self;
        write!(out, "tau {tau}, eta {eta}, seed {}, mu {mu}", generator.seed())
    }

    fn selects(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let (list, _) = candidates.ranked()?;
        let surprises = list.tokens().iter().position(|token| -token.p.log2() > self.mu);
        list.truncate(surprises.unwrap_or(usize::MAX));
        // Once more, since fewer are left; the probabilities are in the weights too.
        let (list, scratch) = candidates.ranked()?;
        let one = list.tokens().len() < 2;
        let place =
            if one { 0 } else { discrete_distribution(&scratch.weights, self.generator.uniform()) };
        let drawn = list.tokens().get(place).map_or(1.0, |token| token.p);
        self.mu -= self.eta * (-drawn.log2() - self.tau);
        candidates.selected = Some(place);
        Ok(())
    }

    fn reset(&mut self) {
        self.mu = 2.0 * self.tau;
        self.generator = Generator::new(self.generator.seed());
    }
}
