//! One draw from one row: the steps in the order of the header's manual.

use crate::entry::Entry;
use crate::nucleus::{self, Proof};
use crate::rng::{Source, pick};
use crate::select::{Prefix, Survey, View};
use crate::simd::{EXP_FLOOR, Kernels};
use crate::temper::weigh;
use crate::{Error, SamplerParams, memory};

/// A row of logits, perhaps part of a longer one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub logits: &'a [f32],
    /// How many tokens the row has besides, all at -inf.
    pub absent: usize,
}

impl Row<'_> {
    /// The number of tokens, if it is one that a row can have.
    fn len(&self) -> Result<usize, Error> {
        match self.logits.len() + self.absent {
            0 => Err(Error::EmptyRow),
            n if i32::try_from(n).is_ok() => Ok(n),
            _ => Err(Error::BadArgument),
        }
    }
}

/// What may be asked of a draw beyond the three parameters; the default asks nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extras {
    /// Candidates below this share of the best one's probability are dropped; 0 drops none.
    pub min_p: f32,
    /// The index of a token that stays a candidate whatever its rank.
    pub keep: Option<u32>,
}

/// What a draw came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// The index of the token in the row; none if there is nothing above -inf.
    pub index: Option<u32>,
    /// The number of candidates, those at -inf included; 1 where the best token was certain.
    pub candidates: usize,
}

/// Working memory of a draw, grown once and kept. After a draw it holds what was drawn from.
#[derive(Debug)]
pub(crate) struct Scratch {
    survey: Survey,
    prefix: Prefix,
    weights: Vec<f32>,
    /// The token that `weights` has after those of the first ranks.
    kept: Option<u32>,
    /// How often each kind of proof was needed.
    pub proofs: [u64; 4],
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self {
            survey: Survey::new(),
            prefix: Prefix::new(),
            weights: Vec::new(),
            kept: None,
            proofs: [0; 4],
        }
    }

    /// The probability with which the last draw could have come to the token at `index`.
    pub(crate) fn share(&self, drawn: Drawn, index: u32) -> f64 {
        let total: f64 = self.weights.iter().map(|w| f64::from(*w)).sum();
        // NaN weights, as none at all, leave the draw no choice.
        if self.weights.is_empty() || total.is_nan() {
            return if drawn.index == Some(index) { 1.0 } else { 0.0 };
        }
        let ranks = self.weights.len() - usize::from(self.kept.is_some());
        let ids = self.prefix.entries().iter().take(ranks).map(|entry| entry.id());
        let rank = ids.chain(self.kept).position(|id| id == index);
        let weight = rank.and_then(|rank| self.weights.get(rank)).map_or(0.0, |w| f64::from(*w));
        weight / total
    }

    /// What there is to know of a row besides its tokens.
    pub(crate) fn census(
        &mut self,
        kernels: &'static Kernels,
        logits: &[f32],
    ) -> Result<Census, Error> {
        let view = self.survey.read(kernels, logits)?;
        let mut census = Census { nans: 0, infinities: 0, log_sum_exp: f64::from(view.top) };
        let mut sum = 0.0;
        for part in &view.parts {
            // The padding is -inf, which reaches -inf, as all but NaN do.
            let numbers = (kernels.count_reaching)(part.logits, f32::NEG_INFINITY);
            census.nans += part.logits.len() - numbers;
            census.infinities += (kernels.count_reaching)(part.logits, f32::INFINITY);
            if view.top.is_finite() {
                sum += (kernels.row_mass)(part.logits, part.maxima, view.top, EXP_FLOOR).sum;
            }
        }
        if view.top.is_finite() {
            census.log_sum_exp += sum.ln();
        }
        Ok(census)
    }
}

/// Facts about a whole row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Census {
    pub nans: usize,
    pub infinities: usize,
    /// The logarithm of the sum of e^l, to about six digits; the largest logit if that is not finite.
    pub log_sum_exp: f64,
}

/// The best token, where nothing else can be drawn: that takes neither memory nor a generator.
pub(crate) fn certain(
    kernels: &Kernels,
    row: Row<'_>,
    params: &SamplerParams,
    extras: Extras,
) -> Result<Option<Drawn>, Error> {
    let alone = extras.keep.is_none() && params.rank_limit(row.len()?) == 1;
    let certain = alone || params.is_greedy();
    Ok(certain.then(|| Drawn { index: (kernels.argmax)(row.logits), candidates: 1 }))
}

/// Draws a token; the source gives one uniform or none.
pub(crate) fn sample(
    kernels: &'static Kernels,
    row: Row<'_>,
    params: &SamplerParams,
    extras: Extras,
    source: &mut Source<'_>,
    scratch: &mut Scratch,
) -> Result<Drawn, Error> {
    let limit = params.rank_limit(row.len()?);
    let Scratch { survey, prefix, weights, kept, proofs } = scratch;
    weights.clear();
    *kept = None;
    if let Some(drawn) = certain(kernels, row, params, extras)? {
        return Ok(drawn);
    }
    let mut view = survey.read(kernels, row.logits)?;
    let p = params.nucleus();
    if !view.top.is_finite() {
        // No distribution can be made: S is NaN and drops nothing, the weights are NaN and give rank 0.
        if limit > 1 {
            source.uniform();
        }
        return Ok(Drawn { index: (kernels.argmax)(row.logits), candidates: limit });
    }
    let (mut candidates, proof) = nucleus::cut::<false>(&mut view, prefix, limit, p)?;
    proofs[match proof {
        Proof::Maxima => 0,
        Proof::Row => 1,
        Proof::Exact => 2,
        Proof::Sort => 3,
    }] += 1;
    if extras.min_p > 0.0 {
        // The best token's exp is 1, and it stays.
        let exps = &prefix.exps()[..candidates.min(prefix.exps().len())];
        candidates = exps.iter().position(|e| *e < extras.min_p).unwrap_or(exps.len()).max(1);
    }
    let ranked = &prefix.entries()[..candidates.min(prefix.entries().len())];
    let apart = extras.keep.and_then(|index| kept_apart(&view, index, ranked));
    candidates += usize::from(apart.is_some());
    let first = ranked.first().map(|entry| entry.id());
    let drawn = |index| Ok(Drawn { index, candidates });
    if candidates < 2 {
        return drawn(first);
    }
    memory::reserve(weights, ranked.len() + 1)?;
    let u = source.uniform();
    if candidates > ranked.len() + usize::from(apart.is_some())
        && params.temperature == f32::INFINITY
    {
        // -inf / inf: NaN weights, which give rank 0. At any other temperature a -inf weighs nothing.
        return drawn(first);
    }
    weights.extend(ranked.iter().map(|entry| entry.logit()));
    if let Some((index, logit)) = apart {
        *kept = Some(index);
        weights.push(logit);
    }
    if !weigh(kernels, weights, view.top, params.temperature) {
        weights.clear();
        return drawn(first);
    }
    let rank = pick(weights, u);
    drawn(ranked.get(rank).map(|entry| entry.id()).or(*kept))
}

/// The token at `index` with its logit, if it is above -inf and not among the ranked ones. (Where the
/// candidates go beyond those above -inf it is among them.)
fn kept_apart(view: &View<'_>, index: u32, ranked: &[Entry]) -> Option<(u32, f32)> {
    let logit = view.logit(index)?;
    let is_ranked = ranked.iter().any(|entry| entry.id() == index);
    (logit > f32::NEG_INFINITY && !is_ranked).then_some((index, logit))
}
