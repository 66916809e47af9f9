//! The cut of the rule of chains, in double.
//!
//! The running sum `E_i` of the exps is that of the first ranks, which the prefix has: S is not in it. The nucleus
//! ends at the first rank with `E_i >= p * S`. The product, in double, is monotone in S, so the rank rises with S.
//!
//! S is the sum of all tokens of the row, also if `limit` lets only the first ranks stay.

use super::{INITIAL_RANKS, Resolution, next_target};
use crate::Error;
use crate::draw::normalizer;
use crate::draw::normalizer::double::{Depth, by_definition, exact, from_maxima, from_row};
use crate::rules::nucleus::{RunningSum, target};
use crate::select::{BlockedRow, RankedPrefix};

/// The number of candidates, at most `limit`. `prefix` then holds those above -inf.
pub(crate) fn cut(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    limit: usize,
    p: f32,
) -> Result<(usize, Resolution), Error> {
    prefix.clear();
    prefix.grow(blocked, limit.min(INITIAL_RANKS))?;
    let mut resolution = Resolution::Maxima;
    let mut bounds = match prefix.is_whole() {
        true => by_definition(prefix),
        false => from_maxima(blocked, prefix),
    };
    // Stands before the rank that reaches p's share of the lower bound, which only rises.
    let mut running = RunningSum::default();
    // The number of ranks that were known when the row was last read to its whole depth.
    let mut read_with = 0;
    let mut estimated = None;
    loop {
        let exps = &prefix.exps()[..limit.min(prefix.exps().len())];
        // Tokens at -inf add nothing: the running sum does not reach p with them either.
        let complete = exps.len() == limit || prefix.is_whole();
        let share = target(p, bounds.low);
        match running.first(exps, |sum| sum >= share) {
            None if complete => return Ok((limit, resolution)),
            None => {}
            Some(fewest) => {
                let share = target(p, bounds.high);
                let most = running.clone().first(exps, |sum| sum >= share);
                if most.or(complete.then_some(limit)) == Some(fewest) {
                    return Ok((fewest, resolution));
                }
                let ranks = prefix.exps().len();
                // What is left out is likely not to matter if it is less than the share of one rank.
                let next_exp = f64::from(exps[fewest.min(exps.len() - 1)]);
                let near = (resolution == Resolution::Maxima).then(|| Depth::near(blocked));
                let near = near.filter(|near| f64::from(p) * near.further < next_exp);
                if let Some(near) = near {
                    bounds = bounds.and(from_row(blocked, prefix, near));
                    resolution = Resolution::Row;
                } else if resolution < Resolution::Exact && read_with < ranks {
                    bounds = bounds.and(from_row(blocked, prefix, Depth::WHOLE));
                    (read_with, resolution) = (ranks, Resolution::Row);
                } else if resolution < Resolution::Exact {
                    bounds = bounds.and(exact(blocked, bounds.high));
                    resolution = Resolution::Exact;
                } else {
                    prefix.grow(blocked, blocked.len)?;
                    (bounds, resolution) = (by_definition(prefix), Resolution::Sort);
                }
                continue;
            }
        }
        let sum = match resolution {
            Resolution::Maxima => {
                let estimate = || normalizer::estimate(blocked, prefix).sum;
                estimated.get_or_insert_with(estimate).clamp(bounds.low, bounds.high)
            }
            _ => bounds.high,
        };
        let target = next_target(prefix, running.sum, f64::from(p) * sum).min(limit);
        prefix.grow(blocked, if target > blocked.len / 4 { limit } else { target })?;
        if prefix.is_whole() {
            (bounds, resolution) = (by_definition(prefix), Resolution::Sort);
        } else if resolution == Resolution::Maxima {
            bounds = bounds.and(from_maxima(blocked, prefix));
        }
    }
}

#[cfg(test)]
mod tests;
