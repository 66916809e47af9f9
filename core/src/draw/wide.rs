//! A draw from a wide nucleus: the token, without a sort of the candidates.
//!
//! Four binary32 sums are in rank order and round at each rank: S; the running sum of e / S that the cut compares with
//! p; and the two sums that the weights are divided by. While such a sum stays in a binade it adds multiples of the
//! binade's unit, whatever the order, except at ties: `sequential_sum` says why, and lemmas 3 to 5 of [`normalizer`]. So
//! the first ranks are kept in groups ([`RankGroups`]). A run of groups is added in any order, unless the sum leaves its
//! binade there, meets a tie, or exceeds p. Then the run is halved until it is one group, and that group is sorted
//! and added rank by rank. The group that the drawn token is in is sorted, too.
//!
//! 1. *Numbers.* e, e / S, the weight w and its quotients by the two sums each fall or stay from rank to rank, since
//!    subtraction, division by a positive number and rounding are monotone, and so is `expf`: a test compares all
//!    neighbours. So the numbers of a group, sorted, are those of its ranks, and the groups stay groups.
//! 2. *S.* The groups have every logit from `low` up. The others, the tail, are added by [`normalizer::from_tail`] if the
//!    sum stays in the binade that it is in behind the groups. With ties in the tail, both bounds must give one cut.
//! 3. *Nothing below.* Behind rank 0 a running sum is at least its first addend a, and half a unit is more than
//!    a 2^-25. A logit more than 17.4 below the top has an e below 2^-25, and its addend is less than a 2^-25 in S as in
//!    the sum of e / S. So groups that reach down to [`DEPTH`] have all that both sums need.
//! 4. *The draw.* Let h be 2^-53, K the number of candidates, R_j the real sum of the first weights r_i behind both
//!    divisions, and R that of all. The rule's double sum of K weights is R up to a factor 1 + or - K h, each of its
//!    quotients has one rounding more, and its running sum of K quotients, which is about 1, K h. So it is within
//!    (2 K + 2) h of R_j / R, but for terms in h^2; and so is the quotient of any other double sums of the same
//!    numbers. If the quotient here is [`SURE`] (K + 16) h above u behind rank j and as much below u behind rank j - 1,
//!    j is the first rank at which the rule's sum reaches u.
//! 5. *Without the divisions.* r_i = w_i / (s1 s2) up to two roundings, (1 + or - 2^-24)^2, s1 and s2 being the sums
//!    that divided. What underflows is less than 2^-149 for each. So R_j / R is W_j / W, the same of the w_i, up to a
//!    factor between (1 - 2^-24)^2 / (1 + 2^-24)^2 and its reciprocal: within [`ROUNDED_TWICE`] of it. This
//!    settles most draws, and s1 and s2 are computed only for the others.

use super::normalizer::{self, Bounds};
use crate::Error;
use crate::rules::nucleus::{exceeds, len_below};
use crate::select::{BlockedRow, RankGroups, RankedPrefix};
use crate::simd::Kernels;

/// Cuts with more ranks than these are wide.
pub(crate) const MIN_RANKS: usize = 256;

/// No cut of at most so many ranks is wide: to sort them all costs less than the groups.
pub(crate) const SORTED_LIMIT: usize = 2 * MIN_RANKS;

/// How far below the top the groups reach at most, while a cut is sought.
const DEPTH: f32 = 17.5;

/// How often the groups grow to a logit that the estimates suggest, before they grow to [`DEPTH`].
const MAX_ATTEMPTS: usize = 3;

/// The most groups that are added at once.
const MAX_RUN: usize = 64;

/// Twice the two errors of lemma 4, of which either is 2 (K + 1) h.
const SURE: f64 = 8.0;
/// 4 * 2^-24, and a twentieth more.
const ROUNDED_TWICE: f64 = 2.5e-7;

/// A binary32 running sum behind some groups.
#[derive(Debug, Clone, Copy, Default)]
struct RunningSum {
    sum: f32,
    groups: usize,
}

impl RunningSum {
    /// Adds the numbers of the groups that are left, or their quotients, in rank order. Stops at the first rank whose
    /// sum, itself included, exceeds `p`, and returns it; the sum then stands before its group.
    fn add(
        &mut self,
        kernels: &Kernels,
        groups: &mut RankGroups,
        divisor: Option<f32>,
        p: f32,
    ) -> Result<Option<usize>, Error> {
        let mut run = 1;
        while self.groups < groups.count() {
            let end = groups.count().min(self.groups + run);
            let range = groups.start(self.groups)..groups.end(end - 1);
            match kernels.add_in_any_order(self.sum, &groups.numbers()[range], divisor) {
                Some(sum) if !exceeds(sum, p) => {
                    *self = Self { sum, groups: end };
                    run = (2 * run).min(MAX_RUN);
                }
                _ if end - self.groups > 1 => run = (end - self.groups) / 2,
                _ => {
                    groups.rank_numbers(self.groups)?;
                    match self.add_ranked(kernels, groups, divisor, p) {
                        Ok(sum) => *self = Self { sum, groups: end },
                        Err(rank) => return Ok(Some(rank)),
                    }
                }
            }
        }
        Ok(None)
    }

