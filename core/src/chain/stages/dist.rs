//! The draw.

use crate::Error;
use crate::chain::candidates::{Candidates, DrawRule};
use crate::chain::ops::StageOps;
use crate::rng::Generator;
use crate::rules::discrete::discrete_distribution;
use crate::rules::inverse_cdf::inverse_cdf;
use crate::rules::weights::normalize_twice;
use core::fmt::{self, Write};

/// A draw by inversion. Two words a draw, however many candidates are left, so that streams that are
/// compared stay aligned; after the S2 rule it is that rule's own draw, which takes none for one.
#[derive(Debug, Clone)]
pub(in crate::chain) struct Dist {
    generator: Generator,
}

impl Dist {
    pub(in crate::chain) fn new(seed: u32) -> Self {
        Self { generator: Generator::new(seed) }
    }
}

impl StageOps for Dist {
    fn name(&self) -> &'static str {
        "dist"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "seed {}", self.generator.seed())
    }

    fn selects(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let place = match candidates.draw_rule {
            DrawRule::Softmax => {
                candidates.weigh()?;
                let (place, sum) =
                    inverse_cdf(&candidates.scratch.weights, self.generator.uniform());
                candidates.put_weights(sum);
                place
            }
            DrawRule::LibstdcxxDiscrete { neg_inf_tail } => {
                // The S2 rule has subtracted the largest and divided by the temperature; the largest is
                // another one if a stage has come between.
                candidates.weigh()?;
                let count = candidates.len() + neg_inf_tail;
                let u = if count < 2 { 0.0 } else { self.generator.uniform() };
                let weights = &mut candidates.scratch.weights;
                let place =
                    if normalize_twice(weights) { discrete_distribution(weights, u) } else { 0 };
                candidates.put_weights(1.0);
                place
            }
        };
        candidates.selected = Some(place);
        Ok(())
    }

    fn reset(&mut self) {
        *self = Self::new(self.generator.seed());
    }
}
