//! Locally typical candidates of a row: two runs of ranks, one on each side of the entropy.
//!
//! The score of a rank is `|L - H|` with L = -ln p; the rule sorts by it, equal scores in rank order, and keeps the
//! first whose exps pass a share of S.
//!
//! 1. p falls with the rank, so L rises. The ranks before the one whose L reaches H have falling scores, those
//!    after it have rising ones: the order is a merge of both, from the entropy outwards.
//! 2. Unequal p differ by 2^-24 of themselves, so their L by 2^-24 or more. L is below 104, a logarithm within an ulp
//!    and the rounding of the score below 2^-45 together: on one side unequal p have unequal scores, in the
//!    order of L. Equal p have equal scores, and stay in rank order.
//! 3. Of a rank before H and one behind it, the score of the first rises with H, that of the second falls. If H
//!    lies between two numbers and the comparison comes out the same for the worse of both, it does so for H.
//! 4. L of a rank also is known between two numbers, from the bounds of S. Where it matters, the outer one counts.
//! 5. S only matters for the end: `p S`, in double, is monotone in S.
//!
//! If a comparison is not the same for all numbers, [`Row::typical`] ranks the row, which gives S, each L, and H.

use super::Row;
use super::entropy::Entropy;
use crate::Error;
use crate::chain::TokenData;
use crate::chain::candidates::List;
use crate::chain::scratch::Scratch;
use crate::draw::normalizer::double::{Bounds, by_definition};
use crate::memory::reserve;
use crate::rules::entropy::{entropy_of, information};
use crate::rules::nucleus::target;
use crate::rules::softmax::probability;
use crate::select::RankedPrefix;
use core::ops::Range;

/// How many ranks are looked at first.
const FIRST_RANKS: usize = 512;

/// How a merge ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Merged {
    Done,
    /// It needs more ranks, whose exps are about this sum.
    Short(f64),
    /// A comparison depends on the exact numbers.
    Unsure,
}

/// The ranks of a prefix with what is known of their scores.
struct Scored<'s> {
    exps: &'s [f32],
    /// The lowest and the highest L of each.
    information: &'s [[f64; 2]],
    /// Whether there are no further ranks.
    is_whole: bool,
    /// The bounds of H.
    low: f64,
    high: f64,
    sum: Bounds,
}

impl Row<'_> {
    /// Puts the typical candidates of a whole row into the list, at least `min_keep`.
    pub(in crate::chain::candidates) fn typical(
        &self,
        scratch: &mut Scratch,
        list: &mut List<'_>,
        p: f32,
        min_keep: usize,
    ) -> Result<(), Error> {
        let Entropy { mut low, mut high, mut sum, .. } = self.entropy(scratch)?;
        let Scratch { kernels, scan, prefix, of_ranks, order, .. } = scratch;
        let mut blocked = self.scan(*kernels, scan)?;
        prefix.clear();
        of_ranks.clear();
        let mut ranks = FIRST_RANKS.min(blocked.len);
        loop {
            prefix.grow(&mut blocked, ranks)?;
            let is_whole = prefix.is_whole();
            if is_whole && sum.low < sum.high {
                sum = by_definition(prefix);
                of_ranks.clear();
            }
            inform(prefix, sum, of_ranks)?;
            let exps = prefix.exps();
            let scored = Scored { exps, information: of_ranks, is_whole, low, high, sum };
            match scored.merge(p, min_keep, order)? {
                Merged::Done => break,
                Merged::Short(missing) => {
                    // The last rank has the least exp so far.
                    let known = prefix.keys().len();
                    let more = missing / f64::from(prefix.last().1);
                    ranks = known + (more as usize).clamp(known / 2, 3 * known);
                    if ranks > blocked.len / 2 {
                        ranks = blocked.len;
                    }
                }
                Merged::Unsure if is_whole => {
                    debug_assert!(low < high, "everything is exact");
                    let p = prefix.exps().iter().map(|e| probability(*e, sum.low));
                    low = entropy_of(p.zip(of_ranks.iter().map(|[of_p, _]| *of_p)));
                    high = low;
                }
                Merged::Unsure => ranks = blocked.len,
            }
        }
        let keys = prefix.keys();
        list.fill(order.iter().map(|rank| self.token(&keys[*rank as usize])))?;
        debug_assert!(list.tokens().iter().all(|t: &TokenData| t.logit > f32::NEG_INFINITY));
        Ok(())
    }
}

