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

fn in_double<'a>(weights: &[f32], block: &'a mut [f64; double::BLOCK]) -> &'a mut [f64] {
    let block = &mut block[..weights.len()];
    block.iter_mut().zip(weights).for_each(|(double, w)| *double = f64::from(*w));
    block
}

#[cfg(test)]
mod tests {
    use super::pick;

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
}
