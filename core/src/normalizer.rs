//! The sum S of the exps of a row, known as well as it has to be.
//!
//! S is defined as the binary32 sum, in rank order, of `e_i = expf(l_i - m)` over all tokens, where m
//! is the largest logit and so `e_0 = 1`. Sorting the row would give it; the following gives it, or
//! bounds that contain it, without.
//!
//! Write fl(x) for x rounded to binary32.
//!
//! 1. *Subsequences.* fl(s + e) grows with s and is at least s for e >= 0. So, by induction, the sum
//!    over some of the tokens, in rank order, is at most S. That sum loses at most a factor
//!    1 - 2^-24 at each of its additions, so it is at least their real sum times 1 - N 2^-24.
//! 2. *Small exps.* s is at least 1 from rank 0 on, half its unit at least 2^-24, so an e below 2^-24
//!    adds exactly nothing. S is at most the real sum of the other N exps times (1 + 2^-24)^N, and
//!    never above 2^24, where s + 1 rounds to s.
//! 3. *Steps.* While s lies in a binade [b, 2b) it is a multiple of the unit u = b 2^-23, and
//!    fl(s + e) = s + u round(e / u) as long as that stays below 2b: what e adds does not depend on
//!    s, so the order of the tokens does not matter, and the multiples of u add up exactly.
//! 4. *Halves.* The exception is e / u exactly half an odd integer: then the parity of s decides
//!    between the two neighbours. Each half leaves one u of doubt.
//! 5. *Crossings.* Lemma 3 needs s to have entered its last binade: the ranks before that, the head,
//!    are added one by one in order.
//!
//! [`from_maxima`] uses 1 and 2 with what the survey left, [`from_row`] uses them with one more pass
//! over the row, [`exact`] uses 3 to 5 with another. Who needs S compares the results for the two ends
//! of the bracket: see `nucleus`.

use crate::Error;
use crate::select::{BlockedRow, RankedPrefix};
use crate::sequential_sum::single;
use crate::simd::{DEPTH, EXP_ERROR, FLOOR, RowMass, Tail};

/// Two binary32 numbers with S between them, or equal to one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub low: f32,
    pub high: f32,
}

/// No binary32 sum of numbers up to 1 gets past this.
const CEILING: f64 = (1 << 24) as f64;

/// Slack for the error of the kernels' exp and for the roundings of their binary32 lanes, at most ten
/// in a chunk and less than that error together; then for the products of the factors that are
/// added here, and for the last rounding, of the bound itself to the nearest binary32.
const KERNEL_ERROR: f64 = 8.0 * EXP_ERROR as f64;

/// Bounds from the first ranks and the maxima; the row is not read again.
pub(crate) fn from_maxima(blocked: &BlockedRow<'_>, prefix: &RankedPrefix) -> Bounds {
    let Some(last) = prefix.keys().last() else { return literal(prefix) };
    let (ranks, first_ranks) = (prefix.exps().len(), sum_in_double(prefix.exps()));
    let maxima = (blocked.kernels.maxima_mass)(blocked.maxima, blocked.top, last.logit());
    // Each maximum is another token. Those below the last entry are not in the prefix; nor are all
    // of those that reach it, if they are more than the prefix has: the excess equals it.
    let excess = maxima.reaching_cap.saturating_sub(ranks);
    let last_exp = f64::from(prefix.exps().last().copied().unwrap_or(0.0));
    let low = first_ranks + maxima.below_cap + excess as f64 * last_exp;
    // Every other token is at most its maximum, and at most the last entry.
    let high = first_ranks + maxima.capped * DEPTH as f64;
    // The lanes add up one vector after the other.
    let lanes = blocked.maxima.len() as f64 / CEILING;
    Bounds {
        low: at_least(low * (1.0 - lanes), (ranks + maxima.count + excess) as f64),
        high: at_most(high * (1.0 + lanes), (ranks + maxima.count * DEPTH) as f64),
    }
}

/// Bounds from the real sum over the row.
pub(crate) fn from_row(blocked: &BlockedRow<'_>) -> Bounds {
    let (mut sum, mut count) = (0.0, 0.0);
    for part in &blocked.segments {
        let mass = (blocked.kernels.row_mass)(part.logits, part.maxima, blocked.top, FLOOR);
        sum += mass.sum;
        count += mass.count;
    }
    Bounds { low: at_least(sum, count), high: at_most(sum, count) }
}

/// What S and the width of [`from_row`] seem to be: nothing proven, for choosing the next step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimate {
    pub sum: f64,
    /// The distance of either bound, relative to S.
    pub width: f64,
}

