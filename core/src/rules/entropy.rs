//! The entropy of a distribution.

/// -sum p ln p over `probabilities` in their order, in double and in nats, where 0 ln 0 is 0; and their number.
pub(crate) fn entropy(probabilities: impl Iterator<Item = f32>) -> (f64, usize) {
    probabilities.map(f64::from).fold((0.0, 0), |(entropy, count), p| {
        (if p > 0.0 { entropy - p * p.ln() } else { entropy }, count + 1)
    })
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
