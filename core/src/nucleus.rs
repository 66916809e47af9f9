//! How many ranks top_k and top_p leave: the cut.
//!
//! The running sum `c_i` of `q_i = e_i / S`, in binary32, falls as S grows, for division and addition
//! are monotone in IEEE arithmetic. So the number of ranks kept grows with S, and if two bounds of S
//! give the same number, so does S itself: the cut is proven and S need not be known.

//!
//! Two rules: the S2 rule drops the rank that carries the sum past p, others keep the rank that reaches
//! it. The argument is the same for both: the rank at which a falling running sum gets to p rises.

use crate::Error;
use crate::mass::{self, Bracket, Guess};
use crate::ordered::single;
use crate::select::{Prefix, View};

/// What it took to prove a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Proof {
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
pub(crate) fn cut<const INCLUSIVE: bool>(
    view: &mut View<'_>,
    prefix: &mut Prefix,
    limit: usize,
    p: f32,
) -> Result<(usize, Proof), Error> {
    prefix.clear();
    prefix.grow(view, limit.min(FIRST))?;
    if p.is_nan() {
        prefix.grow(view, limit)?;
        return Ok((limit, Proof::Maxima));
    }
    let mut proof = Proof::Maxima;
    let mut bracket = mass::from_maxima(view, prefix);
    let mut seems = None;
    loop {
        let reach = limit.min(prefix.entries().len());
        let exps = &prefix.exps()[..reach];
        let kept = |sum| kept::<INCLUSIVE>(exps, sum, p);
        let most = kept(bracket.high);
        let fewest = if bracket.low == bracket.high { most } else { kept(bracket.low) };
        let ends = reach == limit || prefix.is_whole();
        if fewest == most && (most < reach || ends) {
            // Past the last token above -inf nothing is added, so top_p drops no -inf either: unless
            // that token is rank 0, which stays whatever the sum, here 1.
            let all = most == reach && (reach > 1 || p >= 1.0);
            return Ok((if all { limit } else { most }, proof));
        }
        if fewest < reach {
            (bracket, proof) = sharper::<INCLUSIVE>(view, prefix, bracket, proof, limit, p)?;
            continue;
        }
        let seems = *seems.get_or_insert_with(|| mass::guess(view, prefix).sum);
        let sum = seems.clamp(f64::from(bracket.low), f64::from(bracket.high));
        let target = next_target(prefix.exps(), sum, p).min(limit);
        prefix.grow(view, if target > view.len / 4 { limit } else { target })?;
        if prefix.is_whole() {
            (bracket, proof) = (mass::literal(prefix), Proof::Sort);
        } else if proof == Proof::Maxima {
            bracket = mass::from_maxima(view, prefix);
        }
    }
}

/// The next better bracket, and what it took.
fn sharper<const INCLUSIVE: bool>(
    view: &mut View<'_>,
    prefix: &mut Prefix,
    bracket: Bracket,
    proof: Proof,
    limit: usize,
    p: f32,
) -> Result<(Bracket, Proof), Error> {
    let exps = &prefix.exps()[..limit.min(prefix.exps().len())];
    // Bounds from the row are the cheaper, but as wide as the row is long. They are worth it where
    // top_p does not reach by far, as far as a guess can tell; else if they are likely to be closer
    // than the share of one rank.
    let worth_it = |guess: Guess| {
        let kept = |sum: f64| kept::<INCLUSIVE>(exps, sum as f32, p);
        let share = exps.get(kept(guess.sum)).map_or(0.0, |e| f64::from(*e));
        kept(0.9 * guess.sum) == limit || 2.0 * guess.width * f64::from(p) * guess.sum < share
    };
    if proof == Proof::Maxima && (view.len <= SHORT || worth_it(mass::guess(view, prefix))) {
        return Ok((mass::from_row(view), Proof::Row));
    }
    if proof < Proof::Exact {
        let exact = mass::exact(view, prefix, bracket.low)?;
        return Ok((exact, if prefix.is_whole() { Proof::Sort } else { Proof::Exact }));
    }
    prefix.grow(view, view.len)?;
    Ok((mass::literal(prefix), Proof::Sort))
}

/// The number of ranks before the running sum passes `p`, at least 1, or to the one with which it
/// reaches `p`.
fn kept<const INCLUSIVE: bool>(exps: &[f32], sum: f32, p: f32) -> usize {
    let passes = |running: f32| if INCLUSIVE { running >= p } else { running > p };
    let mut shares = [0.0; single::BLOCK];
    let mut running = 0.0_f32;
    for (block, exps) in exps.chunks(single::BLOCK).enumerate() {
        let shares = &mut shares[..exps.len()];
        shares.iter_mut().zip(exps).for_each(|(share, e)| *share = e / sum);
        let before = running;
        running = single::add(before, shares);
        if passes(running) {
            // It passes in this block: at which rank, the single steps tell.
            let mut running = before;
            let here = |share: &f32| {
                running += share;
                passes(running)
            };
            let rank = block * single::BLOCK + shares.iter().position(here).unwrap_or(0);
            return if INCLUSIVE { rank + 1 } else { rank.max(1) };
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
