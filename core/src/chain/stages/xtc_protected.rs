//! Exclude top choices, but never the ids that are protected, as in mlx-lm.

use super::TryClone;
use super::xtc::Xtc;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::copy;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct XtcProtected {
    xtc: Xtc,
    /// In rising order.
    protected: Vec<i32>,
}

impl Stage {
    /// With the given probability, drops the tokens that are more probable than the least probable one above
    /// `threshold`, except those of `protected`. Off as [`Stage::xtc`].
    ///
    /// # Errors
    /// Those of [`Stage::xtc`]; [`Error::OutOfMemory`].
    pub fn xtc_protected(
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
        protected: &[i32],
    ) -> Result<Self, Error> {
        let xtc = Xtc::new(probability, threshold, min_keep, seed)?;
        let mut protected = copy(protected)?;
        protected.sort_unstable();
        Ok(XtcProtected { xtc, protected }.into())
    }
}

impl XtcProtected {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("PROBABILITY", None),
        Parameter::Float("THRESHOLD", None),
        Parameter::Count("MIN_KEEP", Some(1)),
        Parameter::Seed("SEED"),
        Parameter::Tokens("ID"),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [
                Value::Float(probability),
                Value::Float(threshold),
                Value::Count(min_keep),
                Value::Seed(seed),
                Value::Tokens(ids),
            ] => Stage::xtc_protected(*probability, *threshold, *min_keep, *seed, ids),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for XtcProtected {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { xtc: self.xtc.try_clone()?, protected: copy(&self.protected)? })
    }
}

impl StageOps for XtcProtected {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        self.xtc.describe(out)?;
        write!(out, ", {} protected", self.protected.len())
    }

    fn save(&self, out: &mut Writer<'_>) {
        self.xtc.save_parameters(out);
        out.list(self.protected.iter().copied());
        self.xtc.save_state(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.xtc.load(from)
    }

    fn is_off(&self) -> bool {
        self.xtc.is_off()
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if !self.xtc.acts(candidates)? {
            return Ok(());
        }
        let (list, _) = candidates.ranked()?;
        let above = list.tokens().iter().take_while(|token| token.p > self.xtc.threshold);
        let Some(least) = above.last().map(|token| token.p) else { return Ok(()) };
        let protected = |id: i32| self.protected.binary_search(&id).is_ok();
        let stays = |token: &crate::TokenData| token.p <= least || protected(token.id);
        if list.tokens().iter().filter(|token| stays(token)).count() >= self.xtc.min_keep {
            list.retain(stays);
        }
        Ok(())
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.xtc.prepare()
    }

    fn restore(&mut self) {
        self.xtc.restore();
    }

    fn reset(&mut self) {
        self.xtc.reset();
    }

    fn seed(&self) -> Option<u32> {
        self.xtc.seed()
    }

    fn reseed(&mut self, seed: u32) {
        self.xtc.reseed(seed);
    }

    // Where it does not act.
    fn keeps_frozen(&self) -> bool {
        true
    }

    fn threshold(&self, seen: &Observed<'_>) -> Option<Threshold> {
        self.xtc.threshold(seen)
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        self.xtc.warn(seen, warnings)
    }
}
