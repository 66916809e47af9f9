//! Masks as one bit for each token of a row.

use super::{Masks, TokenRange};
use crate::Error;
use crate::memory::resize;
use crate::simd::{Kernels, RowIds};

/// The bits of a word.
const BITS: usize = u32::BITS as usize;

/// The ids of a row that masks allow: bit i % 32 of word i / 32 is the token at i. Bits beyond the row are 0.
///
/// Every step takes a time linear in the words and in the items of its mask, however long the ranges are.
#[derive(Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u32>,
    /// Working memory: the bits of one mask, before those of all are joined.
    other: Vec<u32>,
    /// Working memory: the ranges that have bits beyond two words.
    long: Vec<TokenRange>,
}

impl Bits {
    pub(crate) const fn new() -> Self {
        Self { words: Vec::new(), other: Vec::new(), long: Vec::new() }
    }

    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Allows what all of `masks` allow in a row of `n` tokens whose first has the id `offset`, bans aside.
    pub(crate) fn set(
        &mut self,
        kernels: &Kernels,
        masks: &Masks<'_>,
        offset: i64,
        n: usize,
    ) -> Result<(), Error> {
        let count = n.div_ceil(BITS);
        let Self { words, other, long } = self;
        fill(words, count, u32::MAX)?;
        if !masks.ranges.is_empty() {
            fill(words, count, 0)?;
            if let Some(row) = row_ids(offset, n) {
                add_ranges(kernels, masks.ranges, row, words, long, other)?;
            }
        }
        if !masks.allowed.is_empty() {
            fill(other, count, 0)?;
            if let Some(row) = row_ids(offset, n) {
                kernels.set_ids(masks.allowed, row, other);
            }
            words.iter_mut().zip(&*other).for_each(|(word, own)| *word &= own);
        }
        if !masks.bitmask.is_empty() {
            let first = usize::try_from(offset).map_err(|_| Error::BadArgument)?;
            let (skipped, shift) = (first / BITS, first % BITS);
            let given = masks.bitmask.get(skipped..).unwrap_or(&[]);
            let known = given.len().min(count);
            let (words, beyond) = words.split_at_mut(known);
            if shift == 0 {
                words.iter_mut().zip(given).for_each(|(word, own)| *word &= *own as u32);
            } else {
                let next = given.iter().skip(1).chain(&[0]);
                for ((word, low), high) in words.iter_mut().zip(given).zip(next) {
                    *word &= (*low as u32) >> shift | (*high as u32) << (BITS - shift);
                }
            }
            beyond.fill(0);
        }
        if let (Some(word), 1..) = (words.last_mut(), n % BITS) {
            *word &= u32::MAX >> (BITS - n % BITS);
        }
        Ok(())
    }

    /// Takes out the ids that are banned.
    pub(crate) fn ban(&mut self, kernels: &Kernels, banned: &[i32], offset: i64, n: usize) {
        if let Some(row) = row_ids(offset, n) {
            kernels.clear_ids(banned, row, &mut self.words);
        }
    }

    pub(crate) fn allows_none(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn allows(&self, place: u32) -> bool {
        let place = place as usize;
        self.words.get(place / BITS).is_some_and(|word| word >> (place % BITS) & 1 == 1)
    }

    /// The number of allowed tokens; once it is above `limit`, perhaps not all are counted.
    pub(crate) fn count(&self, kernels: &Kernels, limit: usize) -> usize {
        const CHUNK: usize = 512;
        let mut count = 0;
        for words in self.words.chunks(CHUNK) {
            count += kernels.count_bits(words);
            if count > limit {
                break;
            }
        }
        count
    }

    /// The allowed tokens in rising order.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some((index * BITS) as u32 + bit)
            })
        })
    }
}

/// The ids of a row of `n` tokens, the first of which is at least 0; none if the row is empty.
fn row_ids(offset: i64, n: usize) -> Option<RowIds> {
    let last = (offset + n as i64 - 1).min(i32::MAX.into());
    (offset <= last).then_some(RowIds { first: offset as i32, last: last as i32 })
}

