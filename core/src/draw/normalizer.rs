//! The softmax normaliser S of a row, known as closely as a draw needs it. (The S of chains is that of
//! [`double`].)
//!
//! S is defined as the binary32 sum, in rank order, of `e_i = expf(l_i - m)` over all tokens, m being
//! the largest logit and so `e_0 = 1`. Sorting the row would give it. This module gives S, or bounds
//! that contain it, without a sort.
//!
//! Write fl(x) for x rounded to binary32.
//!
//! 1. *Subsequences.* fl(s + e) grows with s and is at least s for e >= 0. So, by induction, the sum over
//!    some of the tokens, in rank order, is at most S. That sum loses at most a factor 1 - 2^-24 at each of
//!    its additions, so it is at least their real sum times 1 - N 2^-24.
//! 2. *Small exps.* s is at least 1 from rank 0 on, half its unit at least 2^-24, so an e below 2^-24 adds
//!    exactly nothing. S is at most the real sum of the other N exps times (1 + 2^-24)^N, and never above
//!    2^24, where s + 1 rounds to s.
//! 3. *Steps.* While s lies in a binade [b, 2b) it is a multiple of the unit u = b 2^-23, and
//!    fl(s + e) = s + u round(e / u) as long as that stays below 2b. What e adds does not depend on s, so the
//!    order of the tokens does not matter, and the multiples of u add up exactly.
//! 4. *Ties.* The exception is an e / u of exactly half an odd integer: then the parity of s decides between
//!    the two neighbours. Each tie leaves one u of doubt.
//! 5. *Crossings.* Lemma 3 holds once s has entered its last binade: the ranks before that, the head, are
//!    added one by one in order.
//! 6. *Roundings.* Let s be the running sum before the tail, A the real sum of N of the tail's exps, and let the other
//!    exps add nothing. If s + A + N b 2^-24 < 2b for a power of two b, S is below 2b and at most N b 2^-24 away from
//!    s + A. For b 2^-24 is half a unit of [b, 2b): each addition is at most that far off as long as the sums stay
//!    below 2b. If one were the first to reach 2b, its real sum would be at most that much below 2b, and
//!    s + A + N b 2^-24 at least 2b.
//!
//! [`from_maxima`] uses 1 and 2 with the block maxima. [`from_row`] reads the row: if the first ranks are the head,
//! it uses 3 to 5, and otherwise 6. [`about_row`] uses only 6 if the row is short. [`exact`] sorts more ranks until
//! they are the head. `nucleus` compares the results for both bounds. docs/proofs.md has worked examples of 3 to 6.

pub(crate) mod double;

use crate::Error;
use crate::select::{BlockedRow, RankedPrefix};
use crate::sequential_sum::single;
use crate::simd::{
    BLOCK_LEN, Cap, EXP_ERROR, ExpRange, MIN_ADDEND_LN, TILE_ROUNDINGS, Tail, TailSum,
    min_addend_ln,
};

/// Two numbers with `low <= S <= high`, of the format of S.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds<T = f32> {
    pub low: T,
    pub high: T,
}

/// No binary32 sum of numbers up to 1 gets past this: 2^24 + 1 rounds to 2^24. Also the reciprocal of
/// half a unit at 1.
const CEILING: f64 = (1 << 24) as f64;

/// Bounds from the first ranks and the block maxima; the row is not read again.
pub(crate) fn from_maxima(blocked: &BlockedRow<'_>, prefix: &RankedPrefix) -> Bounds {
    let first_ranks = sum_in_double(prefix.exps());
    let others = Others::of(blocked, prefix, MIN_ADDEND_LN);
    let ranks = prefix.exps().len();
    Bounds {
        low: at_least(first_ranks + others.low, ranks + others.low_terms + others.roundings),
        high: at_most(first_ranks + others.high, ranks + others.high_terms + others.roundings),
    }
}

/// What the block maxima say about the exps of the tokens that are not in the prefix: two sums, which their
/// sum lies between, but for the errors of the kernel and exps below the floor.
struct Others {
    low: f64,
    high: f64,
    /// The number of tokens that may be in either sum.
    low_terms: usize,
    high_terms: usize,
    /// The binary32 additions on the way of an exp into the sums.
    roundings: usize,
}

