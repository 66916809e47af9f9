//! A draw by the rule of the S2 engines' first generations, `rules::first`.

use super::{Distribution, Draw, DrawOutcome, Scratch};
use crate::rng::Source;
use crate::rules::discrete::discrete_distribution;
use crate::rules::first::{KEPT_ABOVE, Ranks, exponent};
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::rules::weights::normalize;
use crate::select::{BlockedRow, RankedPrefix};
use crate::{Error, memory};

/// A token that stays a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    /// Its index in the row, or if it is masked that of the next token.
    pub index: u32,
    /// Whether a mask left it out of the row, so that it counts as -inf.
    pub is_masked: bool,
    /// How many tokens with lower ids a mask left out.
    pub masked_below: usize,
}

impl Kept {
    /// A token of a row without a mask.
    pub(crate) fn unmasked(index: u32) -> Self {
        Self { index, is_masked: false, masked_below: 0 }
    }

    /// Whether it joins the first `limit` ranks of `row`.
    fn joins(&self, row: &[f32], limit: usize) -> bool {
        let logit = row.get(self.index as usize).copied().map(nan_to_neg_inf);
        let Some(logit) = logit.filter(|logit| *logit > KEPT_ABOVE && !self.is_masked) else {
            return false;
        };
        let rank = RankKey::new(logit, self.index);
        let before = |(id, logit): &(u32, &f32)| RankKey::new(nan_to_neg_inf(**logit), *id) < rank;
        (0..).zip(row).filter(before).count() >= limit
    }
}

/// Step 1 of the rule for `row`: `prefix` then has the first `limit` ranks, or all above -inf. The token returned joins
/// them as the last rank.
pub(crate) fn ranks(
    row: &[f32],
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    limit: usize,
    kept: Option<Kept>,
) -> Result<(Ranks, Option<RankKey>), Error> {
    prefix.clear();
    prefix.grow(blocked, limit)?;
    let ranked = &prefix.keys()[..limit.min(prefix.keys().len())];
    let plain = Ranks { count: limit, kept: None };
    let Some(Kept { index, is_masked, masked_below }) = kept else { return Ok((plain, None)) };
    let in_row = || row.get(index as usize).copied().map(nan_to_neg_inf);
    let Some(logit) = (if is_masked { Some(f32::NEG_INFINITY) } else { in_row() }) else {
        return Ok((plain, None));
    };
    let place = ranked.iter().position(|key| key.id() == index && !is_masked);
    if let Some(place) = place {
        return Ok((Ranks { kept: Some(place), ..plain }, None));
    }
    if logit > KEPT_ABOVE {
        let joined = Ranks { count: limit + 1, kept: Some(limit) };
        return Ok((joined, Some(RankKey::new(logit, index))));
    }
    // Ranks at -inf are in id order.
    let is_neg_inf = |logit: &&f32| nan_to_neg_inf(**logit) == f32::NEG_INFINITY;
    let below = row.iter().take(index as usize).filter(is_neg_inf).count();
    let place = ranked.len() + masked_below + below;
    let is_left = logit == f32::NEG_INFINITY && place < limit;
    Ok((Ranks { kept: is_left.then_some(place), ..plain }, None))
}

impl Draw<'_> {
    /// As [`Self::sample`], by the other rule. It has no options but the kept token.
    pub(crate) fn sample_first<'s>(
        &self,
        kept: Option<Kept>,
        source: &mut Source<'_>,
        scratch: &'s mut Scratch,
    ) -> Result<(DrawOutcome, Distribution<'s>), Error> {
        let Self { kernels, row, params, .. } = *self;
        let limit = params.rank_limit(row.len()?);
        let Scratch { scan, prefix, weights, .. } = scratch;
        let mut blocked = row.scan(kernels, scan)?;
        let top = blocked.top;
        if !top.is_finite() {
            // There is no distribution: with a +inf the weights are NaN and give rank 0.
            let index = if top == f32::INFINITY { self.argmax() } else { None };
            let candidates = limit + usize::from(kept.is_some_and(|k| k.joins(row.logits, limit)));
            if index.is_some() && candidates > 1 {
                source.uniform();
            }
            let outcome = DrawOutcome { index, candidates };
            return Ok((outcome, Distribution::Certain(index)));
        }
        let (ranks, joined) = ranks(row.logits, &mut blocked, prefix, limit, kept)?;
        let ranked = &prefix.keys()[..limit.min(prefix.keys().len())];
        weights.clear();
        memory::reserve(weights, ranked.len() + 1)?;
        let keys = ranked.iter().chain(&joined);
        weights.extend(keys.map(|key| exponent(key.logit(), top, params.temperature)));
        kernels.expf_all(weights);
        let (candidates, _) = ranks.cut(weights, params.top_p);
        let weights = &mut weights[..];
        let weighted = candidates.min(weights.len());
        let weights = &mut weights[..weighted];
        normalize(weights);
        let u = if candidates < 2 { 0.0 } else { source.uniform() };
        let place = discrete_distribution(weights, u);
        debug_assert!(place < weighted);
        // The token that joined is the last rank, so it is left only if all are.
        let joined = joined.filter(|_| weighted > ranked.len());
        let ranked = &ranked[..weighted.min(ranked.len())];
        let index = ranked.get(place).or(joined.as_ref()).map(|key| key.id());
        let kept = joined.map(|key| key.id());
        let distribution = Distribution::Weighted { ranked, kept, weights };
        Ok((DrawOutcome { index, candidates }, distribution))
    }
}
