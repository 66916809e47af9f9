//! koboldcpp, `kcpp_quick_sample`.

use super::record::Record;
use super::{Mismatch, accept, chain, same};
use s2sampler_core::{Chain, ChainRequest, DistMethod, DistOptions, Error, SimdLevel, Stage};

/// The history is what was accepted before; each draw starts from it.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let mut chain = rule(line, level)?;
    accept(&mut chain, &line.numbers("history")?)?;
    let seed: u64 = line.number("seed")?;
    let step = u64::from(line.text("family")?.ends_with('+'));
    let tokens: Vec<i32> = line.numbers("tokens")?;
    for (token, draw) in tokens.iter().zip(0..) {
        let row = line.row_of(seed.wrapping_add(step * draw))?;
        let request = ChainRequest { accept: false, ..ChainRequest::new(&row) };
        same(&format!("token {draw}"), chain.sample_request_token(&request)?.token, *token)?;
    }
    Ok(())
}

fn rule(line: &Record, level: SimdLevel) -> Result<Chain, Mismatch> {
    let t = line.float("temperature")?;
    if t <= 0.0 {
        return chain(level, [Ok(Stage::greedy())]);
    }
    let k = match line.number("top_k")? {
        k @ 1..=300 => k,
        _ => 300,
    };
    let seed = line.number("rng_seed")?;
    let dist = DistOptions { method: DistMethod::Discrete, ..DistOptions::new(seed) };
    let stages: [Result<Stage, Error>; 5] = [
        Stage::scale(1.0 / t),
        // A penalty below 1 is off.
        Stage::penalties(-1, line.float("rep_pen")?.max(1.0), 0.0, 0.0),
        Ok(Stage::top_k(k)),
        Stage::top_p(line.float("top_p")?, 1),
        Stage::dist_with(dist),
    ];
    chain(level, stages)
}
