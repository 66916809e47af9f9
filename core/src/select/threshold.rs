//! A logit that at least k tokens reach, and not many more.
//!
//! A maximum is the logit of some token, and different maxima are different tokens: so the k-th
//! largest maximum, over any grouping of the row, is reached by at least k tokens. With four times as
//! many groups as k, few groups hold two of the k best, and little more than k tokens reach it.

use super::scan::BlockedRow;
use crate::Error;
use crate::memory::resize;

/// The fewest groups: a few vectors, so that a count is a few instructions.
const GROUPS: usize = 128;

/// How many of the `k` tokens an estimate wants to see in its sample of the row.
const SEEN: usize = 256;

/// A threshold that at least `k` tokens reach; the lowest finite value if fewer than `k` are finite.
/// With `estimate`, where the maxima are too few for `k`, one that about `k` tokens reach.
pub(super) fn threshold(
    blocked: &mut BlockedRow<'_>,
    k: usize,
    estimate: bool,
) -> Result<f32, Error> {
    let count = blocked.kernels.count_reaching;
    let enough = k + k / 8 + 2;
    let groups = (4 * k).next_power_of_two().max(GROUPS);
    let mut low = f32::MIN;
    if groups <= blocked.maxima.len() {
        resize(blocked.groups, groups, f32::NEG_INFINITY)?;
        (blocked.kernels.fold)(blocked.maxima, blocked.groups);
        low = bisect(low, blocked.top, k, enough, |t| count(blocked.groups, t));
        // Groups that hold most of the best tokens between them say little: ask the finer maxima.
        if count(blocked.maxima, low) > 2 * enough {
            low = bisect(low, blocked.top, k, enough, |t| count(blocked.maxima, t));
        }
        return Ok(low);
    }
    let stride = k / SEEN;
    if estimate && stride > 1 {
        let chunks = || blocked.body().logits.chunks_exact(blocked.kernels.chunk).step_by(stride);
        let wanted = k / stride + SEEN / 8;
        return Ok(bisect(low, blocked.top, wanted, wanted + SEEN / 16, |t| {
            chunks().map(|chunk| count(chunk, t)).sum()
        }));
    }
    if k <= blocked.maxima.len() {
        low = bisect(low, blocked.top, k, enough, |t| count(blocked.maxima, t));
    }
    Ok(bisect(low, blocked.top, k, enough, |t| {
        blocked.segments.iter().map(|part| count(part.logits, t)).sum()
    }))
}

/// Narrows the threshold down between `low`, which is returned if fewer than `k` reach it, and
/// `high`. Stops early where `k` to `enough` values reach it.
fn bisect(low: f32, high: f32, k: usize, enough: usize, count: impl Fn(f32) -> usize) -> f32 {
    if count(high) >= k {
        return high;
    }
    let (mut reached, mut missed) = (key(low), key(high));
    while missed - reached > 1 {
        let middle = reached + (missed - reached) / 2;
        match count(value(middle)) {
            c if c < k => missed = middle,
            c => {
                reached = middle;
                if c <= enough {
                    break;
                }
            }
        }
    }
    value(reached)
}

/// An integer that orders like the float.
fn key(x: f32) -> i64 {
    let bits = x.to_bits() as i32;
    i64::from(bits ^ (bits >> 31) & 0x7fff_ffff)
}

fn value(key: i64) -> f32 {
    let bits = key as i32;
    f32::from_bits((bits ^ (bits >> 31) & 0x7fff_ffff) as u32)
}

/// The lowest finite float for which `is_high` holds; it must hold from some float on. The largest if
/// there is none.
pub(crate) fn lowest(is_high: impl Fn(f32) -> bool) -> f32 {
    let (mut not, mut yes) = (key(f32::MIN) - 1, key(f32::MAX));
    while yes - not > 1 {
        let middle = not + (yes - not) / 2;
        *if is_high(value(middle)) { &mut yes } else { &mut not } = middle;
    }
    value(yes)
}
