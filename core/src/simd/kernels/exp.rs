//! e^x in vectors, with a known error.

use crate::simd::lanes::Simd;
use core::array::from_fn;

/// How far [`exp`] may be from `expf`, relative to it, for -87 <= x <= 0.
///
/// With glibc 2.36 it needs 1.87e-7, a fifth of this: the worst over every binary32 of the range at any level
/// (`exp_is_within_its_error`). The rest is slack.
pub(crate) const EXP_ERROR: f32 = 1.0 / (1 << 20) as f32;

/// The lowest argument of [`exp`]. Below -87.3 the result would be denormal.
pub(crate) const EXP_MIN_ARG: f32 = -87.0;

/// The vectors whose exps are computed together: four independent exps hide the latency of FMA.
pub(super) const UNROLL: usize = 4;

/// e^x for -87 <= x <= 0: 2^k e^r with k the integer nearest x / ln 2, and for e^r a polynomial of
/// degree 5, minimax in the relative error over |r| <= ln 2 / 2 (2^-23.2 before rounding).
#[inline(always)]
pub(super) fn exp<S: Simd, const K: usize>(simd: S, x: [S::F; K]) -> [S::F; K] {
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
    let magic = simd.splat(12_582_912.0);
    let log2_e = simd.splat(core::f32::consts::LOG2_E);
    let shifted = x.map(|x| simd.mul_add(x, log2_e, magic));
    let k = shifted.map(|shifted| simd.sub(shifted, magic));
    // ln 2 in two parts, the first short enough that its product with k is exact.
    let (high, low) = (simd.splat(-0.693_359_4), simd.splat(2.121_944_4e-4));
    let r: [S::F; K] = from_fn(|i| simd.mul_add(k[i], high, x[i]));
    let r: [S::F; K] = from_fn(|i| simd.mul_add(k[i], low, r[i]));
    let mut p = [simd.splat(0.008_312_524); K];
    for coefficient in [0.041_890_122, 0.166_671_14, 0.499_992_3, 1.0, 1.0] {
        let coefficient = simd.splat(coefficient);
        p = from_fn(|i| simd.mul_add(p[i], r[i], coefficient));
    }
    from_fn(|i| simd.add_exponent(shifted[i], p[i]))
}

/// [`exp`] over an array of whole vectors, for its test.
#[cfg(test)]
#[inline(always)]
pub(crate) fn exp_all<S: Simd>(simd: S, values: &mut [f32]) {
    for vector in values.chunks_exact_mut(S::LANES) {
        let [e] = exp(simd, [simd.load(vector)]);
        simd.store(e, vector);
    }
}
