//! The softmax and the draw of llama.cpp's stages mirostat and adaptive_p: binary32 sums in the order of the
//! list, then `std::discrete_distribution`.

use crate::Error;
use crate::chain::candidates::Candidates;
use crate::rng::Generator;
use crate::rules::discrete::discrete_distribution;
use crate::sequential_sum::single;

/// Puts the probabilities into the list and into the weights; [`Error::NoCandidate`] if no candidate is above
/// -inf.
pub(super) fn softmax(candidates: &mut Candidates<'_>) -> Result<(), Error> {
    candidates.as_list()?.0.frozen = false;
    if !candidates.weigh()? {
        return Err(Error::NoCandidate);
    }
    let weights = &mut candidates.scratch.weights;
    let sum = single::add(0.0, weights);
    weights.iter_mut().for_each(|weight| *weight /= sum);
    candidates.put_weights(1.0);
    Ok(())
}

/// The place of a candidate by the weights. One candidate takes no random number.
pub(super) fn draw(
    candidates: &mut Candidates<'_>,
    generator: &mut Generator,
) -> Result<usize, Error> {
    if candidates.len() < 2 {
        return Ok(0);
    }
    let u = candidates.uniform(generator)?;
    Ok(discrete_distribution(&candidates.scratch.weights, u))
}
