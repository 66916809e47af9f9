//! Rank order: the highest logit first, equal logits by lower id, NaN as -inf.

/// The token of a row in which nothing is above -inf: all tokens are equal, so the lowest id.
pub(crate) const FALLBACK_ID: u32 = 0;

/// A logit as the rules see it: NaN counts as -inf.
pub(crate) fn nan_to_neg_inf(logit: f32) -> f32 {
    if logit.is_nan() { f32::NEG_INFINITY } else { logit }
}

/// A token and its logit as one integer, smaller for the better rank: the upper half falls as the logit
/// rises, the lower half is the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RankKey(u64);

impl RankKey {
    /// `logit` must not be NaN. -0.0 is stored as +0.0, since the two rank alike.
    pub(crate) fn new(logit: f32, id: u32) -> Self {
        debug_assert!(!logit.is_nan());
        let bits = (logit + 0.0).to_bits();
        // Binary32 compares like sign and magnitude; flipping makes it fall over the unsigned range.
        let falling = if bits >> 31 == 0 { bits ^ 0x7fff_ffff } else { bits };
        Self(u64::from(falling) << 32 | u64::from(id))
    }

    pub(crate) fn logit(self) -> f32 {
        let falling = (self.0 >> 32) as u32;
        f32::from_bits(if falling >> 31 == 0 { falling ^ 0x7fff_ffff } else { falling })
    }

    pub(crate) fn id(self) -> u32 {
        self.0 as u32
    }

    /// A byte of the half that ranks by logit, 0 the least significant.
    pub(crate) fn digit(self, index: usize) -> usize {
        (self.0 >> (32 + 8 * index)) as u8 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{RankKey, nan_to_neg_inf};

    #[test]
    fn nan_counts_as_neg_inf() {
        assert_eq!(nan_to_neg_inf(f32::NAN), f32::NEG_INFINITY);
        assert_eq!(nan_to_neg_inf(f32::INFINITY), f32::INFINITY);
        assert!(nan_to_neg_inf(-0.0).is_sign_negative());
    }

    #[test]
    fn order_is_falling_logit_then_rising_id() {
        let falling = [
            f32::INFINITY,
            f32::MAX,
            1.0,
            f32::MIN_POSITIVE,
            1e-45,
            0.0,
            -1e-45,
            -1.0,
            f32::MIN,
            f32::NEG_INFINITY,
        ];
        let ranked: Vec<RankKey> = falling.iter().map(|&l| RankKey::new(l, 7)).collect();
        assert!(ranked.is_sorted_by(|a, b| a < b));
        assert!(ranked.iter().zip(falling).all(|(e, l)| e.logit() == l && e.id() == 7));
        assert!(RankKey::new(-0.0, 1) < RankKey::new(0.0, 2));
        assert!(RankKey::new(0.0, 1) < RankKey::new(-0.0, 2));
        assert!(RankKey::new(1.0, u32::MAX) < RankKey::new(1.0_f32.next_down(), 0));
    }
}
