//! A candidate of a chain.

use crate::rules::rank::RankKey;

/// A candidate: a token with its logit and its probability.
///
/// 12 bytes without padding, the layout of llama.cpp's `llama_token_data`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenData {
    /// The token's id. In a row: its index. In a caller's array: any number.
    pub id: i32,
    /// Its logit, as the last stage left it. NaN counts as -inf.
    pub logit: f32,
    /// Its probability at the last stage that computed some; unchanged if no stage did.
    pub p: f32,
}

impl TokenData {
    /// What candidates are ranked by: falling logit, then rising id. The logit must not be NaN.
    pub(crate) fn rank(&self) -> RankKey {
        // Shifted, so that ids below 0 come first.
        RankKey::new(self.logit, self.id as u32 ^ 1 << 31)
    }
}
