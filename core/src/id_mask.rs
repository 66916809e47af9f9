//! A mask over the ids of a row, and the allowed logits as another row.
//!
//! Few ranges or ids are runs, and the allowed logits are a shorter row. Many, and a bitmask, are `bits`: a few
//! allowed logits are gathered, and of many a copy of the row is made with -inf in place of the others, which the
//! same pass scans for the draw.
//! `filter` is for ids in any order, which are no row.

mod bits;
mod filter;

pub(crate) use bits::Bits;
pub(crate) use filter::IdFilter;

use crate::Error;
use crate::draw::MaskedRow;
use crate::memory::reserve;
use crate::select::RowScan;
use crate::simd::Kernels;

/// At most so many ranges or ids are runs; more of them cost less as bits.
const MAX_RUNS: usize = 64;

/// At most so many bans are made one by one beside runs.
const MAX_BANS: usize = 1024;

/// If at most one token in so many is allowed, they are gathered.
const GATHER_BELOW_ONE_IN: usize = 8;

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

/// What a request says of ids. An id is allowed if each mask that is not empty allows it, and no ban is on it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Masks<'a> {
    pub ranges: &'a [TokenRange],
    pub allowed: &'a [i32],
    /// Bit i % 32 of word i / 32 is that of id i; ids beyond the words are not allowed.
    pub bitmask: &'a [i32],
    pub banned: &'a [i32],
}

