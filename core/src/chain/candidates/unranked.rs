//! What stages do to a row whose rule ranks all of it, without ranking it. Each method does nothing, and says so, where
//! the candidates are no such row: then the stage works on the list of [`Candidates::ranked`].

use super::row::{Entropy, RankCut};
use super::{Candidates, Cut};
use crate::Error;
use crate::chain::TokenData;
use crate::draw::normalizer::double::Bounds;

impl Candidates<'_> {
    /// Whether the candidates are a row, not of an array, of which neither probabilities nor weights are wanted one
    /// by one, nor a token kept. It then has no pending changes.
    fn is_whole_row(&mut self) -> Result<bool, Error> {
        let are_unwanted = !self.needs_probs && !self.wants_weights && self.keep_id.is_none();
        let row = self.row.as_mut().filter(|row| are_unwanted && !row.is_array());
        let Some(row) = row else { return Ok(false) };
        if !row.is_whole(self.scratch)? {
            return Ok(false);
        }
        self.clear_tail();
        Ok(true)
    }

    /// The entropy.
    pub(in crate::chain) fn row_entropy(&mut self) -> Result<Option<Entropy>, Error> {
        if !self.is_whole_row()? {
            return Ok(None);
        }
        self.row.as_ref().map(|row| row.entropy(self.scratch)).transpose()
    }

    /// The number of ranks that stay of those above -inf, and the number of these: see
    /// [`Row::settle`](super::row::Row::settle).
    pub(in crate::chain) fn settle_row(
        &mut self,
        known: Option<Bounds>,
        cut: &impl RankCut,
    ) -> Result<Option<usize>, Error> {
        if !self.is_whole_row()? {
            return Ok(None);
        }
        self.row.as_ref().map_or(Ok(None), |row| row.settle(self.scratch, known, cut))
    }

    /// The number of tokens of a row above -inf, after one of the others.
    pub(in crate::chain) fn count_row(&mut self) -> Result<usize, Error> {
        self.row.as_ref().map_or(Ok(0), |row| row.count_above(self.scratch))
    }

    /// Cuts the row down to the first `k` ranks, after [`Candidates::settle_row`].
    pub(in crate::chain) fn keep_settled(&mut self, k: usize) -> Result<(), Error> {
        if let Some(row) = &mut self.row {
            row.thaw();
            row.list_ranks(self.scratch, &mut self.list, k)?;
            self.end_cut(Cut::List);
        }
        Ok(())
    }

    /// Puts the row into rank order, without those at -inf. `above` is their number. Drops the first `dropped`,
    /// which [`Candidates::settle_row`] found.
    pub(in crate::chain) fn order_row(
        &mut self,
        above: usize,
        dropped: usize,
    ) -> Result<(), Error> {
        match &mut self.row {
            Some(row) => row.order_by_rank(self.scratch, above, dropped),
            None => Ok(()),
        }
    }

    /// Keeps the typical candidates of a row, in the order of their scores.
    pub(in crate::chain) fn typical_of_row(
        &mut self,
        p: f32,
        min_keep: usize,
    ) -> Result<bool, Error> {
        if !self.is_whole_row()? {
            return Ok(false);
        }
        if let Some(row) = &mut self.row {
            row.thaw();
            row.typical(self.scratch, &mut self.list, p, min_keep)?;
            self.end_cut(Cut::List);
        }
        Ok(true)
    }

    /// Puts the first `m` ranks of a row with their probabilities of the binary32 softmax into the list, which is
    /// not yet that of the candidates.
    pub(in crate::chain) fn list_float_probs(&mut self, m: usize) -> Result<bool, Error> {
        if !self.is_whole_row()? {
            return Ok(false);
        }
        match &self.row {
            Some(row) => row.float_probs(self.scratch, &mut self.list, m),
            None => Ok(false),
        }
    }

    /// What [`Candidates::list_float_probs`] put there.
    pub(in crate::chain) fn listed(&self) -> &[TokenData] {
        self.list.tokens()
    }

    /// Whether [`Candidates::draw_row`] may find a token.
    pub(in crate::chain) fn can_draw_row(&mut self) -> Result<bool, Error> {
        let Some(row) = self.row.as_mut().filter(|row| !self.wants_weights && !row.is_array())
        else {
            return Ok(false);
        };
        row.can_draw(self.scratch)
    }

    /// The place of the token that inversion draws from a row with `u`; none if only single steps can tell.
    pub(in crate::chain) fn draw_row(
        &mut self,
        u: f64,
        by_rank: bool,
    ) -> Result<Option<usize>, Error> {
        match &mut self.row {
            Some(row) => row.draw(self.scratch, u, by_rank),
            None => Ok(None),
        }
    }
}