/// Computes L of the ranks that are new in the prefix.
fn inform(prefix: &RankedPrefix, sum: Bounds, of_ranks: &mut Vec<[f64; 2]>) -> Result<(), Error> {
    let new = &prefix.exps()[of_ranks.len()..];
    reserve(of_ranks, new.len())?;
    let mut last = (f32::NAN, [0.0; 2]);
    of_ranks.extend(new.iter().map(|e| {
        if *e != last.0 {
            let (most, least) = (probability(*e, sum.low), probability(*e, sum.high));
            let low = information(most);
            last = (*e, [low, if most == least { low } else { information(least) }]);
        }
        last.1
    }));
    Ok(())
}

/// The candidates taken so far.
#[derive(Debug, Default)]
struct Taken {
    /// The sum of their exps.
    running: f64,
    /// Whether it has passed the share of S.
    has_passed: bool,
}

impl Scored<'_> {
    /// Puts the ranks that stay into `order`, in the order of their scores.
    fn merge(&self, p: f32, min_keep: usize, order: &mut Vec<u32>) -> Result<Merged, Error> {
        let all = self.information;
        order.clear();
        reserve(order, all.len())?;
        // The ranks before `left` lie before H for certain, those from `right` on behind it.
        let mut left = all.partition_point(|[_, most]| *most < self.low);
        let mut right = left;
        while all.get(right).is_some_and(|[least, _]| *least <= self.high) {
            right += 1;
        }
        let (one, other) = (target(p.into(), self.sum.low), target(p.into(), self.sum.high));
        let targets = [one.min(other), one.max(other)];
        let mut taken = Taken::default();
        if right == all.len() && !self.is_whole {
            return Ok(Merged::Short(targets[1]));
        }
        let middle = left..right;
        if !middle.is_empty() {
            // The first, if it is one group of equal L that is nearer to H than both neighbours.
            let before = left.checked_sub(1).map(|rank| self.low - all[rank][1]);
            let behind = all.get(right).map(|[least, _]| least - self.high);
            let nearest = before.into_iter().chain(behind).fold(f64::INFINITY, f64::min);
            let [least, most] = [all[left][0], all[right - 1][1]];
            let farthest = (most - self.low).max(self.high - least);
            let are_equal = (left + 1..right).all(|rank| self.equals_next(rank - 1) == Some(true));
            if !are_equal || farthest >= nearest {
                return Ok(Merged::Unsure);
            }
            if let Some(end) = self.take(middle, targets, min_keep, &mut taken, order) {
                return Ok(end);
            }
        }
        loop {
            let Some(start) = self.group_before(left) else { return Ok(Merged::Unsure) };
            let next = all.get(right);
            if next.is_none() && !self.is_whole {
                return Ok(Merged::Short(targets[1] - taken.running));
            }
            let from_left = match next {
                None if start == left => return Ok(Merged::Done),
                None => true,
                Some(_) if start == left => false,
                Some([least, most]) => {
                    let ([group_least, _], [_, group_most]) = (all[start], all[left - 1]);
                    if (self.high - group_least).abs() <= (least - self.high).abs() {
                        true
                    } else if (most - self.low).abs() < (self.low - group_most).abs() {
                        false
                    } else {
                        return Ok(Merged::Unsure);
                    }
                }
            };
            let ranks = if from_left { start..left } else { right..right + 1 };
            (left, right) = if from_left { (start, right) } else { (left, right + 1) };
            if let Some(end) = self.take(ranks, targets, min_keep, &mut taken, order) {
                return Ok(end);
            }
        }
    }

    /// Takes ranks in their order; says how the merge ends, if it does.
    fn take(
        &self,
        ranks: Range<usize>,
        targets: [f64; 2],
        min_keep: usize,
        taken: &mut Taken,
        order: &mut Vec<u32>,
    ) -> Option<Merged> {
        for rank in ranks {
            order.push(rank as u32);
            if !taken.has_passed {
                taken.running += f64::from(self.exps[rank]);
                let [may, must] = targets.map(|target| taken.running > target);
                if may != must {
                    return Some(Merged::Unsure);
                }
                taken.has_passed = must;
            }
            if taken.has_passed && order.len() >= min_keep {
                return Some(Merged::Done);
            }
        }
        None
    }

    /// The first rank of those that have the same p as the one before `end`; `end` if there is none. None if
    /// that is unknown.
    fn group_before(&self, end: usize) -> Option<usize> {
        let mut start = end.saturating_sub(1);
        while start > 0 && self.equals_next(start - 1)? {
            start -= 1;
        }
        Some(start)
    }

    /// Whether the p of `rank` equals the next one's, if that is known.
    fn equals_next(&self, rank: usize) -> Option<bool> {
        let ([least, most], [next_least, next_most]) =
            (self.information[rank], self.information[rank + 1]);
        if self.exps[rank] == self.exps[rank + 1] {
            return Some(true);
        }
        if least == most && next_least == next_most {
            return Some(most == next_least);
        }
        (most < next_least).then_some(false)
    }
}
