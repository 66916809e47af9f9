//! One draw at every SIMD level, over lengths, shapes and parameters; each result is checked once.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a benchmark is a program, and stops where it fails"
)]

mod common;
/// The levels of this CPU; one that the library lacks is a failure, not a gap.
#[path = "../tests/common/levels.rs"]
mod levels;
/// The slow and obvious sampler of the tests.
#[path = "../tests/common/oracle.rs"]
#[allow(dead_code)]
mod oracle;

use common::{DEFAULT, GREEDY, Job, NUCLEUS, Shape, WIDE};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use s2sampler_core::Sampler;
use std::hint::black_box;
use std::time::Duration;

const LENGTHS: [usize; 3] = [1024, 4096, 155_776];
const JOBS: [Job; 4] = [DEFAULT, NUCLEUS, GREEDY, WIDE];
const SEED: u32 = 42;

const SHAPES: [Shape; 7] = [
    ("normal", common::normal),
    ("peaked", common::peaked),
    ("masked", common::masked),
    ("flat", common::flat),
    ("tied", common::tied),
    ("real", common::real),
    ("ascending", common::ascending),
];

fn draw(criterion: &mut Criterion) {
    let levels = levels::all();
    for (shape, make) in SHAPES {
        for n in LENGTHS {
            let row = make(n, 1);
            let ranked = oracle::rank(&row);
            for (job, params) in JOBS {
                let want = ranked.draw(&params, &mut oracle::Mt19937::new(SEED)).token;
                let mut group = criterion.benchmark_group(format!("{shape} {n} {job}"));
                for &level in &levels {
                    let mut sampler =
                        Sampler::with_simd_level(SEED, level).expect("a level that is there");
                    let name = level.name();
                    assert_eq!(sampler.sample(&row, &params), want, "{shape} {n} {job} {name}");
                    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                        bencher.iter(|| sampler.sample(black_box(&row), black_box(&params)));
                    });
                }
                group.finish();
            }
        }
    }
}

criterion_group! {
    name = benches;
    // Short, for there are hundreds of them.
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .sample_size(10)
        .nresamples(1001)
        .without_plots();
    targets = draw
}
criterion_main!(benches);
