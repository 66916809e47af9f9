//! Times every stage that llama.cpp has, and chains of them, beside llama.cpp's: from a row, for which
//! llama.cpp fills its array, and on an array of candidates. Both take turns draw by draw.
//!
//! Prints CSV like the other timing programs: row,n,job,state,subject,nanoseconds, the last a list with
//! one entry for each round. Before that the results of both are compared.

mod caches;
#[path = "../../clock.rs"]
mod clock;
#[path = "../../../../../core/benches/common/mod.rs"]
mod common;
#[path = "../../../../../core/tests/common/chain/custom.rs"]
mod custom;
mod jobs;
#[path = "../agree/peer.rs"]
mod peer;
#[path = "../../../../../core/tests/common/chain/spec.rs"]
mod spec;

use caches::{Caches, State};
use clock::thread_ns;
use common::Shape;
use jobs::{HISTORY, Job};
use peer::Llama;
use s2sampler_core::{Chain, TokenData};
use spec::{Spec, fill};
use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

const SHAPES: [Shape; 3] =
    [("uniform", common::uniform), ("normal", common::normal), ("peaked", common::peaked)];
const LENGTHS: [usize; 3] = [4096, 32_000, 131_072];
/// A speech engine's vocabulary, on normal rows.
const SPEECH: usize = 155_776;

/// Draws from a row, and on its array, whose tokens are compared.
const COMPARED: usize = 5;

/// Single draws for each subject, where the caches are not hot.
const COLD_ROUNDS: usize = 11;

/// A round takes at least so long, all subjects together.
const LEAST_ROUND_NS: f64 = 2e6;

/// Above this the clock of the thread is read, which leaves out other processes; below it that of the
/// wall, which costs less to read.
const LONG_NS: f64 = 50e3;

struct Rows {
    shape: &'static str,
    n: usize,
    rows: Vec<Vec<f32>>,
    arrays: Vec<Vec<TokenData>>,
    sorted: Vec<Vec<TokenData>>,
}

impl Rows {
    fn new((shape, make): Shape, n: usize) -> Self {
        // As many as stay in cache: the branch predictor learns a short row by heart.
        let samples = if n <= 4096 { 8 } else { 1 };
        let rows: Vec<Vec<f32>> = (1..=samples).map(|seed| make(n, seed)).collect();
        let entry = |(id, &logit): (usize, &f32)| TokenData { id: id as i32, logit, p: 0.0 };
        let arrays: Vec<Vec<TokenData>> =
            rows.iter().map(|row| row.iter().enumerate().map(entry).collect()).collect();
        let mut sorted = arrays.clone();
        for array in &mut sorted {
            array.sort_by(|a, b| b.logit.total_cmp(&a.logit).then(a.id.cmp(&b.id)));
        }
        Self { shape, n, rows, arrays, sorted }
    }
}

/// A chain of the library's and llama.cpp's, in the same state.
struct Both {
    chain: Chain,
    llama: Llama,
}

impl Both {
    fn new(specs: &[Spec], n: usize) -> Self {
        let mut chain = fill(Chain::new(), specs);
        let llama = Llama::new(specs, n);
        for token in (0..HISTORY).map(|i| i * 61 % n as i32) {
            chain.accept(token).expect("memory");
            llama.accept(token);
        }
        Self { chain, llama }
    }
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok());
    let Some(rounds @ 1usize..) = rounds else {
        eprintln!("usage: chains ROUNDS");
        std::process::exit(2);
    };
    println!("row,n,job,state,subject,nanoseconds");
    let mut caches = Caches::new();
    let all = [jobs::stages(), jobs::chains()].concat();
    for shape in SHAPES {
        for n in LENGTHS.into_iter().chain((shape.0 == "normal").then_some(SPEECH)) {
            let rows = Rows::new(shape, n);
            for job in &all {
                check(job, &rows);
                time(job, &rows, State::Hot, rounds, &mut caches);
                if shape.0 == "normal" {
                    time(job, &rows, State::Written, COLD_ROUNDS, &mut caches);
                    time(job, &rows, State::Cold, COLD_ROUNDS, &mut caches);
                }
            }
        }
    }
}