/// Adds the ids of `ranges` to `words`.
///
/// No branch depends on a range: nobody could predict it. Each range gets its bits of two words, and those that go
/// on are noted. These get their last word, and the whole words between as a difference of counters, so that no
/// range costs its length.
fn add_ranges(
    kernels: &Kernels,
    ranges: &[TokenRange],
    row: RowIds,
    words: &mut Vec<u32>,
    long: &mut Vec<TokenRange>,
    counters: &mut Vec<u32>,
) -> Result<(), Error> {
    let count = words.len();
    resize(long, long.len().max(ranges.len() + 1), TokenRange { first: 0, last: 0 })?;
    // A word more, so that each has a next.
    resize(words, count + 1, 0)?;
    let longs = kernels.set_range_starts(ranges, row, words, long);
    words.truncate(count);
    if longs == 0 {
        return Ok(());
    }
    fill(counters, count + 1, 0)?;
    for range in &long[..longs] {
        let place = |id: i32| (id.clamp(row.first, row.last) - row.first) as usize;
        let (from, last) = (place(range.first) / BITS, place(range.last));
        let to = last / BITS;
        debug_assert!(to >= from + 2);
        words[to] |= u32::MAX >> (BITS - 1 - last % BITS);
        counters[from + 2] = counters[from + 2].wrapping_add(1);
        counters[to] = counters[to].wrapping_sub(1);
    }
    let mut open = 0_u32;
    for (word, change) in words.iter_mut().zip(&*counters) {
        open = open.wrapping_add(*change);
        *word |= if open > 0 { u32::MAX } else { 0 };
    }
    Ok(())
}

/// `len` words, all `value`.
fn fill(words: &mut Vec<u32>, len: usize, value: u32) -> Result<(), Error> {
    words.clear();
    resize(words, len, value)
}

#[cfg(test)]
mod tests {
    use super::{Bits, Masks};
    use crate::id_mask::TokenRange;
    use crate::simd::Kernels;

    /// The masks by their definition.
    fn expected(masks: &Masks<'_>, offset: i64, n: usize) -> Vec<u32> {
        let allowed = |id: i64| {
            let in_range =
                |range: &TokenRange| i64::from(range.first) <= id && id <= i64::from(range.last);
            let bit = |words: &[i32]| {
                words.get((id / 32) as usize).is_some_and(|word| word >> (id % 32) & 1 == 1)
            };
            (masks.ranges.is_empty() || masks.ranges.iter().any(in_range))
                && (masks.allowed.is_empty() || masks.allowed.iter().any(|a| i64::from(*a) == id))
                && (masks.bitmask.is_empty() || bit(masks.bitmask))
                && !masks.banned.iter().any(|banned| i64::from(*banned) == id)
        };
        (0..n as u32).filter(|place| allowed(offset + i64::from(*place))).collect()
    }

    #[test]
    fn masks_are_joined() {
        let mut state = 7_u64;
        let mut below = |n: i64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i64) % n
        };
        let mut bits = Bits::new();
        for case in 0..4000 {
            let n = [1, 31, 32, 33, 64, 100, 300][below(7) as usize];
            let offset = [0, 0, 1, 31, 32, 77, 5000][below(7) as usize];
            let mut id = || (offset + below(n + 20) - 10) as i32;
            let ranges: Vec<TokenRange> = (0..case % 4)
                .map(|i| match i {
                    2 => TokenRange { first: i32::MIN, last: id() },
                    _ => TokenRange { first: id(), last: id() },
                })
                .collect();
            let allowed: Vec<i32> = (0..[0, 0, 3, 40][case % 4]).map(|_| id()).collect();
            let banned: Vec<i32> = (0..case % 3).map(|_| id()).chain([i32::MAX, -1]).collect();
            let words = [0, 0, 1, 3, 200][below(5) as usize];
            let bitmask: Vec<i32> =
                (0..words).map(|_| (below(1 << 16) << 16 | below(1 << 16)) as i32).collect();
            let masks =
                Masks { ranges: &ranges, allowed: &allowed, bitmask: &bitmask, banned: &banned };
            let n = n as usize;
            bits.set(Kernels::chosen(), &masks, offset, n).unwrap();
            bits.ban(Kernels::chosen(), &banned, offset, n);
            let expected = expected(&masks, offset, n);
            assert_eq!(bits.places().collect::<Vec<_>>(), expected, "{masks:?}, {offset}, {n}");
            assert_eq!(bits.count(Kernels::chosen(), n), expected.len());
            assert!(
                expected.is_empty()
                    || bits.count(Kernels::chosen(), expected.len() - 1) >= expected.len()
            );
            assert_eq!(bits.allows_none(), expected.is_empty());
            assert!((0..n as u32 + 40).all(|p| bits.allows(p) == expected.contains(&p)));
        }
    }
}
