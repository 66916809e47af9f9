//! Candidates in an array of the caller's, where they are not in rank order: each operation on them passes over the array
//! once, or not at all.
//!
//! What needs only the best candidates finds them where they lie, with a [`TokenScan`](crate::select::TokenScan): of the
//! tokens that reach a threshold the list then has the right ones in the right order, whatever the ids are. What needs
//! sums over all candidates gathers their logits into a row. Its candidates are then places of the array. Changes of
//! single logits are made in the array.

use super::row::Row;
use super::{Candidates, List};
use crate::chain::TokenData;
use crate::chain::scratch::{Memory, Scratch};
use crate::rules::temperature::{Scale, Scaling, scaling, uniform};
use crate::select::Scaled;
use crate::{Applied, Error};

/// The fewest candidates that are not simply taken as a list.
const MIN_LEN: usize = 128;

impl<'a> Candidates<'a> {
    /// A caller's array, which must not be empty. `sorted` says that it is in rank order, which is believed.
    pub(in crate::chain) fn array(
        tokens: &'a mut [TokenData],
        sorted: bool,
        memory: &'a mut Memory,
    ) -> Self {
        debug_assert!(!tokens.is_empty());
        let Memory { scratch, row, list } = memory;
        let mut candidates = Self::new(None, List::of(tokens, sorted, list), scratch);
        candidates.row_memory = Some(row);
        candidates.is_unread = true;
        candidates
    }

    /// Makes the candidates' NaN -inf, if that is not done yet.
    pub(super) fn clean(&mut self) {
        if self.is_unread {
            self.is_unread = false;
            self.list.clean();
        }
    }

    /// Before the list is changed: what was read of it no longer holds.
    pub(super) fn touch(&mut self) {
        self.clean();
        self.is_scanned = false;
    }

    /// Whether [`Scratch::tokens`] has read the candidates, which it has if they are many in no known order.
    pub(super) fn scan_list(&mut self) -> Result<bool, Error> {
        if self.row.is_some() || self.list.sorted || self.list.tokens().len() < MIN_LEN {
            self.clean();
            return Ok(false);
        }
        if !self.is_scanned {
            let Scratch { kernels, tokens, .. } = &mut *self.scratch;
            let has_nan = tokens.read(*kernels, self.list.tokens())?;
            if self.is_unread && has_nan {
                self.list.clean();
            }
            self.is_unread = false;
            self.is_scanned = true;
        }
        Ok(true)
    }

    /// Makes a row of the candidates if they are many in an array and in no known order.
    pub(super) fn gather(&mut self) -> Result<(), Error> {
        let is_list = self.row.is_some() || self.list.sorted || self.list.frozen;
        if is_list || self.list.tokens().len() < MIN_LEN {
            self.clean();
            return Ok(());
        }
        let Some(memory) = self.row_memory.take() else { return Ok(()) };
        let Some(tokens) = self.list.take_array() else {
            self.row_memory = Some(memory);
            return Ok(());
        };
        (self.is_unread, self.is_scanned) = (false, false);
        self.row = Some(Row::gathered(self.scratch.kernels, tokens, memory)?);
        Ok(())
    }

    /// Ends the row: its candidates are in the list, or it goes back to the array.
    pub(super) fn end_row(&mut self) -> Result<(), Error> {
        self.touch();
        let Some(row) = &mut self.row else { return Ok(()) };
        let is_whole_array = row.is_array() && !row.is_cut();
        if is_whole_array {
            row.write_back();
        } else {
            row.to_list(self.scratch, &mut self.list)?;
        }
        self.release_row(is_whole_array);
        Ok(())
    }

    /// Ends the row, whose candidates are in the list, or all in the array.
    pub(super) fn release_row(&mut self, in_place: bool) {
        let Some((memory, tokens)) = self.row.take().map(Row::into_parts) else { return };
        self.row_memory = Some(memory);
        match tokens {
            Some(tokens) if in_place => self.list.put_back(tokens),
            Some(tokens) => self.list.hold(tokens),
            None => {}
        }
    }

    /// Keeps those that reach `low`, which is finite, in their order; the list has been scanned.
    pub(super) fn keep_scanned(&mut self, low: f32) {
        let Scratch { kernels, tokens, .. } = &mut *self.scratch;
        let kept = tokens.keep_reaching(*kernels, self.list.tokens_mut(), low);
        self.is_scanned = false;
        self.list.truncate(kept);
    }

    /// Scales the list, as a temperature or a factor does.
    pub(super) fn scale_list(&mut self, by: Scale) -> Result<(), Error> {
        let is_usual = scaling(by, 0.0) == Scaling::Each && by != Scale::Divide(1.0);
        if is_usual && !self.list.sorted && self.list.tokens().len() >= MIN_LEN {
            let Scratch { kernels, tokens, .. } = &mut *self.scratch;
            let scaled = tokens.scale(*kernels, self.list.tokens_mut(), by)?;
            (self.is_unread, self.is_scanned) = (false, false);
            match scaled {
                Scaled::Each { is_read } => (self.is_scanned, self.list.frozen) = (is_read, false),
                // The best is as it was, so its probability holds.
                Scaled::Best { from } => {
                    self.kept = None;
                    self.list.drop_first(from);
                    self.keep_top_k(1)?;
                }
            }
            return Ok(());
        }
        self.touch();
        match scaling(by, self.list.top()) {
            Scaling::Best => {
                self.kept = None;
                self.keep_top_k(1)?;
            }
            Scaling::Each => self.list.change(|token| by.apply(token.logit)),
            Scaling::Uniform => self.list.change(|token| uniform(token.logit)),
        }
        Ok(())
    }

    /// Leaves the candidates at the front of the caller's array.
    pub(in crate::chain) fn finish(mut self) -> Result<Applied, Error> {
        let selected = self.selected;
        self.end_row()?;
        self.list.move_to_array();
        Ok(Applied { len: self.list.tokens().len(), selected, sorted: self.list.sorted })
    }
}
