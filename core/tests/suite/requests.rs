//! Requests against the slow oracle, and each option against an answer worked out by hand.

use crate::common;

use common::for_each_level;
use common::oracle::{Mt19937, rank};
use common::params::combined;
use common::requests::{Expected, bitmask, expected, ranges};
use common::rows::{KINDS, SplitMix};
use common::scale;
use s2sampler_core::{
    Error, SampleRequest, SampleResult, Sampler, SamplerParams, TokenProbability, TokenRange,
};

/// Everything, at temperature 1.
const ALL: SamplerParams = SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 0 };

fn ids(n: usize, most: usize, offset: i32, random: &mut SplitMix) -> Vec<i32> {
    let id = |random: &mut SplitMix| match random.below(9) {
        0 => random.pick(&[i32::MIN, -1, offset - 1, offset + n as i32, i32::MAX]),
        // A few ids often, so that some come more than once.
        1..5 => offset + random.below(n.min(4)) as i32,
        _ => offset + random.below(n) as i32,
    };
    (0..random.below(most + 1)).map(|_| id(random)).collect()
}

/// One of `values` in one case of three, else `off`.
fn sometimes<T: Copy>(random: &mut SplitMix, off: T, values: &[T]) -> T {
    if random.below(3) == 0 { random.pick(values) } else { off }
}

fn hold(what: &str, request: &SampleRequest<'_>, want: &Expected, got: SampleResult) {
    assert_eq!(
        (Ok(got.token), got.rng_words, got.candidates),
        (want.token, want.words, want.candidates),
        "{what}: (token, words, candidates)"
    );
    assert_eq!(got.nans, request.logits.iter().filter(|l| l.is_nan()).count(), "{what}");
    let infinities = request.logits.iter().filter(|l| **l == f32::INFINITY).count();
    assert_eq!(got.infinities, infinities, "{what}");
    hold_probability(what, request, want, Some(got.token), got.probability);
    hold_probability(what, request, want, request.watched_id, got.watched);
}

fn hold_probability(
    what: &str,
    request: &SampleRequest<'_>,
    want: &Expected,
    id: Option<i32>,
    got: TokenProbability,
) {
    let place =
        id.and_then(|id| usize::try_from(i64::from(id) - i64::from(request.id_offset)).ok());
    let at = |values: &[f64]| place.and_then(|place| values.get(place)).copied();
    let raw_log = at(&want.raw_logs).unwrap_or(f64::NEG_INFINITY);
    let drawn_from = at(&want.drawn_from).unwrap_or(0.0);
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-5 * b.abs().max(1.0);
    assert!(near(got.raw_log_p, raw_log), "{what}, {id:?}: raw_log {raw_log} and {got:?}");
    assert!((got.raw_p - raw_log.exp()).abs() <= 1e-5, "{what}, {id:?}: {raw_log} and {got:?}");
    assert!((got.final_p - drawn_from).abs() <= 1e-9, "{what}, {id:?}: {drawn_from}, {got:?}");
    assert!(near(got.final_log_p, drawn_from.ln()), "{what}, {id:?}: {drawn_from}, {got:?}");
}

