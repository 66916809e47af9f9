//! Penalties for tokens that were accepted lately: by repetition (Keskar et al. 2019, "CTRL"), by
//! frequency and by presence.

use super::history::History;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::memory::{copy, reserve};
use crate::rules::penalty;
use core::fmt::{self, Write};

#[derive(Debug)]
pub(in crate::chain) struct Penalties {
    pub strengths: penalty::Penalties,
    history: History,
    /// The distinct tokens of the history in rising order, with how often they are there.
    counts: Vec<(i32, u32)>,
}

impl Penalties {
    pub(in crate::chain) fn new(
        last_n: i32,
        repeat: f32,
        frequency: f32,
        presence: f32,
    ) -> Result<Self, Error> {
        let strengths = penalty::Penalties { repeat, frequency, presence };
        if !strengths.are_valid() {
            return Err(Error::BadArgument);
        }
        let history = History::new(last_n)?;
        let mut counts = Vec::new();
        reserve(&mut counts, usize::try_from(last_n).map_or(0, |last_n| last_n + 1))?;
        Ok(Self { strengths, history, counts })
    }

    pub(in crate::chain) fn try_clone(&self) -> Result<Self, Error> {
        let last_n = self.history.last_n();
        let mut counts = copy(&self.counts)?;
        reserve(&mut counts, usize::try_from(last_n).map_or(0, |last_n| last_n + 1))?;
        Ok(Self { history: self.history.try_clone()?, counts, ..*self })
    }

    /// The number of tokens in the history.
    pub(in crate::chain) fn heard(&self) -> usize {
        self.history.tokens().len()
    }
}

impl StageOps for Penalties {
    fn name(&self) -> &'static str {
        "penalties"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { history, counts, .. } = self;
        let penalty::Penalties { repeat, frequency, presence } = self.strengths;
        write!(out, "last_n {}, repeat {repeat}, frequency {frequency}", history.last_n())?;
        write!(out, ", presence {presence}; {} tokens", counts.len())
    }

    fn is_off(&self) -> bool {
        self.strengths.are_off() || self.history.last_n() == 0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.edit(&self.counts, |count, logit| self.strengths.apply(logit, *count as usize))
    }

    fn prepare(&mut self) -> Result<(), Error> {
        reserve(&mut self.counts, 1)?;
        self.history.reserve()
    }

    fn accept(&mut self, token: i32) {
        match self.counts.binary_search_by_key(&token, |count| count.0) {
            Ok(place) => self.counts[place].1 += 1,
            Err(place) => self.counts.insert(place, (token, 1)),
        }
        let old = self.history.push(token);
        let place = old.and_then(|old| self.counts.binary_search_by_key(&old, |c| c.0).ok());
        if let Some(place) = place {
            self.counts[place].1 -= 1;
            if self.counts[place].1 == 0 {
                self.counts.remove(place);
            }
        }
    }

    fn reset(&mut self) {
        self.history.clear();
        self.counts.clear();
    }
}
