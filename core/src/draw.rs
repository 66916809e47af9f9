//! One draw from one row: the steps in the order of the header's manual.

pub(crate) mod first;
pub(crate) mod normalizer;
pub(crate) mod nucleus;
mod row_stats;
mod wide;

use crate::rng::Source;
use crate::rules::discrete::discrete_distribution;
use crate::rules::min_p;
use crate::rules::rank::RankKey;
use crate::rules::temperature::tempered;
use crate::rules::weights::normalize_twice;
use crate::select::{BlockedRow, RankGroups, RankedPrefix, RowScan};
use crate::simd::Kernels;
use crate::{Error, SamplerParams, memory};
use nucleus::Resolution;
pub(crate) use row_stats::RowStats;

/// Checks the length of a row: at least 1, and at most `i32::MAX`, since ids are i32 in C.
pub(crate) fn check_row_len(len: usize) -> Result<(), Error> {
    match len {
        0 => Err(Error::EmptyRow),
        len if i32::try_from(len).is_ok() => Ok(()),
        _ => Err(Error::BadArgument),
    }
}

/// A row of logits, perhaps only the allowed tokens of a longer row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaskedRow<'a> {
    pub logits: &'a [f32],
    /// The number of further tokens, all at -inf.
    pub masked_out: usize,
    /// Whether [`Scratch::scan`] has read `logits` as they are.
    pub scanned: bool,
}

impl<'a> MaskedRow<'a> {
    /// A row without a mask.
    pub(crate) fn whole(logits: &'a [f32]) -> Self {
        Self { logits, masked_out: 0, scanned: false }
    }

    /// Scans the row, unless that is done.
    fn scan<'s>(
        &self,
        kernels: &'static Kernels,
        scan: &'s mut RowScan,
    ) -> Result<BlockedRow<'s>, Error>
    where
        'a: 's,
    {
        match self.scanned {
            true => scan.read_again(kernels, self.logits),
            false => scan.read(kernels, self.logits),
        }
    }

    /// The number of tokens, checked.
    fn len(&self) -> Result<usize, Error> {
        let len = self.logits.len() + self.masked_out;
        check_row_len(len).map(|()| len)
    }
}

/// The options of a draw besides the three parameters; all off by default.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DrawOptions {
    /// Drops candidates below this share of the best one's probability; 0 drops none.
    pub min_p: f32,
    /// The index of a token that stays a candidate whatever its rank.
    pub keep: Option<u32>,
}

/// The result of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DrawOutcome {
    /// The index of the token in the row; none if nothing is above -inf, and then no word was used.
    pub index: Option<u32>,
    /// The number of candidates, those at -inf included; 1 for a greedy draw.
    pub candidates: usize,
}

impl DrawOutcome {
    /// The token's index, or the error of the calls with a handle.
    pub(crate) fn candidate(&self) -> Result<u32, Error> {
        self.index.ok_or(Error::NoCandidate)
    }
}

/// The number of draws that each kind of proof settled, the cheapest kind first.
///
/// Draws that need no proof are not counted: greedy ones, `top_k` 1, and rows without a finite maximum.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResolutionCounts {
    /// By bounds from the block maxima.
    pub maxima: u64,
    /// By bounds from a sum over the row.
    pub row: u64,
    /// By the exact sum, without a sort.
    pub exact: u64,
    /// By sorting the row.
    pub sort: u64,
}

impl ResolutionCounts {
    pub(crate) const NONE: Self = Self { maxima: 0, row: 0, exact: 0, sort: 0 };

    /// The number of draws counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.maxima + self.row + self.exact + self.sort
    }

    fn add(&mut self, resolution: Resolution) {
        *match resolution {
            Resolution::Maxima => &mut self.maxima,
            Resolution::Row => &mut self.row,
            Resolution::Exact => &mut self.exact,
            Resolution::Sort => &mut self.sort,
        } += 1;
    }
}

impl core::ops::AddAssign for ResolutionCounts {
    fn add_assign(&mut self, other: Self) {
        self.maxima += other.maxima;
        self.row += other.row;
        self.exact += other.exact;
        self.sort += other.sort;
    }
}

