//! A draw from ranges is the draw from a masked copy of the row: token and words, at every level.

use crate::common;

use common::for_each_level;
use common::oracle::{Mt19937, rank};
use common::params::{combined, one_at_a_time};
use common::requests::{edited, ranges};
use common::rows::{KINDS, SplitMix};
use common::scale;
use s2sampler_core::{Error, SampleRequest, SamplerParams, TokenRange};

const DRAWS: usize = 2;

/// Holds draws from `ranges` against draws from the masked row; whether anything was allowed.
fn compare(what: &str, row: &[f32], ranges: &[TokenRange], seed: u64, cases: usize) -> bool {
    let all = SamplerParams::default();
    let masked = edited(&SampleRequest { ranges, ..SampleRequest::new(row, all) })
        .filter(|_| !ranges.is_empty());
    let Some(ranked) = masked.map(|row| rank(&row)) else {
        for_each_level(|level, make| {
            let mut sampler = make(1);
            for params in one_at_a_time(row.len()) {
                let drawn = sampler.sample_ranges(row, ranges, &params);
                assert_eq!(drawn, Err(Error::EmptyRow), "{level}, {what}, {ranges:?}");
            }
            assert_eq!(sampler.rng_words(), 0, "{level}, {what}, {ranges:?}");
        });
        return false;
    };
    let mut random = SplitMix(seed);
    let mut params: Vec<_> = (0..cases).map(|_| combined(&ranked, &mut random)).collect();
    if row.len() < 100 {
        params.extend(one_at_a_time(row.len()));
    }
    let draws = params.iter().flat_map(|params| [params; DRAWS]);
    let mut mt = Mt19937::new(seed as u32);
    let want: Vec<_> = draws.clone().map(|params| ranked.draw(params, &mut mt)).collect();
    for_each_level(|level, make| {
        let mut sampler = make(seed as u32);
        for (params, want) in draws.clone().zip(&want) {
            let before = sampler.rng_words();
            let got = sampler.sample_ranges(row, ranges, params);
            let words = sampler.rng_words() - before;
            let what = format!("{level}, {what}, {ranges:?}, {params:?}");
            assert_eq!((got, words), (want.token, want.words), "{what}");
        }
    });
    true
}

#[test]
fn ranges_of_every_shape() {
    let (mut some, mut none) = (0, 0);
    for n in [1, 2, 3, 7, 16, 33, 65, 257, 1000] {
        for (kind, make_row) in KINDS {
            let row = make_row(n, n as u64);
            let mut random = SplitMix(n as u64);
            for case in 0..scale::cases(24) as u64 {
                let ranges = ranges(n, 0, &mut random);
                let what = format!("{kind} n {n}, case {case}");
                *if compare(&what, &row, &ranges, case, 6) { &mut some } else { &mut none } += 1;
            }
        }
    }
    let enough = some > scale::cases(2000) && none > scale::cases(500);
    assert!(enough, "{some} rows with something allowed, {none} without");
}

/// The S2 engine's own call, and the same with the token at each end of the range on top.
#[test]
fn semantic_tokens_of_the_real_vocabulary() {
    const N: usize = 155_776;
    let (first, last, end) = (151_678, 151_677 + 4096, 151_645);
    let with_end = [TokenRange { first, last }, TokenRange { first: end, last: end }];
    for (kind, make_row) in KINDS {
        let row = make_row(N, 5);
        for ranges in [&with_end[..1], &with_end[..]] {
            assert!(compare(&format!("{kind} n {N}"), &row, ranges, 5, 3));
        }
    }
    let greedy = SamplerParams { temperature: 0.0, ..SamplerParams::default() };
    for_each_level(|level, make| {
        for best in [first, last, end] {
            let mut row = vec![0.0; N];
            row[best as usize] = 1.0;
            for beyond in [first - 1, last + 1, end - 1, end + 1] {
                row[beyond as usize] = 2.0;
            }
            assert_eq!(make(1).sample_ranges(&row, &with_end, &greedy), Ok(best as u32), "{level}");
        }
    });
}

/// NaN and infinities count where they are allowed and nowhere else.
#[test]
fn special_logits_inside_and_outside() {
    let specials = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let ranges = [TokenRange { first: 20, last: 25 }, TokenRange { first: 3, last: 5 }];
    for inside in specials {
        for outside in specials {
            for every in [1, 2] {
                let special = |id: i32| {
                    let is_inside = (3..=5).contains(&id) || (20..=25).contains(&id);
                    let l = if is_inside { inside } else { outside };
                    if id % every == 0 { l } else { id as f32 * 0.1 }
                };
                let row: Vec<f32> = (0..40).map(special).collect();
                assert!(compare(&format!("{inside} in {outside}"), &row, &ranges, 9, 40));
            }
        }
    }
}
