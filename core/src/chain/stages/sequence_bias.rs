//! A number added to the logit of a token that would complete a sequence: Hugging Face's
//! `SequenceBiasLogitsProcessor`, and with -inf its banned words.

use super::TryClone;
use super::history::History;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use crate::saved::{Reader, Writer};
use crate::{Error, Stage};
use core::fmt::{self, Write};

/// A sequence, with its tokens in those of all.
#[derive(Debug, Clone, Copy)]
struct Sequence {
    last: i32,
    bias: f32,
    /// Where the tokens before the last one begin, and their number.
    start: usize,
    before: usize,
}

#[derive(Debug)]
pub(in crate::chain) struct SequenceBias {
    tokens: Vec<i32>,
    /// By rising last token; those of the same in the caller's order.
    sequences: Vec<Sequence>,
    history: History,
    /// The biases of a pass.
    edits: Vec<(i32, f32)>,
}

impl Stage {
    /// Adds each bias to the logit of the last token of its sequence, if the accepted tokens end with the others;
    /// to that of a sequence of one token always. -inf bans. No sequence: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for an empty sequence or one of more than 1,048,577 tokens, an id below 0, or a
    /// bias that is NaN; [`Error::OutOfMemory`].
    pub fn sequence_bias(biases: &[(&[i32], f32)]) -> Result<Self, Error> {
        let (mut tokens, mut sequences, mut numbered) = (Vec::new(), Vec::new(), Vec::new());
        reserve(&mut numbered, biases.len())?;
        let mut longest = 0;
        for (place, (sequence, bias)) in biases.iter().enumerate() {
            let Some((last, before)) = sequence.split_last() else {
                return Err(Error::BadArgument);
            };
            if bias.is_nan() || sequence.iter().any(|id| *id < 0) {
                return Err(Error::BadArgument);
            }
            reserve(&mut tokens, before.len())?;
            let start = tokens.len();
            tokens.extend_from_slice(before);
            longest = longest.max(before.len());
            let sequence = Sequence { last: *last, bias: *bias, start, before: before.len() };
            numbered.push((*last, place, sequence));
        }
        numbered.sort_unstable_by_key(|(last, place, _)| (*last, *place));
        reserve(&mut sequences, numbered.len())?;
        sequences.extend(numbered.iter().map(|(_, _, sequence)| *sequence));
        let history = History::new(i32::try_from(longest).map_err(|_| Error::BadArgument)?)?;
        Ok(SequenceBias { tokens, sequences, history, edits: Vec::new() }.into())
    }
}

impl SequenceBias {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::SequenceBiases];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        let [Value::SequenceBiases(given)] = values else { return Err(Error::BadArgument) };
        let mut biases = Vec::new();
        reserve(&mut biases, given.len())?;
        biases.extend(given.iter().map(|(bias, sequence)| (sequence.as_slice(), *bias)));
        Stage::sequence_bias(&biases)
    }

    /// Whether the history ends with the tokens before the last one.
    fn is_begun(&self, sequence: &Sequence) -> bool {
        let before = &self.tokens[sequence.start..][..sequence.before];
        let history = self.history.tokens();
        history.len() >= before.len()
            && history.iter().rev().zip(before.iter().rev()).all(|(a, b)| a == b)
    }
}

impl TryClone for SequenceBias {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            tokens: copy(&self.tokens)?,
            sequences: copy(&self.sequences)?,
            history: self.history.try_clone()?,
            edits: Vec::new(),
        })
    }
}

impl StageOps for SequenceBias {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{} sequences", self.sequences.len())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.count(self.sequences.len());
        for sequence in &self.sequences {
            out.f32(sequence.bias);
            let before = &self.tokens[sequence.start..][..sequence.before];
            out.count(before.len() + 1);
            before.iter().chain([&sequence.last]).for_each(|token| out.i32(*token));
        }
        out.list(self.history.tokens().iter().copied());
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accept_saved(from)
    }

    fn is_off(&self) -> bool {
        self.sequences.is_empty()
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let mut edits = core::mem::take(&mut self.edits);
        edits.clear();
        let room = reserve(&mut edits, self.sequences.len());
        if room.is_ok() {
            let begun = self.sequences.iter().filter(|sequence| self.is_begun(sequence));
            edits.extend(begun.map(|sequence| (sequence.last, sequence.bias)));
        }
        self.edits = edits;
        room?;
        candidates.edit(&self.edits, |bias, logit| logit + bias)
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

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_all_banned(warnings)
    }
}
