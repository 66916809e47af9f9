//! The softmax of a chain: p = e / S.
//!
//! e = expf(l - m), m being the largest logit, in binary32. S is the sum of the e in double, added one by one in
//! rank order. e / S is computed in double and rounded to binary32. (llama.cpp adds in binary32, where the tail of
//! a long row vanishes.)

use super::discrete::double_sum;
use crate::sequential_sum::double;

/// S of exps in rank order.
pub(crate) fn sum(exps: &[f32]) -> f64 {
    double_sum(exps, &mut [0.0; double::CHUNK_LEN])
}

/// p of one exp.
pub(crate) fn probability(e: f32, sum: f64) -> f32 {
    (f64::from(e) / sum) as f32
}

#[cfg(test)]
mod tests {
    use super::{probability, sum};

    #[test]
    fn small_exps_count() {
        // In binary32 1 + 2^-25 is 1, however often it is added.
        let tail = 2.0_f32.powi(-25);
        let exps: Vec<f32> = core::iter::once(1.0).chain([tail; 1 << 12]).collect();
        assert_eq!(sum(&exps), 1.0 + 2.0_f64.powi(-13));
        assert_eq!(probability(1.0, 1.0 + 2.0_f64.powi(-13)), 8192.0 / 8193.0);
        assert_eq!(sum(&[]), 0.0);
    }
}
