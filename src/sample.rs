//! One draw from one row: the steps in the order of the header's manual.

use crate::nucleus::{self, Proof};
use crate::rng::{Generator, pick};
use crate::select::{Prefix, Survey};
use crate::simd::Kernels;
use crate::temper::weigh;
use crate::{Error, SamplerParams, memory};

/// Working memory of a draw, grown once and kept.
#[derive(Debug)]
pub(crate) struct Scratch {
    survey: Survey,
    prefix: Prefix,
    weights: Vec<f32>,
    /// How often each kind of proof was needed.
    pub proofs: [u64; 4],
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self { survey: Survey::new(), prefix: Prefix::new(), weights: Vec::new(), proofs: [0; 4] }
    }
}

/// Draws a token from `row`; the generator advances by two words or none.
pub(crate) fn sample_row(
    kernels: &'static Kernels,
    row: &[f32],
    params: &SamplerParams,
    generator: &mut Generator,
    scratch: &mut Scratch,
) -> Result<u32, Error> {
    if row.is_empty() {
        return Err(Error::EmptyRow);
    }
    if i32::try_from(row.len()).is_err() {
        return Err(Error::BadArgument);
    }
    let Scratch { survey, prefix, weights, proofs } = scratch;
    let mut view = survey.read(kernels, row)?;
    let limit = params.rank_limit(row.len());
    if params.is_greedy() || limit == 1 {
        return Ok(view.argmax());
    }
    let p = params.nucleus();
    if !view.top.is_finite() {
        // No distribution can be made: S is NaN and drops nothing, the weights are NaN and give rank 0.
        generator.uniform();
        return Ok(view.argmax());
    }
    if p == 0.0 {
        // Any second token carries the sum past 0.
        return Ok(view.argmax());
    }
    let (candidates, proof) = nucleus::cut(&mut view, prefix, limit, p)?;
    proofs[match proof {
        Proof::Maxima => 0,
        Proof::Row => 1,
        Proof::Exact => 2,
        Proof::Sort => 3,
    }] += 1;
    let ranked = &prefix.entries()[..candidates.min(prefix.entries().len())];
    let first = ranked.first().map_or(0, |entry| entry.id());
    if candidates < 2 {
        return Ok(first);
    }
    memory::reserve(weights, ranked.len().saturating_sub(weights.len()))?;
    let u = generator.uniform();
    if candidates > ranked.len() && params.temperature == f32::INFINITY {
        // -inf / inf: NaN weights, which give rank 0. At any other temperature a -inf weighs nothing.
        return Ok(first);
    }
    weights.clear();
    weights.extend(ranked.iter().map(|entry| entry.logit()));
    if !weigh(weights, view.top, params.temperature) {
        return Ok(first);
    }
    Ok(ranked[pick(weights, u)].id())
}
