//! Temperature, with its special values.

/// Whether the best token is taken without a draw: for 0 and less. NaN draws among the maxima.
pub(crate) fn is_greedy(t: f32) -> bool {
    t <= 0.0
}

/// The exponent of a candidate's weight, `(l - top) / t` in binary32, `top` being the largest logit.
///
/// A NaN temperature keeps only logits that equal the largest. +inf gives every logit the exponent 0,
/// but a logit at -inf the exponent NaN.
pub(crate) fn tempered(logit: f32, top: f32, t: f32) -> f32 {
    debug_assert!(!is_greedy(t));
    if t.is_nan() {
        return if logit == top { 0.0 } else { f32::NEG_INFINITY };
    }
    (logit - top) / t
}

#[cfg(test)]
mod tests {
    use super::{is_greedy, tempered};

    #[test]
    fn special_values() {
        assert!([0.0, -0.0, -1.0, f32::NEG_INFINITY].into_iter().all(is_greedy));
        assert!(![1e-45, 1.0, f32::INFINITY, f32::NAN].into_iter().any(is_greedy));
        assert_eq!(tempered(1.0, 3.0, 0.5), -4.0);
        assert_eq!(tempered(3.0, 3.0, f32::NAN), 0.0);
        assert_eq!(tempered(1.0, 3.0, f32::NAN), f32::NEG_INFINITY);
        assert_eq!(tempered(1.0, 3.0, f32::INFINITY), 0.0);
        assert_eq!(tempered(1.0, 3.0, 1e-45), f32::NEG_INFINITY);
    }
}
