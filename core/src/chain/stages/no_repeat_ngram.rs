//! No sequence of n tokens comes twice: Hugging Face's `NoRepeatNGramLogitsProcessor`.

use super::TryClone;
use super::history::History;
use super::repeats::Repeats;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::reserve;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug)]
pub(in crate::chain) struct NoRepeatNgram {
    n: i32,
    history: History,
    repeats: Repeats,
}

impl Stage {
    /// Bans tokens that would complete a sequence of `n` tokens which is among the last `last_n` accepted (-1:
    /// all); `n` 1 bans each of these tokens. 0: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `n` is below 0, or `last_n` out of range as for [`Stage::penalties`];
    /// [`Error::OutOfMemory`].
    pub fn no_repeat_ngram(n: i32, last_n: i32) -> Result<Self, Error> {
        if n < 0 {
            return Err(Error::BadArgument);
        }
        let history = History::new(last_n)?;
        Ok(NoRepeatNgram { n, history, repeats: Repeats::default() }.into())
    }
}

impl NoRepeatNgram {
    pub(super) const PARAMETERS: &[Parameter] =
        &[Parameter::Int("N", None), Parameter::Int("LAST_N", Some(-1))];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Int(n), Value::Int(last_n)] => Stage::no_repeat_ngram(*n, *last_n),
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for NoRepeatNgram {
    fn try_clone(&self) -> Result<Self, Error> {
        let history = self.history.try_clone()?;
        Ok(Self { n: self.n, history, repeats: Repeats::default() })
    }
}

impl StageOps for NoRepeatNgram {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "n {}, last_n {}", self.n, self.history.last_n())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.i32(self.n);
        out.i32(self.history.last_n());
        out.list(self.history.tokens().iter().copied());
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accept_saved(from)
    }

    fn is_off(&self) -> bool {
        self.n == 0 || self.history.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        debug_assert!(self.n > 0);
        let least = self.n as usize - 1;
        let banned = self.repeats.find(self.history.tokens(), least, usize::MAX)?;
        if let (0, Some(oldest)) = (least, self.history.tokens().front())
            && let Err(place) = banned.binary_search_by_key(oldest, |token| token.0)
        {
            // It came after no other token, but it is a sequence of one.
            reserve(banned, 1)?;
            banned.insert(place, (*oldest, 0));
        }
        candidates.edit(self.repeats.found(), |_, _| f32::NEG_INFINITY)
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.history.reserve()
    }

    fn accept(&mut self, token: i32) {
        self.history.push(token);
    }

    fn reset(&mut self) {
        self.history.clear();
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.n)
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.history.tokens().len())
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_no_history(self, warnings)?;
        seen.warn_if_all_banned(warnings)
    }
}
