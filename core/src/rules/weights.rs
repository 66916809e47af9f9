//! The weights of the S2 engines' draw: normalised twice.

use crate::sequential_sum::single;

/// Divides the weights by their binary32 sum in rank order, twice: the S2 sampler normalises, and so does
/// the code that hands the weights to the draw. False if that makes no distribution.
pub(crate) fn normalize_twice(weights: &mut [f32]) -> bool {
    let sum = single::add(0.0, weights);
    if sum > 0.0 {
        weights.iter_mut().for_each(|w| *w /= sum);
    }
    normalize(weights)
}

/// Divides the weights by `sum`, which their rule added up over more candidates than are left, and then by
/// their own binary32 sum in rank order. False if that makes no distribution.
pub(crate) fn normalize_after(sum: f32, weights: &mut [f32]) -> bool {
    weights.iter_mut().for_each(|w| *w /= sum);
    normalize(weights)
}

/// Divides the weights by their binary32 sum; false, and nothing changes, if that is 0.
pub(crate) fn normalize(weights: &mut [f32]) -> bool {
    let sum = single::add(0.0, weights);
    if sum <= 0.0 {
        return false;
    }
    weights.iter_mut().for_each(|w| *w /= sum);
    true
}

#[cfg(test)]
mod tests {
    use super::normalize_twice;

    #[test]
    fn the_second_division_changes_bits() {
        let mut weights = [1.0_f32, 0.7, 0.1, 0.6, 0.9, 0.35];
        let once = {
            let sum = weights.iter().fold(0.0, |sum, w| sum + w);
            weights.map(|w| w / sum)
        };
        let sum = once.iter().fold(0.0, |sum, w| sum + w);
        assert!(normalize_twice(&mut weights));
        assert_eq!(weights, once.map(|w| w / sum));
    }

    #[test]
    fn no_distribution() {
        assert!(!normalize_twice(&mut [0.0, 0.0]));
        let mut nan = [1.0, f32::NAN];
        assert!(normalize_twice(&mut nan) && nan.iter().all(|w| w.is_nan()));
    }
}