    /// The sum behind the next group, which is ranked; an error is the rank that exceeds `p`.
    fn add_ranked(
        &self,
        kernels: &Kernels,
        groups: &RankGroups,
        divisor: Option<f32>,
        p: f32,
    ) -> Result<f32, usize> {
        const CHUNK_LEN: usize = 64;
        let mut rank = groups.start(self.groups);
        let mut running = self.sum;
        for chunk in groups.numbers()[rank..groups.end(self.groups)].chunks(CHUNK_LEN) {
            match kernels.add_in_any_order(running, chunk, divisor) {
                Some(sum) if chunk.len() == CHUNK_LEN && !exceeds(sum, p) => running = sum,
                _ => {
                    for (number, rank) in chunk.iter().zip(rank..) {
                        running += divisor.map_or(*number, |divisor| number / divisor);
                        if exceeds(running, p) {
                            return Err(rank);
                        }
                    }
                }
            }
            rank += chunk.len();
        }
        Ok(running)
    }
}

/// About how many ranks reach a logit, and their sum: from a sample. Nothing depends on it but the time.
#[derive(Debug, Clone, Copy, Default)]
struct Estimate {
    logit: f32,
    ranks: f64,
    sum: f64,
}

/// The number of estimates, at equal distances from the last rank of the prefix down to the floor.
const ESTIMATES: usize = 256;

fn estimates(
    blocked: &BlockedRow<'_>,
    prefix: &RankedPrefix,
    groups: &mut RankGroups,
    floor: f32,
) -> Result<[Estimate; ESTIMATES], Error> {
    const SAMPLE_LEN: usize = 8192;
    let (last, _) = prefix.last();
    let last = last.logit();
    let step = (blocked.body().logits.len() / SAMPLE_LEN).max(1);
    let (sampled, counts) = groups.sample(blocked, step, (floor.min(last), last), ESTIMATES)?;
    let stride = blocked.len as f64 / sampled.max(1) as f64;
    let width = (last - floor).max(0.0) / (ESTIMATES - 1) as f32;
    let mut ranks = prefix.keys().len() as f64;
    let mut sum = prefix.exps().iter().map(|e| f64::from(*e)).sum();
    let mut all = [Estimate::default(); ESTIMATES];
    for ((estimate, count), number) in all.iter_mut().zip(counts).zip(0_u16..) {
        // The bins are centred, since their numbers are rounded.
        let centre = last - f32::from(number) * width;
        let more = f64::from(*count) * stride;
        ranks += more;
        sum += more * f64::from((centre - blocked.top).exp());
        *estimate = Estimate { logit: centre - 0.5 * width, ranks, sum };
    }
    Ok(all)
}

/// The number of candidates of the rule of `nucleus::single`, at most `limit`; none if it stays in doubt. The groups
/// then have them, or all that have an e of 2^-25 and more.
pub(crate) fn cut(
    blocked: &BlockedRow<'_>,
    groups: &mut RankGroups,
    prefix: &RankedPrefix,
    limit: usize,
    p: f32,
) -> Result<Option<usize>, Error> {
    groups.clear(blocked)?;
    if p.is_nan() {
        return Ok(Some(limit));
    }
    let (kernels, top) = (blocked.kernels, blocked.top);
    let floor = (top - DEPTH).max(f32::MIN);
    let estimates = estimates(blocked, prefix, groups, floor)?;
    let all = estimates[ESTIMATES - 1];
    // The sum to reach: p's share, and the last power of two before S.
    let mut wanted = wanted_sum(all.sum, p).max(1.02 * power_of_two_below(all.sum));
    // How much too large the estimates have turned out to be.
    let mut excess = 0.0;
    let (mut normalizer, mut running) = (RunningSum::default(), RunningSum::default());
    let mut bounds: Option<Bounds> = None;
    for attempt in 0..=MAX_ATTEMPTS {
        let limit_ranks = if bounds.is_some() { limit as f64 } else { f64::INFINITY };
        let enough = |e: &Estimate| e.sum - excess >= wanted || e.ranks >= limit_ranks;
        let found = estimates.iter().find(|e| e.logit < groups.low() && enough(e));
        let found = found.filter(|e| e.ranks < 0.8 * all.ranks && attempt < MAX_ATTEMPTS);
        let low = found.map_or(floor, |e| e.logit.max(floor));
        // If the host has set denormals-are-zero, comparisons with a denormal or a zero say too little.
        let low = if low.abs() < f32::MIN_POSITIVE { -2.0 * f32::MIN_POSITIVE } else { low };
        let complete = low <= floor;
        let known = groups.count();
        if !groups.grow(blocked, low)? {
            return Ok(None);
        }
        groups.write_numbers(known, |logits, exps| kernels.tempered_exps(logits, top, 1.0, exps));
        normalizer.add(kernels, groups, None, f32::INFINITY)?;
        let sum = normalizer.sum;
        excess = found.map_or(0.0, |e| e.sum - f64::from(sum));
        let known = match bounds {
            Some(bounds) => Ok(bounds),
            None if complete => Ok(Bounds { low: sum, high: sum }),
            None => match normalizer::from_tail(blocked, low.next_down(), groups.len(), sum) {
                (bounds, true) => Ok(bounds),
                (about, false) => Err(about.low),
            },
        };
        let Bounds { low: least, high: most } = match known {
            Ok(known) => *bounds.insert(known),
            Err(about) => {
                let about = f64::from(about);
                wanted = wanted_sum(about, p).max(1.002 * power_of_two_below(about));
                continue;
            }
        };
        let last = match running.add(kernels, groups, Some(most), p)? {
            Some(rank) => len_below(rank).min(limit),
            None if complete || groups.len() >= limit => limit,
            None => {
                wanted = 1.01 * wanted_sum(f64::from(most), p);
                continue;
            }
        };
        if least < most {
            let first = RunningSum::default().add(kernels, groups, Some(least), p)?;
            if first.map_or(limit, |rank| len_below(rank).min(limit)) != last {
                return Ok(None);
            }
        }
        return Ok(Some(last));
    }
    Ok(None)
}

