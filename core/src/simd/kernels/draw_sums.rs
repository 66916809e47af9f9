//! The weight of each tile of a row, for a draw, with a known error.

use super::Segment;
use super::exp::{UNROLL, exp};
use super::exp_sums::{sum_lanes, sum_of_four};
use super::expf_sums::MIN_DOUBLE_ADDEND_LN;
use crate::rules::temperature::Scale;
use crate::simd::lanes::Simd;

/// What the logits are scaled by before the exp, none for nothing, and the largest logit after that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighing {
    pub scale: Option<Scale>,
    pub top: f32,
}

/// How [`sum_tile_exps`] scales: as it is, by a division, or by a product. Not a closure, so that it is compiled for
/// the instruction set.
pub(crate) const AS_IS: u8 = 0;
pub(crate) const DIVIDE: u8 = 1;
pub(crate) const MULTIPLY: u8 = 2;

#[inline(always)]
fn scaled<S: Simd, const SCALE: u8>(simd: S, logits: S::F, by: S::F) -> S::F {
    match SCALE {
        DIVIDE => simd.div(logits, by),
        MULTIPLY => simd.mul(logits, by),
        _ => logits,
    }
}

/// Appends the sum of the exps of each tile to `sums`, which has room for them, over the logits that are within
/// [`MIN_DOUBLE_ADDEND_LN`] of the `top` once scaled `by`. A tile without one has the sum 0.
///
/// An exp is within [`EXP_ERROR`](super::exp::EXP_ERROR), and its way into the sum has
/// [`TILE_ROUNDINGS`](super::exp_sums::TILE_ROUNDINGS) binary32 roundings.
#[inline(always)]
pub(crate) fn sum_tile_exps<S: Simd, const SCALE: u8>(
    simd: S,
    segment: Segment<'_>,
    top: f32,
    by: f32,
    sums: &mut Vec<f64>,
) {
    let (tops, by) = (simd.splat(top), simd.splat(by));
    let (floors, zero) = (simd.splat(MIN_DOUBLE_ADDEND_LN), simd.splat(0.0));
    for (tile, maxima) in segment.tiles(S::LANES) {
        // Scaling keeps the order, so the largest of a block is the largest after it.
        let largest = simd.sub(scaled::<S, SCALE>(simd, simd.load(maxima), by), tops);
        if !simd.any(simd.ge(largest, floors)) {
            sums.push(0.0);
            continue;
        }
        let mut sum = [zero; UNROLL];
        for vectors in tile.chunks_exact(UNROLL * S::LANES) {
            let mut x = [zero; UNROLL];
            for i in 0..UNROLL {
                let logits = simd.load(&vectors[i * S::LANES..][..S::LANES]);
                x[i] = simd.sub(scaled::<S, SCALE>(simd, logits, by), tops);
            }
            // The exp of NaN or of x below the floor is arbitrary: it is masked out.
            let e = exp(simd, x);
            for i in 0..UNROLL {
                sum[i] = simd.add(sum[i], simd.keep(simd.ge(x[i], floors), e[i]));
            }
        }
        sums.push(sum_lanes(simd, sum_of_four(simd, sum)));
    }
}