impl Masks<'_> {
    /// Whether every id is allowed.
    pub(crate) fn are_off(&self) -> bool {
        let Self { ranges, allowed, bitmask, banned } = self;
        ranges.is_empty() && allowed.is_empty() && bitmask.is_empty() && banned.is_empty()
    }

    /// Whether they allow `id`, bans aside, one after the other.
    fn allow(&self, id: i32) -> bool {
        let in_range = |range: &TokenRange| range.first <= id && id <= range.last;
        (self.ranges.is_empty() || self.ranges.iter().any(in_range))
            && (self.allowed.is_empty() || self.allowed.contains(&id))
            && self.has_bit(id)
    }

    /// Whether the bitmask allows `id`.
    fn has_bit(&self, id: i32) -> bool {
        let has_bit = |id: u32| {
            let word = self.bitmask.get((id / u32::BITS) as usize);
            word.is_some_and(|word| word >> (id % u32::BITS) & 1 == 1)
        };
        self.bitmask.is_empty() || u32::try_from(id).is_ok_and(has_bit)
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

/// The allowed ids of a row. A token's index is its place in the row that the mask makes of the allowed
/// logits: its place among the allowed tokens in id order, or in [`Form::Whole`] its place in the row.
#[derive(Debug, Default)]
pub(crate) struct IdMask {
    form: Form,
    /// In id order and without overlap.
    runs: Vec<Run>,
    bits: Bits,
    /// The allowed tokens in rising order.
    places: Vec<u32>,
    /// The length of the row.
    n: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    /// The tokens of `runs`.
    #[default]
    Runs,
    /// Those of `places`.
    Gathered,
    /// Those of `bits`, and -inf in place of the others.
    Whole,
}

impl IdMask {
    pub(crate) const fn new() -> Self {
        Self { form: Form::Runs, runs: Vec::new(), bits: Bits::new(), places: Vec::new(), n: 0 }
    }

    /// Allows what `masks` allow in a row of `n` tokens whose first has the id `offset`, and returns whether
    /// bans are in it; otherwise they are still to be made. [`Error::EmptyRow`] if nothing is allowed, bans
    /// aside.
    pub(crate) fn set_masks(
        &mut self,
        kernels: &Kernels,
        masks: &Masks<'_>,
        offset: i64,
        n: usize,
    ) -> Result<bool, Error> {
        let Masks { ranges, allowed, bitmask, banned } = *masks;
        let few = ranges.len() <= MAX_RUNS && banned.len() <= MAX_BANS;
        if few && allowed.is_empty() && bitmask.is_empty() {
            if ranges.is_empty() {
                self.set([(0, i64::MAX)].into_iter(), n)?;
            } else {
                let ends = ranges.iter().map(TokenRange::ends);
                self.set(ends.map(|(first, last)| (first - offset, last - offset)), n)?;
            }
        } else if few && (1..=MAX_RUNS).contains(&allowed.len()) {
            let place = |id: &i32| match masks.allow(*id) {
                true => (i64::from(*id) - offset, i64::from(*id) - offset),
                false => (0, -1),
            };
            self.set(allowed.iter().map(place), n)?;
        } else {
            return self.set_bits(kernels, masks, offset, n).map(|()| true);
        }
        if self.len() == 0 { Err(Error::EmptyRow) } else { Ok(false) }
    }

    /// Allows the ids in `ranges` and no others, not even if there are no ranges. [`Error::EmptyRow`] if that
    /// is nothing.
    pub(crate) fn set_ranges(
        &mut self,
        kernels: &Kernels,
        ranges: &[TokenRange],
        n: usize,
    ) -> Result<(), Error> {
        if ranges.len() > MAX_RUNS {
            return self.set_bits(kernels, &Masks { ranges, ..Masks::default() }, 0, n);
        }
        self.set(ranges.iter().map(TokenRange::ends), n)?;
        if self.len() == 0 { Err(Error::EmptyRow) } else { Ok(()) }
    }

    fn set_bits(
        &mut self,
        kernels: &Kernels,
        masks: &Masks<'_>,
        offset: i64,
        n: usize,
    ) -> Result<(), Error> {
        self.n = n;
        let Self { form, bits, places, .. } = self;
        bits.set(kernels, masks, offset, n)?;
        if bits.allows_none() {
            return Err(Error::EmptyRow);
        }
        bits.ban(kernels, masks.banned, offset, n);
        let most = n / GATHER_BELOW_ONE_IN;
        let count = bits.count(kernels, most);
        // A row that is gathered has a token.
        let few = count > 0 && count <= most;
        *form = if few { Form::Gathered } else { Form::Whole };
        if *form == Form::Gathered {
            places.clear();
            reserve(places, count)?;
            places.extend(bits.places());
        }
        Ok(())
    }

    /// Allows the ids in `ranges`, both ends included, and no others. Ranges may come in any order
    /// and overlap. Ids outside `0..n` are ignored.
    pub(crate) fn set(
        &mut self,
        ranges: impl ExactSizeIterator<Item = (i64, i64)>,
        n: usize,
    ) -> Result<(), Error> {
        self.form = Form::Runs;
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

    /// The row of the allowed logits, in id order: in place if there is one run, else copied to `copy`.
    /// `scan` has perhaps read the copy.
    pub(crate) fn row<'a>(
        &self,
        kernels: &'static Kernels,
        scan: &mut RowScan,
        row: &'a [f32],
        copy: &'a mut Vec<f32>,
    ) -> Result<MaskedRow<'a>, Error> {
        let masked_out = row.len() - self.len();
        if let (Form::Runs, [run]) = (self.form, &self.runs[..]) {
            let logits = &row[run.first..run.end];
            return Ok(MaskedRow { logits, masked_out, scanned: false });
        }
        let logits = self.copy_logits(kernels, scan, row, copy)?;
        Ok(MaskedRow { logits, masked_out, scanned: self.form == Form::Whole })
    }

    /// Copies the allowed logits of `row` into `copy`, in id order; returns them there. `scan` no longer has
    /// the row that it read last.
    pub(crate) fn copy_logits<'a>(
        &self,
        kernels: &'static Kernels,
        scan: &mut RowScan,
        row: &[f32],
        copy: &'a mut Vec<f32>,
    ) -> Result<&'a mut [f32], Error> {
        if self.form == Form::Whole {
            return scan.mask(kernels, row, self.bits.words(), copy);
        }
        copy.clear();
        reserve(copy, self.len())?;
        if self.form == Form::Gathered {
            copy.extend(self.places.iter().map(|place| row[*place as usize]));
            return Ok(copy);
        }
        for run in &self.runs {
            copy.extend_from_slice(&row[run.first..run.end]);
        }
        Ok(copy)
    }

    /// The number of tokens in the row that the mask makes.
    pub(crate) fn len(&self) -> usize {
        match self.form {
            Form::Runs => self.runs.last().map_or(0, |run| run.start + run.end - run.first),
            Form::Gathered => self.places.len(),
            Form::Whole => self.n,
        }
    }

    /// The id of the token at `index`, which is below the length.
    pub(crate) fn id(&self, index: u32) -> u32 {
        match self.form {
            Form::Runs => {}
            Form::Gathered => return self.places[index as usize],
            Form::Whole => return index,
        }
        let index = index as usize;
        debug_assert!(index < self.len());
        let after = self.runs.partition_point(|run| run.start <= index);
        let run = self.runs[after - 1];
        (run.first + index - run.start) as u32
    }

    /// The index of the token `id`; none if it is not allowed.
    #[inline]
    pub(crate) fn index(&self, id: u32) -> Option<u32> {
        match self.runs() {
            Some(runs) => runs.index(id),
            None => self.index_in_bits(id),
        }
    }

    /// The number of tokens with lower ids than `id` in the row that the mask makes.
    pub(crate) fn count_below(&self, id: u32) -> u32 {
        match self.form {
            Form::Runs => {
                let after = self.runs.partition_point(|run| run.first < id as usize);
                let run = self.runs[..after].last();
                run.map_or(0, |run| (run.start + run.end.min(id as usize) - run.first) as u32)
            }
            Form::Gathered => self.places.partition_point(|place| *place < id) as u32,
            Form::Whole => id,
        }
    }

    /// The runs if there are no bits: to find many ids without asking for the form each time.
    #[inline]
    pub(crate) fn runs(&self) -> Option<Runs<'_>> {
        (self.form == Form::Runs).then_some(Runs(&self.runs))
    }

    #[inline(never)]
    fn index_in_bits(&self, id: u32) -> Option<u32> {
        match self.form {
            Form::Gathered => self.places.binary_search(&id).ok().map(|index| index as u32),
            _ => self.bits.allows(id).then_some(id),
        }
    }
}

/// The runs of a mask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs<'a>(&'a [Run]);

impl Runs<'_> {
    /// As [`IdMask::index`].
    #[inline]
    pub(crate) fn index(self, id: u32) -> Option<u32> {
        let id = id as usize;
        let after = self.0.partition_point(|run| run.first <= id);
        let run = self.0[..after].last().filter(|run| id < run.end)?;
        Some((run.start + id - run.first) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{IdMask, TokenRange};
    use crate::select::RowScan;
    use crate::simd::Kernels;

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
        let mut scan = RowScan::new();
        let gathered = allowed.row(Kernels::chosen(), &mut scan, &row, &mut copy).expect("memory");
        assert!(gathered.logits.iter().map(|l| *l as usize).eq(ids.iter().copied()));
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
