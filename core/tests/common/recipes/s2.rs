//! s2.cpp: the loop of today, and the sampler of its first two generations.

use super::record::{Record, split};
use super::{Mismatch, chain, draws, same};
use crate::common::toy::Toy;
use s2sampler_core::{Sampler, SamplerParams, SimdLevel, Stage, Stream, StreamConfig};

/// A stream that goes on where the second draw of a frame gives the end token, as the engine's loop does.
pub fn generate(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
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
    let params = params(line)?;
    let config = StreamConfig {
        semantic_first: *toy.semantic.start() as i32,
        semantic_last: *toy.semantic.end() as i32,
        end_id: toy.im_end as i32,
        continues_after_redrawn_end: true,
        ..StreamConfig::default()
    };
    let min_tokens: usize = line.number("min_tokens_before_end")?;
    let max_tokens: usize = line.number("max_new_tokens")?;
    let codebooks: usize = line.number("codebooks")?;
    let sampler = Sampler::with_simd_level(line.number("rng_seed")?, level);
    let mut stream = Stream::new(sampler.ok_or("no such level")?, &config)?;
    let mut model = toy.begin();
    let (mut frames, mut end_redraws) = (Vec::new(), 0);
    while frames.len() < max_tokens {
        let main = stream.slow(&model.slow_row(), &params, frames.len() >= min_tokens)?;
        if stream.has_ended() {
            break;
        }
        end_redraws += usize::from(main == toy.im_end && stream.was_redrawn());
        let mut codes = vec![stream.code(main, toy.codebook_size as u32)?];
        while codes.len() < codebooks {
            codes.push(stream.fast(&model.fast_row(&codes), &params)?);
        }
        model.feed(main, &codes);
        frames.push(codes);
    }
    let want = split(line.text("frames")?, ' ');
    let want: Result<Vec<Vec<u32>>, _> =
        want.map(|frame| split(frame, ',').map(super::record::number).collect()).collect();
    same("codes", frames, want?)?;
    same("end tokens of second draws", end_redraws, line.number("end_redraws")?)
}

/// The second generation keeps an id among the candidates.
pub fn first_generation(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let keep_id = if line.has("keep_id") { line.number("keep_id")? } else { -1 };
    let stages = [Stage::s2_first(params(line)?, keep_id), Stage::dist(line.number("rng_seed")?)];
    draws(&mut chain(level, stages.map(Ok))?, line, true)
}

fn params(line: &Record) -> Result<SamplerParams, Mismatch> {
    let (temperature, top_p) = (line.float("temperature")?, line.float("top_p")?);
    Ok(SamplerParams { temperature, top_p, top_k: line.number("top_k")? })
}
