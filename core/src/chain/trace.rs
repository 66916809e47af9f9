//! Follows a pass for a report: one stage at a time, on a copy of the chain.

use super::candidates::{Candidates, DrawRule};
use super::{Chain, Stage, TokenData, needs_probs};
use crate::Error;

/// What one stage did.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    pub index: usize,
    /// The stage before the pass.
    pub stage: &'a Stage,
    /// The stage after it, which knows where it cut.
    pub applied: &'a Stage,
    /// The candidates before the stage.
    pub before: &'a [TokenData],
    /// The candidates after it.
    pub after: &'a [TokenData],
    /// After the S2 rule, which counts candidates at -inf: the number of them that are not in the list.
    pub neg_inf_tail: Option<usize>,
    /// The place of the token that the stage selected.
    pub selected: Option<usize>,
}

impl Chain {
    /// Applies a copy of the stages to a row, up to the first that selects, and reports each. It sorts only
    /// what a draw sorts.
    pub(crate) fn trace(
        &self,
        logits: &[f32],
        mut tell: impl FnMut(Step<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut copy = self.try_clone()?;
        copy.prepare()?;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut candidates = Candidates::row(logits, &mut copy.memory);
        candidates.needs_probs = needs_probs(&self.stages);
        candidates.snapshot(&mut after)?;
        for (index, (stage, applied)) in self.stages.iter().zip(&mut copy.stages).enumerate() {
            core::mem::swap(&mut before, &mut after);
            if stage.selects() {
                // A row has no place for the probabilities of the selection.
                candidates.as_list()?;
            }
            let done =
                if stage.is_off() { Ok(()) } else { applied.ops_mut().apply(&mut candidates) };
            match done {
                Err(Error::NoCandidate) => {}
                done => done?,
            }
            candidates.snapshot(&mut after)?;
            let neg_inf_tail = match candidates.draw_rule {
                DrawRule::Softmax => None,
                DrawRule::LibstdcxxDiscrete { neg_inf_tail, .. } => Some(neg_inf_tail),
            };
            let selected = candidates.selected;
            let (before, after) = (&before, &after);
            tell(Step { index, stage, applied, before, after, neg_inf_tail, selected })?;
            if stage.selects() {
                break;
            }
        }
        Ok(())
    }
}
