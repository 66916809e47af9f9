//! A stable sort of many keys by their logits: keys in id order come out in rank order.

use crate::Error;
use crate::memory::reserve;
use crate::rules::rank::RankKey;

/// The fewest keys for which counting is cheaper than comparing.
const RADIX_MIN_LEN: usize = 192;
const DIGITS: usize = 4;
const BASE: usize = 256;

/// Sorts keys that are in id order: stable passes over the bytes of the logits, the least significant
/// first. A byte that is the same in all keys is skipped. `spare` is working memory.
pub(super) fn sort(keys: &mut [RankKey], spare: &mut Vec<RankKey>) -> Result<(), Error> {
    let len = keys.len();
    if len < RADIX_MIN_LEN {
        keys.sort_unstable();
        return Ok(());
    }
    spare.clear();
    reserve(spare, len)?;
    spare.extend_from_slice(keys);
    let mut counts = [[0_u32; BASE]; DIGITS];
    for key in &*keys {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[key.digit(digit)] += 1;
        }
    }
    let (mut from, mut to) = (keys, &mut spare[..]);
    let mut swapped = false;
    for (digit, counts) in counts.iter_mut().enumerate() {
        if counts.contains(&(len as u32)) {
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            (start, *count) = (start + *count, start);
        }
        for key in &*from {
            let place = &mut counts[key.digit(digit)];
            to[*place as usize] = *key;
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
    use super::{RADIX_MIN_LEN, sort};
    use crate::rules::rank::RankKey;

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
