//! The tokens that a mask leaves, as a short row of their own.

use crate::Error;
use crate::memory::reserve;

/// A range of token ids, both ends included.
///
/// No value is an error: ids below 0 or beyond the row are ignored, and a range whose first id is above
/// its last is empty. Read at the call, never kept. Since: 0.1.0
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenRange {
    /// The first id of the range.
    pub first: i32,
    /// The last id of the range, which belongs to it.
    pub last: i32,
}

impl TokenRange {
    /// Both ends, in numbers that can be moved without overflow.
    pub(crate) fn ends(&self) -> (i64, i64) {
        (self.first.into(), self.last.into())
    }
}

/// A stretch of the row that is allowed, and where it begins among the allowed tokens.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    first: usize,
    end: usize,
    start: usize,
}

/// The allowed stretches in id order, without overlap, and memory for their logits.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    stretches: Vec<Stretch>,
    logits: Vec<f32>,
}

impl Allowed {
    pub(crate) const fn new() -> Self {
        Self { stretches: Vec::new(), logits: Vec::new() }
    }

    /// Takes in ranges of ids, in any order and overlapping as they may, cut down to ids below `n`.
    pub(crate) fn set(
        &mut self,
        ranges: impl ExactSizeIterator<Item = (i64, i64)>,
        n: usize,
    ) -> Result<(), Error> {
        self.stretches.clear();
        self.logits.clear();
        reserve(&mut self.stretches, ranges.len())?;
        self.stretches.extend(ranges.filter_map(|(first, last)| {
            let first = usize::try_from(first.max(0)).ok()?;
            let end = usize::try_from(last.saturating_add(1)).ok()?.min(n);
            (first < end).then_some(Stretch { first, end, start: 0 })
        }));
        if !self.stretches.is_sorted_by_key(|s| s.first) {
            self.stretches.sort_unstable_by_key(|s| s.first);
        }
        self.stretches.dedup_by(|next, stretch| {
            let joins = next.first <= stretch.end;
            if joins {
                stretch.end = stretch.end.max(next.end);
            }
            joins
        });
        let mut start = 0;
        for stretch in &mut self.stretches {
            stretch.start = start;
            start += stretch.end - stretch.first;
        }
        Ok(())
    }

    /// Copies the allowed logits of `row`, in id order, for [`Allowed::logits`] to give.
    pub(crate) fn copy(&mut self, row: &[f32]) -> Result<&mut [f32], Error> {
        self.logits.clear();
        let len = self.len();
        reserve(&mut self.logits, len)?;
        for stretch in &self.stretches {
            self.logits.extend_from_slice(&row[stretch.first..stretch.end]);
        }
        Ok(&mut self.logits)
    }

    /// The copy.
    pub(crate) fn copied(&mut self) -> &mut [f32] {
        &mut self.logits
    }

    /// The allowed logits of `row`, in id order: the copy if one was made since the ranges were taken
    /// in, else where they lie, which takes a single stretch.
    pub(crate) fn logits<'a>(&'a self, row: &'a [f32]) -> &'a [f32] {
        match self.stretches[..] {
            [only] if self.logits.is_empty() => &row[only.first..only.end],
            _ => &self.logits,
        }
    }

    /// Whether they lie in one stretch.
    pub(crate) fn is_one(&self) -> bool {
        self.stretches.len() == 1
    }

    /// The number of allowed tokens.
    pub(crate) fn len(&self) -> usize {
        self.stretches.last().map_or(0, |s| s.start + s.end - s.first)
    }

    /// The id of the allowed token at `index`.
    pub(crate) fn id(&self, index: u32) -> u32 {
        let index = index as usize;
        let after = self.stretches.partition_point(|s| s.start <= index);
        let stretch = self.stretches[..after].last();
        stretch.map_or(0, |s| s.first + index - s.start) as u32
    }

    /// The index of the token `id` among the allowed ones.
    pub(crate) fn index(&self, id: u32) -> Option<u32> {
        let id = id as usize;
        let after = self.stretches.partition_point(|s| s.first <= id);
        let stretch = self.stretches[..after].last().filter(|s| id < s.end)?;
        Some((stretch.start + id - stretch.first) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowed, TokenRange};

    fn allowed(ranges: &[(i32, i32)], n: usize) -> Vec<usize> {
        let ranges: Vec<TokenRange> =
            ranges.iter().map(|&(first, last)| TokenRange { first, last }).collect();
        let mut allowed = Allowed::new();
        allowed.set(ranges.iter().map(TokenRange::ends), n).expect("memory");
        let row: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let ids: Vec<usize> = (0..allowed.len()).map(|i| allowed.id(i as u32) as usize).collect();
        for id in 0..n {
            let index = ids.iter().position(|other| *other == id);
            assert_eq!(allowed.index(id as u32).map(|i| i as usize), index);
        }
        if !allowed.is_one() {
            allowed.copy(&row).expect("memory");
        }
        let gathered = allowed.logits(&row);
        assert!(gathered.iter().map(|l| *l as usize).eq(ids.iter().copied()));
        ids
    }

    #[test]
    fn ranges_are_sorted_joined_and_cut() {
        assert_eq!(allowed(&[(2, 3)], 10), [2, 3]);
        assert_eq!(allowed(&[(8, 20), (-5, 0)], 10), [0, 8, 9]);
        assert_eq!(allowed(&[(4, 6), (1, 4), (5, 5), (7, 7)], 10), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(allowed(&[(0, i32::MAX), (3, 2)], 3), [0, 1, 2]);
        assert_eq!(allowed(&[(i32::MIN, -1), (10, 12), (5, 4)], 10), [] as [usize; 0]);
        assert_eq!(allowed(&[(i32::MIN, i32::MAX)], 2), [0, 1]);
    }
}
