//! `expf` of many values at a time, bit for bit that of [`rules::expf`](crate::rules::expf).
//!
//! e^x is computed in double, within 2^-40 of itself, and rounded to binary32. An `expf` whose error is below
//! 0.5 + m units in the last place gives the same, unless e^x lies within m units of the middle between two
//! binary32 numbers: there the rule itself is called. The rule is within 0.502 units, by its authors' figure;
//! [`MARGIN`] is twice the 0.002 units that this needs. The exhaustive test compares all inputs with the
//! rule, and the rule with glibc. Without fused multiplication every value is a call of the rule.

use crate::rules::expf::expf;

/// The number of values computed together.
pub(crate) const BATCH_LEN: usize = 16;

/// How near to the middle is too near: 0.004 units, in units of the 29 bits that rounding takes away.
const MARGIN: u32 = (1 << 29) / 250;
const MIDDLE: u32 = 1 << 28;

/// Replaces each value by its `expf`; `fused` says that `f64::mul_add` is an instruction here.
#[inline(always)]
pub(crate) fn expf_all(fused: bool, values: &mut [f32]) {
    let mut batches = values.chunks_exact_mut(BATCH_LEN);
    if fused {
        for batch in &mut batches {
            if let Ok(batch) = batch.try_into() {
                let _ = expf_batch(batch);
            }
        }
    } else {
        batches.by_ref().flatten().for_each(|x| *x = expf(*x));
    }
    let rest = batches.into_remainder();
    if fused && rest.len() >= 4 {
        let mut batch = [0.0; BATCH_LEN];
        batch[..rest.len()].copy_from_slice(rest);
        let _ = expf_batch(&mut batch);
        rest.copy_from_slice(&batch[..rest.len()]);
    } else {
        rest.iter_mut().for_each(|x| *x = expf(*x));
    }
}

/// Replaces each x by its `expf`; returns the e^x of [`exp_batch`].
#[inline(always)]
fn expf_batch(x: &mut [f32; BATCH_LEN]) -> [f64; BATCH_LEN] {
    let exact = exp_batch(true, x);
    // Written in place: a copy on the stack would be read before its parts are together.
    let arguments = *x;
    let mut cut = [0; BATCH_LEN];
    for i in 0..BATCH_LEN {
        x[i] = exact[i] as f32;
        cut[i] = exact[i].to_bits() as u32 % (2 * MIDDLE);
    }
    // Outside the range the double is not e^x, or its binary32 would be denormal.
    let near = |i: usize| {
        let from_middle = cut[i].wrapping_sub(MIDDLE - MARGIN);
        (from_middle <= 2 * MARGIN) | !(-87.0..=0.0).contains(&arguments[i])
    };
    if (0..BATCH_LEN).fold(false, |any, i| any | near(i)) {
        for i in 0..BATCH_LEN {
            if near(i) {
                x[i] = expf(arguments[i]);
            }
        }
    }
    exact
}

/// e^x in double, within 2^-40 of itself, for -87 <= x <= 0; anything for other x.
#[inline(always)]
fn exp_batch(fused: bool, x: &[f32; BATCH_LEN]) -> [f64; BATCH_LEN] {
    // 1.5 * 2^52: adding it leaves the nearest integer in the low bits.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // `f64::mul_add` is a call of the C library where it is no instruction. The product with the high part is
    // exact in either way, the other roundings are of the order of 2^-53.
    let mul_add = |a: f64, b: f64, c: f64| if fused { a.mul_add(b, c) } else { a * b + c };
    let mut shifted = [0.0; BATCH_LEN];
    let mut r = [0.0; BATCH_LEN];
    for i in 0..BATCH_LEN {
        let x = f64::from(x[i]);
        shifted[i] = mul_add(x, core::f64::consts::LOG2_E, MAGIC);
        let k = shifted[i] - MAGIC;
        r[i] = mul_add(k, -LN_2_LOW, mul_add(k, -LN_2_HIGH, x));
    }
    // The series of e^r: |r| <= ln 2 / 2, so what is left out is below 2^-41.
    let mut p = [1.0_f64 / 3_628_800.0; BATCH_LEN];
    for factorial in [362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        for i in 0..BATCH_LEN {
            p[i] = mul_add(p[i], r[i], 1.0 / factorial);
        }
    }
    let mut e = [0.0; BATCH_LEN];
    for i in 0..BATCH_LEN {
        e[i] = f64::from_bits((shifted[i].to_bits() << 52).wrapping_add(p[i].to_bits()));
    }
    e
}

/// Replaces each of a batch, from -87 to 0, by its `expf`, and returns e^x in double, within 2^-40 of itself.
#[inline(always)]
pub(super) fn expf_and_exp(fused: bool, x: &mut [f32; BATCH_LEN]) -> [f64; BATCH_LEN] {
    if fused {
        return expf_batch(x);
    }
    let exact = exp_batch(false, x);
    x.iter_mut().for_each(|x| *x = expf(*x));
    exact
}
