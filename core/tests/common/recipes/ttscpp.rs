//! TTS.cpp, `sampler::sample`: a token for each head of a frame.

use super::record::{Record, number, split};
use super::{Mismatch, chain, same};
use s2sampler_core::{Chain, ChainRequest, DistOptions, DistOrder, DistSums, SimdLevel, Stage};

/// A chain for each head; each remembers its own tokens. A call has a generator of its own, which gives each
/// head one number.
pub fn check(line: &Record, level: SimdLevel) -> Result<(), Mismatch> {
    let (seed, heads): (u64, u64) = (line.number("seed")?, line.number("heads")?);
    let rows: Vec<Vec<f32>> =
        (0..heads).map(|head| line.row_of(seed.wrapping_add(head))).collect::<Result<_, _>>()?;
    let mut chains: Vec<Chain> =
        rows.iter().map(|_| rule(line, level)).collect::<Result<_, _>>()?;
    let first_seed: u32 = line.number("first_seed")?;
    for (want, call) in split(line.text("calls")?, '|').zip(0..) {
        let want: Vec<i32> = split(want, ',').map(number).collect::<Result<_, _>>()?;
        let mut random = MinStd::new(first_seed.wrapping_add(call));
        let mut got = Vec::new();
        for (chain, row) in chains.iter_mut().zip(&rows) {
            let uniforms = [f64::from(random.uniform())];
            let request = ChainRequest { uniforms: &uniforms, ..ChainRequest::new(row) };
            got.push(chain.sample_request_token(&request)?.token);
        }
        same(&format!("tokens of call {call}"), got, want)?;
    }
    Ok(())
}

fn rule(line: &Record, level: SimdLevel) -> Result<Chain, Mismatch> {
    let (k, top_p) = (line.number("top_k")?, line.float("top_p")?);
    let (order, sums) = (DistOrder::Rank, DistSums::Float);
    let dist = DistOptions { order, sums, mass: top_p.min(1.0), ..DistOptions::new(0) };
    let mut stages = vec![
        Stage::penalty_run(line.float("rep_pen")?),
        Stage::temperature(line.float("temperature")?),
    ];
    // With top_p the probabilities are those of the whole row, otherwise those of the best k.
    match top_p < 1.0 {
        true => stages.extend([Ok(Stage::softmax()), Ok(Stage::top_k(k)), Stage::top_p(top_p, 1)]),
        false => stages.extend([Ok(Stage::top_k(k)), Ok(Stage::softmax())]),
    }
    stages.push(Stage::dist_with(dist));
    chain(level, stages)
}

/// `std::minstd_rand`.
struct MinStd(u64);

impl MinStd {
    const MODULUS: u64 = 0x7fff_ffff;

    fn new(seed: u32) -> Self {
        Self((u64::from(seed) % Self::MODULUS).max(1))
    }

    /// The next word's place between its least and its largest value, in binary32.
    fn uniform(&mut self) -> f32 {
        self.0 = self.0 * 48271 % Self::MODULUS;
        (self.0 - 1) as f32 / (Self::MODULUS - 1) as f32
    }
}
