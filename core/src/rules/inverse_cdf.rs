//! Inversion over a running sum: the draw of llama.cpp's `dist` and of most samplers without
//! `std::discrete_distribution`.

use super::discrete::{double_sum, to_double};
use crate::sequential_sum::{double, single};

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

/// As [`inverse_cdf`] in binary32: the sum, the share `u` (rounded) of it, and the running sum. qwentts and
/// TTS.cpp draw so.
pub(crate) fn inverse_cdf_float(weights: &[f32], u: f64) -> (usize, f32) {
    let sum = single::add(0.0, weights);
    (first_at_float(weights, u as f32 * sum), sum)
}

/// The draw from the first `mass` of probabilities that are not normalised again: the first index at which
/// their running double sum reaches `u` times `mass`, or their sum if that is smaller; otherwise the last
/// above 0. TTS.cpp draws so from its nucleus, in binary32.
pub(crate) fn inverse_of_mass(probabilities: &[f32], u: f64, mass: f32) -> usize {
    let sum = double_sum(probabilities, &mut [0.0; double::CHUNK_LEN]);
    let target = u * f64::from(mass).min(sum);
    let mut running = 0.0;
    let reached = probabilities.iter().position(|p| {
        running += f64::from(*p);
        running >= target && *p > 0.0
    });
    reached.or_else(|| last_above_0(probabilities)).unwrap_or(0)
}

/// As [`inverse_of_mass`], with every number rounded to binary32.
pub(crate) fn inverse_of_mass_float(probabilities: &[f32], u: f64, mass: f32) -> usize {
    let sum = single::add(0.0, probabilities);
    first_at_float(probabilities, u as f32 * mass.min(sum))
}

/// The first index at which the running binary32 sum reaches `target`, otherwise the last above 0.
fn first_at_float(weights: &[f32], target: f32) -> usize {
    let mut running = 0.0;
    let reached = weights.iter().position(|weight| {
        running += weight;
        running >= target && *weight > 0.0
    });
    reached.or_else(|| last_above_0(weights)).unwrap_or(0)
}

/// The part of the probability `p` that lies within the first `mass`, `running` being the sum before it,
/// which grows by `p`.
pub(crate) fn within_mass(running: &mut f64, p: f32, mass: f32) -> f32 {
    let before = *running;
    *running += f64::from(p);
    let mass = f64::from(mass);
    (running.min(mass) - before.min(mass)) as f32
}

fn last_above_0(weights: &[f32]) -> Option<usize> {
    weights.iter().rposition(|weight| *weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::{double, inverse_cdf, inverse_cdf_float, inverse_of_mass, inverse_of_mass_float};

    #[test]
    fn binary32_sums_have_their_own_steps() {
        // 2^24 + 1 rounds to 2^24: after the first, nothing is added, and only double tells them apart.
        let (weights, u) = ([16_777_216.0, 1.0, 1.0], 0.999_999_99);
        assert_eq!(inverse_cdf(&weights, u), (2, 16_777_218.0));
        assert_eq!(inverse_cdf_float(&weights, u), (0, 16_777_216.0));
        // A u that rounds to 1 in binary32.
        assert_eq!(inverse_cdf_float(&[0.0, 1.0, 3.0, 0.0], 1.0_f64.next_down()), (2, 4.0));
        assert_eq!(inverse_cdf_float(&[0.0, 1.0, 3.0, 0.0], 0.0), (1, 4.0));
    }

    #[test]
    fn a_mass_is_not_normalised_again() {
        let p = [0.0, 0.5, 0.25, 0.0];
        for draw in [inverse_of_mass, inverse_of_mass_float] {
            assert_eq!(draw(&p, 0.0, 0.9), 1);
            assert_eq!(draw(&p, 0.5 / 0.75, 0.9), 1);
            assert_eq!(draw(&p, 1.0_f64.next_down(), 0.9), 2);
            // All of the mass is the first token's.
            assert_eq!(draw(&p, 1.0_f64.next_down(), 0.5), 1);
            assert_eq!(draw(&p, 0.5, 0.0), 1);
        }
    }

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
