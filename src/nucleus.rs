//! How many ranks top_k and top_p leave: the cut.
//!
//! The running sum `c_i` of `q_i = e_i / S`, in binary32, falls as S grows, for division and addition
//! are monotone in IEEE arithmetic. So the number of ranks kept grows with S, and if two bounds of S
//! give the same number, so does S itself: the cut is proven and S need not be known.

use crate::Error;
use crate::mass::{self, Bracket};
use crate::select::{Prefix, View};

/// What it took to prove a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Bounds from the maxima.
    Maxima,
    /// Bounds from a sum over the row.
    Row,
    /// The exact sum, still in the order of the row.
    Exact,
    /// The row had to be sorted for it.
    Sort,
}

/// The ranks first looked at where top_k allows more.
const FIRST: usize = 64;

/// The number of candidates, at most `limit`, with a prefix grown to hold those above -inf.
pub(crate) fn cut(
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
    loop {
        let reach = limit.min(prefix.entries().len());
        let exps = &prefix.exps()[..reach];
        let (fewest, most) = (kept(exps, bracket.low, p), kept(exps, bracket.high, p));
        let ends = reach == limit || prefix.is_whole();
        if fewest == most && (most < reach || ends) {
            // Past the last token above -inf nothing is added, so top_p drops no -inf either: unless
            // that token is rank 0, which stays whatever the sum, here 1.
            let all = most == reach && (reach > 1 || p >= 1.0);
            return Ok((if all { limit } else { most }, proof));
        }
        if fewest < reach || proof == Proof::Maxima && reach >= 1024 {
            (bracket, proof) = sharper(view, prefix, bracket, proof)?;
        }
        if fewest == reach {
            let target = next_target(prefix, bracket, p).min(limit);
            prefix.grow(view, if target > view.len / 8 { limit } else { target })?;
            if proof == Proof::Maxima {
                bracket = mass::from_maxima(view, prefix);
            }
        }
    }
}

/// The next better bracket, and what it took.
fn sharper(
    view: &mut View<'_>,
    prefix: &mut Prefix,
    bracket: Bracket,
    proof: Proof,
) -> Result<(Bracket, Proof), Error> {
    Ok(match proof {
        Proof::Maxima => (mass::from_row(view), Proof::Row),
        Proof::Row => match mass::exact(view, prefix, bracket.low)? {
            exact if prefix.is_whole() => (exact, Proof::Sort),
            exact => (exact, Proof::Exact),
        },
        Proof::Exact | Proof::Sort => {
            prefix.grow(view, view.len)?;
            (mass::literal(prefix), Proof::Sort)
        }
    })
}

/// The number of ranks before the running sum passes `p`, at least 1.
fn kept(exps: &[f32], sum: f32, p: f32) -> usize {
    let mut running = 0.0_f32;
    for (rank, e) in exps.iter().enumerate() {
        running += e / sum;
        if rank > 0 && running > p {
            return rank;
        }
    }
    exps.len()
}

/// How many ranks to look at next: no later exp is larger than the last, so at least this many
/// more are needed to reach p; and a few times as many as now, lest the growth be slow.
fn next_target(prefix: &Prefix, bracket: Bracket, p: f32) -> usize {
    let exps = prefix.exps();
    let len = exps.len();
    let steady = if len < 4096 { 4 * len } else { 2 * len };
    let seen: f64 = exps.iter().map(|e| f64::from(*e)).sum();
    let missing = f64::from(p) * f64::from(bracket.low) - seen;
    let last = exps.last().map_or(1.0, |e| f64::from(*e));
    steady.max(len + (missing / last).clamp(0.0, 4e9) as usize)
}
