//! A stage of the caller's own.

use super::TryClone;
use crate::chain::TokenData;
use crate::chain::candidates::Candidates;
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::rank::nan_to_neg_inf;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Debug, Write};

/// What a stage of the caller's own works on: the candidates between two stages.
#[derive(Debug)]
pub struct CandidateArray<'a> {
    /// The candidates, at least one, none of them NaN. They may be changed and put in any order. `p` is what the
    /// last stage that wrote some left, or 0.
    pub tokens: &'a mut [TokenData],
    /// How many there are. Those left are the first `len`; at least one.
    pub len: usize,
    /// The place of a candidate above -inf, to select it; that ends the pass.
    pub selected: Option<usize>,
    /// Whether they are in rank order. After the stage it is a hint, which is verified.
    pub sorted: bool,
}

/// The operations of a stage of the caller's own.
///
/// Of one chain, one call runs at a time. A panic leaves the chain as a panic elsewhere does.
pub trait CustomStage: Debug + Send + Sync {
    /// A name for reports.
    fn name(&self) -> &str;

    /// Whether the stage selects a token.
    fn selects(&self) -> bool {
        false
    }

    /// Works on the candidates.
    ///
    /// # Errors
    /// Any; it becomes the draw's. No token is accepted then.
    fn apply(&mut self, candidates: &mut CandidateArray<'_>) -> Result<(), Error>;

    /// Records a token that was drawn.
    fn accept(&mut self, _token: i32) {}

    /// Forgets the accepted tokens.
    fn reset(&mut self) {}

    /// A copy in the same state. A chain is copied by [`Chain::try_clone`](crate::Chain::try_clone) and for a
    /// report.
    ///
    /// # Errors
    /// Any; it becomes that of the call that copies the chain.
    fn try_clone(&self) -> Result<Box<dyn CustomStage>, Error>;
}

#[derive(Debug)]
pub(in crate::chain) struct Custom(Box<dyn CustomStage>);

impl Stage {
    /// A stage of the caller's own.
    ///
    /// What it leaves is checked: [`Error::NoCandidate`] if `len` is 0 or the selected candidate is at -inf;
    /// [`Error::BadArgument`] if `len` grew, `selected` is no place of a candidate left, or an id is not in the
    /// row that the pass began with. A NaN logit becomes -inf.
    #[must_use]
    pub fn custom(stage: Box<dyn CustomStage>) -> Self {
        Custom(stage).into()
    }
}

impl TryClone for Custom {
    fn try_clone(&self) -> Result<Self, Error> {
        self.0.try_clone().map(Self)
    }
}

impl StageOps for Custom {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "name {}", self.0.name())
    }

    fn is_savable(&self) -> bool {
        false
    }

    fn save(&self, _out: &mut Writer<'_>) {}

    fn selects(&self) -> bool {
        self.0.selects()
    }

    fn needs_probs(&self) -> bool {
        true
    }

    fn keeps_order(&self) -> bool {
        false
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let ids = candidates.ids();
        let (list, _) = candidates.as_list()?;
        let (before, sorted) = (list.tokens().len(), list.sorted);
        let tokens = list.tokens_mut();
        let mut array = CandidateArray { tokens, len: before, selected: None, sorted };
        let done = self.0.apply(&mut array);
        let CandidateArray { len, selected, sorted, .. } = array;
        // Whatever it says: no list has a NaN.
        let tokens = list.tokens_mut();
        tokens.iter_mut().for_each(|token| token.logit = nan_to_neg_inf(token.logit));
        (list.sorted, list.frozen) = (false, false);
        done?;
        if len == 0 {
            return Err(Error::NoCandidate);
        }
        if len > before || selected.is_some_and(|place| place >= len) {
            return Err(Error::BadArgument);
        }
        list.truncate(len);
        let tokens = list.tokens();
        if tokens.iter().any(|token| !ids.contains(&token.id)) {
            return Err(Error::BadArgument);
        }
        if selected.is_some_and(|place| tokens[place].logit == f32::NEG_INFINITY) {
            return Err(Error::NoCandidate);
        }
        list.sorted = sorted && tokens.is_sorted_by_key(TokenData::rank);
        if len < before {
            candidates.clear_tail();
        }
        if selected.is_some() {
            // The place would no longer be that of the candidate.
            candidates.kept = None;
        }
        candidates.selected = selected;
        Ok(())
    }

    fn accept(&mut self, token: i32) {
        self.0.accept(token);
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_all_banned(warnings)
    }
}
