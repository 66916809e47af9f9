//! The standard deviation of logits.

/// The number of lanes that the sums run in, by position. It is fixed, so a row and a list of the same
/// tokens give the same result.
const LANES: usize = 16;

/// The standard deviation of the finite `logits`, of the whole population and in double; NaN if there are
/// none.
pub(crate) fn std_dev(logits: &[f32]) -> f64 {
    let count = sum_of_finite(logits, |_| 1.0);
    let mean = sum_of_finite(logits, f64::from) / count;
    let square = |logit: f32| (f64::from(logit) - mean) * (f64::from(logit) - mean);
    (sum_of_finite(logits, square) / count).sqrt()
}

fn sum_of_finite(logits: &[f32], term: impl Fn(f32) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    for logits in logits.chunks(LANES) {
        for (lane, logit) in lanes.iter_mut().zip(logits) {
            *lane += if logit.is_finite() { term(*logit) } else { 0.0 };
        }
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::std_dev;

    #[test]
    fn counts_finite_logits_alone() {
        // The population's: divided by n, not by n - 1.
        assert_eq!(std_dev(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), 2.0);
        assert_eq!(std_dev(&[f32::NEG_INFINITY, 1.0, f32::NAN, 3.0, f32::INFINITY]), 1.0);
        assert!(std_dev(&[f32::NEG_INFINITY; 3]).is_nan());
    }
}
