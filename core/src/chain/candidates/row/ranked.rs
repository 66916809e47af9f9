//! What stages that compare probabilities select from a row: a number of ranks, without ranking the others.
//!
//! p of a rank is binary32(e / S), in double and then rounded. Division and rounding are monotone, so p of each
//! rank falls as S rises. With bounds of S a rank's p lies between two numbers, and if a test says the same of
//! both, it says so of p. `normalizer::double` has the bounds, from cheap to exact.

use super::{Left, Row};
use crate::Error;
use crate::chain::TokenData;
use crate::chain::candidates::List;
use crate::chain::scratch::Scratch;
use crate::draw::normalizer;
use crate::draw::normalizer::double::{Bounds, by_definition, exact, from_maxima, from_row};
use crate::draw::nucleus::{Wanted, next_target};
use crate::rules::maths;
use crate::rules::nucleus::first_above;
use crate::rules::rank::nan_to_neg_inf;
use crate::rules::softmax::probability;
use crate::select::{BlockedRow, RankedPrefix};
use crate::simd::MIN_DOUBLE_ADDEND_LN;

/// The first number of ranks that are looked at.
const FIRST_RANKS: usize = 64;

/// How the bounds of S were found, the cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Maxima,
    Row,
    Exact,
}

/// Where a stage that keeps first ranks cuts.
pub(in crate::chain) trait RankCut {
    /// Two places: of the first rank that may be dropped, and of the first that is dropped for certain, if the
    /// ranks with these exps have one. All ranks from the first dropped on are dropped.
    fn ends(&self, exps: &[f32], sum: Bounds) -> [Option<usize>; 2];

    /// A guess at how many ranks have the end among them.
    fn more(&self, blocked: &BlockedRow<'_>, prefix: &RankedPrefix, sum: Bounds) -> usize;
}

/// What a test is asked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::chain) enum Side {
    /// Whether the probability stays for every S between the bounds. It is the least that it can be.
    MayEnd(Bounds),
    /// Whether the probability stays for any. It is the largest that it can be.
    Ends(Bounds),
}

/// Keeps the ranks before the first whose probability fails a test.
pub(in crate::chain) struct Threshold<F> {
    /// Whether a probability stays. A test that depends on S answers for the [`Side`].
    pub stays: F,
    /// About the smallest that stays, for a start.
    pub least: f64,
}

impl<F: Fn(f32, Side) -> bool> RankCut for Threshold<F> {
    fn ends(&self, exps: &[f32], sum: Bounds) -> [Option<usize>; 2] {
        // The probabilities fall as S rises.
        let first = |sum, side| exps.iter().position(|e| !(self.stays)(probability(*e, sum), side));
        let may_end = first(sum.high, Side::MayEnd(sum));
        [may_end, may_end.and_then(|_| first(sum.low, Side::Ends(sum)))]
    }

    fn more(&self, blocked: &BlockedRow<'_>, _: &RankedPrefix, sum: Bounds) -> usize {
        let low = f64::from(blocked.top) + maths::ln(self.least * sum.low);
        let low = (low as f32).max(f32::MIN);
        let count = |logits| blocked.kernels.count_reaching(logits, low);
        blocked.segments.iter().map(|segment| count(segment.logits)).sum::<usize>() + 8
    }
}

/// Keeps the ranks before the first at which the running sum of the probabilities passes `p`.
pub(in crate::chain::candidates) struct ExclusiveNucleus {
    pub p: f32,
}

impl RankCut for ExclusiveNucleus {
    fn ends(&self, exps: &[f32], sum: Bounds) -> [Option<usize>; 2] {
        // The probabilities fall as S rises, and so do their sums.
        let first = |sum| first_above(exps.iter().map(|e| probability(*e, sum)), self.p);
        let may_end = first(sum.low);
        [may_end, may_end.and_then(|_| first(sum.high))]
    }

    fn more(&self, _: &BlockedRow<'_>, prefix: &RankedPrefix, sum: Bounds) -> usize {
        let seen = prefix.exps().iter().map(|e| f64::from(*e)).sum();
        next_target(prefix, seen, Wanted::Known(f64::from(self.p) * sum.high))
    }
}

