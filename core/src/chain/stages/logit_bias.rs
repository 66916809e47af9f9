//! A number added to the logits of some tokens.

use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct LogitBias {
    /// In rising order of ids, those of one id in the order they came.
    biases: Vec<(i32, f32)>,
}

impl LogitBias {
    pub(in crate::chain) fn new(biases: &[(i32, f32)]) -> Result<Self, Error> {
        if biases.iter().any(|(id, bias)| *id < 0 || bias.is_nan()) {
            return Err(Error::BadArgument);
        }
        let mut numbered = Vec::new();
        reserve(&mut numbered, biases.len())?;
        numbered.extend(biases.iter().zip(0_usize..).map(|((id, _), place)| (*id, place)));
        numbered.sort_unstable();
        let mut sorted = Vec::new();
        reserve(&mut sorted, biases.len())?;
        sorted.extend(numbered.iter().filter_map(|(_, place)| biases.get(*place)));
        Ok(Self { biases: sorted })
    }

    pub(in crate::chain) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { biases: copy(&self.biases)? })
    }
}

impl StageOps for LogitBias {
    fn name(&self) -> &'static str {
        "logit_bias"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{} biases", self.biases.len())
    }

    fn is_off(&self) -> bool {
        self.biases.is_empty()
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.edit(&self.biases, |bias, logit| logit + bias)
    }
}
