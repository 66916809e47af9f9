//! A candidate of a chain.

use crate::rules::rank::RankKey;

/// A candidate: a token with its logit and its probability.
///
/// 12 bytes without padding, the layout of llama.cpp's `llama_token_data`. Since: 0.1.0
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenData {
    /// The token's id. A row's ids are 0 to its length - 1; in an array of one's own any number goes.
    pub id: i32,
    /// Its logit. NaN counts as -inf.
    pub logit: f32,
    /// Its probability, as of the last stage that computed probabilities; what it was if there is none.
    pub p: f32,
}

impl TokenData {
    /// What candidates are ranked by: falling logit, then rising id. The logit must not be NaN.
    pub(super) fn rank(&self) -> RankKey {
        // Shifted, so that ids below 0 come first.
        RankKey::new(self.logit, self.id as u32 ^ 1 << 31)
    }
}