/// Guesses from the prefix and a sample of the row, a few chunks taken at equal distances.
pub(crate) fn estimate(blocked: &BlockedRow<'_>, prefix: &RankedPrefix) -> Estimate {
    const CHUNKS: usize = 32;
    let (chunk, body) = (blocked.kernels.chunk, blocked.body());
    let stride = (body.logits.len() / chunk / CHUNKS).max(1);
    let chunks = body.logits.chunks_exact(chunk).zip(body.maxima.chunks_exact(chunk / DEPTH));
    let mut sample = RowMass::default();
    for (logits, maxima) in chunks.step_by(stride) {
        let mass = (blocked.kernels.row_mass)(logits, maxima, blocked.top, FLOOR);
        sample.sum += mass.sum;
        sample.count += mass.count;
    }
    // The prefix is known: what the sample has of it must not be multiplied.
    let mut known = 0.0;
    for (key, e) in prefix.keys().iter().zip(prefix.exps()) {
        known += f64::from(*e);
        let place = key.id().checked_sub(body.first_id).map_or(usize::MAX, |id| id as usize);
        if place < body.logits.len() && place / chunk % stride == 0 {
            sample.sum -= f64::from(*e);
        }
    }
    Estimate {
        sum: known + stride as f64 * sample.sum.max(0.0),
        width: stride as f64 * sample.count / CEILING + KERNEL_ERROR,
    }
}

/// A lower bound of S from the real sum of `count` of the exps: lemma 1.
fn at_least(sum: f64, count: f64) -> f32 {
    (sum * (1.0 - KERNEL_ERROR - count / CEILING)).max(1.0) as f32
}

/// An upper bound of S from the real sum of the `count` exps that are not small: lemma 2, with
/// (1 + 2^-24)^N <= e^x <= 1 + x + x^2 for x = N 2^-24 <= 1.
fn at_most(sum: f64, count: f64) -> f32 {
    let x = count / CEILING;
    let rounding = if x <= 1.0 { x + x * x } else { f64::INFINITY };
    (sum * (1.0 + 2.0 * KERNEL_ERROR + rounding)).min(CEILING) as f32
}

/// S itself, or with halves in the tail a bracket of a few units; grows the prefix to the head.
pub(crate) fn exact(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    estimate: f32,
) -> Result<Bounds, Error> {
    let mut binade = power_of_two_below(estimate);
    loop {
        if prefix.is_whole() {
            return Ok(literal(prefix));
        }
        // Tokens that equal the last entry may be in or out of the prefix: they belong to the tail.
        let Some(first) = prefix.keys().last().map(|e| e.logit()) else {
            return Ok(literal(prefix));
        };
        let head = prefix.keys().partition_point(|key| key.logit() > first);
        let sum = single::add(0.0, &prefix.exps()[..head]);
        binade = binade.max(power_of_two_below(sum));
        if sum < binade {
            // No later exp is larger than the last: it takes at least so many to get there.
            let last = prefix.exps().last().map_or(1.0, |e| f64::from(*e));
            let least = (f64::from(binade - sum) / last).min(blocked.len as f64) as usize;
            let target = prefix.keys().len() + least.max(prefix.keys().len()).max(64);
            prefix.grow(blocked, if target > blocked.len / 2 { blocked.len } else { target })?;
            continue;
        }
        let tail = Tail { top: blocked.top, first, binade };
        let (mut steps, mut halves) = (f64::from(sum), 0.0);
        for part in &blocked.segments {
            let sum = (blocked.kernels.tail_sum)(part.logits, part.maxima, tail);
            steps += sum.steps;
            halves += f64::from(sum.halves);
        }
        let high = steps + halves * f64::from(binade) / f64::from(1 << 23);
        if high < 2.0 * f64::from(binade) {
            // Multiples of the unit below twice the binade: both are binary32 numbers.
            return Ok(Bounds { low: steps as f32, high: high as f32 });
        }
        binade = (2.0 * binade).max(power_of_two_below(steps as f32));
    }
}

/// S as it is defined, from a prefix that is whole.
pub(crate) fn literal(prefix: &RankedPrefix) -> Bounds {
    let sum = single::add(0.0, prefix.exps());
    Bounds { low: sum, high: sum }
}

fn sum_in_double(exps: &[f32]) -> f64 {
    exps.iter().map(|e| f64::from(*e)).sum()
}

/// The power of two at which the binade of `x` starts; 1 for anything smaller.
fn power_of_two_below(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0x7f80_0000).max(1.0)
}

#[cfg(test)]
mod tests;
