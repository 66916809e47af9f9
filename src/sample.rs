//! One draw from one row, by CONTRACT rules; the order of the steps is the order of the header's manual.

use crate::rng::{Generator, pick};
use crate::select::Entry;
use crate::temper::weigh;
use crate::{Error, SamplerParams};

/// Working memory of a draw, grown once and kept.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    ranked: Vec<Entry>,
    weights: Vec<f32>,
}

impl Scratch {
    pub(crate) const fn new() -> Self {
        Self { ranked: Vec::new(), weights: Vec::new() }
    }
}

pub(crate) fn sample_row(
    row: &[f32],
    params: &SamplerParams,
    rng: &mut Generator,
    scratch: &mut Scratch,
) -> Result<u32, Error> {
    let n = row.len();
    if n == 0 {
        return Err(Error::EmptyRow);
    }
    if i32::try_from(n).is_err() {
        return Err(Error::BadArgument);
    }
    let limit = params.rank_limit(n);
    let Scratch { ranked, weights } = scratch;
    ranked.clear();
    ranked.extend(
        row.iter()
            .zip(0u32..)
            .filter(|(l, _)| **l > f32::NEG_INFINITY)
            .map(|(l, id)| Entry::new(*l, id)),
    );
    ranked.sort_unstable();
    let Some(first) = ranked.first().copied() else {
        if limit > 1 && !params.is_greedy() {
            rng.uniform();
        }
        return Ok(0);
    };
    if params.is_greedy() {
        return Ok(first.id());
    }
    let top = first.logit();
    if top == f32::INFINITY {
        if limit > 1 {
            rng.uniform();
        }
        return Ok(first.id());
    }
    let total: f32 = ranked.iter().fold(0.0, |s, e| s + (e.logit() - top).exp());
    let p = params.nucleus();
    let mut running = 0.0_f32;
    let mut kept = 0;
    for entry in ranked.iter() {
        running += (entry.logit() - top).exp() / total;
        if kept >= limit || (kept > 0 && running > p) {
            break;
        }
        kept += 1;
    }
    let candidates = if kept == ranked.len() { limit } else { kept };
    if candidates < 2 {
        return Ok(first.id());
    }
    let u = rng.uniform();
    if candidates > kept && params.temperature == f32::INFINITY {
        return Ok(first.id());
    }
    weights.clear();
    weights.extend(ranked[..kept].iter().map(|e| e.logit()));
    if !weigh(weights, top, params.temperature) {
        return Ok(first.id());
    }
    Ok(ranked[pick(weights, u)].id())
}
