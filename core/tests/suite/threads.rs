//! Threads: each has a generator of its own, and nothing that another thread does shows in it.

use crate::common;

use common::rows::{masked, peaky, tied};
use s2sampler_core::{Sampler, SamplerParams, sample_token, seed_thread};
use std::sync::Barrier;
use std::thread;

const THREADS: u32 = 8;
const DRAWS: usize = 400;

/// Rows that make a stream: different lengths, so that working memory is used over and over.
fn rows() -> Vec<Vec<f32>> {
    let scale = 2.0_f32.powi(-19);
    vec![peaky(4096, scale, 1), masked(20_000, scale, 2), tied(300, scale, 3), vec![0.0; 1000]]
}

fn params(draw: usize) -> SamplerParams {
    let top_k = [30, 0, 1, 50, 2][draw % 5];
    SamplerParams { temperature: 0.9, top_p: 0.95, top_k }
}

fn stream(rows: &[Vec<f32>], mut draw: impl FnMut(&[f32], &SamplerParams) -> u32) -> Vec<u32> {
    (0..DRAWS).map(|i| draw(&rows[i % rows.len()], &params(i))).collect()
}

fn thread_stream(rows: &[Vec<f32>]) -> Vec<u32> {
    stream(rows, |row, params| sample_token(row, params).expect("a token"))
}

fn sampler_stream(rows: &[Vec<f32>], seed: u32) -> Vec<u32> {
    let mut sampler = Sampler::new(seed);
    stream(rows, |row, params| sampler.sample(row, params).expect("a token"))
}

#[test]
fn concurrent_streams_equal_sequential_ones() {
    let rows = rows();
    let alone: Vec<Vec<u32>> = (0..THREADS).map(|seed| sampler_stream(&rows, seed)).collect();
    for (a, b) in alone.iter().zip(&alone[1..]) {
        assert_ne!(a, b, "equal streams for two seeds would hide a shared generator");
    }

    let start = Barrier::new(THREADS as usize);
    let at_once: Vec<Vec<u32>> = thread::scope(|scope| {
        let run = |seed| {
            let (rows, start) = (&rows, &start);
            scope.spawn(move || {
                seed_thread(seed);
                start.wait();
                thread_stream(rows)
            })
        };
        let threads: Vec<_> = (0..THREADS).map(run).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert_eq!(at_once, alone);
}

#[test]
fn seeding_restarts_the_stream() {
    let rows = rows();
    for seed in [7, 7, 8, u32::MAX, 7] {
        seed_thread(seed);
        assert_eq!(thread_stream(&rows), sampler_stream(&rows, seed), "seed {seed}");
    }
}

/// A sampler and the thread's generator do not touch each other, nor do two samplers.
#[test]
fn samplers_and_the_thread_sampler_are_independent() {
    let rows = rows();
    let [mut one, mut two] = [3, 4].map(Sampler::new);
    seed_thread(5);
    let mut mixed: [Vec<u32>; 3] = Default::default();
    for i in 0..DRAWS {
        let (row, params) = (&rows[i % rows.len()], &params(i));
        mixed[0].push(one.sample(row, params).expect("a token"));
        mixed[1].push(two.sample(row, params).expect("a token"));
        mixed[2].push(sample_token(row, params).expect("a token"));
    }
    assert_eq!(mixed, [3, 4, 5].map(|seed| sampler_stream(&rows, seed)));
}

/// A sampler that moves between threads continues its stream.
#[test]
fn a_sampler_can_move() {
    let row = vec![0.0_f32; 500];
    let draw = |sampler: &mut Sampler| sampler.sample(&row, &params(1)).expect("a token");
    let mut still = Sampler::new(11);
    let want: Vec<u32> = (0..20).map(|_| draw(&mut still)).collect();

    let mut moving = Sampler::new(11);
    let mut got = Vec::new();
    for _ in 0..20 {
        (moving, _) = thread::scope(|scope| {
            let here = scope.spawn(|| {
                let token = draw(&mut moving);
                got.push(token);
                (moving, token)
            });
            here.join().expect("no panic")
        });
    }
    assert_eq!(got, want);
}

/// The system seeds threads that were not: of three streams, all alike is a chance of 2^-64.
#[test]
fn unseeded_threads_differ() {
    let rows = rows();
    let [a, b, c] = [(); 3].map(|()| {
        thread::scope(|scope| scope.spawn(|| thread_stream(&rows)).join().expect("no panic"))
    });
    assert!(a != b || b != c);
}
