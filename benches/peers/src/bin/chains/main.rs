//! Times chains of stages: this library's from the row of logits, llama.cpp's with its array filled.
//!
//! Prints CSV like the other timing programs: row,n,job,state,subject,nanoseconds, the last a list with
//! one entry for each round. The tokens of both are compared first.

#[path = "../../clock.rs"]
mod clock;
#[path = "../../../../../core/benches/common/mod.rs"]
mod common;
#[path = "../../../../../core/tests/common/chain/custom.rs"]
mod custom;
#[path = "../agree/peer.rs"]
mod peer;
#[path = "../../../../../core/tests/common/chain/spec.rs"]
mod spec;

use clock::thread_ns;
use common::Shape;
use peer::Llama;
use s2sampler_core::Chain;
use spec::{Spec, fill};
use std::hint::black_box;

const SHAPES: [Shape; 4] = [
    ("normal", common::normal),
    ("real", common::real),
    ("masked", common::masked),
    ("peaked", common::peaked),
];
const LENGTHS: [usize; 2] = [4096, 155_776];
const SEED: u32 = 42;

/// Tokens that are accepted before the first draw, as many as the penalties look back.
const HISTORY: i32 = 64;

/// Draws whose tokens are compared.
const COMPARED: usize = 50;

const LEAST_BATCH_NS: f64 = 1.5e6;

/// A chain by the name that the results carry, and what llama.cpp has for it.
struct Job {
    name: &'static str,
    ours: Vec<Spec>,
    theirs: Vec<Spec>,
    /// Whether both are the same rule, so that the tokens are the same too.
    same: bool,
}

fn jobs() -> Vec<Job> {
    let top_p = |p| Spec::TopP { p, min_keep: 1 };
    let min_p = |p| Spec::MinP { p, min_keep: 1 };
    let penalties =
        || Spec::Penalties { last_n: HISTORY, repeat: 1.1, frequency: 0.0, presence: 0.0 };
    let (t, dist) = (Spec::Temperature, Spec::Dist(SEED));
    let llama = vec![Spec::TopK(40), top_p(0.95), min_p(0.05), t(0.8), dist.clone()];
    let with_penalties = [vec![penalties()], llama.clone()].concat();
    let nucleus = vec![top_p(0.9), t(0.8), dist.clone()];
    let hugging_face =
        vec![penalties(), t(0.8), Spec::TopK(50), top_p(0.9), min_p(0.05), dist.clone()];
    let article = vec![penalties(), t(0.8), Spec::Softmax, Spec::TopK(40), top_p(0.9), dist];
    // llama.cpp has no stage that holds the whole row's probabilities.
    let without_softmax = |specs: &[Spec]| -> Vec<Spec> {
        specs.iter().filter(|spec| !matches!(spec, Spec::Softmax)).cloned().collect()
    };
    let all = [
        ("llama", llama),
        ("penalties", with_penalties),
        ("nucleus", nucleus),
        ("huggingface", hugging_face),
        ("article", article),
    ];
    let job = |(name, ours): (&'static str, Vec<Spec>)| {
        let theirs = without_softmax(&ours);
        Job { name, same: ours.len() == theirs.len(), ours, theirs }
    };
    all.into_iter().map(job).collect()
}

struct Both {
    chain: Chain,
    llama: Llama,
}

impl Both {
    fn new(job: &Job, n: usize) -> Self {
        let mut chain = fill(Chain::new(), &job.ours);
        let llama = Llama::new(&job.theirs, n);
        for token in (0..HISTORY).map(|i| i * 61 % n as i32) {
            chain.accept(token).expect("memory");
            llama.accept(token);
        }
        Self { chain, llama }
    }
}

/// Nanoseconds for one draw, over rows in turn, after a turn that warms the caches.
fn batch_ns(rows: &[Vec<f32>], mut draw: impl FnMut(&[f32]) -> i32) -> f64 {
    let mut turn = || {
        let start = thread_ns();
        for row in rows {
            black_box(draw(row));
        }
        thread_ns() - start
    };
    let guess = turn().min(turn());
    let turns = 1 + (LEAST_BATCH_NS / guess.max(10.0)) as usize;
    (0..turns).map(|_| turn()).sum::<f64>() / (turns * rows.len()) as f64
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok());
    let Some(rounds @ 1usize..) = rounds else {
        eprintln!("usage: chains ROUNDS");
        std::process::exit(2);
    };
    println!("row,n,job,state,subject,nanoseconds");
    for (shape, make) in SHAPES {
        for n in LENGTHS {
            let samples = if n > 4096 { 1 } else { 16 };
            let rows: Vec<Vec<f32>> = (1..=samples).map(|seed| make(n, seed)).collect();
            for job in jobs() {
                let what = format!("{shape},{n},{}", job.name);
                check(&what, &job, &rows);
                time(&what, &job, &rows, rounds);
            }
        }
    }
}

/// The same seed gives the same tokens where the rule is the same. A wide nucleus is summed up in
/// another order, which moves a few of them.
fn check(what: &str, job: &Job, rows: &[Vec<f32>]) {
    let mut both = Both::new(job, rows[0].len());
    let mut array = Vec::new();
    let mut same = 0;
    for row in rows.iter().cycle().take(COMPARED) {
        let ours = both.chain.sample(row).expect("a token") as i32;
        let theirs = both.llama.sample(row, &mut array);
        assert!([ours, theirs].iter().all(|token| row[*token as usize].is_finite()), "{what}");
        same += usize::from(ours == theirs);
    }
    let is_wide = job.ours.iter().all(|spec| !matches!(spec, Spec::TopK(_)));
    let least = if is_wide { COMPARED * 8 / 10 } else { COMPARED };
    assert!(!job.same || same >= least, "{what}: {same} of {COMPARED} tokens are the same");
}

fn time(what: &str, job: &Job, rows: &[Vec<f32>], rounds: usize) {
    let Both { mut chain, llama } = Both::new(job, rows[0].len());
    let mut array = Vec::new();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let ours = batch_ns(rows, |row| chain.sample(row).expect("a token") as i32);
        let theirs = batch_ns(rows, |row| llama.sample(row, &mut array));
        times[0].push(format!("{ours:.1}"));
        times[1].push(format!("{theirs:.1}"));
    }
    for (subject, times) in ["s2sampler", "llama.cpp"].iter().zip(&times) {
        println!("{what},cache,{subject},{}", times.join(" "));
    }
}
