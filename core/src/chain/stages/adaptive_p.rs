//! Adaptive-p, as llama.cpp has it: prefers tokens whose probability is near a target that leans against the
//! probabilities drawn lately.

use super::{TryClone, float_draw};
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::reserve;
use crate::rng;
use crate::rng::Generator;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

/// The largest decay, which keeps the sums finite.
const MAX_DECAY: f32 = 0.99;
/// The new logit of a token whose probability is the target.
const PEAK: f32 = 5.0;
/// How steeply the new logits fall from there.
const SHARPNESS: f32 = 10.0;
/// The distance from the target, as a probability, that counts as 1.
const WIDTH: f32 = 0.3;

#[derive(Debug, Clone)]
pub(in crate::chain) struct AdaptiveP {
    target: f32,
    decay: f32,
    /// The probabilities of the drawn tokens, each weighted by `decay` for each token after it.
    sum: f32,
    /// The sum of those weights.
    weight: f32,
    /// The target of the last pass.
    aim: f32,
    /// The token that the last pass selected, and its probability before.
    pending: Option<(i32, f32)>,
    generator: Generator,
}

impl Stage {
    /// Selects a token, where those with a probability near a target are the most likely. The target leans
    /// against the mean of the probabilities drawn lately, so that this mean comes near to `target`. Below 0
    /// the stage draws by the probabilities. `decay` is how much a drawn token still counts one token later;
    /// above 0.99 it is 0.99.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN, a `target` above 1 and a `decay` below 0.
    pub fn adaptive_p(target: f32, decay: f32, seed: u32) -> Result<Self, Error> {
        let (target, decay) = (not_nan(target)?, not_nan(decay)?.min(MAX_DECAY));
        if target > 1.0 || decay < 0.0 {
            return Err(Error::BadArgument);
        }
        let generator = Generator::new(seed);
        let aim = target.max(0.0);
        let (sum, weight) = (0.0, 0.0);
        let mut stage = AdaptiveP { target, decay, sum, weight, aim, pending: None, generator };
        stage.forget();
        Ok(stage.into())
    }
}

impl AdaptiveP {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("TARGET", None),
        Parameter::Float("DECAY", Some(0.9)),
        Parameter::Seed("SEED"),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(target), Value::Float(decay), Value::Seed(seed)] => {
                Stage::adaptive_p(*target, *decay, *seed)
            }
            _ => Err(Error::BadArgument),
        }
    }

    /// As if all tokens before had been of the target's probability.
    fn forget(&mut self) {
        self.sum = self.target / (1.0 - self.decay);
        self.weight = 1.0 / (1.0 - self.decay);
        self.pending = None;
    }

    /// The new logit of a token above -inf.
    fn logit(&self, p: f32) -> f32 {
        let distance = ((p - self.aim) * (1.0 / WIDTH)).abs();
        PEAK - SHARPNESS * distance * distance / (1.0 + distance)
    }
}

impl TryClone for AdaptiveP {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl StageOps for AdaptiveP {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { target, decay, generator, .. } = self;
        write!(out, "target {target}, decay {decay}, seed {}", generator.seed())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.target);
        out.f32(self.decay);
        out.u32(self.generator.seed());
        out.f32(self.sum);
        out.f32(self.weight);
        out.f32(self.aim);
        let (token, p) = self.pending.unwrap_or_default();
        out.bool(self.pending.is_some());
        out.i32(token);
        out.f32(p);
        rng::put(&self.generator, out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.sum = from.f32()?;
        self.weight = from.f32()?;
        self.aim = from.f32()?;
        let pending = (from.bool()?, from.i32()?, from.f32()?);
        self.pending = pending.0.then_some((pending.1, pending.2));
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
        float_draw::softmax(candidates)?;
        if self.target < 0.0 {
            candidates.selected = Some(float_draw::draw(candidates, &mut self.generator)?);
            return Ok(());
        }
        self.aim = (2.0 * self.target - self.sum / self.weight).clamp(0.0, 1.0);
        let (list, scratch) = candidates.as_list()?;
        let probabilities = &mut scratch.kept;
        probabilities.clear();
        reserve(probabilities, list.tokens().len())?;
        probabilities.extend(list.tokens().iter().map(|token| token.p));
        list.change(|token| match token.logit {
            f32::NEG_INFINITY => f32::NEG_INFINITY,
            _ => self.logit(token.p),
        });
        float_draw::softmax(candidates)?;
        let place = float_draw::draw(candidates, &mut self.generator)?;
        let probability = candidates.scratch.kept.get(place).copied();
        candidates.selected = Some(place);
        self.pending = candidates.token().zip(probability);
        Ok(())
    }

    fn accept(&mut self, token: i32) {
        // A token from elsewhere has no probability here.
        if let Some((_, p)) = self.pending.take().filter(|(drawn, _)| *drawn == token) {
            self.sum = p + self.decay * self.sum;
            self.weight = 1.0 + self.decay * self.weight;
        }
    }

    fn reset(&mut self) {
        self.forget();
        self.reseed(self.generator.seed());
    }

    fn seed(&self) -> Option<u32> {
        Some(self.generator.seed())
    }

    fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        if self.target < 0.0 { None } else { Threshold::new(self.aim, "probability") }
    }

    fn warn(&self, _seen: &Observed<'_>, _warnings: &mut Warnings<'_>) -> Result<(), Error> {
        Ok(())
    }
}