impl Others {
    #[inline]
    fn of(blocked: &BlockedRow<'_>, prefix: &RankedPrefix, floor: f32) -> Self {
        let (last, last_exp) = prefix.last();
        let cap = Cap { top: blocked.top, cap: last.logit(), floor };
        let sums = blocked.kernels.sum_maxima_exps(blocked.block_maxima, cap);
        // Each maximum is another token. Those below the last rank are not in the prefix. If more reach the
        // last rank than the prefix has ranks, the excess is not in the prefix either, and equals the last
        // rank.
        let excess = sums.reaching_cap.saturating_sub(prefix.exps().len());
        Self {
            low: sums.below_cap + excess as f64 * f64::from(last_exp),
            // Every token outside the prefix is at most its block's maximum, and at most the last rank.
            high: sums.capped * BLOCK_LEN as f64,
            low_terms: sums.count + excess,
            high_terms: sums.count * BLOCK_LEN,
            roundings: lane_len(blocked),
        }
    }
}

/// The block maxima in one lane: the kernel adds one vector of them after the other, in binary32.
fn lane_len(blocked: &BlockedRow<'_>) -> usize {
    blocked.block_maxima.len() * BLOCK_LEN / blocked.kernels.tile_len()
}

/// Bounds from the first ranks and a sum over the rest of the row; true if they are exact: S itself, or with ties
/// in the tail bounds that are a few units apart.
pub(crate) fn from_row(blocked: &BlockedRow<'_>, prefix: &RankedPrefix) -> (Bounds, bool) {
    let (head, sum) = head(prefix);
    from_tail(blocked, prefix.last().0.logit(), head, sum)
}

/// The longest row whose S [`about_row`] knows to 2^-12 of itself, which settles most cuts.
const SHORT_ROW: usize = 4096;

/// Bounds from the first ranks and the real sum of the rest of a short row, by lemma 6 alone, which costs half as much
/// as [`from_row`]; as [`from_row`] for a longer row.
pub(crate) fn about_row(blocked: &BlockedRow<'_>, prefix: &RankedPrefix) -> (Bounds, bool) {
    if blocked.len > SHORT_ROW {
        return from_row(blocked, prefix);
    }
    let (head, sum) = head(prefix);
    let floor = min_addend_ln(power_of_two_below(sum));
    let range = ExpRange { top: blocked.top, highest: prefix.last().0.logit(), floor };
    let (mut tail, mut reaching) = (0.0, 0);
    for segment in &blocked.segments {
        let part = blocked.kernels.sum_most_exps(*segment, range);
        tail += part.sum;
        reaching += part.reaching;
    }
    (within_roundings(f64::from(sum), tail, reaching.saturating_sub(head)), false)
}

/// As [`from_row`], from the running sum of the `head` ranks above the tail, which is every token whose logit is at most
/// `highest`.
pub(crate) fn from_tail(
    blocked: &BlockedRow<'_>,
    highest: f32,
    head: usize,
    sum: f32,
) -> (Bounds, bool) {
    let binade = power_of_two_below(sum);
    let tail = Tail { top: blocked.top, highest, binade };
    let mut all = TailSum::default();
    for segment in &blocked.segments {
        let part = blocked.kernels.tail_sum(*segment, tail);
        all.steps += part.steps;
        all.ties += part.ties;
        all.sum += part.sum;
        all.reaching += part.reaching;
    }
    let (binade, sum) = (f64::from(binade), f64::from(sum));
    let steps = sum + all.steps;
    let high = steps + all.ties * unit(binade);
    // The sum before the tail is in the binade. Or the head is empty, and the tail begins with rank 0, which adds 1.
    if high < 2.0 * binade {
        // Multiples of the unit below twice the binade: both are binary32 numbers.
        return (Bounds { low: steps as f32, high: high as f32 }, true);
    }
    // The tokens above the tail are the head.
    let count = all.reaching.saturating_sub(head);
    (within_roundings(sum, all.sum, count), false)
}

/// The number of ranks above the tail, and their running sum. Tokens that equal the last rank may be in the prefix
/// or not: they belong to the tail.
fn head(prefix: &RankedPrefix) -> (usize, f32) {
    let highest = prefix.last().0.logit();
    let head = prefix.keys().partition_point(|key| key.logit() > highest);
    (head, single::add(0.0, &prefix.exps()[..head]))
}

