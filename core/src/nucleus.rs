//! How many ranks top_k and top_p leave: the cut.
//!
//! The running sum `c_i` of `q_i = e_i / S`, in binary32, falls as S grows, for division and addition
//! are monotone in IEEE arithmetic. So the number of ranks kept grows with S, and if two bounds of S
//! give the same number, so does S itself: the cut is proven and S need not be known.

//!
//! Two rules: the S2 rule drops the rank that carries the sum past p, others keep the rank that reaches
//! it. The argument is the same for both: the rank at which a falling running sum gets to p rises.

use crate::Error;
use crate::normalizer::{self, Bounds, Estimate};
use crate::rules::nucleus::Nucleus;
use crate::select::{BlockedRow, RankedPrefix};
use crate::sequential_sum::single;

/// What it took to prove a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Resolution {
    /// Bounds from the maxima.
    Maxima,
    /// Bounds from a sum over the row.
    Row,
    /// The exact sum, still in the order of the row.
    Exact,
    /// The sum over the row, sorted for it or for its candidates.
    Sort,
}

/// The ranks first looked at where top_k allows more.
const FIRST: usize = 64;

/// A row so short that reading it is no dearer than guessing.
const SHORT: usize = 16_384;

/// The number of candidates, at most `limit`, with a prefix grown to hold those above -inf. Without
/// `INCLUSIVE` the rank that carries the running sum above `p` is dropped, with it the rank that brings
/// it to `p` is kept.
pub(crate) fn cut(
    rule: Nucleus,
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    limit: usize,
    p: f32,
) -> Result<(usize, Resolution), Error> {
    prefix.clear();
    prefix.grow(blocked, limit.min(FIRST))?;
    if p.is_nan() {
        prefix.grow(blocked, limit)?;
        return Ok((limit, Resolution::Maxima));
    }
    let mut resolution = Resolution::Maxima;
    let mut bounds = normalizer::from_maxima(blocked, prefix);
    let mut seems = None;
    loop {
        let reach = limit.min(prefix.keys().len());
        let exps = &prefix.exps()[..reach];
        let kept = |sum| kept(rule, exps, sum, p);
        let most = kept(bounds.high);
        let fewest = if bounds.low == bounds.high { most } else { kept(bounds.low) };
        let ends = reach == limit || prefix.is_whole();
        if fewest == most && (most < reach || ends) {
            // Past the last token above -inf nothing is added, so top_p drops no -inf either: unless
            // that token is rank 0, which stays whatever the sum, here 1.
            let all = most == reach && (reach > 1 || p >= 1.0);
            return Ok((if all { limit } else { most }, resolution));
        }
        if fewest < reach {
            (bounds, resolution) = sharper(rule, blocked, prefix, bounds, resolution, limit, p)?;
            continue;
        }
        let seems = *seems.get_or_insert_with(|| normalizer::estimate(blocked, prefix).sum);
        let sum = seems.clamp(f64::from(bounds.low), f64::from(bounds.high));
        let target = next_target(prefix.exps(), sum, p).min(limit);
        prefix.grow(blocked, if target > blocked.len / 4 { limit } else { target })?;
        if prefix.is_whole() {
            (bounds, resolution) = (normalizer::literal(prefix), Resolution::Sort);
        } else if resolution == Resolution::Maxima {
            bounds = normalizer::from_maxima(blocked, prefix);
        }
    }
}

/// The next better bracket, and what it took.
fn sharper(
    rule: Nucleus,
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    bounds: Bounds,
    resolution: Resolution,
    limit: usize,
    p: f32,
) -> Result<(Bounds, Resolution), Error> {
    let exps = &prefix.exps()[..limit.min(prefix.exps().len())];
    // Bounds from the row are the cheaper, but as wide as the row is long. They are worth it where
    // top_p does not reach by far, as far as a guess can tell; else if they are likely to be closer
    // than the share of one rank.
    let worth_it = |estimate: Estimate| {
        let kept = |sum: f64| kept(rule, exps, sum as f32, p);
        let probability_of = exps.get(kept(estimate.sum)).map_or(0.0, |e| f64::from(*e));
        kept(0.9 * estimate.sum) == limit
            || 2.0 * estimate.width * f64::from(p) * estimate.sum < probability_of
    };
    if resolution == Resolution::Maxima
        && (blocked.len <= SHORT || worth_it(normalizer::estimate(blocked, prefix)))
    {
        return Ok((normalizer::from_row(blocked), Resolution::Row));
    }
    if resolution < Resolution::Exact {
        let exact = normalizer::exact(blocked, prefix, bounds.low)?;
        return Ok((exact, if prefix.is_whole() { Resolution::Sort } else { Resolution::Exact }));
    }
    prefix.grow(blocked, blocked.len)?;
    Ok((normalizer::literal(prefix), Resolution::Sort))
}

/// The number of ranks before the running sum passes `p`, at least 1, or to the one with which it
/// reaches `p`.
fn kept(rule: Nucleus, exps: &[f32], sum: f32, p: f32) -> usize {
    let mut shares = [0.0; single::BLOCK];
    let mut running = 0.0_f32;
    for (block, exps) in exps.chunks(single::BLOCK).enumerate() {
        let shares = &mut shares[..exps.len()];
        shares.iter_mut().zip(exps).for_each(|(share, e)| *share = e / sum);
        let before = running;
        running = single::add(before, shares);
        if rule.ends_at(running, p) {
            // It passes in this block: at which rank, the single steps tell.
            let mut running = before;
            let here = |share: &f32| {
                running += share;
                rule.ends_at(running, p)
            };
            let rank = shares.iter().position(here);
            debug_assert!(rank.is_some(), "the single steps end at the sum of the block");
            return rule.len(block * single::BLOCK + rank.unwrap_or(0));
        }
    }
    exps.len()
}

/// How many ranks to look at next. If S is `sum`, it takes at least so many more to reach p, since no
/// later exp is larger than the last: half as many again, and at first a few times as many as now,
/// lest there be many steps.
fn next_target(exps: &[f32], sum: f64, p: f32) -> usize {
    let len = exps.len();
    let steady = if len < 2048 { 3 * len } else { len / 16 };
    let seen: f64 = exps.iter().map(|e| f64::from(*e)).sum();
    let last = exps.last().map_or(1.0, |e| f64::from(*e));
    let missing = 1.5 * (f64::from(p) * sum - seen) / last;
    len + steady.max(missing.clamp(0.0, f64::from(i32::MAX)) as usize)
}

#[cfg(test)]
mod tests;
