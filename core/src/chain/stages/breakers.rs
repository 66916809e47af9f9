//! Follows a history token by token and knows its newest breaker.
//!
//! Source: Aho and Corasick 1975, "Efficient string matching: an aid to bibliographic search". An automaton
//! reads each token once, when it is accepted, so a draw does not search the history for breakers.

use crate::Error;
use crate::memory::{copy, reserve};
use crate::saved::Writer;

/// The first node: no token has matched.
const ROOT: u32 = 0;

/// A prefix of a breaker. The children of a node are neighbours, in rising order of their tokens.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The last token of the prefix.
    token: i32,
    /// Where the children begin and end.
    children: (u32, u32),
    /// The longest proper suffix of the prefix that is a prefix too.
    suffix: u32,
    /// The length of the shortest breaker that ends here; 0 for none.
    shortest: u32,
}

/// The breakers of a dry stage.
#[derive(Debug)]
pub(super) struct Breakers {
    nodes: Vec<Node>,
    /// The breakers that the nodes were made of, one after the other, each behind its length.
    sorted: Vec<i32>,
    count: usize,
}

/// The state of the automaton over a history. Places count all tokens read, including those that left the
/// window.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// The longest prefix of a breaker that the history ends with.
    node: u32,
    /// The number of tokens read.
    read: u64,
    /// Where the newest breaker begins and ends: the one that begins last, and the longest that begins there.
    newest: Option<(u64, u64)>,
}

impl Progress {
    /// How many of the last `len` tokens come after the newest breaker among them; all if there is none.
    pub(super) fn tokens_since(&self, len: usize) -> usize {
        debug_assert!(len as u64 <= self.read);
        let inside = self.newest.filter(|(begin, _)| *begin >= self.read - len as u64);
        inside.map_or(len, |(_, end)| (self.read - end) as usize)
    }
}

