//! The token that stays a candidate whatever stages cut.

use super::row::Row;
use super::{Candidates, List};
use crate::Error;
use crate::chain::TokenData;
use crate::chain::ops::StageOps;
use crate::chain::scratch::Memory;
use crate::memory;

impl<'a> Candidates<'a> {
    /// Candidates in the chain's own memory, which must not be empty. `sorted` says that they are in rank
    /// order; that is checked.
    pub(in crate::chain) fn tokens(
        tokens: impl ExactSizeIterator<Item = TokenData>,
        sorted: bool,
        memory: &'a mut Memory,
    ) -> Result<Self, Error> {
        let Memory { scratch, list, .. } = memory;
        let mut list = List::empty(list);
        list.fill(tokens)?;
        list.sorted = sorted && list.tokens().is_sorted_by_key(TokenData::rank);
        Ok(Self::new(None, list, scratch))
    }

    /// The first candidate with this id.
    fn find(&self, id: i32) -> Option<(usize, TokenData)> {
        debug_assert!(!self.row.as_ref().is_some_and(Row::is_array), "no request has one");
        match &self.row {
            Some(row) => {
                let logit = row.logit_of(id)?;
                Some((usize::try_from(id).ok()?, TokenData { id, logit, p: 0.0 }))
            }
            None => {
                let mut tokens = self.list.tokens().iter().copied().enumerate();
                tokens.find(|(_, token)| token.id == id)
            }
        }
    }

    /// Applies a stage that does not select. If it drops the token `id`, which was above -inf, that returns to
    /// its place: in rank order in a list that is in rank order; otherwise behind those that stood before it
    /// and stayed, or to the end if the stage changes the order.
    pub(in crate::chain) fn apply_keeping(
        &mut self,
        stage: &mut dyn StageOps,
        id: i32,
        earlier: &mut Vec<TokenData>,
    ) -> Result<(), Error> {
        let found = self.find(id);
        self.keep_id = found.map(|_| id);
        let above = found.filter(|(_, token)| token.logit > f32::NEG_INFINITY);
        let Some((place, token)) = above else {
            return stage.apply(self);
        };
        let was_row = self.row.is_some();
        earlier.clear();
        if !was_row && !self.list.sorted {
            memory::reserve(earlier, place)?;
            earlier.extend_from_slice(&self.list.tokens()[..place]);
        }
        self.kept = Some(token);
        stage.apply(self)?;
        let Some(kept) = self.kept.take() else { return Ok(()) };
        if self.find(id).is_some() {
            return Ok(());
        }
        let tokens = self.list.tokens();
        let place = if self.list.sorted {
            tokens.partition_point(|token| token.rank() < kept.rank())
        } else if !stage.keeps_order() {
            tokens.len()
        } else if was_row {
            tokens.partition_point(|token| token.id < id)
        } else {
            // Those that stayed are in their order.
            let mut stayed = tokens.iter().peekable();
            let same = |a: &TokenData, b: &TokenData| a.id == b.id && a.logit == b.logit;
            earlier.iter().filter(|old| stayed.next_if(|token| same(token, old)).is_some()).count()
        };
        self.list.insert(place, kept)
    }

    /// Returns the kept token, if it is not among the candidates, as the last of them with this logit.
    pub(in crate::chain) fn return_last(
        &mut self,
        logit: impl Fn(f32) -> f32,
    ) -> Result<(), Error> {
        let Some(kept) = self.kept else { return Ok(()) };
        let (list, _) = self.as_list()?;
        if list.tokens().iter().any(|token| token.id == kept.id) {
            return Ok(());
        }
        let last = TokenData { logit: logit(kept.logit), ..kept };
        let len = list.tokens().len();
        list.insert(len, last)?;
        list.sorted = list.sorted && list.tokens().is_sorted_by_key(TokenData::rank);
        Ok(())
    }
}
