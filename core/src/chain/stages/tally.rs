//! The tokens that were accepted last, counted.

use super::history::History;
use crate::Error;
use crate::memory::{copy, reserve};
use std::collections::VecDeque;

/// A window of tokens with the count of each.
#[derive(Debug)]
pub(super) struct Tally {
    history: History,
    /// The distinct tokens of the history in rising order, with their counts.
    counts: Vec<(i32, u32)>,
}

impl Tally {
    /// As [`History::new`].
    pub(super) fn new(last_n: i32) -> Result<Self, Error> {
        let history = History::new(last_n)?;
        let mut counts = Vec::new();
        reserve(&mut counts, history.room())?;
        Ok(Self { history, counts })
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let history = self.history.try_clone()?;
        let mut counts = copy(&self.counts)?;
        let room = history.room().saturating_sub(counts.len());
        reserve(&mut counts, room)?;
        Ok(Self { history, counts })
    }

    /// The argument of [`Tally::new`].
    pub(super) fn last_n(&self) -> i32 {
        self.history.last_n()
    }

    /// The number of tokens in the window.
    pub(super) fn len(&self) -> usize {
        self.history.tokens().len()
    }

    /// The tokens in the window, oldest first.
    pub(super) fn tokens(&self) -> &VecDeque<i32> {
        self.history.tokens()
    }

    pub(super) fn counts(&self) -> &[(i32, u32)] {
        &self.counts
    }

    /// Reserves memory for one more token.
    pub(super) fn reserve(&mut self) -> Result<(), Error> {
        reserve(&mut self.counts, 1)?;
        self.history.reserve()
    }

    pub(super) fn push(&mut self, token: i32) {
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

    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.counts.clear();
    }
}