impl Row<'_> {
    /// Makes it the whole row in id order again, without pending changes: for a stage that ranks all. False if it is
    /// a frozen part of the row, or if the largest logit is not finite.
    pub(in crate::chain::candidates) fn is_whole(
        &mut self,
        scratch: &mut Scratch,
    ) -> Result<bool, Error> {
        if self.frozen && self.is_cut() {
            return Ok(false);
        }
        self.forget_order();
        self.materialize()?;
        let top = self.scan(scratch.kernels, &mut scratch.scan)?.top;
        self.scanned = true;
        Ok(top.is_finite())
    }

    /// For a stage that ranks the candidates itself, and drops those at -inf.
    pub(super) fn forget_order(&mut self) {
        if !self.frozen {
            self.left = None;
        }
    }

    /// The number of tokens above -inf, of a row without pending changes.
    pub(in crate::chain::candidates) fn count_above(
        &self,
        scratch: &mut Scratch,
    ) -> Result<usize, Error> {
        debug_assert!(self.is_untouched());
        let Scratch { kernels, scan, .. } = scratch;
        let blocked = self.scan(*kernels, scan)?;
        // The padding of segments is at -inf.
        let count = |logits| kernels.count_reaching(logits, f32::MIN);
        Ok(blocked.segments.iter().map(|segment| count(segment.logits)).sum())
    }

    /// The number of ranks that a stage keeps of a whole row, at least 0; none if the bounds of `cut` never meet.
    /// [`Scratch::prefix`] then has these ranks.
    pub(in crate::chain::candidates) fn settle(
        &self,
        scratch: &mut Scratch,
        known: Option<Bounds>,
        cut: &impl RankCut,
    ) -> Result<Option<usize>, Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        let len = blocked.len;
        prefix.clear();
        prefix.grow(&mut blocked, FIRST_RANKS.min(len))?;
        let mut state = if known.is_some() { Known::Exact } else { Known::Maxima };
        let mut bounds = known.unwrap_or_else(|| from_maxima(&blocked, prefix));
        loop {
            if prefix.is_whole() {
                bounds = by_definition(prefix);
            }
            let [may_end, ends] = cut.ends(prefix.exps(), bounds);
            match (may_end, ends) {
                (Some(may_end), Some(ends)) if may_end == ends => return Ok(Some(ends)),
                (None, _) if prefix.is_whole() => return Ok(Some(prefix.exps().len())),
                _ if prefix.is_whole() => return Ok(None),
                // All known ranks stay for certain.
                (None, _) => {
                    let known = prefix.exps().len();
                    let more = cut.more(&blocked, prefix, bounds).max(known + known / 4);
                    prefix.grow(&mut blocked, if more > len / 2 { len } else { more })?;
                    if state == Known::Maxima && !prefix.is_whole() {
                        bounds = bounds.and(from_maxima(&blocked, prefix));
                    }
                }
                _ if state == Known::Maxima => {
                    bounds = bounds.and(from_row(&blocked, prefix, MIN_DOUBLE_ADDEND_LN));
                    state = Known::Row;
                }
                _ if state == Known::Row => {
                    bounds = bounds.and(exact(&blocked, bounds.high));
                    state = Known::Exact;
                }
                _ => prefix.grow(&mut blocked, len)?,
            }
        }
    }

    /// Puts the first `k` ranks, of which [`Scratch::prefix`] may have some, into the list; at least one.
    pub(in crate::chain::candidates) fn list_ranks(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        k: usize,
    ) -> Result<(), Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        let k = k.clamp(1, blocked.len);
        prefix.grow(&mut blocked, k)?;
        let keys = prefix.keys();
        list.fill_ranked(keys[..k.min(keys.len())].iter().map(|key| self.token(key)))
    }

    /// Puts the first `m` ranks with their probabilities of the binary32 softmax into the list; false if S of
    /// that is not known exactly without ranking more than a few.
    pub(in crate::chain::candidates) fn float_probs(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        m: usize,
    ) -> Result<bool, Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        if m > blocked.len / 8 {
            return Ok(false);
        }
        prefix.clear();
        let len = blocked.len;
        prefix.grow(&mut blocked, m.max(FIRST_RANKS).min(len))?;
        let (mut sum, is_exact) = normalizer::from_row(&blocked, prefix);
        if !is_exact {
            sum = normalizer::exact(&mut blocked, prefix, sum.low)?;
        }
        if sum.low < sum.high {
            return Ok(false);
        }
        let ranks = prefix.keys().iter().zip(prefix.exps()).take(m);
        list.fill(ranks.map(|(key, e)| TokenData { p: e / sum.low, ..self.token(key) }))?;
        Ok(true)
    }

    /// Puts a whole row in rank order, without its first `dropped` ranks, which [`Scratch::prefix`] has.
    /// `above` is the number of tokens above -inf.
    pub(in crate::chain::candidates) fn order_by_rank(
        &mut self,
        scratch: &Scratch,
        above: usize,
        dropped: usize,
    ) -> Result<(), Error> {
        debug_assert!(self.is_untouched() && dropped < above);
        self.thaw();
        if dropped > 0 {
            self.copy()?;
            self.scanned = false;
            self.finite_top = false;
            for key in &scratch.prefix.keys()[..dropped] {
                // From here on it counts as little as those that were at -inf.
                self.memory.copy[key.id() as usize] = f32::NEG_INFINITY;
            }
        }
        self.left = Some(Left { ranks: above - dropped, by_id: false });
        Ok(())
    }

    /// Puts a row in rank order into the list.
    pub(super) fn list_ranked(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
    ) -> Result<(), Error> {
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        prefix.clear();
        let len = blocked.len;
        prefix.grow(&mut blocked, len)?;
        list.fill(prefix.keys().iter().map(|key| TokenData {
            id: key.id() as i32,
            logit: nan_to_neg_inf(self.scaled(key.logit())),
            p: 0.0,
        }))?;
        // Scaling can make unequal logits equal, and then the lower id may come later.
        list.sorted = list.tokens().is_sorted_by_key(TokenData::rank);
        Ok(())
    }
}
