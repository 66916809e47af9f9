//! The softmax normaliser S of a chain, known as closely as a nucleus needs it.
//!
//! S is defined as the double sum, in rank order, of `e_i = expf(l_i - m)` over all n tokens, m being the largest
//! logit and so `e_0 = 1`. Sorting the row would give it. This module gives S, or bounds that contain it, without
//! a sort. Let h be 2^-53, half a unit of a double at 1.
//!
//! 1. *Small exps.* The running sum is at least 1 from rank 0 on, so an e below h adds exactly nothing. All of
//!    these together are less than n h.
//! 2. *Roundings.* Each of at most n additions changes the sum by at most a factor 1 + h or 1 - h. So S, and a
//!    double sum of the same exps in any other order, is within n h, relatively, of their real sum, but for
//!    terms in h^2.
//! 3. *Large exps.* Let 2^k <= S < 2^(k+1), whose unit is 2^(k-52). A binary32 number e >= 2^(k-29) is a multiple
//!    of 2^(k-29-23), which is that unit. Sums of such e that stay below 2^(k+1) are exact in any order. In rank
//!    order they come first, and their sum is at most S: so the running sum of these ranks is their real sum L.
//! 4. *The others.* Let N exps be smaller than that, but not small. Each adds to S with an error of at most half a
//!    unit of a sum up to S, which is at most h S. Their own sum A, in any order, has an error of at most N h A.
//!    So |S - (L + A)| <= 2 N h S, and without any, S is L.
//!
//! [`from_maxima`] uses 1 and 2 with the block maxima, [`from_row`] uses them with a pass over the row, where the
//! first ranks are known and the error of the vector exp is one of the rest alone. [`exact`] uses 3 and 4 with the
//! exps themselves. `nucleus::double` compares the results for both bounds.

use super::Others;
use crate::rules::softmax;
use crate::select::{BlockedRow, RankedPrefix};
use crate::simd::{
    EXP_ERROR, ExpRange, ExpfRange, ExpfSums, MIN_ADDEND_LN, MIN_DOUBLE_ADDEND_LN, TILE_ROUNDINGS,
};

pub(crate) type Bounds = super::Bounds<f64>;

/// Half a unit of a binary32 number at 1.
const HALF_FLOAT_UNIT: f64 = 1.0 / (1 << 24) as f64;
/// h.
const HALF_UNIT: f64 = f64::EPSILON / 2.0;

impl Bounds {
    /// What both say.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// `known` is a double sum of some of the exps. A kernel's sum of the others is between `low` and `high`, but
    /// for `roundings` on the way of an exp through a lane and for the error of the vector exp.
    ///
    /// As for the binary32 S: the kernel's exps are at most a factor 1 + or - [`EXP_ERROR`] off, a rounding in a
    /// lane 1 + or - 2^-24, and with x = N 2^-24 <= 1 the N roundings (1 + x + x^2).
    /// Lemma 1 and 2 leave n h each: for S, for `known`, for the sums from tile to tile, and for the small exps.
    /// They get twice that, which also covers the few operations here and the terms in h^2.
    fn of(known: f64, low: f64, high: f64, roundings: usize, n: usize) -> Self {
        let x = roundings as f64 * HALF_FLOAT_UNIT;
        let growth = if x <= 1.0 { 1.0 + x + x * x } else { f64::INFINITY };
        let low = known + low / (1.0 + f64::from(EXP_ERROR)) * (1.0 - x).max(0.0);
        let high = known + high / (1.0 - f64::from(EXP_ERROR)) * growth;
        let slack = 8.0 * (n + 32) as f64 * HALF_UNIT;
        Self { low: (low * (1.0 - slack)).max(1.0), high: high * (1.0 + slack) }
    }
}

/// Bounds from the first ranks and the block maxima; the row is not read again.
pub(crate) fn from_maxima(blocked: &BlockedRow<'_>, prefix: &RankedPrefix) -> Bounds {
    let others = Others::of(blocked, prefix, MIN_DOUBLE_ADDEND_LN);
    let known = softmax::sum(prefix.exps());
    Bounds::of(known, others.low, others.high, others.roundings, blocked.len)
}

/// How far below the top [`from_row`] must go if what it leaves out may be about `doubt`: n exps of that.
pub(crate) fn floor_for(blocked: &BlockedRow<'_>, doubt: f64) -> f32 {
    let floor = (doubt / blocked.len as f64).ln() as f32;
    floor.clamp(MIN_DOUBLE_ADDEND_LN, MIN_ADDEND_LN)
}

/// Bounds from the first ranks and a sum over the rest of the row, down to `floor`, which is
/// [`MIN_DOUBLE_ADDEND_LN`] or above.
pub(crate) fn from_row(blocked: &BlockedRow<'_>, prefix: &RankedPrefix, floor: f32) -> Bounds {
    // Tokens that equal the last rank may be in the prefix or not: they belong to the rest.
    let (last, _) = prefix.last();
    let highest = last.logit();
    let head = prefix.keys().partition_point(|key| key.logit() > highest);
    let known = softmax::sum(&prefix.exps()[..head]);
    let range = ExpRange { top: blocked.top, highest, floor };
    let (mut rest, mut reaching) = (0.0, 0);
    for segment in &blocked.segments {
        let part = blocked.kernels.sum_exps(*segment, range);
        rest += part.sum;
        reaching += part.reaching;
    }
    // The tokens that do not reach the floor are at most at the floor. Its exp needs less than the slack for
    // EXP_ERROR.
    let further = blocked.len.saturating_sub(reaching) as f64 * f64::from(floor).exp();
    Bounds::of(known, rest, rest + further, TILE_ROUNDINGS, blocked.len)
}

/// S itself, or bounds that are a few of its units apart for each exp that is not large. `high` is an upper bound.
pub(crate) fn exact(blocked: &BlockedRow<'_>, high: f64) -> Bounds {
    let range = ExpfRange { top: blocked.top, least_large: least_large(high) };
    let mut all = ExpfSums::default();
    for segment in &blocked.segments {
        let part = blocked.kernels.sum_expf(*segment, range);
        all.large += part.large;
        all.small += part.small;
        all.smalls += part.smalls;
    }
    exact_from(all)
}

/// The smallest exp that counts as large if S is at most `high`.
pub(crate) fn least_large(high: f64) -> f32 {
    // At least 2^(k-29), whichever binade S is in. Rounding must not make it less.
    ((high / f64::from(1 << 29)) as f32).next_up()
}

/// As [`exact`], from the sums of the large exps and of the others.
pub(crate) fn exact_from(all: ExpfSums) -> Bounds {
    let sum = all.large + all.small;
    if all.smalls == 0 {
        return Bounds { low: sum, high: sum };
    }
    // Twice lemma 4, and the few operations here.
    let doubt = (4 * all.smalls + 16) as f64 * HALF_UNIT;
    Bounds { low: (sum * (1.0 - doubt)).max(1.0), high: sum * (1.0 + doubt) }
}

/// S by its definition, from a prefix that holds every token above -inf.
pub(crate) fn by_definition(prefix: &RankedPrefix) -> Bounds {
    debug_assert!(prefix.is_whole());
    let sum = softmax::sum(prefix.exps());
    Bounds { low: sum, high: sum }
}

#[cfg(test)]
mod tests;