#[test]
fn every_option_with_every_other() {
    let [mut cases, mut kept_apart, mut min_p_dropped, mut empty] = [0; 4];
    for n in [1, 2, 3, 9, 17, 64, 300, 1025] {
        for (kind, make_row) in KINDS {
            let mut random = SplitMix(n as u64);
            for case in 0..scale::cases(if n < 100 { 120 } else { 25 }) as u64 {
                let row = make_row(n, case);
                let id_offset = sometimes(&mut random, 0, &[1, 1000, i32::MAX - n as i32]);
                let within = |random: &mut SplitMix| Some(id_offset + random.below(n) as i32);
                let (keep, watch) = (within(&mut random), within(&mut random));
                let allowed = match random.below(3) {
                    0 => ranges(n, id_offset, &mut random),
                    _ => vec![],
                };
                let history = ids(n, 20, id_offset, &mut random);
                let banned = match random.below(3) {
                    0 => ids(n, random.pick(&[6, 6, 3000]), id_offset, &mut random),
                    _ => vec![],
                };
                let listed = match random.below(4) {
                    0 => ids(n, random.pick(&[6, 200, 2000]), id_offset, &mut random),
                    _ => vec![],
                };
                let bits = match random.below(4) {
                    0 if id_offset <= 1000 => bitmask(n, id_offset, &mut random),
                    _ => vec![],
                };
                let request = SampleRequest {
                    id_offset,
                    ranges: &allowed,
                    allowed_ids: &listed,
                    bitmask: &bits,
                    banned: &banned,
                    history: &history,
                    penalty_window: sometimes(&mut random, -1, &[0, 1, 3, 64]),
                    repetition_penalty: sometimes(&mut random, 1.0, &[1.1, 0.5, 3.0, 1e-30]),
                    frequency_penalty: sometimes(&mut random, 0.0, &[0.1, 2.0, -1.0]),
                    presence_penalty: sometimes(&mut random, 0.0, &[0.3, 100.0, -0.5]),
                    min_p: sometimes(&mut random, 0.0, &[1e-45, 0.05, 0.9, 1.0, 2.0, f32::NAN]),
                    keep_id: sometimes(&mut random, None, &[keep, keep, Some(-3), Some(i32::MAX)]),
                    watched_id: sometimes(&mut random, None, &[watch, watch, keep, Some(-3)]),
                    uniform: sometimes(
                        &mut random,
                        None,
                        &[Some(0.0), Some(0.3), Some(0.999), Some(1.0_f64.next_down())],
                    ),
                    ..SampleRequest::new(&row, combined(&rank(&row), &mut random))
                };
                let seed = random.next() as u32;
                let want = expected(&request, &mut Mt19937::new(seed));
                cases += 1;
                kept_apart += i32::from(want.as_ref().is_some_and(|want| want.kept_apart));
                min_p_dropped += i32::from(want.as_ref().is_some_and(|want| want.min_p_dropped));
                empty += i32::from(want.is_none());
                for_each_level(|level, make| {
                    let what =
                        format!("{level}, {kind} n {n} row_seed {case}, {seed}, {request:?}");
                    let mut sampler = make(seed);
                    let mut other = sampler.clone();
                    let got = sampler.sample_request(&request);
                    let short = other.sample_request_token(&request);
                    let of = |r: SampleResult| (r.token, r.candidates, r.rng_words);
                    assert_eq!(
                        short.map(|a| (a.token, a.candidates, a.rng_words)),
                        got.map(of),
                        "{what}"
                    );
                    match &want {
                        Some(want) => match want.token {
                            Ok(_) => hold(&what, &request, want, got.expect(&what)),
                            Err(error) => assert_eq!(got, Err(error), "{what}"),
                        },
                        None => assert_eq!(got, Err(Error::EmptyRow), "{what}"),
                    }
                    let words = want.as_ref().map_or(0, |want| u64::from(want.words));
                    assert_eq!((sampler.rng_words(), other.rng_words()), (words, words), "{what}");
                });
            }
        }
    }
    let seen = [kept_apart, min_p_dropped, empty];
    // A tenth of the cases has no row without a candidate.
    let least = if scale::is_quick() { 0 } else { 51 };
    assert!(seen.iter().all(|seen| *seen >= least), "of {cases} cases only {seen:?}");
}

#[test]
fn probabilities_of_long_rows() {
    for n in [4097, 155_776] {
        for (kind, make_row) in KINDS {
            let row = make_row(n, 3);
            for params in [ALL, SamplerParams::default()] {
                let request =
                    SampleRequest { watched_id: Some(77), ..SampleRequest::new(&row, params) };
                let want = expected(&request, &mut Mt19937::new(2)).expect("a row");
                for_each_level(|level, make| {
                    let what = format!("{level}, {kind} n {n}, {params:?}");
                    match (make(2).sample_request(&request), want.token) {
                        (Ok(got), Ok(_)) => hold(&what, &request, &want, got),
                        (got, token) => assert_eq!(got.map(|got| got.token), token, "{what}"),
                    }
                });
            }
        }
    }
}

