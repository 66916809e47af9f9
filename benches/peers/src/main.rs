//! Times samplers that one could pick, in one process and in turn.
//!
//! Prints CSV like the C++ timing program: row,n,job,state,subject,nanoseconds, the last a list with one
//! entry for each round.

mod clock;
#[path = "../../../core/benches/common/mod.rs"]
mod common;
#[cfg(feature = "llama")]
mod llama;
mod peer;
mod rivals;
mod yardsticks;

use common::{DEFAULT, GREEDY, Job, NUCLEUS, Shape};
use peer::{Peer, Row};
use s2sampler_core::SamplerParams;
use yardsticks::{FullSort, MaxPass};

const SHAPES: [Shape; 4] = [
    ("normal", common::normal),
    ("real", common::real),
    ("masked", common::masked),
    ("flat", common::flat),
];
const LENGTHS: [usize; 5] = [1024, 4096, 32_000, 155_776, 262_144];
const JOBS: [Job; 3] = [DEFAULT, NUCLEUS, GREEDY];
const SEED: u32 = 42;

fn peers(params: SamplerParams) -> Vec<Box<dyn Peer>> {
    vec![
        Box::new(FullSort::new(params, SEED)),
        Box::new(rivals::Own::new(params, SEED)),
        Box::new(MaxPass),
        #[cfg(feature = "llama")]
        Box::new(llama::Filled::new(params, SEED)),
        #[cfg(feature = "llama")]
        Box::new(llama::ApplyOnly::new(params, SEED)),
        Box::new(rivals::Candle::new(params, SEED)),
        Box::new(rivals::LlmSamplers::new(params, SEED)),
        Box::new(rivals::Naive::new(params, SEED)),
    ]
}

/// The library's tokens are the full sort's, and no peer does another job: the best token where that
/// is asked for, else one of those that a draw may give.
fn check(what: &str, rows: &[Row], params: SamplerParams) {
    let (mut sort, mut own) = (FullSort::new(params, SEED), rivals::Own::new(params, SEED));
    for row in rows {
        for _ in 0..5 {
            assert_eq!(sort.draw(row), own.draw(row), "{what}: the tokens differ");
        }
    }
    for row in rows {
        let largest = row.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(MaxPass::largest(&row.logits), largest, "{what}: the bare pass");
        for mut peer in peers(params).into_iter().filter(|peer| peer.name() != "max pass") {
            let logit = row.logits[peer.draw(row) as usize];
            let fits = if params.temperature > 0.0 { logit.is_finite() } else { logit == largest };
            assert!(fits, "{what}: {} drew a token of logit {logit}", peer.name());
        }
    }
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok());
    let Some(rounds @ 1usize..) = rounds else {
        eprintln!("usage: s2sampler-peers ROUNDS");
        std::process::exit(2);
    };
    println!("row,n,job,state,subject,nanoseconds");
    for (shape, make) in SHAPES {
        for n in LENGTHS {
            // As many as stay in cache: the branch predictor learns a short row by heart that is sorted
            // over and over.
            let samples = match n {
                ..=4096 => 16,
                4097..=32_000 => 4,
                _ => 1,
            };
            let rows: Vec<Row> = (1..=samples).map(|seed| Row::new(make(n, seed))).collect();
            for (job, params) in JOBS {
                let what = format!("{shape},{n},{job}");
                check(&what, &rows, params);
                time(&what, &rows, params, rounds);
            }
        }
    }
}

fn time(what: &str, rows: &[Row], params: SamplerParams, rounds: usize) {
    let mut peers = peers(params);
    let mut times = vec![Vec::new(); peers.len()];
    for _ in 0..rounds {
        for (peer, times) in peers.iter_mut().zip(&mut times) {
            times.push(format!("{:.1}", peer.batch_ns(rows)));
        }
    }
    for (peer, times) in peers.iter().zip(&times) {
        // A name with a comma needs quotes.
        println!("{what},hot,\"{}\",{}", peer.name(), times.join(" "));
    }
}
