//! Inversion over a running sum: the draw of llama.cpp's `dist` and of most samplers without
//! `std::discrete_distribution`.

use super::discrete::{double_sum, to_double};
use crate::sequential_sum::double;

/// The first index at which the running double sum of `weights` (at least one, none negative or NaN)
/// reaches `u` times their sum, and that sum. Never an index of weight zero, unless all weights are zero.
pub(crate) fn inverse_cdf(weights: &[f32], u: f64) -> (usize, f64) {
    debug_assert!(!weights.is_empty() && (0.0..1.0).contains(&u));
    let mut chunk = [0.0; double::CHUNK_LEN];
    let sum = double_sum(weights, &mut chunk);
    let target = sum * u;
    let mut running = 0.0;
    for (index, weights) in weights.chunks(double::CHUNK_LEN).enumerate() {
        let before = running;
        running = double::add(before, to_double(weights, &mut chunk));
        if running >= target {
            let mut running = before;
            let reached = weights.iter().position(|weight| {
                running += f64::from(*weight);
                running >= target && *weight > 0.0
            });
            if let Some(place) = reached {
                return (index * double::CHUNK_LEN + place, sum);
            }
        }
    }
    debug_assert!(
        weights.iter().all(|w| *w <= 0.0),
        "the last positive weight brings the sum to the target"
    );
    (0, sum)
}

#[cfg(test)]
mod tests {
    use super::{double, inverse_cdf};

    #[test]
    fn the_share_of_the_sum_is_reached_by_single_steps() {
        assert_eq!(inverse_cdf(&[1.0, 3.0], 0.25), (0, 4.0));
        assert_eq!(inverse_cdf(&[1.0, 3.0], 0.25_f64.next_up()), (1, 4.0));
        // No index of weight zero, first or last.
        assert_eq!(inverse_cdf(&[0.0, 0.0, 2.0, 0.0], 0.0), (2, 2.0));
        assert_eq!(inverse_cdf(&[0.0, 0.0, 2.0, 0.0], 1.0_f64.next_down()), (2, 2.0));
        // Half of the sum is reached by the last weight of the first chunk.
        let chunks = [1.0; 2 * double::CHUNK_LEN];
        assert_eq!(inverse_cdf(&chunks, 0.5).0, double::CHUNK_LEN - 1);
        assert_eq!(inverse_cdf(&chunks, 0.5_f64.next_up()).0, double::CHUNK_LEN);
        // Across chunks, as one by one.
        let weights: Vec<f32> = (0..1000).map(|i| (i * 37 % 101) as f32 / 64.0).collect();
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        for step in 0..=200 {
            let u = (f64::from(step) / 200.0).min(1.0_f64.next_down());
            let mut running = 0.0;
            let expected = weights.iter().position(|w| {
                running += f64::from(*w);
                running >= u * sum && *w > 0.0
            });
            assert_eq!(Some(inverse_cdf(&weights, u).0), expected, "{u}");
        }
    }
}
