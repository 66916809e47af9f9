//! Draws by a race: each candidate gets a score from a number of its own, and the largest wins. A candidate
//! of weight w wins with probability w / S, S being the sum of the weights.
//!
//! Sources: the exponential race is the order of the arrival times -ln(u) / w of independent Poisson
//! processes; PyTorch's `multinomial` draws so. The Gumbel race is the Gumbel-max trick (Gumbel 1954; Yellott
//! 1977). Both logarithms are natural and in double.

use super::maths::ln;

/// The score w / -ln(u) of a weight above 0, in double. A `u` of 0 gives 0.
pub(crate) fn exponential_score(weight: f32, u: f64) -> f64 {
    f64::from(weight) / -ln(u)
}

/// The score l - ln(-ln(u)) of a finite logit, in double. A `u` of 0 gives -inf.
pub(crate) fn gumbel_score(logit: f32, u: f64) -> f64 {
    f64::from(logit) - ln(-ln(u))
}

/// The index with the largest score, the first of equal ones; none where no candidate has a score.
///
/// `score` is called once for each index below `count`, in rising order.
pub(crate) fn winner<E>(
    count: usize,
    mut score: impl FnMut(usize) -> Result<Option<f64>, E>,
) -> Result<Option<usize>, E> {
    let mut best: Option<(f64, usize)> = None;
    for index in 0..count {
        if let Some(score) = score(index)?
            && best.is_none_or(|(largest, _)| score > largest)
        {
            best = Some((score, index));
        }
    }
    Ok(best.map(|(_, index)| index))
}

#[cfg(test)]
mod tests {
    use super::{exponential_score, gumbel_score, winner};

    fn won(scores: &[Option<f64>]) -> Option<usize> {
        winner::<()>(scores.len(), |index| Ok(scores[index])).unwrap()
    }

    #[test]
    fn the_first_of_the_largest_wins() {
        assert_eq!(won(&[]), None);
        assert_eq!(won(&[None, None]), None);
        assert_eq!(won(&[None, Some(1.0), Some(2.0), Some(2.0)]), Some(2));
        assert_eq!(won(&[None, Some(f64::NEG_INFINITY), None]), Some(1));
        assert_eq!(winner(2, |_| Err::<Option<f64>, i32>(7)), Err(7));
    }

    #[test]
    fn no_uniform_is_without_a_score() {
        assert_eq!(exponential_score(0.5, 0.0), 0.0);
        assert_eq!(gumbel_score(0.5, 0.0), f64::NEG_INFINITY);
        let below_one = 1.0_f64.next_down();
        assert!(exponential_score(1e-45, below_one).is_finite());
        assert!(gumbel_score(f32::MAX, below_one).is_finite());
        // e^-1 has an arrival time of 1.
        let u = (-1.0_f64).exp();
        assert!((exponential_score(0.25, u) - 0.25).abs() < 1e-15);
        assert!((gumbel_score(0.25, u) - 0.25).abs() < 1e-15);
    }
}
