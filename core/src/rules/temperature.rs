//! Temperature, with its special values, and the factor that some engines use in its place.

use super::maths;

/// Whether the best token is taken without a draw: for 0 and less. NaN draws among the maxima.
pub(crate) fn is_greedy(t: f32) -> bool {
    t <= 0.0
}

/// What all logits are scaled by.
///
/// l / t and l * (1 / t) are not the same in binary32: engines that compute the second need `Multiply`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// A temperature, any number.
    Divide(f32),
    /// A factor above 0, finite.
    Multiply(f32),
}

impl Scale {
    /// The scaled logit. It rises with the logit, but rounding can make unequal logits equal.
    pub(crate) fn apply(self, logit: f32) -> f32 {
        match self {
            Self::Divide(t) => logit / t,
            Self::Multiply(factor) => logit * factor,
        }
    }
}

/// The effect of scaling all logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scaling {
    /// The best token alone stays, as for t -> 0.
    Best,
    /// Every logit is scaled.
    Each,
    /// All tokens above -inf become equally likely, as for t -> inf.
    Uniform,
}

/// The effect on logits whose largest is `top`. If `top` becomes infinite, smaller logits can overflow to the
/// same infinity, so the result is the limit t -> 0.
pub(crate) fn scaling(by: Scale, top: f32) -> Scaling {
    match by {
        Scale::Divide(t) if is_greedy(t) || t.is_nan() => Scaling::Best,
        Scale::Divide(f32::INFINITY) => Scaling::Uniform,
        Scale::Divide(1.0) => Scaling::Each,
        _ if by.apply(top).is_infinite() => Scaling::Best,
        _ => Scaling::Each,
    }
}

/// 0 for a logit above -inf; others stay -inf.
pub(crate) fn uniform(logit: f32) -> f32 {
    if logit > f32::NEG_INFINITY { 0.0 } else { f32::NEG_INFINITY }
}

/// The exponent of a candidate's weight, `(l - top) / t` in binary32, `top` being the largest logit.
///
/// A NaN temperature keeps only logits that equal the largest. +inf makes all logits above -inf equally
/// likely.
pub(crate) fn tempered(logit: f32, top: f32, t: f32) -> f32 {
    debug_assert!(!is_greedy(t));
    if t.is_nan() {
        return if logit == top { 0.0 } else { f32::NEG_INFINITY };
    }
    if t == f32::INFINITY { uniform(logit) } else { (logit - top) / t }
}

/// The temperature between `t - delta`, at least 0, and `t + delta`. `share`, the entropy as a share of the
/// largest possible, to the power of `exponent` gives its place there. An infinite `t` stays infinite.
pub(crate) fn dynamic(t: f32, delta: f32, exponent: f32, share: f32) -> f32 {
    if t == f32::INFINITY {
        return t;
    }
    let low = (t - delta).max(0.0);
    let range = t + delta - low;
    let part = maths::powf(share, exponent);
    // 0 * inf is NaN, but no part of an infinite range, and any part of an empty one, must be 0.
    if part == 0.0 || range == 0.0 { low } else { low + range * part }
}

#[cfg(test)]
mod tests {
    use super::{Scale, Scaling, dynamic, is_greedy, scaling, tempered};

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

    #[test]
    fn a_quotient_that_overflows_is_the_limit() {
        let of = |t, top| scaling(Scale::Divide(t), top);
        assert_eq!(of(1e-38, 20.0), Scaling::Best);
        assert_eq!(of(1e-38, -18.0), Scaling::Best);
        assert_eq!(of(0.5, 3e38), Scaling::Best);
        assert_eq!(of(1e-38, 1.0), Scaling::Each);
        assert_eq!(of(1e-45, 0.0), Scaling::Each);
        assert_eq!(of(1.5, f32::INFINITY), Scaling::Best);
        assert_eq!(of(1.5, f32::NEG_INFINITY), Scaling::Best);
        assert_eq!(of(1.0, f32::INFINITY), Scaling::Each);
        assert_eq!(of(f32::INFINITY, 1.0), Scaling::Uniform);
        assert_eq!(of(0.0, 1.0), Scaling::Best);
        assert_eq!(tempered(f32::NEG_INFINITY, 3.0, f32::INFINITY), f32::NEG_INFINITY);
        assert_eq!(tempered(-3e38, 3e38, f32::INFINITY), 0.0);
    }

    #[test]
    fn a_product_that_overflows_is_the_limit_too() {
        let of = |factor, top| scaling(Scale::Multiply(factor), top);
        assert_eq!(of(1e38, 20.0), Scaling::Best);
        assert_eq!(of(1e38, -20.0), Scaling::Best);
        assert_eq!(of(2.0, f32::INFINITY), Scaling::Best);
        assert_eq!(of(0.5, f32::NEG_INFINITY), Scaling::Best);
        assert_eq!(of(1e38, 1.0), Scaling::Each);
        assert_eq!(of(1e-45, 3e38), Scaling::Each);
        // What engines with 1 / t compute: one ulp beside the quotient.
        assert_eq!(Scale::Multiply(1.0 / 0.3).apply(3.3), 11.0);
        assert_eq!(Scale::Divide(0.3).apply(3.3), 10.999_999);
    }

    #[test]
    fn dynamic_temperatures_are_numbers() {
        assert_eq!(dynamic(1.0, 0.5, 2.0, 0.5), 0.75);
        assert_eq!(dynamic(f32::INFINITY, 0.5, 1.0, 0.5), f32::INFINITY);
        assert_eq!(dynamic(1.0, f32::INFINITY, 1.0, 0.0), 0.0);
        assert_eq!(dynamic(1.0, f32::INFINITY, 1.0, 0.1), f32::INFINITY);
        assert_eq!(dynamic(1e10, 1e-10, -1.0, 0.0), 1e10);
        assert_eq!(dynamic(0.0, 1e-30, 1.0, 0.5), 5e-31);
        assert_eq!(dynamic(f32::NEG_INFINITY, 0.5, 1.0, 0.0), 0.0);
    }
}
