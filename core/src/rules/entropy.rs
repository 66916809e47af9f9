//! The entropy of a distribution.

use super::maths;

/// -sum p ln p over `probabilities` in their order, in double and in nats, where 0 ln 0 is 0; and their number.
pub(crate) fn entropy(probabilities: impl Iterator<Item = f32>) -> (f64, usize) {
    let mut count = 0;
    let entropy = entropy_of(probabilities.map(|p| {
        count += 1;
        (p, information(p))
    }));
    (entropy, count)
}

/// As [`entropy`], with the [`information`] of each p.
pub(crate) fn entropy_of(probabilities: impl Iterator<Item = (f32, f64)>) -> f64 {
    probabilities.fold(
        0.0,
        |entropy, (p, information)| {
            if p > 0.0 { entropy + f64::from(p) * information } else { entropy }
        },
    )
}

/// -ln p in double: inf for 0.
pub(crate) fn information(p: f32) -> f64 {
    -maths::ln(f64::from(p))
}

#[cfg(test)]
mod tests {
    use super::entropy;

    #[test]
    fn of_known_distributions() {
        assert_eq!(entropy([0.5, 0.5, 0.0].into_iter()), (std::f64::consts::LN_2, 3));
        assert_eq!(entropy([1.0].into_iter()), (0.0, 1));
        assert_eq!(entropy(std::iter::empty()), (0.0, 0));
    }
}
