//! Only the tokens of a bitmask, as grammar engines give it (xgrammar, llguidance, Outlines).

use super::{StageKind, TryClone};
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use crate::saved::Writer;
use crate::{Chain, Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct Bitmask {
    words: Vec<i32>,
}

impl Stage {
    /// Bans every token but those of `words`: id i is allowed if bit i % 32 of word i / 32 is 1. Ids beyond the
    /// words are not allowed. No words: off.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn bitmask(words: &[i32]) -> Result<Self, Error> {
        Ok(Bitmask { words: copy(words)? }.into())
    }
}

impl Chain {
    /// Gives the bitmask stage at `index` other words; see [`Stage::bitmask`].
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no bitmask stage; [`Error::OutOfMemory`], and then the words are as
    /// before.
    pub fn set_bitmask(&mut self, index: usize, words: &[i32]) -> Result<(), Error> {
        let kind = self.stages.get_mut(index).map(|stage| &mut stage.0);
        let Some(StageKind::Bitmask(stage)) = kind else {
            return Err(Error::BadArgument);
        };
        let more = words.len().saturating_sub(stage.words.len());
        reserve(&mut stage.words, more)?;
        stage.words.clear();
        stage.words.extend_from_slice(words);
        Ok(())
    }
}

impl Bitmask {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Tokens("WORD")];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Tokens(words)] => Stage::bitmask(words),
            _ => Err(Error::BadArgument),
        }
    }

    fn allows(&self, id: i32) -> bool {
        let word = usize::try_from(id).ok().and_then(|id| self.words.get(id / 32));
        word.is_some_and(|word| word >> (id % 32) & 1 == 1)
    }
}

impl TryClone for Bitmask {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { words: copy(&self.words)? })
    }
}

impl StageOps for Bitmask {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let allowed: u64 = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        write!(out, "{} words, {allowed} ids", self.words.len())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.list(self.words.iter().copied());
    }

    fn is_off(&self) -> bool {
        self.words.is_empty()
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.change(|id, logit| if self.allows(id) { logit } else { f32::NEG_INFINITY })
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_unchanged(warnings)?;
        seen.warn_if_all_banned(warnings)
    }
}
