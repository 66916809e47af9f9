//! Hugging Face transformers: what the processors of `generate` leave of a row.

use super::record::Record;
use super::{Mismatch, accept, chain, close, same};
use s2sampler_core::{SimdLevel, Stage, TokenData};

/// The processors in the order of `generate`, over an array.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let mut chain = chain(
        level,
        [
            Stage::penalties(-1, line.float("repetition_penalty")?, 0.0, 0.0),
            Stage::no_repeat_ngram(line.number("no_repeat_ngram")?, -1),
            Stage::temperature(line.float("temperature")?),
            Ok(Stage::top_k(line.number("top_k")?)),
            Stage::top_p(line.float("top_p")?, 1),
            Stage::min_p(line.float("min_p")?, 1),
            Stage::typical(line.float("typical")?, 1),
            Stage::epsilon_cutoff(line.float("epsilon")?, 1),
            Stage::eta_cutoff(line.float("eta")?, 1),
        ],
    )?;
    accept(&mut chain, &line.numbers("history")?)?;
    let mut tokens = super::candidates(&line.row()?);
    let applied = chain.apply(&mut tokens, false)?;
    tokens.truncate(applied.len);
    // What is not there, and what is there at -inf, has the probability 0.
    tokens.retain(|token| token.logit > f32::NEG_INFINITY);
    same("candidates", tokens.len(), line.number("count")?)?;
    tokens.sort_unstable_by_key(|token| token.id);
    let ids: Vec<i32> = tokens.iter().map(|token| token.id).collect();
    match line.text("ids_or_hash")?.strip_prefix("0x") {
        Some(hash) => same("hash of the ids", format!("{:016x}", fnv(&ids)), hash.into())?,
        None => same("ids", ids, line.numbers("ids_or_hash")?)?,
    }
    let largest = line.numbers("probabilities")?;
    let got = probabilities(&tokens);
    same("probabilities", got.len().min(8), largest.len())?;
    got.iter().zip(largest).try_for_each(|(got, want)| close("probability", *got, want))
}

/// The softmax in double, falling.
fn probabilities(tokens: &[TokenData]) -> Vec<f64> {
    let logits = tokens.iter().map(|token| f64::from(token.logit));
    let m = logits.clone().fold(f64::NEG_INFINITY, f64::max);
    let mut e: Vec<f64> = logits.map(|l| (l - m).exp()).collect();
    let sum: f64 = e.iter().sum();
    e.iter_mut().for_each(|e| *e /= sum);
    e.sort_unstable_by(|a, b| b.total_cmp(a));
    e
}

/// FNV-1a of 64 bits over the ids as little-endian words.
fn fnv(ids: &[i32]) -> u64 {
    let bytes = ids.iter().flat_map(|id| id.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
