//! The latest tokens that were accepted.

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
        let mut tokens = VecDeque::new();
        let room = limit.map_or(0, |limit| limit + 1);
        tokens.try_reserve_exact(room).map_err(|_| Error::OutOfMemory)?;
        Ok(Self { limit, tokens })
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let mut copy = Self { limit: self.limit, tokens: VecDeque::new() };
        let room = self.tokens.len().max(self.limit.map_or(0, |limit| limit + 1));
        copy.tokens.try_reserve_exact(room).map_err(|_| Error::OutOfMemory)?;
        copy.tokens.extend(&self.tokens);
        Ok(copy)
    }

    /// The number that [`History::new`] took.
    pub(super) fn last_n(&self) -> i32 {
        self.limit.map_or(-1, |limit| limit as i32)
    }

    /// Makes room for one more token.
    pub(super) fn reserve(&mut self) -> Result<(), Error> {
        self.tokens.try_reserve(1).map_err(|_| Error::OutOfMemory)
    }

    /// Takes in a token; the one that it pushes out comes back.
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
