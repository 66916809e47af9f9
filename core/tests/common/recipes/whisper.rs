//! whisper.cpp, the log-probabilities and `whisper_sample_token`.

use super::record::Record;
use super::{Mismatch, Sums, chain, close, same};
use s2sampler_core::{
    ChainRequest, DistMethod, DistOptions, DistOrder, SimdLevel, Stage, TokenRange,
};

/// Timestamps are the ids from `token_beg` on: their probability is that of a group. What the engine returns has
/// the error of its normaliser, which is computed here and taken off, so that the rest agrees.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let row = line.row()?;
    let (t, method) = (line.float("temperature")?, DistMethod::Discrete);
    let seed = line.number("rng_seed")?;
    let dist = DistOptions { method, order: DistOrder::Id, ..DistOptions::new(seed) };
    let mut chain = match t > 0.0 {
        true => chain(level, [Stage::temperature(t), Stage::dist_with(dist)])?,
        false => chain(level, [Ok(Stage::greedy())])?,
    };
    let first: i32 = line.number("token_beg")?;
    let group = Some(TokenRange { first, last: row.len() as i32 - 1 });
    let error = normaliser_error(&row, if t > 0.0 { t } else { 1.0 });
    let tokens: Vec<i32> = line.numbers("tokens")?;
    let (logs, pts) = (line.floats("log_probabilities")?, line.floats("pt")?);
    same("columns", (logs.len(), pts.len()), (tokens.len(), tokens.len()))?;
    for (draw, token) in tokens.into_iter().enumerate() {
        let result = chain.sample_request(&ChainRequest { group, ..ChainRequest::new(&row) })?;
        let of = |what| format!("draw {draw}, {what}");
        same(&of("token"), result.drawn.token, token)?;
        close(&of("log-probability"), result.probability.final_log_p - error, logs[draw])?;
        let pt = match token >= first {
            true => result.probability.final_p * (-error).exp(),
            false => result.group.best_p / (result.group.p + 1e-10),
        };
        close(&of("pt"), pt, pts[draw])?;
        close(&of("ptsum"), result.group.p * (-error).exp(), line.float("ptsum")?)?;
    }
    Ok(())
}

/// How far the logarithm of the engine's normaliser is from the exact one: the engine adds up, takes the logarithm
/// and adds the largest logit in binary32.
fn normaliser_error(row: &[f32], t: f32) -> f64 {
    let Sums { exact, in_float, largest_logit } = Sums::new(row, t);
    f64::from(in_float.ln() + largest_logit) - (exact.ln() + f64::from(largest_logit))
}