/// Equal logits share the probability, however large they are.
#[test]
fn raw_probabilities_beside_large_logits() {
    for top in [1e12_f32, 3e38, -3e38, f32::MAX] {
        let row = [top, f32::NEG_INFINITY, top, top, top];
        let got = Sampler::new(1).sample_request(&SampleRequest::new(&row, ALL));
        let got = got.expect("a token").probability;
        assert!((got.raw_p - 0.25).abs() < 1e-5, "{top}: {got:?}");
        assert!((got.raw_log_p - 0.25_f64.ln()).abs() < 1e-5, "{top}: {got:?}");
    }
}

#[test]
fn with_everything_off_it_is_the_plain_draw() {
    let mut random = SplitMix(4);
    for (kind, make_row) in KINDS {
        for n in [1, 50, 4096] {
            let row = make_row(n, 8);
            let ranked = rank(&row);
            for_each_level(|level, make| {
                let (mut plain, mut asked) = (make(6), make(6));
                for _ in 0..30 {
                    let params = combined(&ranked, &mut random);
                    let before = plain.rng_words();
                    let token = plain.sample(&row, &params);
                    let got = asked.sample_request(&SampleRequest::new(&row, params));
                    let (Ok(token), Ok(got)) = (token, got) else {
                        assert_eq!((token, got.err()), (Err(Error::NoCandidate), token.err()));
                        continue;
                    };
                    let words = (plain.rng_words() - before) as u32;
                    let what = format!("{level}, {kind} n {n}, {params:?}");
                    assert_eq!((got.token, got.rng_words), (token as i32, words), "{what}");
                    // What callers with a generator of their own go by.
                    assert_eq!(got.rng_words, if got.candidates > 1 { 2 } else { 0 }, "{what}");
                }
            });
        }
    }
}

/// The id that a request with temperature 0 comes to.
fn best(request: &SampleRequest<'_>) -> i32 {
    let params = SamplerParams { temperature: 0.0, ..ALL };
    let answer = Sampler::new(1).sample_request(&SampleRequest { params, ..*request });
    answer.expect("a token").token
}

#[test]
fn penalties_by_hand() {
    let row = [4.0, 3.0, -1.0, -1.5];
    let plain = SampleRequest { penalty_window: -1, ..SampleRequest::new(&row, ALL) };
    // 4 / 2 is below 3; three times as often is no more than once.
    let once = SampleRequest { history: &[0, 0, 0], repetition_penalty: 1.3, ..plain };
    assert_eq!(best(&once), 0);
    assert_eq!(best(&SampleRequest { repetition_penalty: 1.4, ..once }), 1);
    // A negative logit is multiplied: -1 * 2 is below -1.5.
    let low = SampleRequest { banned: &[0, 1], history: &[2], repetition_penalty: 1.4, ..plain };
    assert_eq!(best(&low), 2);
    assert_eq!(best(&SampleRequest { repetition_penalty: 2.0, ..low }), 3);
    // Frequency counts, presence does not.
    let often = SampleRequest { history: &[0, 0, 0], frequency_penalty: 0.3, ..plain };
    assert_eq!(best(&often), 0);
    assert_eq!(best(&SampleRequest { frequency_penalty: 0.4, ..often }), 1);
    let there = SampleRequest { history: &[0, 0, 0], presence_penalty: 0.9, ..plain };
    assert_eq!(best(&there), 0);
    assert_eq!(best(&SampleRequest { presence_penalty: 1.1, ..there }), 1);
    // The window ends at the latest token.
    let old =
        SampleRequest { history: &[0, 3, 3], penalty_window: 2, presence_penalty: 5.0, ..plain };
    assert_eq!(best(&old), 0);
    assert_eq!(best(&SampleRequest { penalty_window: 3, ..old }), 1);
    assert_eq!(best(&SampleRequest { penalty_window: -1, ..old }), 1);
    assert_eq!(best(&SampleRequest { penalty_window: 0, ..old }), 0);
    // Ids outside the row, whichever way, touch nothing.
    let strange = [-1, 4, i32::MIN, i32::MAX];
    let outside =
        SampleRequest { history: &strange, banned: &strange, presence_penalty: 9.0, ..plain };
    assert_eq!(best(&outside), 0);
}

