//! The three knobs of a draw, in the layout of the engines' own struct.

/// How to draw one token.
///
/// 12 bytes, and that will not change: engines keep a struct of the same name and layout. Every bit
/// pattern is allowed in every field.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplerParams {
    /// Divides the logits of the candidates that top_k and top_p left; it does not influence which
    /// are left. Zero or less: the highest logit, no randomness used. Infinity: all candidates alike.
    /// NaN: only candidates equal to the maximum. Default 0.8.
    pub temperature: f32,
    /// Nucleus size, as a share of the probability of the whole row at temperature 1, clamped to
    /// [0, 1]. The token that carries the running sum past it is dropped; rank 0 always stays.
    /// 1 is not "off" (rounding can carry the sum past 1); NaN is. Default 0.8.
    pub top_p: f32,
    /// At most this many candidates. Zero, negative or beyond the row: no limit. Default 30.
    pub top_k: i32,
}

impl Default for SamplerParams {
    fn default() -> Self {
        Self { temperature: 0.8, top_p: 0.8, top_k: 30 }
    }
}

impl SamplerParams {
    /// The number of ranks that top_k lets through in a row of `n` tokens.
    pub(crate) fn rank_limit(&self, n: usize) -> usize {
        match usize::try_from(self.top_k) {
            Ok(k) if k > 0 => k.min(n),
            _ => n,
        }
    }

    /// top_p clamped to [0, 1]; NaN stays NaN, and no sum compares greater than it.
    pub(crate) fn nucleus(&self) -> f32 {
        self.top_p.clamp(0.0, 1.0)
    }

    /// Whether the draw is a plain argmax. NaN is not: it draws among the maxima.
    pub(crate) fn is_greedy(&self) -> bool {
        self.temperature <= 0.0
    }
}
