//! Counts how draws are settled, and prints the counts as CSV: nothing is timed.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a benchmark is a program, and stops where it fails"
)]

mod common;
/// The golden files.
#[path = "../tests/common/golden.rs"]
#[allow(dead_code)]
mod golden;

use common::{SplitMix, rows};
use s2sampler_core::{ResolutionCounts, Sampler, SamplerParams};

/// For each row of a length.
const DRAWS: usize = 4000;

/// top_k where it limits; half of the draws have none of these.
const LIMITS: [i32; 7] = [2, 5, 20, 30, 50, 200, 1000];

/// How many draws, and how many of them each kind of proof settled; the rest needed none.
#[derive(Default)]
struct Count {
    draws: u64,
    settled: ResolutionCounts,
}

impl Count {
    fn add(&mut self, sampler: &Sampler, draws: usize) {
        self.draws += draws as u64;
        self.settled += sampler.resolutions();
    }

    fn print(&self, set: &str) {
        let ResolutionCounts { maxima, row, exact, sort } = self.settled;
        let none = self.draws - self.settled.total();
        println!("{set},{},{none},{maxima},{row},{exact},{sort}", self.draws);
    }
}

fn main() {
    println!("set,draws,no sum needed,bounds from maxima,bounds from the row,exact sum,sort");
    let mut real =
        [("real rows with top_k", Count::default()), ("real rows without", Count::default())];
    for (index, row) in (0..).zip(common::all_real().values()) {
        for n in [155_776.min(row.len()), row.len()] {
            vary(&row[..n], index, &mut real);
        }
    }
    let mut normal =
        [("normal with top_k", Count::default()), ("normal without", Count::default())];
    for n in [1024, 4096, 32_000, 155_776, 262_144] {
        vary(&common::normal(n, 1), n as u32, &mut normal);
    }
    for (set, count) in real.iter().chain(&normal) {
        count.print(set);
    }
    unsure();
    golden();
}

/// The row of benches/instructions/workloads.cpp that no bound from block maxima settles.
fn unsure() {
    let mut random = SplitMix(20_240_229);
    let mut row: Vec<f32> =
        (0..155_776).map(|_| if random.next().is_multiple_of(2) { 0.25 } else { -20.0 }).collect();
    for i in 0..30 {
        row[17 + 5192 * i] = 10.0 - 0.02 * i as f32;
    }
    let mut count = Count::default();
    let mut sampler = Sampler::new(1);
    for _ in 0..DRAWS {
        sampler.sample(&row, &SamplerParams::default()).expect("a token");
    }
    count.add(&sampler, DRAWS);
    assert_eq!(
        (count.settled.maxima, count.settled.total()),
        (0, DRAWS as u64),
        "the row is unsure"
    );
    count.print("unsure row");
}

/// Draws with a top_k and as many without, each with a top_p of its own.
fn vary(row: &[f32], seed: u32, counts: &mut [(&str, Count); 2]) {
    let mut random = SplitMix(u64::from(seed));
    for (limited, (_, count)) in [true, false].into_iter().zip(counts) {
        let mut sampler = Sampler::new(seed);
        for _ in 0..DRAWS / 2 {
            let top_p = 0.05 + 0.945 * random.unit();
            let top_k = if limited { random.pick(&LIMITS) } else { 0 };
            let params = SamplerParams { temperature: 0.8, top_p, top_k };
            sampler.sample(row, &params).expect("a token");
        }
        count.add(&sampler, DRAWS / 2);
    }
}

/// Every golden line, drawn as often as it has tokens, and the tokens are the golden ones.
fn golden() {
    let mut count = Count::default();
    let generated = ["sampler.tsv", "sampler_tied.tsv"].into_iter().flat_map(golden::generated);
    let real = ["18", "27"].into_iter().flat_map(golden::real);
    for line in generated.chain(real) {
        let mut sampler = Sampler::new(line.seed);
        let tokens: Vec<u32> = (line.tokens.iter())
            .map(|_| sampler.sample(&line.row, &line.params).expect("a token"))
            .collect();
        assert_eq!(tokens, line.tokens, "{}", line.text);
        count.add(&sampler, tokens.len());
    }
    count.print("golden cases");
}
