//! The cut of the S2 engines' rule, in binary32.
//!
//! The running sum `c_i` of `q_i = e_i / S`, in binary32, falls as S grows, since division and addition are
//! monotone in IEEE arithmetic. So the rank at which it exceeds p rises with S.

use super::{INITIAL_RANKS, Resolution, Wanted, next_target};
use crate::Error;
use crate::draw::normalizer::{self, Bounds};
use crate::rules::nucleus::{exceeds, len_below};
use crate::select::{BlockedRow, RankedPrefix};
use crate::sequential_sum::single;

/// Up to this many ranks are found and sorted faster than S is known.
const SHORT_LIMIT: usize = 4096;

/// The number of candidates, at most `limit`. `prefix` then holds those above -inf.
pub(crate) fn cut(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    limit: usize,
    p: f32,
) -> Result<(usize, Resolution), Error> {
    // No prefix has more ranks than the limit.
    cut_within(blocked, prefix, limit, p, limit)?.ok_or(Error::Internal)
}

/// As [`cut`]; none if the prefix would need more than `most_ranks`. Then it has the first ranks.
pub(crate) fn cut_within(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    limit: usize,
    p: f32,
    most_ranks: usize,
) -> Result<Option<(usize, Resolution)>, Error> {
    prefix.clear();
    prefix.grow(blocked, limit.min(INITIAL_RANKS))?;
    if p.is_nan() {
        if limit > most_ranks {
            return Ok(None);
        }
        prefix.grow(blocked, limit)?;
        return Ok(Some((limit, Resolution::Maxima)));
    }
    let mut resolution = Resolution::Maxima;
    let mut bounds = match prefix.is_whole() {
        true => normalizer::by_definition(prefix),
        false => normalizer::from_maxima(blocked, prefix),
    };
    loop {
        let exps = &prefix.exps()[..limit.min(prefix.exps().len())];
        // Tokens at -inf add nothing: the running sum does not reach p with them either.
        let all = (exps.len() == limit || prefix.is_whole()).then_some(limit);
        let most = kept_ranks(exps, bounds.high, p).or(all);
        let fewest = match bounds.low == bounds.high {
            true => most,
            false => kept_ranks(exps, bounds.low, p).or(all),
        };
        debug_assert!(fewest.is_some() || most.is_none(), "a smaller sum ends no later");
        match (fewest, most) {
            (Some(fewest), Some(most)) if fewest == most => return Ok(Some((most, resolution))),
            // Close bounds: if one cut is in the prefix, the other is not far behind.
            (Some(_), None) if resolution > Resolution::Maxima => {}
            (Some(_), _) => {
                (bounds, resolution) = sharper(blocked, prefix, bounds, resolution)?;
                continue;
            }
            (None, _) => {}
        }
        let seen = prefix.exps().iter().map(|e| f64::from(*e)).sum();
        let wanted = match resolution {
            // The block maxima are a lower bound of the other tokens, and about half of what real rows have.
            Resolution::Maxima => {
                Wanted::Guess(f64::from(p) * (2.0 * f64::from(bounds.low) - seen))
            }
            _ => Wanted::Known(f64::from(p) * f64::from(bounds.high)),
        };
        let target = next_target(prefix, seen, wanted).min(limit);
        // Where top_k ends first, a prefix up to there is enough, if it is short.
        if target > most_ranks && (target < limit || limit > SHORT_LIMIT) {
            return Ok(None);
        }
        prefix.grow(blocked, if target > blocked.len / 4 { limit } else { target })?;
        if prefix.is_whole() {
            (bounds, resolution) = (normalizer::by_definition(prefix), Resolution::Sort);
        } else if resolution == Resolution::Maxima {
            bounds = normalizer::from_maxima(blocked, prefix);
        }
    }
}

/// Closer bounds, by the next cheapest way.
fn sharper(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    bounds: Bounds,
    resolution: Resolution,
) -> Result<(Bounds, Resolution), Error> {
    match resolution {
        Resolution::Maxima => {
            let (bounds, is_exact) = normalizer::about_row(blocked, prefix);
            Ok((bounds, if is_exact { Resolution::Exact } else { Resolution::Row }))
        }
        Resolution::Row => {
            let bounds = normalizer::exact(blocked, prefix, bounds.low)?;
            Ok((bounds, if prefix.is_whole() { Resolution::Sort } else { Resolution::Exact }))
        }
        Resolution::Exact | Resolution::Sort => {
            prefix.grow(blocked, blocked.len)?;
            Ok((normalizer::by_definition(prefix), Resolution::Sort))
        }
    }
}

/// [`count_below`](crate::rules::nucleus::count_below) for the probabilities `exps / sum`, a block at a time;
/// none if the running sum does not exceed `p`.
fn kept_ranks(exps: &[f32], sum: f32, p: f32) -> Option<usize> {
    let mut shares = [0.0; single::CHUNK_LEN];
    let mut running = 0.0_f32;
    for (chunk, exps) in exps.chunks(single::CHUNK_LEN).enumerate() {
        let shares = &mut shares[..exps.len()];
        shares.iter_mut().zip(exps).for_each(|(share, e)| *share = e / sum);
        let before = running;
        running = single::add(before, shares);
        if exceeds(running, p) {
            // The nucleus ends in this chunk. Single steps find the rank.
            let mut running = before;
            let end = shares.iter().position(|share| {
                running += share;
                exceeds(running, p)
            });
            debug_assert!(end.is_some(), "the single steps end at the sum of the chunk");
            return end.map(|rank| len_below(chunk * single::CHUNK_LEN + rank));
        }
    }
    None
}

#[cfg(test)]
mod tests;
