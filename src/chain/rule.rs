//! What every stage can do.

use super::candidates::Candidates;
use crate::Error;
use core::fmt::{self, Debug, Write};

/// A stage of a chain.
pub(super) trait Rule: Debug {
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
    fn apply(&mut self, candidates: &mut Candidates<'_, '_>) -> Result<(), Error>;

    /// Makes room for one more token, so that [`Rule::accept`] needs no memory.
    fn reserve(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Takes in a token that was drawn.
    fn accept(&mut self, _token: i32) {}

    /// Forgets what was accepted and seeds its generator anew.
    fn reset(&mut self) {}
}
