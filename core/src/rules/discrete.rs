//! The index that libstdc++'s `std::discrete_distribution<int32_t>` returns for given weights and uniform.
//!
//! Source: `bits/random.tcc` of libstdc++, by its results: weights to double, each divided by their double
//! sum, running double sums of the quotients, the last sum replaced by 1, and the first index whose running
//! sum is not below u.

use crate::sequential_sum::double;

/// The index drawn from `weights` (at least one, none negative) with the uniform `u` in [0, 1).
///
/// If the weights end in zeros, the last positive one counts as 1 instead of the last, so that rounding
/// never returns a candidate of weight zero. NaN weights give index 0, like libstdc++'s binary search:
/// no NaN compares less than `u`.
pub(crate) fn discrete_distribution(weights: &[f32], u: f64) -> usize {
    debug_assert!(!weights.is_empty() && (0.0..1.0).contains(&u));
    let mut chunk = [0.0; double::CHUNK_LEN];
    let sum = double_sum(weights, &mut chunk);
    if sum.is_nan() {
        return 0;
    }
    let Some(last) = weights.iter().rposition(|&w| w > 0.0) else { return 0 };
    let mut running = 0.0;
    for (index, weights) in weights[..last].chunks(double::CHUNK_LEN).enumerate() {
        let quotients = to_double(weights, &mut chunk);
        quotients.iter_mut().for_each(|quotient| *quotient /= sum);
        let before = running;
        running = double::add(before, quotients);
        if running >= u {
            let mut running = before;
            let reached = quotients.iter().position(|quotient| {
                running += quotient;
                running >= u
            });
            debug_assert!(reached.is_some(), "the single steps end at the sum of the chunk");
            return index * double::CHUNK_LEN + reached.unwrap_or(0);
        }
    }
    last
}

/// As [`discrete_distribution`] for weights in any order, with their sum. A `u` of 0 would give index 0 even
/// if that has weight zero: then the first index of positive weight is the result.
pub(crate) fn discrete_in_any_order(weights: &[f32], u: f64) -> (usize, f64) {
    let index = discrete_distribution(weights, u);
    let skipped = weights[index..].iter().position(|w| *w > 0.0);
    let sum = double_sum(weights, &mut [0.0; double::CHUNK_LEN]);
    (index + skipped.unwrap_or(0), sum)
}

/// The sum of the weights in double, one by one.
pub(crate) fn double_sum(weights: &[f32], chunk: &mut [f64; double::CHUNK_LEN]) -> f64 {
    let chunks = weights.chunks(double::CHUNK_LEN);
    chunks.fold(0.0, |sum, weights| double::add(sum, to_double(weights, chunk)))
}

/// The weights as doubles, in `chunk`.
pub(super) fn to_double<'a>(
    weights: &[f32],
    chunk: &'a mut [f64; double::CHUNK_LEN],
) -> &'a mut [f64] {
    let chunk = &mut chunk[..weights.len()];
    chunk.iter_mut().zip(weights).for_each(|(double, w)| *double = f64::from(*w));
    chunk
}

#[cfg(test)]
mod tests {
    use super::{discrete_distribution, discrete_in_any_order, double};

    #[test]
    fn a_running_sum_equal_to_the_uniform_is_enough() {
        assert_eq!(discrete_distribution(&[0.25, 0.75], 0.25), 0);
        assert_eq!(discrete_distribution(&[0.25, 0.75], 0.25_f64.next_up()), 1);
        assert_eq!(discrete_distribution(&[0.25, 0.75], 0.0), 0);
        // Half of the sum is reached by the last weight of the first chunk.
        let chunks = [1.0; 2 * double::CHUNK_LEN];
        assert_eq!(discrete_distribution(&chunks, 0.5), double::CHUNK_LEN - 1);
        assert_eq!(discrete_distribution(&chunks, 0.5_f64.next_up()), double::CHUNK_LEN);
    }

    #[test]
    fn zero_weights_at_the_end_are_never_returned() {
        let below_one = 1.0_f64.next_down();
        assert_eq!(discrete_distribution(&[1.0, 0.0], below_one), 0);
        // Seven sevenths fall short of 1 in double, so only the forced running sum reaches `u`.
        let sevenths = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        assert!((0..7).fold(0.0, |sum, _| sum + 1.0 / 7.0) < below_one);
        assert_eq!(discrete_distribution(&sevenths, below_one), 6);
    }

    #[test]
    fn zero_weights_at_the_beginning_are_never_returned() {
        assert_eq!(discrete_in_any_order(&[0.0, 0.0, 0.5, 1.0], 0.0), (2, 1.5));
        assert_eq!(discrete_in_any_order(&[0.5, 0.0, 1.0], 0.0), (0, 1.5));
        assert_eq!(discrete_in_any_order(&[0.0, 0.0], 0.0), (0, 0.0));
    }

    #[test]
    fn nan_weights_give_the_first_index() {
        assert_eq!(discrete_distribution(&[f32::NAN, f32::NAN], 0.9), 0);
        assert_eq!(discrete_distribution(&[1.0, f32::NAN, 1.0], 0.9), 0);
    }
}