/// Working memory of a draw, grown once and kept.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub scan: RowScan,
    prefix: RankedPrefix,
    groups: RankGroups,
    weights: Vec<f32>,
    pub resolutions: ResolutionCounts,
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self {
            scan: RowScan::new(),
            prefix: RankedPrefix::new(),
            groups: RankGroups::new(),
            weights: Vec::new(),
            resolutions: ResolutionCounts::NONE,
        }
    }
}

/// The distribution that a token was drawn from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Distribution<'a> {
    /// The draw had no choice: all the probability is at this index, or there is no token.
    Certain(Option<u32>),
    /// A weight for each of the ranked candidates, and then for the kept one, if there is one.
    Weighted { ranked: &'a [RankKey], kept: Option<u32>, weights: &'a [f32] },
}

impl Distribution<'_> {
    /// The probability of the token at `index`.
    pub(crate) fn probability_of(&self, index: u32) -> f64 {
        match *self {
            Self::Certain(certain) => f64::from(u8::from(certain == Some(index))),
            Self::Weighted { ranked, kept, weights } => {
                debug_assert_eq!(ranked.len() + usize::from(kept.is_some()), weights.len());
                let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
                let ids = ranked.iter().map(|key| key.id()).chain(kept);
                let weight = ids.zip(weights).find(|(id, _)| *id == index);
                weight.map_or(0.0, |(_, w)| f64::from(*w) / total)
            }
        }
    }
}

/// One draw: its row, parameters and options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draw<'a> {
    pub kernels: &'static Kernels,
    pub row: MaskedRow<'a>,
    pub params: &'a SamplerParams,
    pub options: DrawOptions,
}

