//! The cut of the rule of chains, in double.
//!
//! The running sum `E_i` of the exps is that of the first ranks, which the prefix has: S is not in it. The nucleus
//! ends at the first rank with `E_i >= p * S`. The product, in double, is monotone in S, so the rank rises with S.
//!
//! S is the sum of all tokens of the row, also if `limit` lets only the first ranks stay.

use super::{INITIAL_RANKS, Resolution, Wanted, next_target};
use crate::Error;
use crate::draw::normalizer::double::{by_definition, exact, floor_for, from_maxima, from_row};
use crate::rules::nucleus::{RunningSum, target};
use crate::select::{BlockedRow, RankedPrefix};
use crate::simd::MIN_DOUBLE_ADDEND_LN;

/// The number of candidates, at most `limit`. `prefix` then holds those above -inf.
pub(crate) fn cut(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    limit: usize,
    p: f64,
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
    loop {
        let exps = &prefix.exps()[..limit.min(prefix.exps().len())];
        // Tokens at -inf add nothing: the running sum does not reach p with them either.
        let all = (exps.len() == limit || prefix.is_whole()).then_some(limit);
        let share = target(p, bounds.low);
        let fewest = running.first(exps, |sum| sum >= share).or(all);
        let mut further = running;
        let share = target(p, bounds.high);
        let most = further.first(exps, |sum| sum >= share).or(all);
        match (fewest, most) {
            (Some(fewest), Some(most)) if fewest == most => return Ok((most, resolution)),
            // Close bounds: if one cut is in the prefix, the other is not far behind.
            (Some(_), None) if resolution > Resolution::Maxima => {}
            (Some(fewest), _) => {
                let ranks = prefix.exps().len();
                if resolution == Resolution::Maxima {
                    // What is left out is likely not to matter if it is less than an eighth of one rank's share.
                    let next_exp = f64::from(exps[fewest.min(exps.len() - 1)]);
                    let floor = floor_for(blocked, next_exp / (8.0 * p));
                    bounds = bounds.and(from_row(blocked, prefix, floor));
                    resolution = Resolution::Row;
                } else if resolution < Resolution::Exact && read_with < ranks {
                    bounds = bounds.and(from_row(blocked, prefix, MIN_DOUBLE_ADDEND_LN));
                    read_with = ranks;
                } else if resolution < Resolution::Exact {
                    bounds = bounds.and(exact(blocked, bounds.high));
                    resolution = Resolution::Exact;
                } else {
                    prefix.grow(blocked, blocked.len)?;
                    (bounds, resolution) = (by_definition(prefix), Resolution::Sort);
                }
                continue;
            }
            (None, _) => {}
        }
        // The running sum of the whole prefix.
        let seen = further.sum;
        let wanted = match resolution {
            // The block maxima are a lower bound of the other tokens, and about half of what real rows have.
            Resolution::Maxima => Wanted::Guess(p * (2.0 * bounds.low - seen)),
            _ => Wanted::Known(p * bounds.high),
        };
        let target = next_target(prefix, seen, wanted).min(limit);
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
