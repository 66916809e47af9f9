//! What every stage can do.

use super::candidates::Candidates;
use crate::Error;
use core::fmt::{self, Debug, Write};

/// A stage of a chain.
pub(super) trait StageOps: Debug {
    /// Its name, as the chain tells it.
    fn name(&self) -> &'static str;

    /// Its parameters with their names, for a report.
    fn describe(&self, out: &mut dyn Write) -> fmt::Result;

    /// Whether its parameters say that it does nothing.
    fn is_off(&self) -> bool {
        false
    }

    /// Whether it selects a token, which ends the pass.
    fn selects(&self) -> bool {
        false
    }

    /// Does its work.
    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error>;

    /// Comes before each pass and each [`StageOps::accept`]: makes room for one more token, so that to
    /// accept it needs no memory.
    fn prepare(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Called when a pass failed after this stage: takes back the random words of the pass.
    fn restore(&mut self) {}

    /// Takes in a token that was drawn.
    fn accept(&mut self, _token: i32) {}

    /// Forgets what was accepted and seeds its generator anew.
    fn reset(&mut self) {}
}
