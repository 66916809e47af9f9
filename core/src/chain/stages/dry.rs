//! Don't repeat yourself: penalises tokens that would continue a repetition, more the longer it is.

use super::TryClone;
use super::breakers::{Breakers, Progress};
use super::history::History;
use crate::chain::candidates::Candidates;
use crate::chain::finite;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::memory::{reserve, resize};
use crate::select::radix;
use crate::{Error, Stage};
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct Dry {
    multiplier: f32,
    base: f32,
    allowed_length: i32,
    history: History,
    breakers: Breakers,
    /// The breakers in the history.
    progress: Progress,
    /// The newest token first.
    newest: Vec<i32>,
    /// For each place in `newest`, how many tokens from there on equal the first ones.
    repeats: Vec<usize>,
    /// Tokens that would continue a repetition, with its length.
    next: Vec<(i32, usize)>,
    /// Working memory to sort `next`.
    spare: Vec<(i32, usize)>,
}

impl Stage {
    /// Subtracts `multiplier * base^(length - allowed_length)` from the logits of tokens that would
    /// continue a repetition of at least `allowed_length` tokens within the last `last_n` (-1: all), back
    /// to the last of the breakers. `multiplier` 0, `base` below 1, `last_n` 0: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite, `allowed_length` below 0, or `last_n` out of
    /// range as for [`Stage::penalties`]; [`Error::OutOfMemory`].
    pub fn dry(
        multiplier: f32,
        base: f32,
        allowed_length: i32,
        last_n: i32,
        breakers: &[&[i32]],
    ) -> Result<Self, Error> {
        if allowed_length < 0 {
            return Err(Error::BadArgument);
        }
        Ok(Dry {
            multiplier: finite(multiplier)?,
            base: finite(base)?,
            allowed_length,
            history: History::new(last_n)?,
            breakers: Breakers::new(breakers)?,
            progress: Progress::default(),
            newest: Vec::new(),
            repeats: Vec::new(),
            next: Vec::new(),
            spare: Vec::new(),
        }
        .into())
    }
}

impl TryClone for Dry {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            history: self.history.try_clone()?,
            breakers: self.breakers.try_clone()?,
            newest: Vec::new(),
            repeats: Vec::new(),
            next: Vec::new(),
            spare: Vec::new(),
            ..*self
        })
    }
}

impl Dry {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("MULTIPLIER", None),
        Parameter::Float("BASE", Some(1.75)),
        Parameter::Int("ALLOWED_LENGTH", Some(2)),
        Parameter::Int("LAST_N", Some(-1)),
        Parameter::Breakers,
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        let [
            Value::Float(multiplier),
            Value::Float(base),
            Value::Int(allowed_length),
            Value::Int(last_n),
            Value::Breakers(lists),
        ] = values
        else {
            return Err(Error::BadArgument);
        };
        let mut breakers = Vec::new();
        reserve(&mut breakers, lists.len())?;
        breakers.extend(lists.iter().map(Vec::as_slice));
        Stage::dry(*multiplier, *base, *allowed_length, *last_n, &breakers)
    }

    /// Finds the repetitions that a next token would continue, in time linear in the history.
    fn find(&mut self) -> Result<(), Error> {
        self.next.clear();
        let len = self.history.tokens().len();
        let allowed = usize::try_from(self.allowed_length).unwrap_or(0);
        let limit = self.progress.tokens_since(len);
        if len <= allowed || limit < allowed {
            return Ok(());
        }
        self.newest.clear();
        reserve(&mut self.newest, len)?;
        self.newest.extend(self.history.tokens().iter().rev());
        resize(&mut self.repeats, self.newest.len(), 0)?;
        matches(&self.newest, &mut self.repeats);
        reserve(&mut self.next, self.newest.len())?;
        // A repetition and the token that came after it.
        for (length, token) in self.repeats[1..].iter().zip(&self.newest) {
            let length = *length.min(&limit);
            if length >= allowed {
                self.next.push((*token, length));
            }
        }
        // One entry for each token, its longest, in rising order of tokens.
        radix::sort_by_id(&mut self.next, &mut self.spare)?;
        self.next.dedup_by(|other, kept| {
            let same = other.0 == kept.0;
            if same {
                kept.1 = kept.1.max(other.1);
            }
            same
        });
        self.next.retain(|(token, _)| !self.breakers.is_breaker(*token));
        Ok(())
    }

    /// The penalty for continuing a repetition of `length` tokens.
    fn penalty(&self, length: usize) -> f32 {
        // ln of the largest binary32.
        const LN_F32_MAX: f32 = 88.722_84;
        let most = if self.base > 1.000_001 { (LN_F32_MAX / self.base.ln()) as i32 } else { 0 };
        let excess = length as i32 - self.allowed_length;
        let exponent = if most > 0 { excess.min(most) } else { excess };
        (f64::from(self.multiplier) * f64::from(self.base).powf(f64::from(exponent))) as f32
    }
}

/// The Z function: for each place, how many values from there on equal the first ones.
fn matches(values: &[i32], lengths: &mut [usize]) {
    // Of the runs so far that equal the beginning, the one that ends last.
    let (mut start, mut end) = (0, 0);
    for place in 1..values.len() {
        // Most places: nothing is known of them, and not even one token is equal.
        if place >= end && values[place] != values[0] {
            lengths[place] = 0;
            continue;
        }
        let known = if place < end { lengths[place - start].min(end - place) } else { 0 };
        let more = values[place + known..].iter().zip(&values[known..]);
        let length = known + more.take_while(|(a, b)| a == b).count();
        lengths[place] = length;
        if place + length > end {
            (start, end) = (place, place + length);
        }
    }
}

impl StageOps for Dry {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { multiplier, base, allowed_length, .. } = self;
        write!(out, "multiplier {multiplier}, base {base}, allowed_length {allowed_length}")?;
        write!(out, ", last_n {}, {} breakers", self.history.last_n(), self.breakers.count())
    }

    fn is_off(&self) -> bool {
        self.multiplier == 0.0 || self.base < 1.0 || self.history.last_n() == 0
    }

    fn edits_single_logits(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        self.find()?;
        candidates.edit(&self.next, |length, logit| logit - self.penalty(*length))
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.history.reserve()
    }

    fn accept(&mut self, token: i32) {
        self.history.push(token);
        self.breakers.read(&mut self.progress, token);
    }

    fn reset(&mut self) {
        self.history.clear();
        self.progress = Progress::default();
    }

    fn history_len(&self) -> Option<usize> {
        Some(self.history.tokens().len())
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_if_no_history(self, warnings)?;
        seen.warn_if_all_banned(warnings)
    }
}
