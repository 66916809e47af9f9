//! The three parameters of a draw, in the layout of the engines' struct.

use crate::rules::temperature;

/// How to draw one token: temperature, top_p and top_k.
///
/// 12 bytes without padding, which never changes: engines keep a struct of this name and layout.
/// Every bit pattern is allowed in every field; no value is an error.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplerParams {
    /// Divides the logits of the candidates, after top_k and top_p chose them. Useful from about
    /// 0.1 to 2; default 0.8. <= 0: the highest logit, without a random word. +inf: all candidates
    /// above -inf are equally likely. NaN: only candidates equal to the maximum. A stream's second
    /// draw (RAS) uses its own temperature, even if this one is <= 0.
    pub temperature: f32,
    /// Nucleus: the largest total probability of the candidates, in the whole row at temperature 1.
    /// 0 to 1, values outside are clamped; default 0.8. The token that takes the running sum above
    /// it is dropped; rank 0 always stays. Off: NaN. 1 is not off, because rounding can take the
    /// sum above 1.
    pub top_p: f32,
    /// The largest number of candidates, best ranks first; default 30. Off: <= 0, or >= the row's
    /// length.
    pub top_k: i32,
}

impl Default for SamplerParams {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl SamplerParams {
    /// Temperature 0.8, top_p 0.8, top_k 30.
    pub const DEFAULT: Self = Self { temperature: 0.8, top_p: 0.8, top_k: 30 };

    /// Temperature 0.7, top_p 0.7, top_k 30: the defaults of the S2 engines' first generations.
    pub const FIRST: Self = Self { temperature: 0.7, top_p: 0.7, top_k: 30 };

    /// The number of ranks that top_k keeps in a row of `n` tokens.
    pub(crate) fn rank_limit(&self, n: usize) -> usize {
        match usize::try_from(self.top_k) {
            Ok(k) if k > 0 => k.min(n),
            _ => n,
        }
    }

    /// top_p clamped to [0, 1]. NaN stays NaN, and no sum is greater than NaN.
    pub(crate) fn nucleus(&self) -> f32 {
        self.top_p.clamp(0.0, 1.0)
    }

    /// Whether the draw is an argmax. NaN is not greedy: it draws among the maxima.
    pub(crate) fn is_greedy(&self) -> bool {
        temperature::is_greedy(self.temperature)
    }
}