#[test]
fn offsets_by_hand() {
    let row = [1.0, 2.0, 3.0];
    let plain = SampleRequest { id_offset: 100, ..SampleRequest::new(&row, ALL) };
    assert_eq!(best(&plain), 102);
    assert_eq!(best(&SampleRequest { banned: &[102, 2], ..plain }), 101);
    assert_eq!(
        best(&SampleRequest { ranges: &[TokenRange { first: 0, last: 100 }], ..plain }),
        100
    );
    let beyond = SampleRequest { ranges: &[TokenRange { first: 0, last: 99 }], ..plain };
    assert_eq!(Sampler::new(1).sample_request(&beyond), Err(Error::EmptyRow));
    assert_eq!(best(&SampleRequest { id_offset: i32::MAX - 2, ..plain }), i32::MAX);
    for id_offset in [i32::MAX - 1, -1, i32::MIN] {
        let request = SampleRequest { id_offset, ..plain };
        assert_eq!(Sampler::new(1).sample_request(&request), Err(Error::BadArgument));
    }
}

/// The kept token joins the others with the weight that its logit has, and brings no one along.
#[test]
fn kept_token_by_hand() {
    let row = [0.4_f32, 0.3, 0.2, 0.1].map(f32::ln);
    let only_best = [
        SamplerParams { temperature: 1.0, top_p: 0.0, top_k: 0 },
        SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 1 },
        SamplerParams { temperature: 1.0, top_p: 0.5, top_k: 0 },
    ];
    for params in only_best {
        let request = SampleRequest {
            keep_id: Some(3),
            uniform: Some(0.79),
            ..SampleRequest::new(&row, params)
        };
        let got = Sampler::new(1).sample_request(&request).expect("a token");
        // Of 0.4 and 0.1.
        assert_eq!((got.token, got.candidates, got.rng_words), (0, 2, 0), "{params:?}");
        assert!((got.probability.final_p - 0.8).abs() < 1e-6, "{got:?}");
        let got = Sampler::new(1).sample_request(&SampleRequest { uniform: Some(0.81), ..request });
        let got = got.expect("a token");
        assert_eq!(got.token, 3, "{params:?}");
        assert!((got.probability.final_p - 0.2).abs() < 1e-6, "{got:?}");
        assert!((got.probability.raw_p - 0.1).abs() < 1e-6, "{got:?}");
        // No word is used where the kept one is the only one, is missing, banned or not allowed.
        let first = [TokenRange { first: 0, last: 2 }];
        let plain = SampleRequest { uniform: None, ..request };
        for alone in [
            SampleRequest { keep_id: Some(0), ..plain },
            SampleRequest { keep_id: Some(4), ..plain },
            SampleRequest { keep_id: Some(-1), ..plain },
            SampleRequest { banned: &[3], ..plain },
            SampleRequest { ranges: &first, ..plain },
        ] {
            let got = Sampler::new(1).sample_request(&alone).expect("a token");
            assert_eq!((got.token, got.candidates, got.rng_words), (0, 1, 0), "{alone:?}");
        }
    }
    let kept = SampleRequest { keep_id: Some(1), ..SampleRequest::new(&row, only_best[1]) };
    assert_eq!(Sampler::new(1).sample_request(&kept).expect("a token").rng_words, 2);
    assert_eq!(best(&kept), 0, "temperature 0 is the best token, kept or not");
}

#[test]
fn min_p_by_hand() {
    let row = [0.5_f32, 0.3, 0.15, 0.05].map(f32::ln);
    for (min_p, candidates) in [(0.0, 4), (0.09, 4), (0.11, 3), (0.31, 2), (0.61, 1), (5.0, 1)] {
        let request = SampleRequest { min_p, ..SampleRequest::new(&row, ALL) };
        let got = Sampler::new(1).sample_request(&request).expect("a token");
        assert_eq!(got.candidates, candidates, "{min_p}");
        // The kept token comes after min_p.
        let got = Sampler::new(1).sample_request(&SampleRequest { keep_id: Some(3), ..request });
        assert_eq!(got.expect("a token").candidates, (candidates + 1).min(4), "{min_p}");
    }
}

