//! How many ranks top_k and top_p leave: the cut.
//!
//! Both rules of `rules::nucleus` end the nucleus at the rank at which a running sum gets to p's share of the
//! normaliser S. The number of ranks kept grows with S. If two bounds of S give the same number, so does S
//! itself: the cut is proven, and S need not be known. `single` has the S2 engines' rule, whose sums are
//! binary32, `double` that of chains.

pub(crate) mod double;
pub(crate) mod single;

use crate::select::RankedPrefix;

/// What it took to prove a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Resolution {
    /// Bounds from the block maxima, or a first prefix that holds every token above -inf.
    Maxima,
    /// Bounds from a sum over the row.
    Row,
    /// The exact sum, or nearly, without a sort of the row.
    Exact,
    /// A sort of the row, for the sum or for the candidates.
    Sort,
}

/// The first length of the prefix if top_k allows more.
const INITIAL_RANKS: usize = 64;

/// What the sum of a prefix must get to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted {
    /// A guess: S is hardly known.
    Guess(f64),
    Known(f64),
}

/// The number of ranks to grow the prefix to, if its sum is about `seen`.
///
/// Later exps are no larger than the last, so that takes at least `missing` more ranks. Ask for 1.5 times that. After
/// a guess, grow geometrically while the prefix is short. Otherwise reckon with exps that fall as 1 / rank: the sum
/// from `len` on is last len ln(target / len).
pub(crate) fn next_target(prefix: &RankedPrefix, seen: f64, wanted: Wanted) -> usize {
    let len = prefix.exps().len();
    let (_, last) = prefix.last();
    let missing = |wanted: f64| (wanted - seen) / f64::from(last);
    let (missing, more) = match wanted {
        Wanted::Guess(wanted) => (missing(wanted), if len < 2048 { 3 * len } else { len / 16 }),
        Wanted::Known(wanted) => {
            let missing = missing(wanted);
            // At most e^2 - 1 times as many.
            let growth = (1.25 * missing / len as f64).clamp(0.0, 2.0).exp_m1();
            (missing, (len / 16).max((len as f64 * growth) as usize))
        }
    };
    len + more.max((1.5 * missing).clamp(0.0, f64::from(i32::MAX)) as usize)
}

#[cfg(test)]
mod tests;
