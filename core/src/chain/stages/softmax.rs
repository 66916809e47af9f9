//! Probabilities that a later top_p adds up as they are.

use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Softmax;

impl StageOps for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn describe(&self, _out: &mut dyn Write) -> fmt::Result {
        Ok(())
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.freeze_probs()
    }
}
