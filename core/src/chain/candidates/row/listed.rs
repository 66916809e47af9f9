//! All candidates of a row as a list.

use super::{Left, Row};
use crate::Error;
use crate::chain::TokenData;
use crate::chain::candidates::List;
use crate::chain::scratch::Scratch;
use crate::memory::reserve;
use crate::rules::rank::nan_to_neg_inf;

impl Row<'_> {
    /// Puts all candidates into the list, and thaws frozen probabilities.
    pub(in crate::chain::candidates) fn to_list(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
    ) -> Result<(), Error> {
        let Some(Left { ranks, by_id }) = self.left else {
            return self.list_all(list);
        };
        if !self.frozen {
            return self.list_ranked(scratch, list);
        }
        if by_id && self.is_array() {
            // Those that reach a limit, which no other token equals.
            self.find_ranks(scratch, ranks)?;
            let Scratch { prefix, keys, .. } = scratch;
            keys.clear();
            reserve(keys, ranks)?;
            keys.extend_from_slice(&prefix.keys()[..ranks]);
            keys.sort_unstable_by_key(|key| key.id());
            return list.fill(keys.iter().map(|key| self.token(key)));
        }
        self.top_k_list(scratch, list, ranks)?;
        if by_id {
            list.tokens_mut().sort_unstable_by_key(|token| token.id);
            list.sorted = false;
        }
        Ok(())
    }

    /// Puts the whole row into the list.
    pub(super) fn list_all(&self, list: &mut List<'_>) -> Result<(), Error> {
        if let Some(tokens) = &self.array {
            let logits = tokens.iter().zip(&self.memory.copy);
            return list.fill(logits.map(|(token, logit)| TokenData { logit: *logit, ..*token }));
        }
        let token = |id: usize, logit: f32| TokenData {
            id: id as i32,
            logit: nan_to_neg_inf(logit),
            p: 0.0,
        };
        let logits = self.source().iter().enumerate();
        list.fill(logits.map(|(id, logit)| token(id, self.scaled(*logit))))?;
        for (id, logit) in &self.memory.edits {
            list.tokens_mut()[*id as usize].logit = *logit;
        }
        Ok(())
    }
}
