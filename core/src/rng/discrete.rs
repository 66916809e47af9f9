//! The index that `std::discrete_distribution<int32_t>` returns for given weights and uniform.

use crate::ordered::double;

/// The index drawn from `weights` (at least one, none negative) with the uniform `u` in [0, 1).
///
/// As libstdc++ does it: weights to double, divided by their double sum, running double sums, and
/// the first index whose running sum is not below `u`; the last running sum counts as 1. Where the
/// weights end in zeros, it is the last positive one that counts as 1, so that rounding never
/// returns a candidate of weight zero. NaN weights give index 0, which is where libstdc++'s binary
/// search ends too, since no NaN is below `u`.
pub(crate) fn pick(weights: &[f32], u: f64) -> usize {
    let mut block = [0.0; double::BLOCK];
    let sum = weights
        .chunks(double::BLOCK)
        .fold(0.0, |sum, weights| double::add(sum, in_double(weights, &mut block)));
    if sum.is_nan() {
        return 0;
    }
    let last = weights.iter().rposition(|&w| w > 0.0).unwrap_or(0);
    let mut running = 0.0;
    for (index, weights) in weights[..last].chunks(double::BLOCK).enumerate() {
        let shares = in_double(weights, &mut block);
        shares.iter_mut().for_each(|share| *share /= sum);
        let before = running;
        running = double::add(before, shares);
        if running >= u {
            // Reached in this block: at which index, the single steps tell.
            let mut running = before;
            let reaches = |share: &f64| {
                running += share;
                running >= u
            };
            return index * double::BLOCK + shares.iter().position(reaches).unwrap_or(0);
        }
    }
    last
}

/// The first index at which the running sum of `weights` (at least one, none negative or NaN) reaches
/// the share `u` of their sum, all in double; never one of weight zero where there is another. The sum
/// comes with it.
pub(crate) fn reach(weights: &[f32], u: f64) -> (usize, f64) {
    let mut block = [0.0; double::BLOCK];
    let blocks = weights.chunks(double::BLOCK);
    let sum = blocks.fold(0.0, |sum, weights| double::add(sum, in_double(weights, &mut block)));
    let target = sum * u;
    let mut running = 0.0;
    for (index, weights) in weights.chunks(double::BLOCK).enumerate() {
        let before = running;
        running = double::add(before, in_double(weights, &mut block));
        if running >= target {
            // Reached in this block: at which index, the single steps tell.
            let mut running = before;
            let reaches = |weight: &f32| {
                running += f64::from(*weight);
                running >= target && *weight > 0.0
            };
            if let Some(place) = weights.iter().position(reaches) {
                return (index * double::BLOCK + place, sum);
            }
        }
    }
    (weights.iter().rposition(|w| *w > 0.0).unwrap_or(0), sum)
}

fn in_double<'a>(weights: &[f32], block: &'a mut [f64; double::BLOCK]) -> &'a mut [f64] {
    let block = &mut block[..weights.len()];
    block.iter_mut().zip(weights).for_each(|(double, w)| *double = f64::from(*w));
    block
}

#[cfg(test)]
mod tests {
    use super::{pick, reach};

    #[test]
    fn a_running_sum_equal_to_the_uniform_is_enough() {
        assert_eq!(pick(&[0.25, 0.75], 0.25), 0);
        assert_eq!(pick(&[0.25, 0.75], 0.25_f64.next_up()), 1);
        assert_eq!(pick(&[0.25, 0.75], 0.0), 0);
    }

    #[test]
    fn zero_weights_at_the_end_are_never_returned() {
        let below_one = 1.0_f64.next_down();
        assert_eq!(pick(&[1.0, 0.0], below_one), 0);
        // Seven sevenths fall short of 1 in double, so only the forced running sum reaches `u`.
        let sevenths = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        assert!((0..7).fold(0.0, |sum, _| sum + 1.0 / 7.0) < below_one);
        assert_eq!(pick(&sevenths, below_one), 6);
    }

    #[test]
    fn nan_weights_give_the_first_index() {
        assert_eq!(pick(&[f32::NAN, f32::NAN], 0.9), 0);
        assert_eq!(pick(&[1.0, f32::NAN, 1.0], 0.9), 0);
    }

    #[test]
    fn the_share_of_the_sum_is_reached_by_single_steps() {
        assert_eq!(reach(&[1.0, 3.0], 0.25), (0, 4.0));
        assert_eq!(reach(&[1.0, 3.0], 0.25_f64.next_up()), (1, 4.0));
        // Nothing of weight zero, be it first or last.
        assert_eq!(reach(&[0.0, 0.0, 2.0, 0.0], 0.0), (2, 2.0));
        assert_eq!(reach(&[0.0, 0.0, 2.0, 0.0], 1.0_f64.next_down()), (2, 2.0));
        // Across blocks, as one by one.
        let weights: Vec<f32> = (0..1000).map(|i| (i * 37 % 101) as f32 / 64.0).collect();
        let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        for step in 0..=200 {
            let u = (f64::from(step) / 200.0).min(1.0_f64.next_down());
            let mut running = 0.0;
            let expected = weights.iter().position(|w| {
                running += f64::from(*w);
                running >= u * sum && *w > 0.0
            });
            assert_eq!(Some(reach(&weights, u).0), expected, "{u}");
        }
    }
}
