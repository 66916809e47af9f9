//! Where a history repeats its own end.

use crate::Error;
use crate::memory::{reserve, resize};
use crate::select::radix;
use std::collections::VecDeque;

/// Finds the tokens that would continue a repetition. Working memory only.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// The newest token first.
    newest: Vec<i32>,
    /// For each place in `newest`, how many tokens from there on equal the first ones.
    lengths: Vec<usize>,
    /// Tokens that would continue a repetition, with its length.
    next: Vec<(i32, usize)>,
    /// Working memory to sort `next`.
    spare: Vec<(i32, usize)>,
}

impl Repeats {
    /// The tokens that came after an earlier occurrence of at least `least` of the last tokens, each with its
    /// longest, at most `most`; in rising order. Takes time linear in the history.
    pub(super) fn find(
        &mut self,
        history: &VecDeque<i32>,
        least: usize,
        most: usize,
    ) -> Result<&mut Vec<(i32, usize)>, Error> {
        self.next.clear();
        if history.len() <= least || most < least {
            return Ok(&mut self.next);
        }
        self.newest.clear();
        reserve(&mut self.newest, history.len())?;
        self.newest.extend(history.iter().rev());
        resize(&mut self.lengths, self.newest.len(), 0)?;
        matches(&self.newest, &mut self.lengths);
        reserve(&mut self.next, self.newest.len())?;
        // A repetition and the token that came after it.
        for (length, token) in self.lengths[1..].iter().zip(&self.newest) {
            let length = *length.min(&most);
            if length >= least {
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
        Ok(&mut self.next)
    }

    /// What [`Repeats::find`] found last.
    pub(super) fn found(&self) -> &[(i32, usize)] {
        &self.next
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
