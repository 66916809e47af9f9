//! min_p: drops candidates below a share of the best one's probability.
//!
//! Source: Nguyen et al. 2024, "Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM
//! Outputs". p_i >= min_p * p_0 is l_i >= l_0 + ln(min_p), which needs no softmax.

use super::maths;

/// The lowest logit that stays, `top` being the largest: `top + ln(min_p)`, both operations rounded to
/// binary32. The best token stays even if `min_p` is above 1.
pub(crate) fn lowest_logit(top: f32, min_p: f32) -> f32 {
    debug_assert!(!is_off(min_p));
    top + maths::lnf(min_p)
}

/// Whether every token stays: for 0, less, and NaN.
pub(crate) fn is_off(min_p: f32) -> bool {
    min_p.is_nan() || min_p <= 0.0
}

#[cfg(test)]
mod tests {
    use super::{is_off, lowest_logit};

    #[test]
    fn one_keeps_what_equals_the_best() {
        assert_eq!(lowest_logit(2.5, 1.0), 2.5);
        assert!(lowest_logit(2.5, 1.5) > 2.5);
        // A row whose second token lies at the boundary, where probabilities and logits decide otherwise.
        assert_eq!(lowest_logit(8.25, 0.255_703_7), 8.25 + 0.255_703_7_f32.ln());
    }

    #[test]
    fn off() {
        assert!([0.0, -0.0, -1.0, f32::NEG_INFINITY, f32::NAN].into_iter().all(is_off));
        assert!(![f32::MIN_POSITIVE, 1e-45, 1.0, f32::INFINITY].into_iter().any(is_off));
    }
}
