//! The draw by probability.

use super::TryClone;
use crate::chain::candidates::{Candidates, DrawRule};
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rng::Generator;
use crate::rules::discrete::discrete_distribution;
use crate::rules::inverse_cdf::inverse_cdf;
use crate::rules::weights::{normalize_after, normalize_twice};
use crate::{Error, Stage};
use core::fmt::{self, Write};

/// A draw by inversion. It takes two words however many candidates are left, so that streams that are
/// compared stay aligned. After the S2 rule it is that rule's draw, which takes no word for one candidate.
#[derive(Debug, Clone)]
pub(in crate::chain) struct Dist {
    generator: Generator,
}

impl Stage {
    /// Selects a token by its probability, with a generator in the state of `std::mt19937(seed)`.
    #[must_use]
    pub fn dist(seed: u32) -> Self {
        Dist { generator: Generator::new(seed) }.into()
    }
}

impl Dist {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Seed("SEED")];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Seed(seed)] => Ok(Stage::dist(*seed)),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for Dist {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl StageOps for Dist {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "seed {}", self.generator.seed())
    }

    fn selects(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if !candidates.weigh()? {
            return Err(Error::NoCandidate);
        }
        let place = match candidates.draw_rule {
            DrawRule::Softmax => {
                let (place, sum) =
                    inverse_cdf(&candidates.scratch.weights, self.generator.uniform());
                candidates.put_weights(sum);
                place
            }
            DrawRule::LibstdcxxDiscrete { neg_inf_tail, sum } => {
                // The S2 rule subtracted the largest logit and divided by the temperature. A stage between
                // may have made another token the largest.
                let count = candidates.len() + neg_inf_tail;
                let u = if count < 2 { 0.0 } else { self.generator.uniform() };
                let weights = &mut candidates.scratch.weights;
                let normalized = match sum {
                    None => normalize_twice(weights),
                    Some(sum) => normalize_after(sum, weights),
                };
                let place = if normalized { discrete_distribution(weights, u) } else { 0 };
                candidates.put_weights(1.0);
                place
            }
        };
        candidates.selected = Some(place);
        Ok(())
    }

    fn reset(&mut self) {
        self.reseed(self.generator.seed());
    }

    fn seed(&self) -> Option<u32> {
        Some(self.generator.seed())
    }

    fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
    }

    fn warn(&self, _seen: &Observed<'_>, _warnings: &mut Warnings<'_>) -> Result<(), Error> {
        Ok(())
    }
}
