//! One draw from one row: the steps in the order of the header's manual.

use crate::nucleus::{self, Resolution};
use crate::rng::Source;
use crate::rules::discrete::discrete_distribution;
use crate::rules::min_p;
use crate::rules::nucleus::Nucleus;
use crate::rules::rank::RankKey;
use crate::select::{BlockedRow, RankedPrefix, RowScan};
use crate::simd::{EXP_FLOOR, Kernels};
use crate::tempered::softmax_with_temperature;
use crate::{Error, SamplerParams, memory};

/// A row of logits, perhaps part of a longer one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub logits: &'a [f32],
    /// How many tokens the row has besides, all at -inf.
    pub masked_out: usize,
}

impl Row<'_> {
    /// The number of tokens, if it is one that a row can have.
    fn len(&self) -> Result<usize, Error> {
        match self.logits.len() + self.masked_out {
            0 => Err(Error::EmptyRow),
            n if i32::try_from(n).is_ok() => Ok(n),
            _ => Err(Error::BadArgument),
        }
    }
}

/// What may be asked of a draw beyond the three parameters; the default asks nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DrawOptions {
    /// Candidates below this share of the best one's probability are dropped; 0 drops none.
    pub min_p: f32,
    /// The index of a token that stays a candidate whatever its rank.
    pub keep: Option<u32>,
}

/// What a draw came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DrawOutcome {
    /// The index of the token in the row; none if there is nothing above -inf.
    pub index: Option<u32>,
    /// The number of candidates, those at -inf included; 1 where the best token was certain.
    pub candidates: usize,
}

/// Working memory of a draw, grown once and kept. After a draw it holds what was drawn from.
#[derive(Debug)]
pub(crate) struct Scratch {
    scan: RowScan,
    prefix: RankedPrefix,
    weights: Vec<f32>,
    /// The token that `weights` has after those of the first ranks.
    kept: Option<u32>,
    /// How often each kind of proof was needed.
    pub resolutions: [u64; 4],
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self {
            scan: RowScan::new(),
            prefix: RankedPrefix::new(),
            weights: Vec::new(),
            kept: None,
            resolutions: [0; 4],
        }
    }

    /// The probability with which the last draw could have come to the token at `index`.
    pub(crate) fn probability_of(&self, drawn: DrawOutcome, index: u32) -> f64 {
        let total: f64 = self.weights.iter().map(|w| f64::from(*w)).sum();
        // NaN weights, as none at all, leave the draw no choice.
        if self.weights.is_empty() || total.is_nan() {
            return if drawn.index == Some(index) { 1.0 } else { 0.0 };
        }
        let ranks = self.weights.len() - usize::from(self.kept.is_some());
        let ids = self.prefix.keys().iter().take(ranks).map(|key| key.id());
        let rank = ids.chain(self.kept).position(|id| id == index);
        let weight = rank.and_then(|rank| self.weights.get(rank)).map_or(0.0, |w| f64::from(*w));
        weight / total
    }

    /// What there is to know of a row besides its tokens.
    pub(crate) fn row_stats(
        &mut self,
        kernels: &'static Kernels,
        logits: &[f32],
    ) -> Result<RowStats, Error> {
        let blocked = self.scan.read(kernels, logits)?;
        let mut row_stats =
            RowStats { nans: 0, infinities: 0, log_sum_exp: f64::from(blocked.top) };
        let mut sum = 0.0;
        for part in &blocked.segments {
            // The padding is -inf, which reaches -inf, as all but NaN do.
            let numbers = (kernels.count_reaching)(part.logits, f32::NEG_INFINITY);
            row_stats.nans += part.logits.len() - numbers;
            row_stats.infinities += (kernels.count_reaching)(part.logits, f32::INFINITY);
            if blocked.top.is_finite() {
                sum += (kernels.row_mass)(part.logits, part.maxima, blocked.top, EXP_FLOOR).sum;
            }
        }
        if blocked.top.is_finite() {
            row_stats.log_sum_exp += sum.ln();
        }
        Ok(row_stats)
    }
}

/// Facts about a whole row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowStats {
    pub nans: usize,
    pub infinities: usize,
    /// The logarithm of the sum of e^l, to about six digits; the largest logit if that is not finite.
    pub log_sum_exp: f64,
}

/// The best token, where nothing else can be drawn: that takes neither memory nor a generator.
pub(crate) fn greedy_or_single(
    kernels: &Kernels,
    row: Row<'_>,
    params: &SamplerParams,
    options: DrawOptions,
) -> Result<Option<DrawOutcome>, Error> {
    let alone = options.keep.is_none() && params.rank_limit(row.len()?) == 1;
    let greedy_or_single = alone || params.is_greedy();
    Ok(greedy_or_single.then(|| DrawOutcome { index: (kernels.argmax)(row.logits), candidates: 1 }))
}

/// Draws a token; the source gives one uniform or none.
pub(crate) fn sample(
    kernels: &'static Kernels,
    row: Row<'_>,
    params: &SamplerParams,
    options: DrawOptions,
    source: &mut Source<'_>,
    scratch: &mut Scratch,
) -> Result<DrawOutcome, Error> {
    let limit = params.rank_limit(row.len()?);
    let Scratch { scan, prefix, weights, kept, resolutions } = scratch;
    weights.clear();
    *kept = None;
    if let Some(drawn) = greedy_or_single(kernels, row, params, options)? {
        return Ok(drawn);
    }
    let mut blocked = scan.read(kernels, row.logits)?;
    let p = params.nucleus();
    if !blocked.top.is_finite() {
        // No distribution can be made: S is NaN and drops nothing, the weights are NaN and give rank 0.
        if limit > 1 {
            source.uniform();
        }
        return Ok(DrawOutcome { index: (kernels.argmax)(row.logits), candidates: limit });
    }
    let (mut candidates, resolution) =
        nucleus::cut(Nucleus::Exclusive, &mut blocked, prefix, limit, p)?;
    resolutions[match resolution {
        Resolution::Maxima => 0,
        Resolution::Row => 1,
        Resolution::Exact => 2,
        Resolution::Sort => 3,
    }] += 1;
    if !min_p::is_off(options.min_p) {
        let low = min_p::lowest_logit(blocked.top, options.min_p);
        let ranked = &prefix.keys()[..candidates.min(prefix.keys().len())];
        candidates = ranked.partition_point(|key| key.logit() >= low).max(1);
    }
    let ranked = &prefix.keys()[..candidates.min(prefix.keys().len())];
    let apart = options.keep.and_then(|index| kept_apart(&blocked, index, ranked));
    candidates += usize::from(apart.is_some());
    let first = ranked.first().map(|key| key.id());
    let drawn = |index| Ok(DrawOutcome { index, candidates });
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
    weights.extend(ranked.iter().map(|key| key.logit()));
    if let Some((index, logit)) = apart {
        *kept = Some(index);
        weights.push(logit);
    }
    if !softmax_with_temperature(kernels, weights, blocked.top, params.temperature) {
        weights.clear();
        return drawn(first);
    }
    let rank = discrete_distribution(weights, u);
    drawn(ranked.get(rank).map(|key| key.id()).or(*kept))
}

/// The token at `index` with its logit, if it is above -inf and not among the ranked ones. (Where the
/// candidates go beyond those above -inf it is among them.)
fn kept_apart(blocked: &BlockedRow<'_>, index: u32, ranked: &[RankKey]) -> Option<(u32, f32)> {
    let logit = blocked.logit(index)?;
    let is_ranked = ranked.iter().any(|key| key.id() == index);
    (logit > f32::NEG_INFINITY && !is_ranked).then_some((index, logit))
}
