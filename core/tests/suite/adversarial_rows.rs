//! Rows and parameters aimed at the edges of the fast core, against the oracle, at every level.
//!
//! The cases are numbered and the same in every run (see `scale::Numbered`). All cases of a run go through
//! the same samplers, so that each finds the working memory that the one before it left.

use crate::common;

use common::for_each_level;
use common::oracle::{Drawn, Mt19937, Ranked, rank};
use common::params::near_running_sum;
use common::rows::{SplitMix, bell};
use common::scale::Numbered;
use s2sampler_core::{ResolutionCounts, Sampler, SamplerParams};

const CASES: usize = 3000;

/// Parameters tried on each row, and draws with each: a cut that is one off must show in a token.
const CALLS: usize = 4;
const DRAWS: usize = 3;

const SEED: u32 = 77;

#[test]
fn adversarial_rows_match_the_oracle() {
    let mut cases = Numbered::new(CASES);
    let mut samplers = Vec::new();
    for_each_level(|level, make| samplers.push((level.to_owned(), make(SEED))));
    let mut mt = Mt19937::new(SEED);
    for case in &mut cases {
        attack(case, &mut samplers, &mut mt);
    }
    // An attack that some kind of proof never had to meet would have missed its aim.
    for (level, sampler) in &samplers {
        println!("{level}: {} cases, proofs {:?}", cases.done(), sampler.resolutions());
        let ResolutionCounts { maxima, row, exact, sort } = sampler.resolutions();
        let all = [maxima, row, exact, sort].iter().all(|draws| *draws > 0);
        assert!(all || !cases.is_complete(), "{level}: {:?}", sampler.resolutions());
    }
}

fn attack(case: u64, samplers: &mut [(String, Sampler)], mt: &mut Mt19937) {
    let mut random = SplitMix(case);
    let n = length(&mut random);
    let (shape, row) = row(n, &mut random);
    let ranked = rank(&row);
    let calls: Vec<SamplerParams> = (0..CALLS).map(|_| params(&ranked, &mut random)).collect();
    let calls: Vec<SamplerParams> = calls.iter().flat_map(|params| [*params; DRAWS]).collect();
    let want: Vec<Drawn> = calls.iter().map(|params| ranked.draw(params, mt)).collect();

    // No load is aligned but by chance, and what lies next to the row would win if it were read.
    let before = random.below(17);
    let mut buffer = vec![f32::INFINITY; before];
    buffer.extend_from_slice(&row);
    buffer.extend([f32::INFINITY; 5]);
    let placed = &buffer[before..before + n];
    for (level, sampler) in samplers {
        for (params, want) in calls.iter().zip(&want) {
            let words = sampler.rng_words();
            let got = sampler.sample(placed, params);
            let words = sampler.rng_words() - words;
            assert!(
                got == want.token && words == want.words,
                "case {case}, {level}: {got:?} with {words} words instead of {want:?}\n\
                 {shape}, n {n}, {before} floats into its buffer, {params:?} p {:#x}",
                params.top_p.to_bits()
            );
        }
    }
}

/// Lengths at the edges of chunks, of alignment, of short rows, of groups; seldom a long one.
fn length(random: &mut SplitMix) -> usize {
    let near =
        |random: &mut SplitMix, edge: usize| (edge + random.below(5)).saturating_sub(2).max(1);
    match random.below(64) {
        0 => 155_776,
        1 => {
            let edge = random.pick(&[16_384, 32_768, 65_536]);
            near(random, edge)
        }
        2..8 => {
            let edge = random.pick(&[4096, 8192]);
            near(random, edge) + random.pick(&[0, 0, 15, 16, 64])
        }
        8..32 => {
            let chunk = random.pick(&[128, 256, 512]);
            let edge = chunk * (1 + random.below(9));
            near(random, edge)
        }
        32..40 => 2 + random.below(130),
        _ => 100 + random.below(4000),
    }
}