/// A little more than p's share of a sum.
fn wanted_sum(sum: f64, p: f32) -> f64 {
    let p = f64::from(p);
    sum * (p + (0.25 * (1.0 - p)).min(0.03))
}

fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits()).max(1.0)
}

/// The token that `u` draws from the first `kept` ranks at the temperature `t`, finite and above 0; none if that
/// stays in doubt. The groups are those of [`cut`].
pub(crate) fn token(
    blocked: &BlockedRow<'_>,
    groups: &mut RankGroups,
    kept: usize,
    t: f32,
    u: f64,
) -> Result<Option<u32>, Error> {
    let kernels = blocked.kernels;
    let known = if t == 1.0 { groups.count() } else { 0 };
    if kept > groups.len() && groups.low() > f32::MIN && !groups.grow(blocked, f32::MIN)? {
        return Ok(None);
    }
    groups.truncate(kept)?;
    let top = blocked.top;
    let known = known.min(groups.count());
    groups.write_numbers(known, |logits, weights| kernels.tempered_exps(logits, top, t, weights));
    let doubt = SURE * (groups.len() + 16) as f64 * (f64::EPSILON / 2.0);
    let mut rank = find(kernels, groups, u, doubt + ROUNDED_TWICE * u)?;
    if rank.is_none() {
        for _ in 0..2 {
            let mut running = RunningSum::default();
            running.add(kernels, groups, None, f32::INFINITY)?;
            if running.sum <= 0.0 {
                return Ok(None);
            }
            kernels.divide_all(groups.numbers_mut(), running.sum);
        }
        rank = find(kernels, groups, u, doubt)?;
    }
    Ok(rank.and_then(|rank| id_of(blocked, groups, rank)))
}

/// The first rank at which the running sum of the numbers, as a share of their sum, reaches `u`; none if `u` is
/// within `doubt` of the share behind that rank or the one before.
fn find(
    kernels: &Kernels,
    groups: &mut RankGroups,
    u: f64,
    doubt: f64,
) -> Result<Option<usize>, Error> {
    let runs = groups.count().div_ceil(MAX_RUN);
    let range = |groups: &RankGroups, first: usize, count: usize| {
        groups.start(first)..groups.end(groups.count().min(first + count) - 1)
    };
    let sum_of = |groups: &RankGroups, first: usize, count: usize| {
        kernels.sum_in_double(&groups.numbers()[range(groups, first, count)])
    };
    let mut total = 0.0;
    for run in 0..runs {
        total += sum_of(groups, run * MAX_RUN, MAX_RUN);
    }
    let (before, behind) = ((u - doubt) * total, (u + doubt) * total);
    // The first run, and the first group in it, whose sum reaches the lower of the two.
    let mut running = 0.0;
    let mut group = 0;
    for count in [MAX_RUN, 1] {
        while group < groups.count() {
            let sum = running + sum_of(groups, group, count);
            if sum >= before {
                break;
            }
            running = sum;
            group += count;
        }
    }
    if group >= groups.count() {
        return Ok(None);
    }
    groups.rank(group)?;
    for rank in groups.start(group)..groups.end(group) {
        running += f64::from(groups.numbers()[rank]);
        if running >= before {
            return Ok((running >= behind).then_some(rank));
        }
    }
    Ok(None)
}

/// The id of a rank whose group is ranked.
fn id_of(blocked: &BlockedRow<'_>, groups: &RankGroups, rank: usize) -> Option<u32> {
    let logit = groups.logits()[rank];
    let start = groups.start(groups.group_of(rank));
    let mut before = groups.logits()[start..rank].iter().filter(|other| **other == logit).count();
    for segment in &blocked.segments {
        match blocked.kernels.find_equal(*segment, logit, before) {
            Ok(place) => return Some(segment.first_id + place as u32),
            Err(seen) => before -= seen,
        }
    }
    debug_assert!(false, "the row has every logit of the groups");
    None
}

#[cfg(test)]
mod tests;
