//! Probabilities that a later top_p adds up as they are.

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{ObservedChain, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Softmax;

impl Stage {
    /// Computes the probabilities here, for a top_p that comes after other stages.
    #[must_use]
    pub fn softmax() -> Self {
        Softmax.into()
    }
}

impl Softmax {
    pub(super) const PARAMETERS: &[Parameter] = &[];

    pub(super) fn build(_values: &[Value]) -> Result<Stage, Error> {
        Ok(Stage::softmax())
    }
}

impl StageOps for Softmax {
    fn describe(&self, _out: &mut dyn Write) -> fmt::Result {
        Ok(())
    }

    fn save(&self, _out: &mut Writer<'_>) {}

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.freeze_probs()
    }

    fn warn_in_chain(
        &self,
        chain: &ObservedChain<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        let next = chain.later().find(|stage| !stage.keeps_frozen());
        if next.is_some_and(|stage| stage.uses_frozen()) {
            return Ok(());
        }
        warnings(format_args!("softmax has no effect: no later top_p uses its probabilities"))
    }
}
