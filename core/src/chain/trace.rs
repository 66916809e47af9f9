//! Follows a pass for a report: one stage at a time, on a copy of the chain.

use super::candidates::{Candidates, DrawRule};
use super::{Chain, Stage, TokenData};
use crate::{Error, memory};

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
    /// After the S2 rule, whose candidates at -inf count: how many of them are not in the list.
    pub neg_inf_tail: Option<usize>,
    /// The place of the token that the stage selected.
    pub selected: Option<usize>,
}

impl Chain {
    /// Applies a copy of the stages to a row, up to the first that selects, and tells of each. A stage
    /// that is off leaves what was before it.
    pub(crate) fn trace(
        &self,
        logits: &[f32],
        mut tell: impl FnMut(Step<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut copy = self.try_clone()?;
        let (mut list, mut before) = (Vec::new(), Vec::new());
        memory::reserve(&mut list, logits.len())?;
        memory::reserve(&mut before, logits.len())?;
        list.extend((0..).zip(logits).map(|(id, logit)| TokenData { id, logit: *logit, p: 0.0 }));
        let mut candidates = Candidates::array(&mut list, false, &mut copy.memory);
        for (index, (stage, applied)) in self.stages.iter().zip(&mut copy.stages).enumerate() {
            before.clear();
            before.extend_from_slice(candidates.to_list()?.0.tokens());
            if !stage.is_off() {
                applied.ops_mut().apply(&mut candidates)?;
            }
            let neg_inf_tail = match candidates.draw_rule {
                DrawRule::Softmax => None,
                DrawRule::LibstdcxxDiscrete { neg_inf_tail } => Some(neg_inf_tail),
            };
            let selected = candidates.selected;
            let after = candidates.to_list()?.0.tokens();
            let before = &before;
            tell(Step { index, stage, applied, before, after, neg_inf_tail, selected })?;
            if selected.is_some() {
                break;
            }
        }
        Ok(())
    }
}
