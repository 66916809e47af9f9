//! A number added to the logits of some tokens.

use super::TryClone;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct LogitBias {
    /// In rising order of ids; the biases of one id in the caller's order.
    biases: Vec<(i32, f32)>,
}

impl Stage {
    /// Adds to the logits of single tokens. If an id occurs twice, both biases are added. -inf bans a token.
    /// No bias: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for an id below 0 or a bias that is NaN, [`Error::OutOfMemory`].
    pub fn logit_bias(biases: &[(i32, f32)]) -> Result<Self, Error> {
        if biases.iter().any(|(id, bias)| *id < 0 || bias.is_nan()) {
            return Err(Error::BadArgument);
        }
        let mut numbered = Vec::new();
        reserve(&mut numbered, biases.len())?;
        numbered.extend(biases.iter().zip(0_usize..).map(|((id, _), place)| (*id, place)));
        numbered.sort_unstable();
        let mut sorted = Vec::new();
        reserve(&mut sorted, biases.len())?;
        sorted.extend(numbered.iter().map(|(_, place)| biases[*place]));
        Ok(LogitBias { biases: sorted }.into())
    }
}

impl LogitBias {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Biases];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Biases(biases)] => Stage::logit_bias(biases),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for LogitBias {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { biases: copy(&self.biases)? })
    }
}

impl StageOps for LogitBias {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{} biases", self.biases.len())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.count(self.biases.len());
        for (id, bias) in &self.biases {
            out.i32(*id);
            out.f32(*bias);
        }
    }

    fn is_off(&self) -> bool {
        self.biases.is_empty()
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.edit(&self.biases, |bias, logit| logit + bias)
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_unchanged(warnings)?;
        seen.warn_if_all_banned(warnings)
    }
}
