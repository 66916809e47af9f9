//! Tokens that are not too improbable for the best: top-a (BlinkDL, RWKV-LM; KoboldAI).

use super::cutoff::{cut, cut_row};
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::not_nan;
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::draw::normalizer::double::Bounds;
use crate::rules::softmax::probability;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopA {
    a: f32,
    min_keep: usize,
    /// The least probability that stays, of the last pass that was followed for a report.
    limit: f64,
}

impl Stage {
    /// Keeps tokens whose probability is at least `a` times the square of the largest, in rank order, and the
    /// best in any case. 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for NaN.
    pub fn top_a(a: f32, min_keep: usize) -> Result<Self, Error> {
        let a = not_nan(a)?;
        Ok(TopA { a, min_keep, limit: f64::from(a) }.into())
    }
}

impl TopA {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Float("A", None), Parameter::Count("MIN_KEEP", Some(1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(a), Value::Count(min_keep)] => Stage::top_a(*a, *min_keep),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for TopA {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "a {}, min_keep {}", self.a, self.min_keep)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.a);
        out.count(self.min_keep);
    }

    fn is_off(&self) -> bool {
        self.a <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let limit = |largest: f32| f64::from(self.a) * (f64::from(largest) * f64::from(largest));
        // p of rank 0 falls as S rises, and so does the limit.
        let limits = |sum: Bounds| [sum.high, sum.low].map(|sum| limit(probability(1.0, sum)));
        if cut_row(candidates, self.min_keep, None, f64::from(self.a), limits)? {
            return Ok(());
        }
        self.limit = cut(candidates, self.min_keep, |p| limit(p.next().unwrap_or(1.0)))?;
        Ok(())
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.a)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.limit, "probability")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
