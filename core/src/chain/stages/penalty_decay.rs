//! The repetition penalty that fades with the distance from the end, as in exllamav2.

use super::TryClone;
use super::history::History;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::reserve;
use crate::rules::penalty;
use crate::saved::{Reader, Writer};
use crate::select::radix;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug)]
pub(in crate::chain) struct PenaltyDecay {
    repeat: f32,
    /// -1 for all.
    sustain: i32,
    decay: i32,
    history: History,
    /// The distinct tokens of the history in rising order, with the least distance from the end.
    nearest: Vec<(i32, u32)>,
    /// Working memory to sort them.
    spare: Vec<(i32, u32)>,
}

impl Stage {
    /// For tokens among the last accepted: divides positive logits and multiplies others, once for each distinct
    /// token. By `repeat` for the latest `sustain` tokens (-1: all), then by a number that falls linearly to 1
    /// over the next `decay`; the latest occurrence counts. `repeat` 1, and 0 tokens together: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `repeat` is not above 0 and finite, a number of tokens is negative, or both
    /// together are above 1,048,576; [`Error::OutOfMemory`].
    pub fn penalty_decay(sustain: i32, decay: i32, repeat: f32) -> Result<Self, Error> {
        let window = match sustain {
            -1 => Some(-1),
            0.. => sustain.checked_add(decay),
            _ => None,
        };
        let (Some(window), 0..) = (window, decay) else { return Err(Error::BadArgument) };
        if !penalty::is_valid(repeat) {
            return Err(Error::BadArgument);
        }
        let history = History::new(window)?;
        let (nearest, spare) = (Vec::new(), Vec::new());
        Ok(PenaltyDecay { repeat, sustain, decay, history, nearest, spare }.into())
    }
}

impl PenaltyDecay {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Int("SUSTAIN", None),
        Parameter::Int("DECAY", None),
        Parameter::Float("REPEAT", None),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Int(sustain), Value::Int(decay), Value::Float(repeat)] => {
                Stage::penalty_decay(*sustain, *decay, *repeat)
            }
            _ => Err(Error::BadArgument),
        }
    }
}

impl TryClone for PenaltyDecay {
    fn try_clone(&self) -> Result<Self, Error> {
        let history = self.history.try_clone()?;
        Ok(Self { history, nearest: Vec::new(), spare: Vec::new(), ..*self })
    }
}

impl StageOps for PenaltyDecay {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "sustain {}, decay {}, repeat {}", self.sustain, self.decay, self.repeat)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.i32(self.sustain);
        out.i32(self.decay);
        out.f32(self.repeat);
        out.list(self.history.tokens().iter().copied());
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.accept_saved(from)
    }

    fn is_off(&self) -> bool {
        self.repeat == 1.0 || self.history.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        self.nearest.clear();
        reserve(&mut self.nearest, self.history.tokens().len())?;
        self.nearest.extend(self.history.tokens().iter().rev().copied().zip(0..));
        radix::sort_by_id(&mut self.nearest, &mut self.spare)?;
        self.nearest.dedup_by(|other, kept| {
            let same = other.0 == kept.0;
            if same {
                kept.1 = kept.1.min(other.1);
            }
            same
        });
        let sustain = u32::try_from(self.sustain).unwrap_or(u32::MAX);
        let strength = |distance: u32| match distance.saturating_sub(sustain) {
            0 => self.repeat,
            beyond => self.repeat + (1.0 - self.repeat) * (beyond as f32 / self.decay as f32),
        };
        candidates.edit(&self.nearest, |distance, l| penalty::repetition(l, strength(*distance)))
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
        Some(&self.repeat)
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.history.tokens().len())
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_penalty(self, self.repeat, warnings)
    }
}
