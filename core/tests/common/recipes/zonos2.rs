//! zonos2.cpp, `zonos2_sampler::sample`.

use super::record::Record;
use super::{Mismatch, accept, chain, draws};
use s2sampler_core::{DistOptions, DistOrder, SimdLevel, Stage};

/// Where top_k cuts, the engine draws in rank order, otherwise in id order. The history stays as it is.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let n: i32 = line.number("n")?;
    let k: i32 = line.number("top_k")?;
    let cuts = 0 < k && k < n;
    let order = if cuts { DistOrder::Rank } else { DistOrder::Id };
    let top_p = line.float("top_p")?;
    let mut chain = chain(
        level,
        [
            Stage::penalty_each(-1, line.float("rep_pen")?),
            Stage::temperature(line.float("temperature")?),
            Ok(Stage::top_k(k)),
            Ok(Stage::softmax()),
            // 0 is off.
            Stage::top_p(if top_p > 0.0 { top_p } else { 1.0 }, 1),
            Stage::min_p(line.float("min_p")?, 1),
            Stage::dist_with(DistOptions { order, ..DistOptions::new(line.number("rng_seed")?) }),
        ],
    )?;
    accept(&mut chain, &line.numbers("history")?)?;
    draws(&mut chain, line, false)
}
