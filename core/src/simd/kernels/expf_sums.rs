//! Sums of the exps of a row in double, each bit for bit that of the rule.

use super::Segment;
use super::expf::{BATCH_LEN, expf_all};
use crate::simd::lanes::Simd;

/// Below this, e^x is less than 2^-53 and adds nothing to a double sum of 1 or more. -36.74 is low enough; the
/// rest is slack (`small_addends_are_below_half_a_unit`).
pub(crate) const MIN_DOUBLE_ADDEND_LN: f32 = -37.0;

/// The exps that [`sum_expf`] adds up: of the logits within [`MIN_DOUBLE_ADDEND_LN`] of the top.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpfRange {
    /// The logit of rank 0.
    pub top: f32,
    /// The smallest exp that counts as large; above 0.
    pub least_large: f32,
}

/// The sums of the large exps and of the others, in some order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ExpfSums {
    pub large: f64,
    pub small: f64,
    /// The number of small exps.
    pub smalls: usize,
}

/// `fused` as in [`expf_all`].
#[inline(always)]
pub(crate) fn sum_expf<S: Simd>(
    simd: S,
    fused: bool,
    segment: Segment<'_>,
    range: ExpfRange,
) -> ExpfSums {
    const FLOOR: f32 = MIN_DOUBLE_ADDEND_LN;
    let ExpfRange { top, least_large } = range;
    let (tops, floors) = (simd.splat(top), simd.splat(FLOOR));
    let (mut large, mut small) = ([0.0_f64; BATCH_LEN], [0.0_f64; BATCH_LEN]);
    let mut smalls = 0;
    for (tile, maxima) in segment.tiles(S::LANES) {
        if !simd.any(simd.ge(simd.sub(simd.load(maxima), tops), floors)) {
            continue;
        }
        for logits in tile.chunks_exact(BATCH_LEN) {
            let mut x = [0.0; BATCH_LEN];
            for i in 0..BATCH_LEN {
                x[i] = logits[i] - top;
            }
            // NaN and what is too small are computed at the floor and masked out.
            let mut e = x.map(|x| if x >= FLOOR { x } else { FLOOR });
            expf_all(fused, &mut e);
            let mut small_here = 0_u32;
            for i in 0..BATCH_LEN {
                let e = if x[i] >= FLOOR { e[i] } else { 0.0 };
                let is_large = e >= least_large;
                small_here += u32::from(!is_large && e > 0.0);
                large[i] += f64::from(if is_large { e } else { 0.0 });
                small[i] += f64::from(if is_large { 0.0 } else { e });
            }
            smalls += small_here as usize;
        }
    }
    ExpfSums { large: large.iter().sum(), small: small.iter().sum(), smalls }
}
