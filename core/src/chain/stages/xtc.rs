//! Exclude top choices: at random, drops all probable tokens but the least probable of them.

use super::TryClone;
use crate::chain::candidates::{Candidates, Threshold};
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{self, Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rng;
use crate::rng::Generator;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone)]
pub(in crate::chain) struct Xtc {
    probability: f32,
    pub(super) threshold: f32,
    pub(super) min_keep: usize,
    generator: Generator,
    /// The random number of the next pass.
    chance: f32,
    /// Whether a pass has used it.
    used: bool,
}

impl Stage {
    /// With the given probability, drops the tokens whose probability is at least `threshold`, except the
    /// last. Probability 0 and less, and a threshold above 0.5: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN, and for a threshold of 0 and less, which would drop all tokens but the
    /// worst.
    pub fn xtc(
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
    ) -> Result<Self, Error> {
        Xtc::new(probability, threshold, min_keep, seed).map(Self::from)
    }
}

impl Xtc {
    pub(super) fn new(
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
    ) -> Result<Self, Error> {
        let (probability, threshold) = (not_nan(probability)?, not_nan(threshold)?);
        if threshold <= 0.0 {
            return Err(Error::BadArgument);
        }
        let mut generator = Generator::new(seed);
        let chance = generator.uniform_float();
        Ok(Self { probability, threshold, min_keep, generator, chance, used: false })
    }

    /// Whether the stage acts in this pass, which takes its random number unless there is only one candidate.
    pub(super) fn acts(&mut self, candidates: &mut Candidates<'_>) -> Result<bool, Error> {
        if candidates.len() < 2 {
            return Ok(false);
        }
        let chance = candidates.uniforms.kept_float(self.chance, &mut self.used)?;
        Ok(chance <= self.probability)
    }

    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("PROBABILITY", None),
        Parameter::Float("THRESHOLD", None),
        Parameter::Count("MIN_KEEP", Some(1)),
        Parameter::Seed("SEED"),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [
                Value::Float(probability),
                Value::Float(threshold),
                Value::Count(min_keep),
                Value::Seed(seed),
            ] => Stage::xtc(*probability, *threshold, *min_keep, *seed),
            _ => Err(Error::BadArgument),
        }
    }
}

impl Xtc {
    pub(super) fn save_parameters(&self, out: &mut Writer<'_>) {
        out.f32(self.probability);
        out.f32(self.threshold);
        out.count(self.min_keep);
        out.u32(self.generator.seed());
    }

    pub(super) fn save_state(&self, out: &mut Writer<'_>) {
        out.f32(self.chance);
        out.bool(self.used);
        rng::put(&self.generator, out);
    }
}

impl TryClone for Xtc {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl StageOps for Xtc {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { probability, threshold, min_keep, generator, .. } = self;
        write!(out, "probability {probability}, threshold {threshold}, min_keep {min_keep}")?;
        write!(out, ", seed {}", generator.seed())
    }

    fn save(&self, out: &mut Writer<'_>) {
        self.save_parameters(out);
        self.save_state(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.chance = from.f32()?;
        self.used = from.bool()?;
        self.generator = rng::take(from)?;
        Ok(())
    }

    fn is_off(&self) -> bool {
        self.probability <= 0.0 || self.threshold > 0.5
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if !self.acts(candidates)? {
            return Ok(());
        }
        let stays = |p: f32, _| p >= self.threshold;
        let cut = Threshold { stays, least: self.threshold.into() };
        let probable = candidates.settle_row(None, &cut)?;
        if let Some(probable) = probable {
            let count = candidates.count_row()?;
            let last = probable.saturating_sub(1);
            let drops = last > 0 && count - last >= self.min_keep;
            return candidates.order_row(count, if drops { last } else { 0 });
        }
        let (list, _) = candidates.ranked()?;
        let count = list.tokens().len();
        let probable = list.tokens().iter().position(|token| token.p < self.threshold);
        let last = probable.unwrap_or(count).saturating_sub(1);
        if last > 0 && count - last >= self.min_keep {
            list.drop_first(last);
        }
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), Error> {
        if self.used {
            (self.chance, self.used) = (self.generator.uniform_float(), false);
        }
        Ok(())
    }

    fn restore(&mut self) {
        self.used = false;
    }

    fn reset(&mut self) {
        self.reseed(self.generator.seed());
    }

    fn seed(&self) -> Option<u32> {
        Some(self.generator.seed())
    }

    fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
        (self.chance, self.used) = (self.generator.uniform_float(), false);
    }

    // Where it does not act.
    fn keeps_frozen(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<observed::Threshold> {
        observed::Threshold::new(self.threshold, "probability")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_one_left_and(self, "not the best token", warnings)
    }
}
