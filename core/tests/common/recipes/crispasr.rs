//! CrispASR: `run_with_probs` of greedy_decode.h, and `cosyvoice3_tts_sample_ras`.

use super::record::Record;
use super::{Mismatch, accept, chain, close, same};
use crate::common::rows::SplitMix;
use rand_mt::Mt64;
use s2sampler_core::{ChainRequest, DistOptions, DistOrder, SimdLevel, Stage};

/// A word of the engine's `std::mt19937_64` as a number from 0 to 1.
fn uniform(random: &mut Mt64) -> [f64; 1] {
    [random.next_u64() as f64 / 2.0_f64.powi(64)]
}

/// Feeding a token to the toy model: the seed of its next row.
fn feed(h: u64, token: i32) -> u64 {
    SplitMix(h ^ token as u64).next()
}

/// The probability is that of the penalised row at temperature 1.
pub fn greedy_decode(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let t = line.float("temperature")?;
    let penalties = Stage::penalties(-1, 1.0, line.float("frequency_penalty")?, 0.0);
    let dist = DistOptions { order: DistOrder::Id, ..DistOptions::new(0) };
    let mut chain = match t > 0.0 {
        true => chain(level, [penalties, Stage::scale(1.0 / t), Stage::dist_with(dist)])?,
        false => chain(level, [penalties, Ok(Stage::greedy())])?,
    };
    let mut random = Mt64::new(line.number("rng_seed")?);
    let mut h = line.number("model_seed")?;
    let mut last: i32 = line.number("first_token")?;
    accept(&mut chain, &[last])?;
    let (eos, most): (i32, usize) = (line.number("eos_id")?, line.number("max_new_tokens")?);
    let want: Vec<i32> = line.numbers("tokens")?;
    let probabilities = line.floats("probabilities")?;
    same("first token", Some(&last), want.first())?;
    close("first probability", line.float("first_prob")?.into(), probabilities[0])?;
    let mut tokens = 1;
    while last != eos && tokens < most {
        h = feed(h, last);
        let row = line.row_of(h)?;
        let uniforms = uniform(&mut random);
        let request = ChainRequest { uniforms: &uniforms, ..ChainRequest::new(&row) };
        let result = chain.sample_request(&request)?;
        last = result.drawn.token;
        same(&format!("token {tokens}"), Some(&last), want.get(tokens))?;
        let got = result.probability.penalised_p;
        close(&format!("probability {tokens}"), got, probabilities[tokens])?;
        tokens += 1;
    }
    same("tokens", tokens, want.len())
}

/// The second draw of a repeated token is from the full softmax, without that token.
pub fn cosyvoice3(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let dist = |order| Stage::dist_with(DistOptions { order, ..DistOptions::new(0) });
    let mut first = chain(
        level,
        [
            Ok(Stage::softmax()),
            Ok(Stage::top_k(line.number("top_k")?)),
            Stage::top_p(line.float("top_p")?, 1),
            dist(DistOrder::Rank),
        ],
    )?;
    let mut second = chain(level, [dist(DistOrder::Id)])?;
    let mut random = Mt64::new(line.number("rng_seed")?);
    let mut h = line.number("model_seed")?;
    let same_row = line.text("family")?.ends_with('=');
    let window: usize = line.number("window")?;
    let limit = window as f32 * line.float("tau")?;
    let (mut drawn, mut hits) = (Vec::new(), 0);
    let want: Vec<i32> = line.numbers("tokens")?;
    for token in &want {
        let row = line.row_of(h)?;
        let uniforms = uniform(&mut random);
        let request = ChainRequest { uniforms: &uniforms, ..ChainRequest::new(&row) };
        let mut got = first.sample_request_token(&request)?.token;
        let lately = drawn.iter().rev().take(window).filter(|old| **old == got).count();
        if lately as f32 >= limit {
            let (uniforms, banned) = (uniform(&mut random), [got]);
            let uniforms = &uniforms;
            let request = ChainRequest { uniforms, banned: &banned, ..ChainRequest::new(&row) };
            got = second.sample_request_token(&request)?.token;
            hits += 1;
        }
        same(&format!("token {}", drawn.len()), got, *token)?;
        drawn.push(got);
        if !same_row {
            h = feed(h, got);
        }
    }
    same("hits", hits, line.number("hits")?)
}
