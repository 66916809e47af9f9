//! The three parameters of a draw, in the layout of the engines' struct.

use crate::rules::temperature;

/// How to draw one token: temperature, top_p and top_k.
///
/// 12 bytes without padding, and that never changes: engines keep a struct of the same name and
/// layout. Every bit pattern is allowed in every field; no value is an error. Copied at the call,
/// never kept. Since: 0.1.0
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplerParams {
    /// Divides the logits of the candidates that top_k and top_p left; it has no influence on which
    /// those are. A pure number, useful from about 0.1 to 2; default 0.8. Zero or less: the highest
    /// logit, and no random word is used. +inf: all candidates alike. NaN: only candidates equal to
    /// the maximum.
    pub temperature: f32,
    /// Nucleus: the share of the whole row's probability, at temperature 1, that the candidates may
    /// have together. From 0 to 1, values outside are clamped; default 0.8. The token that carries
    /// the running sum past it is dropped; the first token always stays. 1 is not "off", because
    /// rounding can carry the sum past 1; NaN filters nothing and is "off".
    pub top_p: f32,
    /// At most this many candidates, the best ranks first; default 30. Zero, negative, or the row's
    /// length and more: no limit.
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
