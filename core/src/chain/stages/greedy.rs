//! The best token, without a random number.

use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Greedy;

impl StageOps for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn describe(&self, _out: &mut dyn Write) -> fmt::Result {
        Ok(())
    }

    fn selects(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.select_best()
    }
}
