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
    /// In proportion to these the candidates after the stage are selected; none if their probabilities
    /// in the list say so.
    pub weights: Option<&'a [f32]>,
    /// Whether no further stage runs: it selected, or has no candidate to select.
    pub is_last: bool,
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
        candidates.wants_weights = true;
        candidates.snapshot(&mut after)?;
        for (index, (stage, applied)) in self.stages.iter().zip(&mut copy.stages).enumerate() {
            core::mem::swap(&mut before, &mut after);
            if stage.selects() {
                // A row has no place for the probabilities of the selection.
                candidates.as_list()?;
            }
            let done =
                if stage.is_off() { Ok(()) } else { applied.ops_mut().apply(&mut candidates) };
            let selected = candidates.selected;
            let is_last = match done {
                Err(Error::NoCandidate) => true,
                done => done.map(|()| selected.is_some())?,
            };
            candidates.snapshot(&mut after)?;
            let neg_inf_tail = match candidates.draw_rule {
                DrawRule::Softmax => None,
                DrawRule::LibstdcxxDiscrete { neg_inf_tail, .. } => Some(neg_inf_tail),
            };
            let weights = candidates.has_weights.then_some(&candidates.scratch.weights[..]);
            tell(Step {
                index,
                stage,
                applied,
                before: &before,
                after: &after,
                neg_inf_tail,
                selected,
                weights,
                is_last,
            })?;
            if is_last {
                break;
            }
        }
        Ok(())
    }
}
