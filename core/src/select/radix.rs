//! Stable sorts in time linear in the number of items: of keys by their logits, so that keys in id order come
//! out in rank order, and of tokens by their ids.

use crate::Error;
use crate::memory::reserve;
use crate::rules::rank::RankKey;

/// The fewest keys for which counting is cheaper than comparing.
const RADIX_MIN_LEN: usize = 192;
const DIGITS: usize = 4;
const BASE: usize = 256;

/// Sorts keys that are in id order. `spare` is working memory.
pub(super) fn sort(keys: &mut [RankKey], spare: &mut Vec<RankKey>) -> Result<(), Error> {
    if keys.len() < RADIX_MIN_LEN {
        keys.sort_unstable();
        return Ok(());
    }
    sort_by_digits(keys, spare, |key, digit| key.digit(digit))
}

/// Sorts tokens by their ids; the order of items with the same id is unspecified. `spare` is working memory.
pub(crate) fn sort_by_id<T: Copy>(
    tokens: &mut [(i32, T)],
    spare: &mut Vec<(i32, T)>,
) -> Result<(), Error> {
    if tokens.len() < RADIX_MIN_LEN {
        tokens.sort_unstable_by_key(|token| token.0);
        return Ok(());
    }
    // The sign bit flipped, negative numbers come first.
    let digit = |id: i32, digit: usize| ((id ^ i32::MIN) >> (8 * digit)) as u8 as usize;
    sort_by_digits(tokens, spare, |token, place| digit(token.0, place))
}

/// Sorts values, none NaN, the largest first. `spare` is working memory.
pub(super) fn sort_falling(values: &mut [f32], spare: &mut Vec<f32>) -> Result<(), Error> {
    sort_by_digits(values, spare, |value, digit| RankKey::new(value, 0).digit(digit))
}

/// Makes stable passes over the digits, the least significant first. A digit that is the same in all items
/// is skipped.
fn sort_by_digits<T: Copy>(
    items: &mut [T],
    spare: &mut Vec<T>,
    digit_of: impl Fn(T, usize) -> usize,
) -> Result<(), Error> {
    let len = items.len();
    spare.clear();
    reserve(spare, len)?;
    spare.extend_from_slice(items);
    let mut counts = [[0_u32; BASE]; DIGITS];
    for item in &*items {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[digit_of(*item, digit)] += 1;
        }
    }
    let (mut from, mut to) = (items, &mut spare[..]);
    let mut swapped = false;
    for (digit, counts) in counts.iter_mut().enumerate() {
        if counts.contains(&(len as u32)) {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            (start, *count) = (start + *count, start);
        }
        for item in &*from {
            let place = &mut counts[digit_of(*item, digit)];
            to[*place as usize] = *item;
            *place += 1;
        }
        (from, to) = (to, from);
        swapped = !swapped;
    }
    if swapped {
        to.copy_from_slice(from);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{RADIX_MIN_LEN, sort, sort_by_id};
    use crate::rules::rank::RankKey;

    #[test]
    fn ids_of_both_signs_are_sorted() {
        let mut state = 1_u32;
        for len in [0, 1, RADIX_MIN_LEN - 1, RADIX_MIN_LEN, 3000] {
            for shift in [0, 12, 28] {
                let mut tokens: Vec<(i32, usize)> = Vec::new();
                for place in 0..len {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    tokens.push((state as i32 >> shift, place));
                }
                let mut expected = tokens.clone();
                expected.sort_unstable();
                sort_by_id(&mut tokens, &mut Vec::new()).expect("memory");
                assert!(tokens.is_sorted_by_key(|token| token.0), "{len} {shift}");
                tokens.sort_unstable();
                assert_eq!(tokens, expected);
            }
        }
    }

    #[test]
    fn sorts_as_comparing_does() {
        let mut state = 1_u64;
        for (len, spread) in [
            (0, 1.0),
            (1, 1.0),
            (RADIX_MIN_LEN - 1, 9.0),
            (RADIX_MIN_LEN, 9.0),
            (RADIX_MIN_LEN + 1, 1e-3),
            (5000, 1e30),
        ] {
            for ties in [1.0, 1e3] {
                let logit = |_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let x = (state >> 40) as f32 / (1 << 23) as f32 - 1.0;
                    (x * ties).trunc() / ties * spread
                };
                let mut keys: Vec<RankKey> =
                    (0..len).map(logit).zip(0..).map(|(l, id)| RankKey::new(l, id)).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                sort(&mut keys, &mut Vec::new()).expect("memory");
                assert_eq!(keys, expected);
            }
        }
    }
}