impl Draw<'_> {
    /// Draws a token. The source gives one uniform or none.
    pub(crate) fn sample<'s>(
        &self,
        source: &mut Source<'_>,
        scratch: &'s mut Scratch,
    ) -> Result<(DrawOutcome, Distribution<'s>), Error> {
        match self.greedy_or_single()? {
            Some(outcome) => Ok((outcome, Distribution::Certain(outcome.index))),
            None => self.sample_candidates(source, scratch),
        }
    }

    /// As [`Self::sample`], without the distribution and without options: a wide nucleus is not sorted.
    pub(crate) fn token(
        &self,
        source: &mut Source<'_>,
        scratch: &mut Scratch,
    ) -> Result<DrawOutcome, Error> {
        match self.greedy_or_single()? {
            Some(outcome) => Ok(outcome),
            None => self.token_of_candidates(source, scratch),
        }
    }

    /// As [`Self::token`], after [`Self::greedy_or_single`] found no certain token.
    pub(crate) fn token_of_candidates(
        &self,
        source: &mut Source<'_>,
        scratch: &mut Scratch,
    ) -> Result<DrawOutcome, Error> {
        debug_assert!(min_p::is_off(self.options.min_p) && self.options.keep.is_none());
        self.draw(source, scratch, true).map(|(outcome, _)| outcome)
    }

    /// The best token, if no other can be drawn. This needs neither memory nor a generator.
    pub(crate) fn greedy_or_single(&self) -> Result<Option<DrawOutcome>, Error> {
        let single = self.options.keep.is_none() && self.params.rank_limit(self.row.len()?) == 1;
        let best_alone = single || self.params.is_greedy();
        Ok(best_alone.then(|| DrawOutcome { index: self.argmax(), candidates: 1 }))
    }

    fn argmax(&self) -> Option<u32> {
        self.kernels.argmax(self.row.logits)
    }

    /// As [`Self::sample`], after [`Self::greedy_or_single`] found no certain token.
    pub(crate) fn sample_candidates<'s>(
        &self,
        source: &mut Source<'_>,
        scratch: &'s mut Scratch,
    ) -> Result<(DrawOutcome, Distribution<'s>), Error> {
        self.draw(source, scratch, false)
    }

    /// With `token_only` a wide nucleus is not sorted. Its distribution is then not known: `Certain` stands for it.
    #[inline(always)]
    fn draw<'s>(
        &self,
        source: &mut Source<'_>,
        scratch: &'s mut Scratch,
        token_only: bool,
    ) -> Result<(DrawOutcome, Distribution<'s>), Error> {
        let Self { kernels, row, params, options } = *self;
        let limit = params.rank_limit(row.len()?);
        let Scratch { scan, prefix, groups, weights, resolutions } = scratch;
        let mut blocked = row.scan(kernels, scan)?;
        let certain = |index, candidates| {
            Ok((DrawOutcome { index, candidates }, Distribution::Certain(index)))
        };
        if blocked.top == f32::NEG_INFINITY {
            return certain(None, limit);
        }
        if !blocked.top.is_finite() {
            // There is no distribution: S is NaN and drops nothing, the weights are NaN and give rank 0.
            if limit > 1 {
                source.uniform();
            }
            return certain(self.argmax(), limit);
        }
        let (p, t) = (params.nucleus(), params.temperature);
        let may_be_wide = token_only && t.is_finite() && limit > wide::SORTED_LIMIT;
        let most_ranks = if may_be_wide { wide::MIN_RANKS } else { limit };
        let cut = nucleus::single::cut_within(&mut blocked, prefix, limit, p, most_ranks)?;
        let mut uniform = None;
        let (mut candidates, resolution) = match cut {
            Some(cut) => cut,
            None => {
                prefix.reserve(&blocked)?;
                weights.clear();
                memory::reserve(weights, blocked.len)?;
                if let Some(candidates) = wide::cut(&blocked, groups, prefix, limit, p)?
                    && candidates > 1
                {
                    let u = source.uniform();
                    uniform = Some(u);
                    if let Some(index) = wide::token(&blocked, groups, candidates, t, u)? {
                        resolutions.add(Resolution::Exact);
                        return certain(Some(index), candidates);
                    }
                }
                nucleus::single::cut(&mut blocked, prefix, limit, p)?
            }
        };
        resolutions.add(resolution);
        if !min_p::is_off(options.min_p) {
            let low = min_p::lowest_logit(blocked.top, options.min_p);
            let ranked = &prefix.keys()[..candidates.min(prefix.keys().len())];
            candidates = ranked.partition_point(|key| key.logit() >= low).max(1);
        }
        let ranked = &prefix.keys()[..candidates.min(prefix.keys().len())];
        let kept = options.keep.and_then(|index| unranked_candidate(&blocked, index, ranked));
        candidates += usize::from(kept.is_some());
        let best = Some(ranked[0].id());
        if candidates < 2 {
            return certain(best, candidates);
        }
        let weighted = ranked.len() + usize::from(kept.is_some());
        weights.clear();
        memory::reserve(weights, weighted)?;
        let u = uniform.unwrap_or_else(|| source.uniform());
        weights.extend(ranked.iter().map(|key| key.logit()));
        weights.extend(kept.map(|(_, logit)| logit));
        let kept = kept.map(|(index, _)| index);
        let weights = &mut weights[..];
        if !softmax_with_temperature(kernels, weights, blocked.top, params.temperature) {
            return certain(best, candidates);
        }
        let rank = discrete_distribution(weights, u);
        debug_assert!(rank < weighted);
        let index = ranked.get(rank).map(|key| key.id()).or(kept);
        let distribution = match weights[0].is_nan() {
            // Then all are NaN: the sum that divided them was NaN.
            true => Distribution::Certain(index),
            false => Distribution::Weighted { ranked, kept, weights },
        };
        Ok((DrawOutcome { index, candidates }, distribution))
    }
}

/// The token at `index` with its logit, if it is above -inf and not ranked. (If there are candidates at
/// -inf, all tokens above -inf are ranked.)
fn unranked_candidate(
    blocked: &BlockedRow<'_>,
    index: u32,
    ranked: &[RankKey],
) -> Option<(u32, f32)> {
    let logit = blocked.logit(index)?;
    let is_ranked = ranked.iter().any(|key| key.id() == index);
    (logit > f32::NEG_INFINITY && !is_ranked).then_some((index, logit))
}

/// Turns the candidates' logits, in rank order, into the weights of the draw, in place. False if there
/// is no distribution and rank 0 is the answer.
///
/// Bit-exact: do not reorder or fuse these operations.
fn softmax_with_temperature(kernels: &Kernels, logits: &mut [f32], top: f32, t: f32) -> bool {
    logits.iter_mut().for_each(|l| *l = tempered(*l, top, t));
    kernels.expf_all(logits);
    normalize_twice(logits)
}
