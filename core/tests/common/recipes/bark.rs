//! bark.cpp, `gpt_multinomial_sample` and `gpt_argmax_sample`.

use super::record::Record;
use super::{Mismatch, Sums, chain, close, same};
use s2sampler_core::{ChainRequest, DistMethod, DistOptions, DistOrder, SimdLevel, Stage};

/// `eos_p` is the probability of the last id at the temperature, with the engine's binary32 normaliser. The
/// greedy function divides by 0.7.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let row = line.row()?;
    let (t, method) = (line.float("temperature")?, DistMethod::Discrete);
    let seed = line.number("rng_seed")?;
    let dist = DistOptions { method, order: DistOrder::Id, ..DistOptions::new(seed) };
    let stages = if t > 0.0 {
        [Stage::temperature(t), Stage::dist_with(dist)]
    } else {
        [Stage::temperature(0.7), Ok(Stage::greedy())]
    };
    let mut chain = chain(level, stages)?;
    let sums = Sums::new(&row, if t > 0.0 { t } else { 0.7 });
    let error = sums.exact / f64::from(sums.in_float);
    let tokens: Vec<i32> = line.numbers("tokens")?;
    for (token, draw) in tokens.iter().zip(1..) {
        let last = row.len() as i32 - 1;
        let request = ChainRequest { watched_id: Some(last), ..ChainRequest::new(&row) };
        let result = chain.sample_request(&request)?;
        same(&format!("token {draw}"), result.drawn.token, *token)?;
        close("eos_p", result.watched.final_p * error, line.float("eos_p")?)?;
    }
    Ok(())
}
