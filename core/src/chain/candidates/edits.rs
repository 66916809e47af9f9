//! Changes of the logits of a few tokens in a list.

use super::List;
use crate::chain::TokenData;
use crate::rules::rank::nan_to_neg_inf;

impl List<'_> {
    /// Changes the logits of the tokens of `edits`, which are in rising order of ids, one after the other. NaN becomes
    /// -inf.
    pub(super) fn edit<T>(&mut self, edits: &[(i32, T)], change: impl Fn(&T, f32) -> f32) {
        (self.sorted, self.frozen) = (false, false);
        let tokens = self.tokens_mut();
        let apply = |token: &mut TokenData, edit: &T| {
            token.logit = nan_to_neg_inf(change(edit, nan_to_neg_inf(token.logit)));
        };
        if edits.is_empty() {
            return;
        }
        if ids_rise(tokens) {
            // Callers usually fill lists in id order, and then often with every id. No id occurs twice.
            for (id, edit) in edits {
                let at_id = usize::try_from(*id).ok();
                let at_id = at_id.filter(|place| tokens.get(*place).is_some_and(|t| t.id == *id));
                let found = || tokens.binary_search_by_key(id, |token| token.id).ok();
                if let Some(place) = at_id.or_else(found) {
                    apply(&mut tokens[place], edit);
                }
            }
            return;
        }
        // One bit for each id modulo their number, so that few tokens without an edit are looked up.
        let mut bits = [0_u64; 64];
        let place_of = |id: i32| (id as u32 as usize / 64 % 64, id as u32 % 64);
        for (id, _) in edits {
            let (word, bit) = place_of(*id);
            bits[word] |= 1 << bit;
        }
        for token in tokens {
            let (word, bit) = place_of(token.id);
            if bits[word] >> bit & 1 == 1 {
                let id = token.id;
                let first = edits.partition_point(|edit| edit.0 < id);
                let own = edits[first..].iter().take_while(|edit| edit.0 == id);
                own.for_each(|(_, edit)| apply(token, edit));
            }
        }
    }
}

/// Whether each token has a higher id than the one before.
fn ids_rise(tokens: &[TokenData]) -> bool {
    // Without a branch for each.
    let rises = |part: &[TokenData]| {
        part.windows(2).fold(true, |rises, pair| rises & (pair[0].id < pair[1].id))
    };
    let starts = (0..tokens.len()).step_by(1024);
    starts.map(|start| &tokens[start..(start + 1025).min(tokens.len())]).all(rises)
}
