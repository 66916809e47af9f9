//! e^x in vectors, with a known error.

use crate::simd::lanes::Simd;

/// How far [`exp`] may be from the platform's `expf`, relative to it, for -17.5 <= x <= 0.
///
/// A third of this is what was found over every such binary32 (see the exhaustive test); the rest is
/// room for a platform whose `expf` is not the one tested.
pub(crate) const EXP_ERROR: f32 = 1.0 / (1 << 20) as f32;

/// e^x for -87 <= x <= 0: 2^k e^r with k the integer nearest x / ln 2, and for e^r a polynomial of
/// degree 5, minimax in the relative error over |r| <= ln 2 / 2 (2^-23.2 before rounding).
#[inline(always)]
pub(crate) fn exp<S: Simd>(simd: S, x: S::F) -> S::F {
    // Adding 1.5 * 2^23 leaves the nearest integer in the low bits of the sum.
    let magic = simd.splat(12_582_912.0);
    let shifted = simd.mul_add(x, simd.splat(core::f32::consts::LOG2_E), magic);
    let k = simd.sub(shifted, magic);
    // ln 2 in two parts, the first short enough for k times it to be exact.
    let r = simd.mul_add(k, simd.splat(-0.693_359_4), x);
    let r = simd.mul_add(k, simd.splat(2.121_944_4e-4), r);
    let p = simd.splat(0.008_312_524);
    let p = simd.mul_add(p, r, simd.splat(0.041_890_122));
    let p = simd.mul_add(p, r, simd.splat(0.166_671_14));
    let p = simd.mul_add(p, r, simd.splat(0.499_992_3));
    let p = simd.mul_add(p, simd.mul(r, r), r);
    simd.add_exponent(shifted, simd.add(p, simd.splat(1.0)))
}

/// [`exp`] over an array of whole vectors, for its test.
#[cfg(test)]
#[inline(always)]
pub(crate) fn exp_all<S: Simd>(simd: S, values: &mut [f32]) {
    for vector in values.chunks_exact_mut(S::LANES) {
        let e = exp(simd, simd.load(vector));
        simd.store(e, vector);
    }
}