/// Lemma 6: `head` is a running sum, `tail` the kernel's sum of later exps, and `count` their number.
fn within_roundings(head: f64, tail: f64, count: usize) -> Bounds {
    let error = f64::from(EXP_ERROR);
    let lanes = TILE_ROUNDINGS as f64 / CEILING;
    let low = head + tail / (1.0 + error) * (1.0 - lanes);
    let high = head + tail / (1.0 - error) * (1.0 + 2.0 * lanes);
    let mut binade = f64::from(power_of_two_below(head as f32));
    let doubt = loop {
        let doubt = count as f64 * binade / CEILING;
        if high + doubt < 2.0 * binade || binade >= CEILING {
            break doubt;
        }
        binade *= 2.0;
    };
    // The rounding to binary32 needs no slack, as in `at_least`.
    let low = (low - doubt).max(head).max(1.0);
    Bounds { low: low as f32, high: (high + doubt).min(CEILING) as f32 }
}

/// A lower bound of S from a kernel's sum of exps. `roundings` counts the additions in the binary32 sum
/// of those exps alone (lemma 1) and the roundings of the kernel's lanes.
///
/// The kernel's exps are at most (1 + [`EXP_ERROR`]) times too large, and each rounding of a lane gains
/// at most a factor 1 + 2^-24. (1 - h)^N >= 1 - N h, and 1 / (1 + h) >= 1 - h. The last rounding, to
/// binary32, needs no slack: it is monotone, and S is a binary32 number. It also absorbs the errors of
/// double.
fn at_least(sum: f64, roundings: usize) -> f32 {
    let x = roundings as f64 / CEILING;
    (sum / (1.0 + f64::from(EXP_ERROR)) * (1.0 - x)).max(1.0) as f32
}

/// An upper bound of S from a kernel's sum of the exps that are not small. `roundings` counts those exps
/// (lemma 2) and the roundings of the kernel's lanes.
///
/// The kernel's exps are at most (1 - [`EXP_ERROR`]) times too small, and each rounding of a lane loses
/// at most a factor 1 - 2^-24. With h = 2^-24 and x = N h <= 1:
/// (1 + h)^N <= e^x <= 1 + x + x^2 - x^2 / 4.
/// The quarter covers the lanes, whose factor is 1 / (1 - h) = (1 + h) / (1 - h^2): for R of them,
/// R h^2 <= ((R + 1) h / 2)^2 <= x^2 / 4.
fn at_most(sum: f64, roundings: usize) -> f32 {
    let x = roundings as f64 / CEILING;
    let growth = if x <= 1.0 { 1.0 + x + x * x } else { f64::INFINITY };
    (sum / (1.0 - f64::from(EXP_ERROR)) * growth).min(CEILING) as f32
}

/// Exact bounds, from `low`, a lower bound of S. Grows the prefix to the head.
pub(crate) fn exact(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    low: f32,
) -> Result<Bounds, Error> {
    let mut binade = power_of_two_below(low);
    loop {
        if prefix.is_whole() {
            return Ok(by_definition(prefix));
        }
        let (_, sum) = head(prefix);
        binade = binade.max(power_of_two_below(sum));
        if sum < binade {
            // No later exp is larger than the last: getting to the binade takes at least `least` more
            // ranks.
            let (_, last_exp) = prefix.last();
            let least = f64::from(binade - sum) / f64::from(last_exp);
            let least = least.min(blocked.len as f64) as usize;
            let target = prefix.keys().len() + least.max(prefix.keys().len()).max(64);
            prefix.grow(blocked, if target > blocked.len / 2 { blocked.len } else { target })?;
            continue;
        }
        let (bounds, is_exact) = from_row(blocked, prefix);
        if is_exact {
            return Ok(bounds);
        }
        binade = (2.0 * binade).max(power_of_two_below(bounds.low));
    }
}

/// S by its definition, from a prefix that holds every token above -inf.
pub(crate) fn by_definition(prefix: &RankedPrefix) -> Bounds {
    debug_assert!(prefix.is_whole());
    let sum = single::add(0.0, prefix.exps());
    Bounds { low: sum, high: sum }
}

fn sum_in_double(exps: &[f32]) -> f64 {
    exps.iter().map(|e| f64::from(*e)).sum()
}

/// The distance between the binary32 numbers of a binade.
fn unit(binade: f64) -> f64 {
    binade / f64::from(1 << 23)
}

/// The power of two at which the binade of `x` starts; 1 for anything smaller.
fn power_of_two_below(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7f80_0000).max(1.0)
}

#[cfg(test)]
mod tests;
