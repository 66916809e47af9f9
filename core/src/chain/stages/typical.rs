//! Locally typical sampling (Meister et al. 2023, "Locally Typical Sampling"): tokens whose information is
//! near the entropy.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::reserve;
use crate::rules::entropy::{entropy, information};
use crate::rules::nucleus::target;
use crate::saved::Writer;
use crate::{Error, Stage, TokenData};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Typical {
    p: f32,
    min_keep: usize,
}

impl Stage {
    /// Keeps tokens whose information is nearest to the entropy, until their total probability exceeds `p`. 1
    /// and more: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn typical(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(Typical { p: not_nan(p)?, min_keep }.into())
    }
}

impl Typical {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("P", None), Parameter::Count("MIN_KEEP", Some(1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(p), Value::Count(min_keep)] => Stage::typical(*p, *min_keep),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for Typical {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.p);
        out.count(self.min_keep);
    }

    fn is_off(&self) -> bool {
        self.p >= 1.0
    }

    fn keeps_order(&self) -> bool {
        false
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if candidates.typical_of_row(self.p, self.min_keep)? {
            return Ok(());
        }
        let (list, scratch) = candidates.ranked()?;
        let (entropy, _) = entropy(list.tokens().iter().map(|token| token.p));
        let scores = &mut scratch.scores;
        scores.clear();
        reserve(scores, list.tokens().len())?;
        // -ln 0 is inf, which comes last.
        let score = |p: f32| (information(p) - entropy).abs();
        scores.extend(list.tokens().iter().zip(0..).map(|(t, rank)| (score(t.p), rank, *t)));
        // Equal scores are in rank order.
        scores.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let target = target(self.p.into(), list.sum());
        let mut running = 0.0;
        let passes = |(_, rank, _): &(f64, u32, TokenData)| {
            running += f64::from(scratch.weights[*rank as usize]);
            running > target
        };
        let passed = scores.iter().position(passes).map_or(scores.len(), |place| place + 1);
        list.tokens_mut().iter_mut().zip(&*scores).for_each(|(place, (_, _, t))| *place = *t);
        list.truncate(passed.max(self.min_keep));
        list.sorted = false;
        Ok(())
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.p)
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.p, "mass")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
