//! From the candidates' logits to the weights of the draw.
//!
//! Bit-exact: do not reorder or fuse these operations.

use crate::rules::temperature::tempered;
use crate::rules::weights::normalize_twice;
use crate::simd::Kernels;

/// Turns the candidates' logits, in rank order, into the weights of the draw, in place.
///
/// `top` is the logit of rank 0. Returns false if no distribution can be made and rank 0 is the answer.
pub(crate) fn softmax_with_temperature(
    kernels: &Kernels,
    logits: &mut [f32],
    top: f32,
    temperature: f32,
) -> bool {
    logits.iter_mut().for_each(|l| *l = tempered(*l, top, temperature));
    (kernels.expf_all)(logits);
    normalize_twice(logits)
}