type Shape = (&'static str, fn(usize, &mut SplitMix) -> Vec<f32>);

const SHAPES: &[Shape] = &[
    ("bell", |n, random| {
        let seed = random.next();
        bell(n, spread(random) / (1 << 20) as f32, seed)
    }),
    ("levels", levels),
    ("sawtooth", |n, random| {
        let (period, slope) = (random.pick(&[8, 16, 32, 37, 256, 512]), spread(random) / 16.0);
        (0..n).map(|i| (i % period) as f32 * slope).collect()
    }),
    ("one chunk", |n, random| {
        let chunk = random.pick(&[128, 256, 512, 1024]);
        let at = random.below(n.div_ceil(chunk));
        inside(n, random, |i| i / chunk == at)
    }),
    ("one lane", |n, random| {
        let lanes = random.pick(&[4, 8, 16, 32, 128, 1024]);
        let at = random.below(lanes);
        inside(n, random, |i| i % lanes == at)
    }),
    ("limits of exp", |n, random| {
        let places = [0.0, -0.0, -16.635_532, -16.64, -87.0, -87.34, -103.28, -104.0, -126.0];
        let blur = random.pick(&[0.0, 1e-5, 1.0]);
        topped(n, random, |random| random.pick(&places) - blur * random.unit())
    }),
    ("extremes", |n, random| {
        let values = [
            f32::MIN,
            f32::MAX,
            0.0,
            -0.0,
            1e-45,
            -1e-45,
            -1e-38,
            f32::MIN.next_up(),
            -104.0,
            3e38,
        ];
        let kinds = 2 + random.below(4);
        let values: Vec<f32> = (0..kinds).map(|_| random.pick(&values)).collect();
        (0..n).map(|_| random.pick(&values)).collect()
    }),
    ("sum at a power of two", |n, random| {
        let sum = 2.0_f32.powi(1 + random.below(12) as i32) * (1.0 + 1e-6 * (random.unit() - 0.5));
        let blur = random.pick(&[0.0, 1e-6, 1e-2, 1.0]);
        let mean = ((sum - 1.0).min(0.99 * n as f32) / n as f32).ln();
        topped(n, random, |random| (mean + blur * (random.unit() - 0.5)).min(0.0))
    }),
    ("halves", |n, random| {
        let binade = random.below(13);
        let few = 1 + random.below(40);
        let halves: Vec<f32> = (0..few).map(|_| log_of_half(binade, random)).collect();
        let others = random.pick(&[0.0, 0.5, 1.0]);
        topped(n, random, |random| match random.unit() < others {
            true => -9.0 * random.unit(),
            false => random.pick(&halves),
        })
    }),
    ("neighbours", |n, random| {
        let (top, ulps) = (random.pick(&[1.0_f32, 0.0, -3.7, 1e-40, 8e7]), 1 + random.below(9));
        let mut values = vec![top];
        values.extend((0..ulps).scan(top, |x, _| Some(std::mem::replace(x, x.next_down()))));
        (0..n).map(|_| random.pick(&values)).collect()
    }),
    ("smallest steps", |n, random| {
        // Half a unit of the first binade and a little to either side: nothing or a whole one.
        let blur = random.pick(&[1e-6, 1e-4, 5e-3]);
        topped(n, random, |random| -16.635_532 + blur * (random.unit() - 0.5))
    }),
    ("two floors", |n, random| {
        let (many, gap) = (random.unit(), spread(random));
        (0..n).map(|_| if random.unit() < many { 0.0 } else { -gap * random.unit() }).collect()
    }),
];

fn row(n: usize, random: &mut SplitMix) -> (&'static str, Vec<f32>) {
    let (shape, make) = random.pick(SHAPES);
    let mut row = make(n, random);
    match random.below(8) {
        0 => row.sort_by(f32::total_cmp),
        1 => row.sort_by(|a, b| b.total_cmp(a)),
        2 => {
            // Exact for logits that are multiples of a power of two: the exps stay.
            let shift = random.pick(&[1.0, -64.0, 1000.0]);
            row.iter_mut().for_each(|l| *l += shift);
        }
        _ => {}
    }
    match random.below(8) {
        0 => {
            let every = random.pick(&[2, 7, 300]);
            for l in &mut row {
                if random.below(every) == 0 {
                    *l = random.pick(&[f32::NAN, f32::NEG_INFINITY]);
                }
            }
        }
        1 => {
            // Only a stretch is allowed, as a mask leaves it.
            let (from, len) = (random.below(n), 1 + random.below(n));
            let outside = |(i, l): (usize, &mut f32)| {
                if i < from || i - from >= len {
                    *l = f32::NEG_INFINITY;
                }
            };
            row.iter_mut().enumerate().for_each(outside);
        }
        _ => {}
    }
    (shape, row)
}

/// From nearly flat to peaked.
fn spread(random: &mut SplitMix) -> f32 {
    random.pick(&[1e-6, 1e-3, 0.03, 0.3, 1.0, 3.0, 10.0, 50.0])
}

/// Few different values, so that every threshold and every edge of a prefix falls among equals.
fn levels(n: usize, random: &mut SplitMix) -> Vec<f32> {
    let spread = spread(random);
    let values: Vec<f32> = (0..1 + random.below(6)).map(|_| -spread * random.unit()).collect();
    // The better the rarer, or all alike.
    let skew = random.pick(&[1, 1, 8, 60]);
    let value = |random: &mut SplitMix| match random.below(skew) {
        0 => random.pick(&values),
        _ => values[0],
    };
    (0..n).map(|_| value(random)).collect()
}

/// Large where `is_inside`, and small or masked elsewhere.
fn inside(n: usize, random: &mut SplitMix, is_inside: impl Fn(usize) -> bool) -> Vec<f32> {
    let (spread, depth) = (spread(random), random.pick(&[0.0, 5.0, 14.0, 17.0, f32::INFINITY]));
    (0..n).map(|i| spread * random.unit() - if is_inside(i) { 0.0 } else { depth }).collect()
}

/// Whatever `logit` gives, with one token at zero.
fn topped(
    n: usize,
    random: &mut SplitMix,
    mut logit: impl FnMut(&mut SplitMix) -> f32,
) -> Vec<f32> {
    let mut row: Vec<f32> = (0..n).map(|_| logit(random)).collect();
    row[random.below(n)] = 0.0;
    row
}

/// The logarithm of an odd number of half units of the binade 2^`binade`, at most 1, if expf has it.
fn log_of_half(binade: usize, random: &mut SplitMix) -> f32 {
    let half_unit = 2.0_f32.powi(binade as i32 - 24);
    for _ in 0..1000 {
        // Of every size that counts.
        let halves = (1 << (24 - binade)) >> random.below(24 - binade);
        let e = (random.below(halves) | 1) as f32 * half_unit;
        let x = e.ln();
        let exact = [x, x.next_up(), x.next_down()].into_iter().find(|x| x.exp() == e);
        if let Some(x) = exact.filter(|x| *x <= 0.0) {
            return x;
        }
    }
    panic!("expf of no float is a multiple of {half_unit:e}");
}

fn params(row: &Ranked, random: &mut SplitMix) -> SamplerParams {
    let n = row.ids.len();
    let edge = random.pick(&[1, 2, 30, 64, 128, 256, 1024, 4096, n / 4, n / 2, n]);
    let rank = match random.below(3) {
        0 => random.below(n),
        // As likely between 1 and 10 as between 1,000 and 10,000.
        1 => (n as f32).powf(random.unit()) as usize,
        _ => (edge + random.below(4)).saturating_sub(2),
    };
    let rank = rank.min(n - 1);
    let top_p = match random.below(12) {
        0 => random.pick(&[f32::NAN, -0.0, 1e-45, 1e-9, 1.0 - f32::EPSILON / 2.0, 2.0]),
        1 => 1.0,
        2 => random.unit(),
        _ => random.pick(&near_running_sum(row, rank)),
    };
    let top_k = match random.below(6) {
        0 => (rank + random.below(4)) as i32,
        1 => (edge + random.below(4)) as i32 - 2,
        2 => random.pick(&[i32::MAX, i32::MIN, n as i32 - 1]),
        _ => 0,
    };
    // At infinity all candidates weigh the same, and each draw counts them.
    let temperature = match random.below(8) {
        0 => 1.0,
        1 => random.pick(&[0.8, 1e-45, 1e-3, 30.0, f32::NAN, -0.0]),
        _ => f32::INFINITY,
    };
    SamplerParams { temperature, top_p, top_k }
}
