//! The tokens that were accepted last.

use crate::Error;
use crate::rules::MAX_WINDOW;
use std::collections::VecDeque;

/// A window of tokens, or all of them.
#[derive(Debug)]
pub(super) struct History {
    /// None for all.
    limit: Option<usize>,
    tokens: VecDeque<i32>,
}

impl History {
    /// The last `last_n` tokens; -1 for all.
    pub(super) fn new(last_n: i32) -> Result<Self, Error> {
        let limit = match last_n {
            -1 => None,
            0..=MAX_WINDOW => Some(last_n as usize),
            _ => return Err(Error::BadArgument),
        };
        let mut history = Self { limit, tokens: VecDeque::new() };
        history.reserve_exact(history.room())?;
        Ok(history)
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let mut copy = Self { limit: self.limit, tokens: VecDeque::new() };
        copy.reserve_exact(self.room().max(self.tokens.len()))?;
        copy.tokens.extend(&self.tokens);
        Ok(copy)
    }

    /// The capacity of a full window: one more than it holds, since a token enters before the oldest leaves.
    pub(super) fn room(&self) -> usize {
        self.limit.map_or(0, |limit| limit + 1)
    }

    fn reserve_exact(&mut self, room: usize) -> Result<(), Error> {
        self.tokens.try_reserve_exact(room).map_err(|_| Error::OutOfMemory)
    }

    /// The argument of [`History::new`].
    pub(super) fn last_n(&self) -> i32 {
        self.limit.map_or(-1, |limit| limit as i32)
    }

    /// Reserves memory for one more token.
    pub(super) fn reserve(&mut self) -> Result<(), Error> {
        self.tokens.try_reserve(1).map_err(|_| Error::OutOfMemory)
    }

    /// Adds a token; returns the token that leaves the window.
    pub(super) fn push(&mut self, token: i32) -> Option<i32> {
        self.tokens.push_back(token);
        let full = self.limit.is_some_and(|limit| self.tokens.len() > limit);
        if full { self.tokens.pop_front() } else { None }
    }

    pub(super) fn clear(&mut self) {
        self.tokens.clear();
    }

    /// The tokens, oldest first.
    pub(super) fn tokens(&self) -> &VecDeque<i32> {
        &self.tokens
    }
}
