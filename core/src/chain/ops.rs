//! The operations of a stage.

use super::candidates::Candidates;
use super::observed::{Observed, ObservedChain, Threshold, Warnings};
use crate::Error;
use crate::saved::{Reader, Writer};
use core::fmt::{self, Debug, Display, Write};

/// A stage of a chain: what it does to candidates, and what a report says about it.
pub(super) trait StageOps: Debug {
    /// Writes the parameters with their names.
    fn describe(&self, out: &mut dyn Write) -> fmt::Result;

    /// Whether the parameters turn the stage off. Such a stage is not called.
    fn is_off(&self) -> bool {
        false
    }

    /// Whether the stage selects a token, which ends the pass.
    fn selects(&self) -> bool {
        false
    }

    /// Whether the stage uses the probabilities that `softmax` froze one by one, not only their sum.
    fn needs_probs(&self) -> bool {
        false
    }

    /// Whether the stage, which selects, writes the probabilities of all candidates.
    fn writes_probs(&self) -> bool {
        false
    }

    /// Whether the stage only changes the logits of single tokens, each by its id, its logit and what was
    /// accepted.
    fn edits_single_logits(&self) -> bool {
        false
    }

    /// Whether candidates that stay keep their order, unless the list is in rank order afterwards.
    fn keeps_order(&self) -> bool {
        true
    }

    /// Works on the candidates.
    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error>;

    /// Called before each pass and each [`StageOps::accept`]: reserves memory for one more token, so that
    /// accepting it cannot fail.
    fn prepare(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Called when a pass failed after this stage: takes back the random words of the pass.
    fn restore(&mut self) {}

    /// Records a token that was drawn.
    fn accept(&mut self, _token: i32) {}

    /// Forgets the accepted tokens and restarts the generator from its seed.
    fn reset(&mut self) {}

    /// Whether the stage can be made again from bytes.
    fn is_savable(&self) -> bool {
        true
    }

    /// Writes the parameters, in the order of the stage's form, and then what the stage remembers.
    fn save(&self, out: &mut Writer<'_>);

    /// Reads what a stage with the same parameters remembered.
    fn load(&mut self, _from: &mut Reader<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Reads the tokens of a history and accepts them.
    fn accept_saved(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        for token in from.list()? {
            self.prepare()?;
            self.accept(token);
        }
        Ok(())
    }

    /// The seed of the stage's generator; none if it has none.
    fn seed(&self) -> Option<u32> {
        None
    }

    /// Restarts the generator from another seed, for a stage that has one.
    fn reseed(&mut self, _seed: u32) {}

    // The rest is for reports.

    /// The parameter that matters most, for a warning.
    fn main_parameter(&self) -> Option<&dyn Display> {
        None
    }

    /// Whether the stage selects the best token, with probability 1.
    fn takes_best(&self) -> bool {
        false
    }

    /// Whether the stage never changes which token is the best.
    fn keeps_best(&self) -> bool {
        false
    }

    /// Whether probabilities that `softmax` froze stay frozen.
    fn keeps_frozen(&self) -> bool {
        false
    }

    /// Whether the stage uses frozen probabilities.
    fn uses_frozen(&self) -> bool {
        false
    }

    /// Whether candidates at -inf count, before the stage and after.
    fn counts_neg_inf(&self) -> bool {
        false
    }

    /// The number of accepted tokens that the stage looks at; none for a stage without a history.
    fn history_len(&self) -> Option<usize> {
        None
    }

    /// Where the stage cut in its last pass.
    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        None
    }

    /// Warns about what the stage did in that pass.
    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_all_banned(warnings)?;
        seen.warn_if_one_left(self, warnings)
    }

    /// Warns about the stage's effect among the other stages of the chain.
    fn warn_in_chain(
        &self,
        _chain: &ObservedChain<'_>,
        _warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        Ok(())
    }
}
