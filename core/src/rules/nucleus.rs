//! The nucleus, top_p: how many ranks the running sum of the probabilities keeps.
//!
//! Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", which keeps the token that
//! brings the sum to p. That is the rule of chains. The S2 engines drop it.

use super::discrete::to_double;
use crate::sequential_sum::double;

/// The S2 engines' rule, in binary32: whether the rank whose running sum of e / S, itself included, is `running`
/// is dropped, if it is not rank 0.
pub(crate) fn exceeds(running: f32, p: f32) -> bool {
    running > p
}

/// The S2 engines' rule: the number of ranks that stay if `rank` is the first that exceeds p. Rank 0 always
/// stays.
pub(crate) fn len_below(rank: usize) -> usize {
    rank.max(1)
}

/// The S2 engines' rule: the number of ranks that stay. The running sum adds `probabilities` one by one, in rank
/// order; none if it does not exceed `p`.
pub(crate) fn count_below(probabilities: impl IntoIterator<Item = f32>, p: f32) -> Option<usize> {
    let mut running = 0.0;
    let end = probabilities.into_iter().position(|probability| {
        running += probability;
        exceeds(running, p)
    });
    end.map(len_below)
}

/// The rule of chains, in double: the rank whose running sum of e, itself included, is the first that is at
/// least this is the last that stays.
pub(crate) fn target(p: f64, sum: f64) -> f64 {
    p * sum
}

/// The running sum of exps in double, one by one. It stands behind the first ranks and can go on from there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunningSum {
    /// The number of ranks added so far.
    pub ranks: usize,
    /// Their sum.
    pub sum: f64,
}

impl RunningSum {
    /// The number of ranks up to and including the first whose running sum `ends`, which is true of every
    /// larger sum, too. The sum then stands before that rank. None if no sum does; then all `exps` are added.
    pub(crate) fn first(&mut self, exps: &[f32], ends: impl Fn(f64) -> bool) -> Option<usize> {
        let mut chunk = [0.0; double::CHUNK_LEN];
        for exps in exps[self.ranks..].chunks_exact(double::CHUNK_LEN) {
            let sum = double::add(self.sum, to_double(exps, &mut chunk));
            if ends(sum) {
                break;
            }
            self.ranks += exps.len();
            self.sum = sum;
        }
        for e in &exps[self.ranks..] {
            let sum = self.sum + f64::from(*e);
            if ends(sum) {
                return Some(self.ranks + 1);
            }
            self.ranks += 1;
            self.sum = sum;
        }
        None
    }
}

/// The number of ranks that stay in a chain. `exps` are in rank order; none if their sum does not reach p.
pub(crate) fn count_through(exps: &[f32], p: f32, sum: f64) -> Option<usize> {
    let target = target(p.into(), sum);
    RunningSum::default().first(exps, |running| running >= target)
}

/// The number of ranks that stay, where the token that passes p goes: exllamav3's top_p, and that of audio.cpp's
/// fish_audio. The running sum of `probabilities`, which are in rank order, is a double one.
pub(crate) fn exclusive_in_double(
    probabilities: impl ExactSizeIterator<Item = f32>,
    p: f32,
) -> usize {
    let all = probabilities.len();
    first_above(probabilities, p).map_or(all, |rank| rank.max(1))
}

/// The first rank at which the running double sum of the probabilities passes `p`.
pub(crate) fn first_above(mut probabilities: impl Iterator<Item = f32>, p: f32) -> Option<usize> {
    let mut running = 0.0;
    probabilities.position(|probability| {
        running += f64::from(probability);
        running > f64::from(p)
    })
}

#[cfg(test)]
mod tests {
    use super::{RunningSum, count_below, count_through, double};

    #[test]
    fn the_token_that_reaches_p() {
        let halves = [0.5, 0.25, 0.125, 0.125];
        assert_eq!(count_below(halves, 0.75), Some(2));
        assert_eq!(count_below(halves, 0.7), Some(1));
        assert_eq!(count_below(halves, 1.0), None);
        assert_eq!(count_through(&halves, 0.75, 1.0), Some(2));
        assert_eq!(count_through(&halves, 0.7, 1.0), Some(2));
        assert_eq!(count_through(&halves, 0.75_f32.next_up(), 1.0), Some(3));
        assert_eq!(count_through(&halves, 1.0, 1.0), Some(4));
        assert_eq!(count_through(&halves, 1.0, 1.0_f64.next_up()), None);
    }

    #[test]
    fn rank_0_stays() {
        assert_eq!(count_below([0.9, 0.1], 0.5), Some(1));
        assert_eq!(count_below([0.9, 0.1], 0.0), Some(1));
        assert_eq!(count_through(&[0.9, 0.1], 0.0, 1.0), Some(1));
    }

    #[test]
    fn nan_ends_nowhere() {
        assert_eq!(count_below([0.9, 0.1], f32::NAN), None);
    }

    #[test]
    fn a_running_sum_goes_on_where_it_stands() {
        let exps: Vec<f32> = (0..1000).map(|i| (i * 37 % 101) as f32 / 77.0).collect();
        let mut sums = vec![0.0];
        exps.iter().for_each(|e| sums.push(sums[sums.len() - 1] + f64::from(*e)));
        let chunk = double::CHUNK_LEN;
        let mut running = RunningSum::default();
        for end in [1, 2, chunk - 1, chunk, chunk + 1, 3 * chunk, 500, 501, 999, 1000] {
            // First without the rank that reaches the sum, then with it.
            let known = &exps[..end - 1];
            assert_eq!(running.first(known, |sum| sum >= sums[end]), None);
            assert_eq!((running.ranks, running.sum), (end - 1, sums[end - 1]));
            for _ in 0..2 {
                let reached = running.first(&exps, |sum| sum >= sums[end]);
                assert_eq!(reached.map(|ranks| sums[ranks]), Some(sums[end]));
                assert_eq!((running.ranks, running.sum), (end - 1, sums[end - 1]));
            }
        }
    }
}