/// The library draws the same tokens from a row and on its array. llama.cpp leaves the same candidates on
/// the array, or, where it adds up in another order, all but a few of them.
fn check(job: &Job, rows: &Rows) {
    let what = format!("{} {} {}", rows.shape, rows.n, job.name);
    if !job.sorted {
        let (mut row, mut array) = (Both::new(&job.row, rows.n), Both::new(&job.row, rows.n));
        for i in (0..rows.rows.len()).cycle().take(COMPARED) {
            let token = row.chain.sample(&rows.rows[i]).expect("a token") as i32;
            let mut tokens = rows.arrays[i].clone();
            let applied = array.chain.apply(&mut tokens, false).expect("candidates");
            let selected = tokens[applied.selected.expect("a stage selects")].id;
            array.chain.accept(selected).expect("memory");
            assert_eq!(token, selected, "{what}: the row's token and the array's");
        }
    }
    for array in if job.sorted { &rows.sorted } else { &rows.arrays } {
        let Both { mut chain, llama } = Both::new(&job.array, rows.n);
        let mut tokens = array.clone();
        let applied = chain.apply(&mut tokens, job.sorted).expect("candidates");
        // docs/chain.md: llama.cpp leaves entries at -inf in the list.
        let set = |tokens: &[TokenData]| -> BTreeSet<i32> {
            tokens.iter().filter(|t| t.logit > f32::NEG_INFINITY).map(|t| t.id).collect()
        };
        let ours = set(&tokens[..applied.len]);
        let theirs = set(&llama.apply(array, job.sorted).tokens);
        let differing = ours.symmetric_difference(&theirs).count();
        let most = if job.sums { ours.len().max(theirs.len()) / 20 + 1 } else { 0 };
        assert!(
            differing <= most,
            "{what}: {differing} candidates differ of {} and {}",
            ours.len(),
            theirs.len()
        );
    }
}

/// The nanoseconds of a call. What reading the clock takes is subtracted.
fn timed(long: bool, reading: f64, call: impl FnOnce()) -> f64 {
    let ns = if long {
        let start = thread_ns();
        call();
        thread_ns() - start
    } else {
        let start = Instant::now();
        call();
        start.elapsed().as_nanos() as f64
    };
    (ns - reading).max(1.0)
}

fn reading_ns(long: bool) -> f64 {
    let mut all: Vec<f64> = (0..101).map(|_| timed(long, 0.0, || {})).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn time(job: &Job, rows: &Rows, state: State, rounds: usize, caches: &mut Caches) {
    let mut row = Both::new(&job.row, rows.n);
    let mut array = Both::new(&job.array, rows.n);
    let (mut row_buffer, mut array_buffer) = (rows.rows[0].clone(), rows.arrays[0].clone());
    let mut filled = Vec::new();
    let arrays = if job.sorted { &rows.sorted } else { &rows.arrays };
    let mut draw = |subject: usize, sample: usize, clock: (bool, f64)| {
        let (long, reading) = clock;
        if subject < 2 {
            caches.place(state, &rows.rows[sample], &mut row_buffer);
        } else {
            caches.place(state, &arrays[sample], &mut array_buffer);
        }
        timed(long, reading, || match subject {
            0 => drop(black_box(row.chain.sample(&row_buffer))),
            1 => drop(black_box(row.llama.sample(&row_buffer, &mut filled))),
            2 => drop(black_box(array.chain.apply(&mut array_buffer, job.sorted))),
            _ => array.llama.apply_in_place(&mut array_buffer, job.sorted),
        })
    };
    let subjects = if job.sorted { 2..4 } else { 0..4 };
    let wall = (false, reading_ns(false));
    let thread = (true, reading_ns(true));
    let mut clocks = [wall; 4];
    let mut turn_ns = 0.0;
    for subject in subjects.clone() {
        let guess = draw(subject, 0, wall).min(draw(subject, 0, wall));
        // Where the caches are cold, a call into the system would warm them.
        if guess > LONG_NS && state == State::Hot {
            clocks[subject] = thread;
        }
        turn_ns += guess * rows.rows.len() as f64;
    }
    let turns = match state {
        State::Hot => ((LEAST_ROUND_NS / turn_ns) as usize).clamp(1, 50),
        _ => 1,
    };
    let mut times = [const { Vec::new() }; 4];
    for round in 0..rounds {
        // Of a row that is drawn from several times the least counts, of rows the mean.
        let samples = match state {
            State::Hot => 0..rows.rows.len(),
            _ => round % rows.rows.len()..round % rows.rows.len() + 1,
        };
        let mut least = vec![[f64::INFINITY; 4]; samples.len()];
        for _ in 0..turns {
            for (sample, least) in samples.clone().zip(&mut least) {
                for subject in subjects.clone() {
                    least[subject] = least[subject].min(draw(subject, sample, clocks[subject]));
                }
            }
        }
        for subject in subjects.clone() {
            let sum: f64 = least.iter().map(|of| of[subject]).sum();
            times[subject].push(format!("{:.1}", sum / samples.len() as f64));
        }
    }
    for subject in subjects {
        let form = if subject < 2 {
            "row"
        } else if job.sorted {
            "sorted array"
        } else {
            "array"
        };
        let name = ["s2sampler", "llama.cpp"][subject % 2];
        let what = format!("{},{},{},{} {form}", rows.shape, rows.n, job.name, state.name());
        println!("{what},{name},{}", times[subject].join(" "));
    }
}
