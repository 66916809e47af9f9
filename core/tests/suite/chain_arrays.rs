//! Arrays of candidates against the oracle: ids in every order, lengths around the tiles of the kernels, rows of every
//! shape, arrays at every place in a cache line. At every level, to the last bit of every candidate left.

use crate::common;

use common::chain::spec::{Spec, fill};
use common::chain::{Candidate, List, Oracle, rank_order};
use common::rows::{KINDS, SplitMix};
use common::{levels, scale};
use s2sampler_core::{Applied, Chain, SamplerParams, TokenData};
use std::collections::HashSet;

/// Around the fewest candidates that are more than a list, the tiles of 256 and 512 tokens, and the fewest tiles that
/// begin with a cache line.
const LENGTHS: &[usize] = &[
    1, 2, 127, 128, 129, 255, 257, 511, 512, 513, 1023, 1025, 4100, 8191, 8192, 8207, 16_383,
    16_384, 16_900,
];

/// The ids of a place in an array, by name.
type Order = (&'static str, fn(usize, &mut SplitMix) -> Vec<i32>);

fn shuffled(mut ids: Vec<i32>, random: &mut SplitMix) -> Vec<i32> {
    for i in (1..ids.len()).rev() {
        ids.swap(i, random.below(i + 1));
    }
    ids
}

const ORDERS: &[Order] = &[
    ("every id", |n, _| (0..n as i32).collect()),
    ("falling", |n, _| (0..n as i32).rev().collect()),
    ("shuffled", |n, random| shuffled((0..n as i32).collect(), random)),
    ("some ids", |n, random| {
        let mut id = -1;
        let mut next = || {
            id += 1 + random.below(4) as i32;
            id
        };
        (0..n).map(|_| next()).collect()
    }),
    ("below zero", |n, _| (0..n as i32).map(|i| 3 * i - n as i32).collect()),
    ("shuffled extremes", |n, random| {
        let ids = (0..n as i32).map(|i| if i % 2 == 0 { i32::MIN + i } else { i32::MAX - i });
        shuffled(ids.collect(), random)
    }),
    ("every id but two", |n, _| {
        let mut ids: Vec<i32> = (0..n as i32).collect();
        ids.swap(n / 3, n / 2);
        ids
    }),
    ("each twice", |n, random| shuffled((0..n as i32).map(|i| i / 2).collect(), random)),
    ("all the same", |n, _| vec![7; n]),
];

fn chains(n: usize, array: &[TokenData], random: &mut SplitMix) -> Vec<Vec<Spec>> {
    let top_p = |p| Spec::TopP { p, min_keep: 1 };
    let min_p = |p| Spec::MinP { p, min_keep: 1 };
    let (t, k, dist) = (Spec::Temperature, Spec::TopK, || Spec::Dist(5));
    let params = SamplerParams { temperature: 0.9, top_p: 0.9, top_k: 50 };
    let some = |random: &mut SplitMix| array[random.below(n)].id;
    let mut ids: Vec<i32> = (0..6).map(|_| some(random)).filter(|id| *id >= 0).collect();
    ids.sort_unstable();
    let biases = || Spec::LogitBias(ids.iter().map(|id| (*id, 1.5)).collect());
    let penalties = Spec::Penalties { last_n: -1, repeat: 1.3, frequency: 0.1, presence: 0.1 };
    let m = 1.0 / (1 << 20) as f32;
    vec![
        vec![],
        vec![Spec::Greedy],
        vec![k(1)],
        vec![k(40), top_p(0.95), min_p(0.05), t(0.8), dist()],
        vec![k(n as i32 / 3 + 1)],
        vec![k(i32::MAX), Spec::Greedy],
        vec![min_p(0.3), t(1.5), dist()],
        vec![Spec::MinP { p: m, min_keep: n / 2 }, k(7)],
        vec![Spec::MinP { p: 1.0, min_keep: 3 }],
        vec![top_p(0.9)],
        vec![top_p(0.9), t(0.8), dist()],
        vec![Spec::TopP { p: 0.3, min_keep: n / 4 }, Spec::Greedy],
        vec![Spec::TopPExclusive(0.8)],
        vec![t(0.8)],
        vec![t(1e-38), k(3)],
        vec![t(1e-40)],
        vec![t(-1.0)],
        vec![t(f32::INFINITY), k(5)],
        vec![t(1.25), k(40), top_p(0.95), dist()],
        vec![t(0.7), top_p(0.5)],
        vec![Spec::Scale(1e38), Spec::Greedy],
        vec![Spec::Scale(0.3), dist()],
        vec![penalties.clone(), k(40), top_p(0.95), dist()],
        vec![biases(), Spec::Greedy],
        vec![biases(), t(0.5), biases(), min_p(0.5)],
        vec![dist()],
        vec![Spec::TopNSigma(1.0)],
        vec![Spec::TopNSigma(0.5), t(0.9), k(9), dist()],
        vec![Spec::Softmax],
        vec![Spec::Softmax, k(30), top_p(0.9), dist()],
        vec![Spec::Softmax, top_p(0.9), min_p(0.1), Spec::TopNSigma(2.0), dist()],
        vec![Spec::Softmax, Spec::Scale(1e38), top_p(0.999)],
        vec![Spec::Softmax, t(1e-38), top_p(0.999), Spec::Greedy],
        vec![Spec::Softmax, min_p(0.2), Spec::TopNSigma(1.0), top_p(0.99), penalties, dist()],
        vec![Spec::TopKTies(20), dist()],
        vec![Spec::S2(params), dist()],
        vec![Spec::S2(params)],
        vec![Spec::S2First { params, keep_id: some(random) }, dist()],
        vec![Spec::Typical { p: 0.7, min_keep: 1 }, k(5)],
        vec![Spec::Xtc { probability: 1.0, threshold: 0.01, min_keep: 1, seed: 3 }],
        vec![Spec::MirostatV2 { seed: 3, tau: 3.0, eta: 0.1 }],
        vec![Spec::Smoothing { factor: 0.1, curve: 1.5 }, k(12)],
        vec![Spec::TemperatureExt { t: 0.8, delta: 0.4, exponent: 1.0 }, top_p(0.8)],
    ]
}

fn list_of(array: &[TokenData]) -> List {
    List::new(array.iter().map(|token| (token.id, token.logit, token.p)))
}

/// The array somewhere in a buffer, between tokens that would win if they were read.
fn placed(array: &[TokenData], before: usize) -> Vec<TokenData> {
    let mut buffer = vec![TokenData { id: -9, logit: f32::INFINITY, p: 9.0 }; before];
    buffer.extend_from_slice(array);
    buffer.extend([TokenData { id: -9, logit: f32::INFINITY, p: 9.0 }; 3]);
    buffer
}

fn same(what: &str, list: &List, selected: Option<usize>, array: &[TokenData], applied: &Applied) {
    assert_eq!(applied.len, list.len(), "{what}: the number of candidates");
    for (i, (want, got)) in list.items.iter().zip(array).enumerate() {
        let want_bits = (want.id, want.logit.to_bits(), want.p.to_bits());
        let got_bits = (got.id, got.logit.to_bits(), got.p.to_bits());
        assert_eq!(got_bits, want_bits, "{what}: candidate {i}: {got:?} instead of {want:?}");
    }
    assert_eq!(applied.selected, selected, "{what}: the selected one");
    let ranked = list.items.is_sorted_by(|a: &Candidate, b| rank_order(a, b).is_le());
    assert!(ranked || !applied.sorted, "{what}: not sorted");
}

/// A case for each shape, order and length; the chains take turns.
#[test]
fn ids_in_any_order_match_the_oracle() {
    let turns = scale::cases(20);
    let mut turn = 0_usize;
    for (kind, make) in KINDS {
        for (order, ids_of) in ORDERS {
            for n in LENGTHS {
                let seed = turn as u64;
                let mut random = SplitMix(seed);
                let (row, ids) = (make(*n, seed), ids_of(*n, &mut random));
                // Zeros of both signs with the same id would be in no certain order.
                let is_unique = ids.iter().collect::<HashSet<_>>().len() == *n;
                let number = |logit: f32| if is_unique { logit } else { logit + 0.0 };
                let token = |(logit, id): (&f32, &i32)| TokenData {
                    id: *id,
                    logit: number(*logit),
                    p: 0.25,
                };
                let array: Vec<TokenData> = row.iter().zip(&ids).map(token).collect();
                let chains = chains(*n, &array, &mut random);
                let all = chains.len();
                // Short arrays meet more of the chains.
                let count = if *n > 2000 { turns.div_ceil(10) } else { turns };
                for which in (0..count.min(all)).map(|i| (turn + 7 * i) % all) {
                    let specs = &chains[which];
                    let what = format!("{kind}, {order}, n {n}, {specs:?}");
                    check(&what, specs, &array, &ids, random.below(17));
                }
                turn += 1;
            }
        }
    }
}

fn check(what: &str, specs: &[Spec], array: &[TokenData], ids: &[i32], before: usize) {
    let mut oracle = Oracle::new(specs);
    let history: Vec<i32> = ids.iter().copied().step_by(1 + ids.len() / 9).collect();
    history.iter().for_each(|id| oracle.accept(*id));
    let mut list = list_of(array);
    let selected = oracle.apply(&mut list);
    for level in levels::all() {
        let what = format!("{what}, {}, {before} tokens into its buffer", level.name());
        let mut chain = fill(Chain::new().with_simd_level(level).expect("available"), specs);
        history.iter().for_each(|id| chain.accept(*id).expect("memory"));
        let mut buffer = placed(array, before);
        let tokens = &mut buffer[before..before + array.len()];
        match (selected, chain.apply(tokens, false)) {
            (Ok(selected), Ok(applied)) => same(&what, &list, selected, tokens, &applied),
            (want, got) => assert_eq!(got.err(), want.err(), "{what}"),
        }
        // What lies beside the array is as before.
        let beside = buffer[..before].iter().chain(&buffer[before + array.len()..]);
        assert!(beside.into_iter().all(|token| token.p == 9.0 && token.id == -9), "{what}");
    }
}

/// A factor that leaves the best alone changes no logit: the probabilities of the softmax before it hold. Enough
/// candidates that they are scaled where they lie.
#[test]
fn the_best_alone_keeps_the_probability_of_a_softmax() {
    for n in [2, 127, 128, 129, 600] {
        let token = |id: i32| TokenData { id, logit: if id == 0 { 4.0 } else { 1.0 }, p: 0.0 };
        let array: Vec<TokenData> = (0..n).rev().map(token).collect();
        let ids: Vec<i32> = array.iter().map(|token| token.id).collect();
        for best_alone in [Spec::Scale(f32::MAX), Spec::Temperature(1e-38)] {
            let specs = [Spec::Softmax, best_alone, Spec::TopP { p: 0.9, min_keep: 1 }];
            check(&format!("n {n}, {specs:?}"), &specs, &array, &ids, 0);
        }
    }
}

/// Said to be sorted, a sorted array gives the same as unsorted.
#[test]
fn sorted_arrays_match_the_oracle() {
    for (kind, make) in KINDS {
        for n in [1, 40, 127, 128, 600, 1100] {
            let mut list = List::of_row(&make(n, 3));
            list.items.sort_by(rank_order);
            let token = |c: &Candidate| TokenData { id: c.id, logit: c.logit, p: 0.5 };
            let array: Vec<TokenData> = list.items.iter().map(token).collect();
            for specs in chains(n, &array, &mut SplitMix(n as u64)) {
                let mut list = list_of(&array);
                let selected = Oracle::new(&specs).apply(&mut list);
                for level in levels::all() {
                    let chain = Chain::new().with_simd_level(level).expect("available");
                    let mut array = array.clone();
                    let what = format!("{kind}, n {n}, {specs:?}, {}", level.name());
                    match (selected, fill(chain, &specs).apply(&mut array, true)) {
                        (Ok(selected), Ok(applied)) => {
                            same(&what, &list, selected, &array, &applied);
                        }
                        (want, got) => assert_eq!(got.err(), want.err(), "{what}"),
                    }
                }
            }
        }
    }
}

/// An array that is wrongly said to be sorted: any candidates are left, but they are the array's, none is NaN, and none
/// at -inf is drawn.
#[test]
fn a_wrong_sorted_costs_only_the_right_candidates() {
    for (kind, make) in KINDS {
        for n in [1, 2, 50, 128, 700] {
            let row = make(n, 9);
            let array: Vec<TokenData> = (0..)
                .zip(&row)
                .map(|(id, logit)| TokenData { id, logit: *logit, p: 0.0 })
                .collect();
            for specs in chains(n, &array, &mut SplitMix(n as u64)) {
                for level in levels::all() {
                    let chain = Chain::new().with_simd_level(level).expect("available");
                    let mut array = array.clone();
                    let what = format!("{kind}, n {n}, {specs:?}, {}", level.name());
                    let Ok(applied) = fill(chain, &specs).apply(&mut array, true) else { continue };
                    assert!((1..=n).contains(&applied.len), "{what}");
                    let left = &array[..applied.len];
                    let known = |token: &TokenData| (0..n as i32).contains(&token.id);
                    assert!(left.iter().all(|t| known(t) && !t.logit.is_nan()), "{what}");
                    let above = |token: &TokenData| token.logit > f32::NEG_INFINITY;
                    if let Some(place) = applied.selected {
                        assert!(above(&left[place]) || !left.iter().any(above), "{what}: {place}");
                    }
                }
            }
        }
    }
}
