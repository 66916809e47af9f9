//! The nucleus, top_p: how many ranks the running sum of the probabilities keeps.
//!
//! Source: Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration", which keeps the token that
//! brings the sum to p. The S2 engines drop it.

/// Whether the token that carries the running sum to p belongs to the nucleus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nucleus {
    /// The S2 engines' rule: rank i > 0 is dropped if the running sum up to and including it is > p.
    Exclusive,
    /// The common rule: the first rank at which the running sum is >= p is the last that stays.
    Inclusive,
}

impl Nucleus {
    /// Whether the nucleus ends at the rank whose running sum, itself included, is `running`.
    pub(crate) fn ends_at(self, running: f32, p: f32) -> bool {
        match self {
            Self::Exclusive => running > p,
            Self::Inclusive => running >= p,
        }
    }

    /// The number of ranks that stay if `rank` is the first at which the nucleus ends. Rank 0 always stays.
    pub(crate) fn len(self, rank: usize) -> usize {
        match self {
            Self::Exclusive => rank.max(1),
            Self::Inclusive => rank + 1,
        }
    }

    /// The number of ranks that stay. The running sum adds `probabilities` one by one, in rank order; none if
    /// it does not reach `p`.
    pub(crate) fn count(
        self,
        probabilities: impl IntoIterator<Item = f32>,
        p: f32,
    ) -> Option<usize> {
        let mut running = 0.0;
        let end = probabilities.into_iter().position(|probability| {
            running += probability;
            self.ends_at(running, p)
        });
        end.map(|rank| self.len(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::Nucleus::{Exclusive, Inclusive};

    #[test]
    fn the_token_that_reaches_p() {
        let halves = [0.5, 0.25, 0.125, 0.125];
        assert_eq!(Exclusive.count(halves, 0.75), Some(2));
        assert_eq!(Exclusive.count(halves, 0.7), Some(1));
        assert_eq!(Exclusive.count(halves, 1.0), None);
        assert_eq!(Inclusive.count(halves, 0.75), Some(2));
        assert_eq!(Inclusive.count(halves, 0.7), Some(2));
        assert_eq!(Inclusive.count(halves, 1.0), Some(4));
    }

    #[test]
    fn rank_0_stays() {
        assert_eq!(Exclusive.count([0.9, 0.1], 0.5), Some(1));
        assert_eq!(Exclusive.count([0.9, 0.1], 0.0), Some(1));
        assert_eq!(Inclusive.count([0.9, 0.1], 0.0), Some(1));
    }

    #[test]
    fn nan_ends_nowhere() {
        assert_eq!(Exclusive.count([0.9, 0.1], f32::NAN), None);
        assert_eq!(Inclusive.count([0.9, 0.1], f32::NAN), None);
    }
}
