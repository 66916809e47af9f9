//! audio.cpp: `HfSampler::sample`, and the loop of fish_audio.

use super::record::{Record, number, split};
use super::{Mismatch, accept, chain, draws, same};
use crate::common::toy::Toy;
use rand_mt::Mt;
use s2sampler_core::{
    Chain, ChainRequest, DistMethod, DistOptions, DistOrder, SimdLevel, Stage, TokenRange,
};
use std::collections::VecDeque;

/// The history stays as it is.
pub fn hf_sampler(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let min_keep: usize = line.number("min_keep")?;
    let k: i32 = line.number("top_k")?;
    let k = if k > 0 { k.max(min_keep as i32) } else { 0 };
    let (method, order) = (DistMethod::Discrete, DistOrder::Id);
    let seed = line.number("rng_seed")?;
    let mut chain = chain(
        level,
        [
            Stage::penalties(-1, line.float("rep_pen")?, 0.0, 0.0),
            Stage::temperature(line.float("temperature")?),
            Ok(Stage::top_k_ties(k)),
            Stage::top_p(line.float("top_p")?, min_keep),
            Stage::dist_with(DistOptions { method, order, ..DistOptions::new(seed) }),
        ],
    )?;
    accept(&mut chain, &line.numbers("history")?)?;
    draws(&mut chain, line, false)
}

/// Two main tokens in every frame; the second replaces a semantic one that came lately. All numbers are those
/// of one `std::mt19937`, which is the caller's.
pub fn fish_audio(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let toy = Toy {
        vocab: line.number("vocab")?,
        semantic: line.number("sem_begin")?..=line.number("sem_end")?,
        im_end: line.number("im_end")?,
        codebook_size: line.number("codebook_size")?,
        seed: line.number("model_seed")?,
        scale: line.float("scale")?,
        hot: line.float("hot")?,
        stop_after: line.number("stop_after")?,
    };
    let range = |first: u32, last: u32| TokenRange { first: first as i32, last: last as i32 };
    let main_ids =
        [range(*toy.semantic.start(), *toy.semantic.end()), range(toy.im_end, toy.im_end)];
    let k: i32 = line.number("top_k")?;
    let mut user = rule(line.float("temperature")?, line.float("top_p")?, k, level)?;
    let mut redraw = rule(1.0, 0.9, k, level)?;
    let mut random = Mt::new(line.number("rng_seed")?);
    let (codebooks, most): (usize, usize) = (line.number("codebooks")?, line.number("max_frames")?);
    let mut model = toy.begin();
    let mut window = VecDeque::from([0; 10]);
    let (mut frames, mut hits) = (Vec::new(), 0);
    while frames.len() < most {
        let row = model.slow_row();
        let first = draw(&mut user, &row, &main_ids, &mut random)?;
        let second = draw(&mut redraw, &row, &main_ids, &mut random)?;
        let hit = !frames.is_empty() && toy.semantic.contains(&first) && window.contains(&first);
        hits += usize::from(hit);
        let main = if hit { second } else { first };
        window.push_back(main);
        window.pop_front();
        if main == toy.im_end {
            break;
        }
        // Not clamped to the codebook.
        let mut codes = vec![main - toy.semantic.start()];
        while codes.len() < codebooks {
            codes.push(draw(&mut user, &model.fast_row(&codes), &[], &mut random)?);
        }
        model.feed(main, &codes);
        codes[0] = main;
        frames.push(codes);
    }
    let want = split(line.text("frames")?, ',');
    let want: Result<Vec<Vec<u32>>, Mismatch> =
        want.map(|frame| split(frame, ':').map(number).collect()).collect();
    same("frames", frames, want?)?;
    same("hits", hits, line.number("hits")?)
}

fn rule(t: f32, top_p: f32, k: i32, level: SimdLevel) -> Result<Chain, Mismatch> {
    let dist = DistOptions { method: DistMethod::Discrete, ..DistOptions::new(0) };
    chain(
        level,
        [
            Ok(Stage::softmax()),
            Ok(Stage::top_k(k.max(1))),
            Stage::top_p_exclusive(top_p),
            Stage::temperature(t.max(1e-5)),
            Stage::dist_with(dist),
        ],
    )
}

/// A draw that takes two words of the generator, or none where one candidate is left.
fn draw(
    chain: &mut Chain,
    row: &[f32],
    ranges: &[TokenRange],
    random: &mut Mt,
) -> Result<u32, Mismatch> {
    let mut after = random.clone();
    let (g0, g1) = (after.next_u32(), after.next_u32());
    let u = (f64::from(g0) + f64::from(g1) * 2.0_f64.powi(32)) / 2.0_f64.powi(64);
    let uniforms = [u];
    let request = ChainRequest { uniforms: &uniforms, ranges, ..ChainRequest::new(row) };
    let result = chain.sample_request_token(&request)?;
    if result.uniforms == 1 {
        *random = after;
    }
    u32::try_from(result.token).map_err(|_| "no id".into())
}
