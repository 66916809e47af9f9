//! llama.cpp: chains of its samplers, eight draws of each.

use super::record::{Record, number, split};
use super::{Mismatch, candidates, same};
use s2sampler_core::{CandidateArray, Chain, CustomStage, Error, SimdLevel, Stage};

/// The same stages in the same order, seeds included. Before each draw the first stages are applied to an
/// array: llama.cpp leaves tokens at -inf in its list, so those above -inf are counted. On long rows top_p is
/// a stage of the caller's own.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let row = line.row()?;
    let mut chain = Chain::new().with_simd_level(level).ok_or("no such level")?;
    for text in split(line.text("chain")?, ' ') {
        chain.add(stage(text, row.len())?)?;
    }
    let tokens: Vec<u32> = line.numbers("tokens")?;
    let lists: Vec<&str> = split(line.text("candidates")?, '|').collect();
    same("draws", lists.len(), tokens.len())?;
    for ((token, sizes), draw) in tokens.iter().zip(lists).zip(1..) {
        let sizes = split(sizes, ':').map(|size| number(size.rsplit('/').next().unwrap_or(size)));
        let sizes: Vec<usize> = sizes.collect::<Result<_, _>>()?;
        let of = |what| format!("draw {draw}, {what}");
        same(&of("candidates"), left_by_each(&chain, &row)?, sizes)?;
        same(&of("token"), chain.sample(&row)?, *token)?;
    }
    Ok(())
}

/// The number of candidates above -inf after each stage.
fn left_by_each(chain: &Chain, row: &[f32]) -> Result<Vec<usize>, Mismatch> {
    let stages = chain.stages().len();
    let left_by = |last: usize| {
        let mut first = chain.try_clone()?;
        (last + 1..stages).rev().try_for_each(|index| first.remove(index))?;
        let mut tokens = candidates(row);
        let applied = first.apply(&mut tokens, false)?;
        let finite = tokens.iter().take(applied.len).filter(|t| t.logit > f32::NEG_INFINITY);
        Ok(finite.count())
    };
    (0..stages).map(left_by).collect()
}

/// From this length on a row's binary32 sums lose so much of the tail that they cut elsewhere.
const LONG: usize = 10_000;

/// A stage from its text; parameters have the order of llama.cpp's constructors.
fn stage(text: &str, n: usize) -> Result<Stage, Mismatch> {
    let (name, rest) = text.split_once('(').ok_or("no parameters")?;
    let texts: Vec<&str> = rest.trim_end_matches(')').split(',').collect();
    let text_of = |place: usize| texts.get(place).copied().ok_or("too few parameters");
    let float = |place| number::<f32>(text_of(place)?);
    let integer = |place| number::<i32>(text_of(place)?);
    let count = |place| number::<usize>(text_of(place)?);
    let seed = |place| number::<u32>(text_of(place)?);
    let stage = match name {
        "logit_bias" => Stage::logit_bias(&[(integer(0)?, float(1)?)]),
        "penalties" => Stage::penalties(integer(0)?, float(1)?, float(2)?, float(3)?),
        "temp" => Stage::temperature(float(0)?),
        "temp_ext" => Stage::temperature_ext(float(0)?, float(1)?, float(2)?),
        "top_k" => Ok(Stage::top_k(integer(0)?)),
        "top_p" if n > LONG => {
            Ok(Stage::custom(Box::new(FloatTopP { p: float(0)?, min_keep: count(1)? })))
        }
        "top_p" => Stage::top_p(float(0)?, count(1)?),
        "min_p" => Stage::min_p(float(0)?, count(1)?),
        "typical" => Stage::typical(float(0)?, count(1)?),
        "top_n_sigma" => Stage::top_n_sigma(float(0)?),
        "xtc" => Stage::xtc(float(0)?, float(1)?, count(2)?, seed(3)?),
        "mirostat_v2" => Stage::mirostat_v2(seed(0)?, float(1)?, float(2)?),
        "mirostat" => Stage::mirostat(seed(0)?, float(1)?, float(2)?, integer(3)?),
        "adaptive_p" => Stage::adaptive_p(float(0)?, float(1)?, seed(2)?),
        "dist" => Ok(Stage::dist(seed(0)?)),
        "greedy" => Ok(Stage::greedy()),
        _ => return Err(format!("no stage {name}").into()),
    };
    Ok(stage?)
}

/// llama.cpp's top_p with its binary32 sums, where those of [`Stage::top_p`] are double: a stage of the caller's
/// own.
#[derive(Debug, Clone)]
struct FloatTopP {
    p: f32,
    min_keep: usize,
}

impl CustomStage for FloatTopP {
    fn name(&self) -> &str {
        "float_top_p"
    }

    fn apply(&mut self, array: &mut CandidateArray<'_>) -> Result<(), Error> {
        if self.p >= 1.0 {
            return Ok(());
        }
        // The sum in the order of the list, then the sort.
        let tokens = &mut array.tokens[..array.len];
        let m = tokens.iter().map(|token| token.logit).fold(f32::NEG_INFINITY, f32::max);
        let sum = tokens.iter().fold(0.0_f32, |sum, token| sum + (token.logit - m).exp());
        tokens.sort_by(|a, b| b.logit.total_cmp(&a.logit).then(a.id.cmp(&b.id)));
        let mut running = 0.0_f32;
        let last = tokens.iter().zip(1..).find(|(token, rank)| {
            running += (token.logit - m).exp() / sum;
            running >= self.p && *rank >= self.min_keep
        });
        array.len = last.map_or(array.len, |(_, rank)| rank);
        array.sorted = true;
        Ok(())
    }

    fn try_clone(&self) -> Result<Box<dyn CustomStage>, Error> {
        Ok(Box::new(self.clone()))
    }
}
