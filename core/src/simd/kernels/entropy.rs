//! What the entropy of a row needs: the exps of the rule, and sums over them in any order.
//! `chain::candidates::row::entropy` says what they mean.

use super::Segment;
use super::exp::EXP_MIN_ARG;
use super::expf::{BATCH_LEN, expf_and_exp};
use super::expf_sums::{ExpfRange, ExpfSums, MIN_DOUBLE_ADDEND_LN};
use crate::simd::lanes::Simd;

/// The sums of the exps of the rule, as of [`sum_expf`](super::expf_sums::sum_expf), and of e^x itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpsOfRow {
    pub expf: ExpfSums,
    /// The sum of e^x in double, each within 2^-40 of itself, over the x from [`EXP_MIN_ARG`] up.
    pub exact: f64,
}

/// Writes the exp of each logit of the segment, up to `highest`, to `out`: 0 for x below [`EXP_MIN_ARG`], for NaN,
/// and for higher logits.
#[inline(always)]
pub(crate) fn write_expf<S: Simd>(
    simd: S,
    fused: bool,
    segment: Segment<'_>,
    range: ExpfRange,
    highest: f32,
    out: &mut [f32],
) -> ExpsOfRow {
    const FLOOR: f32 = EXP_MIN_ARG;
    let ExpfRange { top, least_large } = range;
    let (tops, floors) = (simd.splat(top), simd.splat(FLOOR));
    let (mut large, mut small) = ([0.0_f64; BATCH_LEN], [0.0_f64; BATCH_LEN]);
    let mut exact = [0.0_f64; BATCH_LEN];
    let mut smalls = 0;
    let tiles = segment.tiles(S::LANES).zip(out.chunks_exact_mut(segment.tile_len(S::LANES)));
    for ((tile, maxima), out) in tiles {
        if !simd.any(simd.ge(simd.sub(simd.load(maxima), tops), floors)) {
            out.fill(0.0);
            continue;
        }
        let batches = tile.chunks_exact(BATCH_LEN).zip(out.chunks_exact_mut(BATCH_LEN));
        for (logits, out) in batches {
            let mut x = [0.0; BATCH_LEN];
            for i in 0..BATCH_LEN {
                x[i] = if logits[i] <= highest { logits[i] - top } else { f32::NEG_INFINITY };
            }
            // What is left out is computed at the floor and masked out.
            let mut e = x.map(|x| if x >= FLOOR { x } else { FLOOR });
            let near = expf_and_exp(fused, &mut e);
            let mut small_here = 0_u32;
            for i in 0..BATCH_LEN {
                let e = if x[i] >= FLOOR { e[i] } else { 0.0 };
                exact[i] += if x[i] >= FLOOR { near[i] } else { 0.0 };
                let is_large = e >= least_large;
                // Smaller ones add nothing to a double sum of 1 or more.
                let is_small = !is_large && x[i] >= MIN_DOUBLE_ADDEND_LN;
                small_here += u32::from(is_small);
                large[i] += f64::from(if is_large { e } else { 0.0 });
                small[i] += f64::from(if is_small { e } else { 0.0 });
                out[i] = e;
            }
            smalls += small_here as usize;
        }
    }
    let expf = ExpfSums { large: large.iter().sum(), small: small.iter().sum(), smalls };
    ExpsOfRow { expf, exact: exact.iter().sum() }
}

/// The division of exps by S, for [`sum_entropy`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Division {
    pub top: f32,
    /// 1 / S, nearly.
    pub inverse: f64,
    /// How many units of a double the product of an exp and that may be off, at most 2^27.
    pub doubt: u64,
}

/// Sums over the probabilities p of a row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EntropySums {
    /// Of p.
    pub p: f64,
    /// Of -p x.
    pub px: f64,
    /// Of p (1 - x), where p may be a neighbour of the right binary32 number.
    pub doubtful: f64,
}

/// `exps` are those of [`write_expf`] from the same segment.
#[inline(always)]
pub(crate) fn sum_entropy<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    exps: &[f32],
    division: Division,
) -> EntropySums {
    const FLOOR: f32 = EXP_MIN_ARG;
    // The bits that rounding to binary32 takes away, and their middle.
    const LOST: u64 = (1 << 29) - 1;
    const MIDDLE: u64 = 1 << 28;
    let Division { top, inverse, doubt } = division;
    let (tops, floors) = (simd.splat(top), simd.splat(FLOOR));
    let (mut sum_p, mut sum_px) = ([0.0_f64; BATCH_LEN], [0.0_f64; BATCH_LEN]);
    let mut doubtful = 0.0;
    let tiles = segment.tiles(S::LANES).zip(exps.chunks_exact(segment.tile_len(S::LANES)));
    for ((tile, maxima), exps) in tiles {
        if !simd.any(simd.ge(simd.sub(simd.load(maxima), tops), floors)) {
            continue;
        }
        for (logits, e) in tile.chunks_exact(BATCH_LEN).zip(exps.chunks_exact(BATCH_LEN)) {
            let mut x = [0.0_f64; BATCH_LEN];
            let mut p = [0.0_f64; BATCH_LEN];
            let mut is_near = [0_u64; BATCH_LEN];
            for i in 0..BATCH_LEN {
                let below = top - logits[i];
                x[i] = f64::from(if below <= -FLOOR { below } else { 0.0 });
                let q = f64::from(e[i]) * inverse;
                p[i] = f64::from(q as f32);
                let from_middle = (q.to_bits() & LOST).wrapping_sub(MIDDLE - doubt);
                is_near[i] = u64::from(from_middle <= 2 * doubt);
            }
            for i in 0..BATCH_LEN {
                sum_p[i] += p[i];
                sum_px[i] += p[i] * x[i];
            }
            if is_near.iter().fold(0, |any, near| any | near) != 0 {
                let near = |i: &usize| is_near[*i] != 0;
                let terms = (0..BATCH_LEN).filter(near).map(|i| p[i] * (1.0 + x[i]));
                doubtful += terms.sum::<f64>();
            }
        }
    }
    EntropySums { p: sum_p.iter().sum(), px: sum_px.iter().sum(), doubtful }
}
