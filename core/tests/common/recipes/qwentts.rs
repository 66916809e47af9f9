//! qwentts.cpp, `sample_top_k_p`.

use super::record::Record;
use super::{Mismatch, accept, chain, same};
use s2sampler_core::{Chain, ChainRequest, DistOptions, DistOrder, DistSums, SimdLevel, Stage};

/// The engine's Philox numbers are the caller's.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let row = line.row()?;
    let mut chain = rule(line, level)?;
    accept(&mut chain, &line.numbers("history")?)?;
    let (uniforms, tokens) = (line.floats("uniforms")?, line.numbers::<i32>("tokens")?);
    same("uniforms", uniforms.len(), tokens.len())?;
    for ((u, token), draw) in uniforms.iter().zip(tokens).zip(1..) {
        // A greedy line has -1 instead of a number.
        let uniform = [f64::from(*u)];
        let uniforms = if *u < 0.0 { &[][..] } else { &uniform[..] };
        let request = ChainRequest { uniforms, accept: false, ..ChainRequest::new(&row) };
        same(&format!("token {draw}"), chain.sample_request_token(&request)?.token, token)?;
    }
    Ok(())
}

fn rule(line: &Record, level: SimdLevel) -> Result<Chain, Mismatch> {
    let t = line.float("temperature")?;
    if t <= 0.0 {
        return chain(level, [Ok(Stage::greedy())]);
    }
    let mut stages = vec![
        Stage::penalties(-1, line.float("rep_pen")?, 0.0, 0.0),
        Stage::scale(1.0 / t),
        Ok(Stage::top_k_ties(line.number("top_k")?)),
    ];
    let top_p = line.float("top_p")?;
    if 0.0 < top_p && top_p < 1.0 {
        // The probabilities are those before the logits below m - 16 go.
        stages.push(Ok(Stage::softmax()));
        stages.push(Stage::min_p((-16.0_f32).exp(), 1));
        stages.push(Stage::top_p(top_p, 1));
    }
    let (order, sums) = (DistOrder::Id, DistSums::Float);
    stages.push(Stage::dist_with(DistOptions { order, sums, ..DistOptions::new(0) }));
    chain(level, stages)
}