impl Breakers {
    /// Empty breakers are ignored.
    pub(super) fn new(breakers: &[&[i32]]) -> Result<Self, Error> {
        let mut sorted = Vec::new();
        reserve(&mut sorted, breakers.len())?;
        sorted.extend(breakers.iter().copied().filter(|breaker| !breaker.is_empty()));
        sorted.sort_unstable();
        let total: usize = sorted.iter().map(|breaker| breaker.len()).sum();
        if i32::try_from(total).is_err() {
            return Err(Error::OutOfMemory);
        }
        let mut copies = Vec::new();
        reserve(&mut copies, total + sorted.len())?;
        for breaker in &sorted {
            copies.push(breaker.len() as i32);
            copies.extend_from_slice(breaker);
        }
        let mut made = Self { nodes: Vec::new(), sorted: copies, count: sorted.len() };
        made.add_nodes(&sorted, total + 1)?;
        made.add_suffixes();
        Ok(made)
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { nodes: copy(&self.nodes)?, sorted: copy(&self.sorted)?, count: self.count })
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Writes the breakers.
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.count(self.count);
        let mut rest = self.sorted.iter();
        while let Some(len) = rest.next() {
            out.list(rest.as_slice()[..*len as usize].iter().copied());
            rest.nth(*len as usize - 1);
        }
    }

    /// Adds the nodes level by level. Each has a range of the sorted breakers, those with its prefix.
    fn add_nodes(&mut self, sorted: &[&[i32]], most: usize) -> Result<(), Error> {
        let node = |token| Node { token, children: (0, 0), suffix: ROOT, shortest: 0 };
        let mut ranges = Vec::new();
        reserve(&mut self.nodes, most)?;
        reserve(&mut ranges, most)?;
        self.nodes.push(node(0));
        ranges.push((0, sorted.len(), 0));
        let mut index = 0;
        while let Some(&(start, end, depth)) = ranges.get(index) {
            let token = |breaker: &&[i32]| breaker[depth];
            let ends = sorted[start..end].iter().take_while(|breaker| breaker.len() == depth);
            let ends = ends.count();
            if ends > 0 {
                self.nodes[index].shortest = depth as u32;
            }
            let first = self.nodes.len() as u32;
            let mut place = start + ends;
            for same in sorted[place..end].chunk_by(|a, b| token(a) == token(b)) {
                self.nodes.push(node(token(&same[0])));
                ranges.push((place, place + same.len(), depth + 1));
                place += same.len();
            }
            self.nodes[index].children = (first, self.nodes.len() as u32);
            index += 1;
        }
        Ok(())
    }

    /// Finds the suffixes in the order of the nodes: those of a level need only shorter ones.
    fn add_suffixes(&mut self) {
        for parent in 0..self.nodes.len() as u32 {
            let Node { children, suffix, .. } = self.nodes[parent as usize];
            for child in children.0..children.1 {
                if parent != ROOT {
                    let token = self.nodes[child as usize].token;
                    self.nodes[child as usize].suffix = self.next(suffix, token);
                }
                let suffix = self.nodes[child as usize].suffix;
                let shorter = self.nodes[suffix as usize].shortest;
                if shorter > 0 {
                    self.nodes[child as usize].shortest = shorter;
                }
            }
        }
    }

    /// The node after `token`: the longest prefix that the tokens read so far end with.
    fn next(&self, mut node: u32, token: i32) -> u32 {
        loop {
            let Node { children, suffix, .. } = self.nodes[node as usize];
            let range = &self.nodes[children.0 as usize..children.1 as usize];
            if let Ok(place) = range.binary_search_by_key(&token, |child| child.token) {
                return children.0 + place as u32;
            }
            if node == ROOT {
                return ROOT;
            }
            node = suffix;
        }
    }

    /// Whether a token is a breaker by itself.
    pub(super) fn is_breaker(&self, token: i32) -> bool {
        let node = self.next(ROOT, token);
        node != ROOT && self.nodes[node as usize].shortest == 1
    }

    /// Reads one more token of a history.
    pub(super) fn read(&self, progress: &mut Progress, token: i32) {
        progress.node = self.next(progress.node, token);
        progress.read += 1;
        let shortest = u64::from(self.nodes[progress.node as usize].shortest);
        if shortest > 0 {
            // Of the breakers that end here it begins last. One that begins there and ended earlier is
            // shorter.
            let begin = progress.read - shortest;
            if progress.newest.is_none_or(|(other, _)| begin >= other) {
                progress.newest = Some((begin, progress.read));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Breakers, Progress};

    /// Tries each place of the history, from the newest token back, for a breaker that begins there.
    fn by_search(breakers: &[Vec<i32>], history: &[i32]) -> usize {
        for place in (0..history.len()).rev() {
            let from_here = &history[place..];
            let begins = breakers.iter().filter(|b| !b.is_empty() && from_here.starts_with(b));
            if let Some(longest) = begins.map(Vec::len).max() {
                return from_here.len() - longest;
            }
        }
        history.len()
    }

    fn read(breakers: &Breakers, history: &[i32]) -> Progress {
        let mut progress = Progress::default();
        history.iter().for_each(|token| breakers.read(&mut progress, *token));
        progress
    }

    #[test]
    fn the_newest_and_then_the_longest_breaker_counts() {
        let mut state = 7_u64;
        let mut below = move |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % end
        };
        let mut found = 0;
        for _ in 0..5000 {
            let mut tokens =
                |most: u64| -> Vec<i32> { (0..below(most)).map(|_| below(3) as i32 - 1).collect() };
            let breakers: Vec<Vec<i32>> = (0..4).map(|_| tokens(5)).collect();
            let history = tokens(30);
            let slices: Vec<&[i32]> = breakers.iter().map(Vec::as_slice).collect();
            let automaton = Breakers::new(&slices).expect("memory");
            let progress = read(&automaton, &history);
            for first in 0..=history.len() {
                let window = &history[first..];
                let want = by_search(&breakers, window);
                assert_eq!(progress.tokens_since(window.len()), want, "{breakers:?} in {window:?}");
                found += usize::from(want < window.len());
            }
            for token in -1..3 {
                let alone = breakers.iter().any(|breaker| breaker[..] == [token]);
                assert_eq!(automaton.is_breaker(token), alone, "{token} of {breakers:?}");
            }
        }
        assert!(found > 10_000, "{found}");
    }

    /// Breakers with a shared prefix as long as the history: searching each breaker at each place takes 4 *
    /// 10^12 comparisons.
    #[test]
    fn long_breakers_cost_no_more_than_their_length() {
        let (shared, history) = (vec![5; 20_000], vec![5; 200_000]);
        let breakers: Vec<Vec<i32>> =
            (6..1000).map(|last| [&shared[..20], &[last]].concat()).collect();
        let long = [&shared[..], &[6]].concat();
        let slices: Vec<&[i32]> = breakers.iter().chain([&long]).map(Vec::as_slice).collect();
        let automaton = Breakers::new(&slices).expect("memory");
        assert_eq!(read(&automaton, &history).tokens_since(history.len()), history.len());
        let ended = [&history[..], &[6]].concat();
        assert_eq!(read(&automaton, &ended).tokens_since(ended.len()), 0);
    }
}
