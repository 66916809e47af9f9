//! Ids and ranges of ids as bits: bit i % 32 of word i / 32 is the id `first + i` of a row.
//!
//! Each chunk is turned into words and bits first, in loops without branches, which the compiler vectorises. Then
//! the words are changed one by one.

use crate::TokenRange;

/// The bits of a word.
const BITS: usize = u32::BITS as usize;

/// The ranges that are taken at once.
const CHUNK: usize = 16;

/// The ids that are taken at once.
const ID_CHUNK: usize = 64;

/// The ids that are tried as two words.
const NEAR: usize = 16;

/// The ids of a row that has at least one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowIds {
    /// Not negative.
    pub first: i32,
    pub last: i32,
}

/// Changes the words of `ids` by `change(word, bits)`; ids that are not of the row are ignored. There is a word
/// for each 32 ids of the row begun, and `change` may get bits of the last that are beyond the row, and bits that
/// it had before.
#[inline(always)]
pub(crate) fn change_words(
    ids: &[i32],
    row: RowIds,
    words: &mut [u32],
    change: impl Fn(&mut u32, u32),
) {
    let chunks = ids.as_chunks::<ID_CHUNK>();
    for chunk in chunks.0 {
        // Without a branch, so that vectors compare.
        let pairs = chunk.iter().zip(&chunk[1..]);
        let is_sorted = pairs.fold(true, |is_sorted, (id, next)| is_sorted & (id <= next));
        let mut near = chunk.as_chunks().0.iter();
        if !is_sorted || !near.all(|ids| change_two(ids, row, words, &change)) {
            change_each(chunk, row, words, &change);
        }
    }
    // -1 is the id of no row.
    let mut rest = [-1; ID_CHUNK];
    rest[..chunks.1.len()].copy_from_slice(chunks.1);
    change_each(&rest, row, words, &change);
}

/// The place of an id in the row; at least 2^31 - `row.first`, which is beyond the row, if it comes before.
#[inline(always)]
fn place(id: i32, row: RowIds) -> u32 {
    (id as u32).wrapping_sub(row.first as u32)
}

/// Changes the word of the first of sorted ids and the next at once, if they have all of the ids; otherwise
/// returns false.
///
/// A change of a word that was just changed waits for it, and sorted lists have many ids of a word in turn.
#[inline(always)]
fn change_two(
    ids: &[i32; NEAR],
    row: RowIds,
    words: &mut [u32],
    change: &impl Fn(&mut u32, u32),
) -> bool {
    let (first, last) = (place(ids[0], row), place(ids[NEAR - 1], row));
    let start = first & !(u32::BITS - 1);
    // From a first id in the row the places rise, so all of them are between these two.
    if first > place(row.last, row) || last - start >= u64::BITS {
        return false;
    }
    let two = words.get_mut((start / u32::BITS) as usize..).and_then(|w| w.first_chunk_mut());
    let Some([low, high]) = two else { return false };
    // Bit id % 64, which is bit 0 for the id at `start` once they are rotated: less to do for each id.
    let bits = ids.iter().fold(0_u64, |bits, id| bits | 1 << (*id as u32 % u64::BITS));
    let bits = bits.rotate_right((row.first as u32).wrapping_add(start) % u64::BITS);
    change(low, bits as u32);
    change(high, (bits >> u32::BITS) as u32);
    true
}

#[inline(always)]
fn change_each(
    ids: &[i32; ID_CHUNK],
    row: RowIds,
    words: &mut [u32],
    change: &impl Fn(&mut u32, u32),
) {
    let (mut index, mut bits) = ([0; ID_CHUNK], [0; ID_CHUNK]);
    for ((id, index), bits) in ids.iter().zip(&mut index).zip(&mut bits) {
        let place = place(*id, row);
        let is_in_row = place <= (row.last - row.first) as u32;
        *index = if is_in_row { place / u32::BITS } else { 0 };
        *bits = u32::from(is_in_row) << (place % u32::BITS);
    }
    for (index, bits) in index.iter().zip(bits) {
        if let Some(word) = words.get_mut(*index as usize) {
            change(word, bits);
        }
    }
}

/// Sets the bits that `ranges` have in the words of their first ids and in the words next to these. Copies those
/// that go on into `long`, which has room for one more than `ranges`, and returns their number. `words` has one more
/// than the row needs; bits beyond the row stay as they are.
#[inline(always)]
pub(crate) fn set_range_starts(
    ranges: &[TokenRange],
    row: RowIds,
    words: &mut [u32],
    long: &mut [TokenRange],
) -> usize {
    let chunks = ranges.as_chunks::<CHUNK>();
    let mut longs = 0;
    for chunk in chunks.0 {
        longs += set_starts_of(chunk, row, words, &mut long[longs..]);
    }
    let mut rest = [TokenRange { first: 0, last: -1 }; CHUNK];
    rest[..chunks.1.len()].copy_from_slice(chunks.1);
    // Always inlined, as closures are not: only so is it compiled for the instruction set.
    longs + set_starts_of(&rest, row, words, &mut long[longs..])
}

#[inline(always)]
fn set_starts_of(
    ranges: &[TokenRange; CHUNK],
    row: RowIds,
    words: &mut [u32],
    long: &mut [TokenRange],
) -> usize {
    let (mut from, mut bits, mut ends) = ([0; CHUNK], [[0; 2]; CHUNK], [0; CHUNK]);
    for i in 0..CHUNK {
        let (first, last) = (ranges[i].first.max(row.first), ranges[i].last.min(row.last));
        let place = first.min(row.last) - row.first;
        let start = place & -(BITS as i32);
        // The place of the last id from the start of the word of the first.
        let end = if first <= last { last - row.first - start } else { -1 };
        let up_to = |unset: i32| match unset {
            ..0 => u32::MAX,
            0..32 => u32::MAX >> unset,
            32.. => 0,
        };
        from[i] = place as u32 / u32::BITS;
        bits[i] = [up_to(31 - end) & u32::MAX << (place - start), up_to(63 - end)];
        ends[i] = end;
    }
    for (from, bits) in from.iter().zip(bits) {
        if let Some(words) = words.get_mut(*from as usize..).and_then(|w| w.first_chunk_mut()) {
            // As one number: a load and a store for both.
            let [low, high]: &mut [u32; 2] = words;
            let joined = |[low, high]: [u32; 2]| u64::from(high) << u32::BITS | u64::from(low);
            let both = joined([*low, *high]) | joined(bits);
            (*low, *high) = (both as u32, (both >> u32::BITS) as u32);
        }
    }
    let is_long = |end: i32| end >= 2 * BITS as i32;
    let mut longs = 0;
    if ends.iter().fold(false, |any, end| any | is_long(*end)) {
        for (range, end) in ranges.iter().zip(ends) {
            long[longs] = *range;
            longs += usize::from(is_long(end));
        }
    }
    longs
}
