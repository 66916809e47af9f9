//! The best token, without a random number.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Label, Observed, ObservedChain, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Greedy;

impl Stage {
    /// Selects the best token.
    #[must_use]
    pub fn greedy() -> Self {
        Greedy.into()
    }
}

impl Greedy {
    pub(super) const PARAMETERS: &[Parameter] = &[];

    pub(super) fn build(_values: &[Value]) -> Result<Stage, Error> {
        Ok(Stage::greedy())
    }
}

impl StageOps for Greedy {
    fn describe(&self, _out: &mut dyn Write) -> fmt::Result {
        Ok(())
    }

    fn save(&self, _out: &mut Writer<'_>) {}

    fn selects(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.selected = candidates.argmax()?;
        candidates.selected.map(|_| ()).ok_or(Error::NoCandidate)
    }

    fn takes_best(&self) -> bool {
        true
    }

    fn warn(&self, _seen: &Observed<'_>, _warnings: &mut Warnings<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn warn_in_chain(
        &self,
        chain: &ObservedChain<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        let idle = chain.earlier().take_while(|(_, stage)| stage.keeps_best());
        idle.into_iter().try_for_each(|(name, stage)| {
            let label = Label { name, stage };
            warnings(format_args!("{label} has no effect: greedy takes the best token anyway"))
        })
    }
}