#[test]
fn a_given_uniform_is_the_generators_number() {
    for (kind, make_row) in KINDS {
        let row = make_row(300, 2);
        for seed in 0..20 {
            let uniform = Some(Mt19937::new(seed).uniform());
            let (mut with, mut without) = (Sampler::new(99), Sampler::new(seed));
            let given = SampleRequest { uniform, ..SampleRequest::new(&row, ALL) };
            let got = with.sample_request(&given);
            let token = got.map(|got| got.token as u32);
            assert_eq!(token, without.sample(&row, &ALL), "{kind}, seed {seed}");
            assert_eq!(
                (got.map_or(0, |got| got.rng_words), with.rng_words()),
                (0, 0),
                "{kind}, seed {seed}"
            );
        }
    }
    let row = [0.0, 0.0, 0.0];
    let draw = |uniform| {
        let request = SampleRequest { uniform: Some(uniform), ..SampleRequest::new(&row, ALL) };
        Sampler::new(1).sample_request(&request).map(|got| got.token)
    };
    assert_eq!(draw(0.0), Ok(0));
    assert_eq!(draw(0.34), Ok(1));
    assert_eq!(draw(1.0_f64.next_down()), Ok(2));
    for outside in [1.0, -1e-300, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(draw(outside), Err(Error::BadArgument), "{outside}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_and_use_no_words() {
    let row = [1.0, 1.0];
    let plain = SampleRequest::new(&row, ALL);
    let mut sampler = Sampler::new(1);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for request in [
            SampleRequest { repetition_penalty: bad, ..plain },
            SampleRequest { penalty_window: -2, ..plain },
            SampleRequest { frequency_penalty: bad, ..plain },
            SampleRequest { presence_penalty: bad, ..plain },
        ] {
            assert_eq!(sampler.sample_request(&request), Err(Error::BadArgument), "{request:?}");
        }
    }
    for repetition_penalty in [0.0, -1.0] {
        let request = SampleRequest { repetition_penalty, ..plain };
        assert_eq!(sampler.sample_request(&request), Err(Error::BadArgument), "{request:?}");
    }
    let empty = SampleRequest::new(&[], ALL);
    assert_eq!(sampler.sample_request(&empty), Err(Error::EmptyRow));
    assert_eq!(sampler.rng_words(), 0);
}

/// No draw leaves anything behind that a later one would notice.
#[test]
fn requests_leave_no_trace() {
    let row: Vec<f32> = (0..500).map(|i| (i % 17) as f32 * 0.2).collect();
    let plain = SampleRequest::new(&row, ALL);
    let ranges = [TokenRange { first: 300, last: 310 }, TokenRange { first: 3, last: 7 }];
    let asked = SampleRequest {
        ranges: &ranges,
        banned: &[4, 305],
        history: &[5, 6, 5],
        penalty_window: -1,
        presence_penalty: 3.0,
        keep_id: Some(309),
        min_p: 0.9,
        ..plain
    };
    for_each_level(|level, make| {
        let mut sampler = make(11);
        for seed in 0..40 {
            sampler.sample_request(&asked).expect("a token");
            sampler.reseed(seed);
            let mut fresh = make(seed);
            let short = &row[..1 + 12 * seed as usize];
            assert_eq!(sampler.sample(short, &ALL), fresh.sample(short, &ALL), "{level}, {seed}");
            let ranges = &asked.ranges[..1];
            let drawn = [&mut sampler, &mut fresh].map(|s| s.sample_ranges(&row, ranges, &ALL));
            assert_eq!(drawn[0], drawn[1], "{level}, {seed}");
            // Greedy ones too, which come to their token before they come to the memory of the last.
            for params in
                [ALL, SamplerParams { temperature: 0.0, ..ALL }, SamplerParams { top_k: 1, ..ALL }]
            {
                let mut fresh = make(0);
                fresh.restore(&sampler.save()).expect("a state");
                let request = SampleRequest { params, watched_id: Some(3), ..plain };
                let answers = [&mut sampler, &mut fresh].map(|s| s.sample_request(&request));
                assert_eq!(answers[0], answers[1], "{level}, {seed}, {params:?}");
            }
        }
    });
}
