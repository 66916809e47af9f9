//! A mask over the ids of a row, and the allowed logits as a shorter row.

use crate::Error;
use crate::memory::reserve;

/// A range of token ids, both ends included.
///
/// No value is an error: ids outside the row are ignored, and a range with first > last is empty.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenRange {
    /// The first id of the range.
    pub first: i32,
    /// The last id of the range. It is in the range, unlike the end of a C++ iterator range.
    pub last: i32,
}

impl TokenRange {
    /// Both ends, in numbers that can be moved without overflow.
    pub(crate) fn ends(&self) -> (i64, i64) {
        (self.first.into(), self.last.into())
    }
}

/// Consecutive allowed ids.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: usize,
    end: usize,
    /// The index of the first among all allowed tokens.
    start: usize,
}

/// The allowed ids as runs, in id order and without overlap. A token's index is its place among the
/// allowed tokens in id order.
#[derive(Debug, Default)]
pub(crate) struct IdMask {
    runs: Vec<Run>,
}

impl IdMask {
    pub(crate) const fn new() -> Self {
        Self { runs: Vec::new() }
    }

    /// Allows the ids in `ranges`, both ends included, and no others. Ranges may come in any order
    /// and overlap. Ids outside `0..n` are ignored.
    pub(crate) fn set(
        &mut self,
        ranges: impl ExactSizeIterator<Item = (i64, i64)>,
        n: usize,
    ) -> Result<(), Error> {
        self.runs.clear();
        reserve(&mut self.runs, ranges.len())?;
        self.runs.extend(ranges.filter_map(|(first, last)| {
            let first = usize::try_from(first.max(0)).ok()?;
            let end = usize::try_from(last.saturating_add(1)).ok()?.min(n);
            (first < end).then_some(Run { first, end, start: 0 })
        }));
        if !self.runs.is_sorted_by_key(|run| run.first) {
            self.runs.sort_unstable_by_key(|run| run.first);
        }
        self.runs.dedup_by(|next, run| {
            let joins = next.first <= run.end;
            if joins {
                run.end = run.end.max(next.end);
            }
            joins
        });
        let mut start = 0;
        for run in &mut self.runs {
            run.start = start;
            start += run.end - run.first;
        }
        Ok(())
    }

    /// The allowed logits of `row`, in id order: in place if there is one run, else copied to
    /// `copy`.
    pub(crate) fn logits<'a>(
        &self,
        row: &'a [f32],
        copy: &'a mut Vec<f32>,
    ) -> Result<&'a [f32], Error> {
        if let [run] = self.runs[..] {
            return Ok(&row[run.first..run.end]);
        }
        self.copy_logits(row, copy)?;
        Ok(copy)
    }

    /// Copies the allowed logits of `row` to `copy`, in id order.
    pub(crate) fn copy_logits(&self, row: &[f32], copy: &mut Vec<f32>) -> Result<(), Error> {
        copy.clear();
        reserve(copy, self.len())?;
        for run in &self.runs {
            copy.extend_from_slice(&row[run.first..run.end]);
        }
        Ok(())
    }

    /// The number of allowed tokens.
    pub(crate) fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.start + run.end - run.first)
    }

    /// The id of the allowed token at `index`, which is below the length.
    pub(crate) fn id(&self, index: u32) -> u32 {
        let index = index as usize;
        debug_assert!(index < self.len());
        let after = self.runs.partition_point(|run| run.start <= index);
        let run = self.runs[after - 1];
        (run.first + index - run.start) as u32
    }

    /// The index of the token `id`; none if it is not allowed.
    pub(crate) fn index(&self, id: u32) -> Option<u32> {
        let id = id as usize;
        let after = self.runs.partition_point(|run| run.first <= id);
        let run = self.runs[..after].last().filter(|run| id < run.end)?;
        Some((run.start + id - run.first) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{IdMask, TokenRange};

    fn allowed(ranges: &[(i32, i32)], n: usize) -> Vec<usize> {
        let ranges: Vec<TokenRange> =
            ranges.iter().map(|&(first, last)| TokenRange { first, last }).collect();
        let mut allowed = IdMask::new();
        allowed.set(ranges.iter().map(TokenRange::ends), n).expect("memory");
        let row: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let ids: Vec<usize> = (0..allowed.len()).map(|i| allowed.id(i as u32) as usize).collect();
        for id in 0..n {
            let index = ids.iter().position(|other| *other == id);
            assert_eq!(allowed.index(id as u32).map(|i| i as usize), index);
        }
        let mut copy = Vec::new();
        let gathered = allowed.logits(&row, &mut copy).expect("memory");
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
