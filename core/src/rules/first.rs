//! The rule of the S2 engines' first generations: top_k, softmax at the temperature, the common nucleus, and
//! one id that can be kept.
//!
//! Source: s2.cpp from its first release (630f72d), and with a kept id (b9a02c4), until 0e543f0 changed the
//! rule; measured on both, token by token. In rank order:
//!
//! 1. The first min(k, n) ranks stay. The kept id joins them, at its rank, if its logit is above -1e30.
//! 2. `w_i = expf((l_i - m) / T)` for T > 0, else 1 for `l_i == m` and 0 for others. `w_i /= W`, the binary32
//!    sum of the weights.
//! 3. The nucleus ends with the rank at which the binary32 running sum reaches top_p; if none does, all ranks
//!    stay. If the kept id ranks behind the end, the nucleus is lengthened up to and including it.
//! 4. `w_i /= V`, the binary32 sum over the nucleus, and `std::discrete_distribution` draws.
//!
//! A temperature of 0 or less is no shortcut: it takes two words where two candidates are left.

use super::temperature::{is_greedy, tempered};
use crate::sequential_sum::single;

/// A kept id that top_k cut joins the candidates if its logit is above this.
pub(crate) const KEPT_ABOVE: f32 = -1e30;

/// The exponent of a weight; `top`, the largest logit, is finite.
pub(crate) fn exponent(logit: f32, top: f32, t: f32) -> f32 {
    tempered(logit, top, if is_greedy(t) { f32::NAN } else { t })
}

/// The ranks that step 1 leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// How many there are, those at -inf included.
    pub count: usize,
    /// The place of the kept id among them.
    pub kept: Option<usize>,
}

impl Ranks {
    /// The number of ranks in the nucleus, and W. `weights` are those of the ranks above -inf, which are
    /// divided by W.
    pub(crate) fn cut(&self, weights: &mut [f32], top_p: f32) -> (usize, f32) {
        let sum = single::add(0.0, weights);
        weights.iter_mut().for_each(|w| *w /= sum);
        let mut running = 0.0;
        let last = weights.iter().position(|w| {
            running += w;
            running >= top_p
        });
        // Ranks at -inf add nothing to the sum.
        let reached = last.map_or(self.count, |place| place + 1);
        let least = self.kept.map_or(0, |place| place + 1);
        (reached.max(least), sum)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ranks, exponent};

    #[test]
    fn the_nucleus_reaches_up_to_the_kept_id() {
        let cut = |top_p, kept| {
            let mut weights = [2.0, 1.0, 0.5, 0.5];
            let ranks = Ranks { count: 6, kept };
            let (count, sum) = ranks.cut(&mut weights, top_p);
            assert_eq!((sum, weights), (4.0, [0.5, 0.25, 0.125, 0.125]));
            count
        };
        assert_eq!(cut(0.5, None), 1);
        assert_eq!(cut(0.5, Some(0)), 1);
        assert_eq!(cut(0.5, Some(3)), 4);
        // A kept id at -inf that top_k did not cut.
        assert_eq!(cut(0.5, Some(4)), 5);
        assert_eq!(cut(0.75, Some(1)), 2);
        assert_eq!(cut(1.0, None), 4);
        // No running sum reaches it: the ranks at -inf stay too.
        assert_eq!(cut(1.5, None), 6);
        assert_eq!(cut(f32::NAN, Some(1)), 6);
        assert_eq!(cut(-1.0, None), 1);
    }

    #[test]
    fn a_temperature_of_0_leaves_weight_to_the_maxima() {
        for t in [0.0, -1.0, f32::NAN] {
            assert_eq!(exponent(3.0, 3.0, t), 0.0);
            assert_eq!(exponent(2.5, 3.0, t), f32::NEG_INFINITY);
        }
        assert_eq!(exponent(2.0, 3.0, 0.5), -2.0);
    }
}
