//! No end before a number of tokens: Hugging Face's `MinNewTokensLengthLogitsProcessor`, vLLM's `min_tokens`.

use super::TryClone;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug)]
pub(in crate::chain) struct MinTokens {
    count: i32,
    accepted: i32,
    /// In rising order, each once.
    ids: Vec<(i32, ())>,
}

impl Stage {
    /// Bans `ids` until `count` tokens were accepted. `count` 0, or no ids: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `count` is below 0; [`Error::OutOfMemory`].
    pub fn min_tokens(count: i32, ids: &[i32]) -> Result<Self, Error> {
        if count < 0 {
            return Err(Error::BadArgument);
        }
        let mut sorted = Vec::new();
        reserve(&mut sorted, ids.len())?;
        sorted.extend(ids.iter().map(|id| (*id, ())));
        sorted.sort_unstable();
        sorted.dedup();
        Ok(MinTokens { count, accepted: 0, ids: sorted }.into())
    }
}

impl MinTokens {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Int("COUNT", None), Parameter::Tokens("ID")];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Int(count), Value::Tokens(ids)] => Stage::min_tokens(*count, ids),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for MinTokens {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { ids: copy(&self.ids)?, ..*self })
    }
}

impl StageOps for MinTokens {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "count {}, {} ids; {} accepted", self.count, self.ids.len(), self.accepted)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.i32(self.count);
        out.list(self.ids.iter().map(|(id, ())| *id));
        out.i32(self.accepted);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accepted = from.i32()?.max(0);
        Ok(())
    }

    fn is_off(&self) -> bool {
        self.count == 0 || self.ids.is_empty()
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if self.accepted >= self.count {
            return Ok(());
        }
        candidates.edit(&self.ids, |(), _| f32::NEG_INFINITY)
    }

    fn accept(&mut self, _token: i32) {
        self.accepted = self.accepted.saturating_add(1);
    }

    fn reset(&mut self) {
        self.accepted = 0;
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.count)
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_all_banned(warnings)
    }
}
