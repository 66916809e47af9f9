//! Exclude top choices: now and then the best tokens are dropped, all but the last that is still
//! probable.

use super::super::not_nan;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::rng::Generator;
use core::fmt::{self, Write};

#[derive(Debug, Clone)]
pub(in crate::chain) struct Xtc {
    pub probability: f32,
    pub threshold: f32,
    pub min_keep: usize,
    generator: Generator,
    /// The generator before this pass, if the pass took a word of it.
    before: Option<Generator>,
}

impl Xtc {
    pub(in crate::chain) fn new(
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
    ) -> Result<Self, Error> {
        let (probability, threshold) = (not_nan(probability)?, not_nan(threshold)?);
        Ok(Self { probability, threshold, min_keep, generator: Generator::new(seed), before: None })
    }
}

impl StageOps for Xtc {
    fn name(&self) -> &'static str {
        "xtc"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { probability, threshold, min_keep, generator, .. } = self;
        write!(out, "probability {probability}, threshold {threshold}, min_keep {min_keep}")?;
        write!(out, ", seed {}", generator.seed())
    }

    fn is_off(&self) -> bool {
        self.probability <= 0.0 || self.threshold > 0.5
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if candidates.len() < 2 {
            return Ok(());
        }
        self.before = Some(self.generator.clone());
        if self.generator.uniform_float() > self.probability {
            return Ok(());
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
        self.before = None;
        Ok(())
    }

    fn restore(&mut self) {
        if let Some(before) = self.before.take() {
            self.generator = before;
        }
    }

    fn reset(&mut self) {
        self.generator = Generator::new(self.generator.seed());
    }
}
