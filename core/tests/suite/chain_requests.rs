//! Requests of random chains against the oracle, at every level, and each option on its own.

use crate::common;

use common::chain::random::Aim;
use common::chain::request::{Expected, logs};
use common::chain::spec::{Spec, fill};
use common::chain::{Candidate, Oracle, rank_order, rows};
use common::levels;
use common::requests::{bitmask, ranges};
use common::rows::SplitMix;
use common::scale::{self, Numbered};
use s2sampler_core::{
    Chain, ChainProbability, ChainRequest, ChainResult, DistMethod, DistOptions, Error,
    SampleRequest, Sampler, SamplerParams, TokenData, TokenLogProb, TokenRange,
};

const CASES: usize = 4000;

/// The logarithm of a share, to the precision that is promised.
fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-5 * b.abs().max(1.0)
}

#[test]
fn random_requests_match_the_oracle() {
    let mut cases = Numbered::new(CASES);
    let (mut drawn, mut returned, mut short, mut empty, mut given) = (0, 0, 0, 0, 0);
    for case in &mut cases {
        let mut random = SplitMix(case ^ 0x5eed);
        let (shape, row) = rows::row(&mut random);
        let aim = Aim::at(&row, &mut random);
        let specs = aim.chain(&mut random);
        let mut oracle = Oracle::new(&specs);
        let mut chains = vec![("default", fill(Chain::new(), &specs))];
        for level in levels::all() {
            let chain = Chain::new().with_simd_level(level).expect("it is available");
            chains.push((level.name(), fill(chain, &specs)));
        }
        for draw in 0..4 {
            let parts = Parts::new(&row, &mut random);
            let request = parts.request(&row, &mut random);
            let want = oracle.request(&request);
            drawn += u32::from(want.is_ok());
            returned += u32::from(want.as_ref().is_ok_and(|want| want.returned));
            given += u32::from(want.as_ref().is_ok_and(|want| want.uniforms > 0));
            short += u32::from(want.as_ref().is_err_and(|error| *error == Error::BadArgument));
            empty += u32::from(want.as_ref().is_err_and(|error| *error == Error::EmptyRow));
            for (level, chain) in &mut chains {
                let what = format!("case {case}, {shape}, draw {draw}, {level}, {specs:?}");
                let what = format!("{what}, {}", told(&request));
                let mut other = chain.try_clone().expect("memory");
                let got = chain.sample_request(&request);
                let token = other.sample_request_token(&request);
                assert_eq!(token, got.map(|got| got.drawn), "{what}");
                match (&want, got) {
                    (Ok(want), Ok(got)) => {
                        hold(&what, &request, want, &got);
                        best(&what, &request, want, chain);
                    }
                    (want, got) => {
                        assert_eq!(got.map(|_| ()).err(), want.as_ref().err().copied(), "{what}");
                    }
                }
            }
            // The state is that of the oracle, whatever the request did.
            let want = oracle.sample(&row);
            for (level, chain) in &mut chains {
                assert_eq!(chain.sample(&row), want, "case {case}, {draw}, {level}, {specs:?}");
            }
        }
    }
    println!("{drawn} drawn, {returned} returned, {short} refused, {empty} empty, {given} given");
    let least = scale::cases(150) as u32;
    let counts = [drawn, returned, short, empty, given];
    assert!(!cases.is_complete() || counts.iter().all(|count| *count > least));
}

/// What a request borrows.
struct Parts {
    tokens: Vec<TokenData>,
    uniforms: Vec<f64>,
    ranges: Vec<TokenRange>,
    allowed: Vec<i32>,
    bits: Vec<i32>,
    banned: Vec<i32>,
}

impl Parts {
    fn new(row: &[f32], random: &mut SplitMix) -> Self {
        let n = row.len();
        let ids = |count: usize, random: &mut SplitMix| -> Vec<i32> {
            let id = |random: &mut SplitMix| match random.below(12) {
                0 => random.pick(&[i32::MIN, -1, n as i32, i32::MAX]),
                _ => random.below(n) as i32,
            };
            (0..count).map(|_| id(random)).collect()
        };
        let mut tokens = Vec::new();
        if random.below(3) == 0 {
            let token = |id: usize| TokenData { id: id as i32, logit: row[id], p: 0.25 };
            tokens.extend((0..random.below(n.min(700)) + 1).map(|_| token(random.below(n))));
        }
        let count = random.pick(&[0, 0, 0, 1, 2, 5, 2000, 200_000]);
        let u = |random: &mut SplitMix| match random.below(20) {
            0 => 0.0,
            1 => 1.0,
            _ => f64::from(random.unit()),
        };
        let uniforms = (0..count).map(|_| u(random)).collect();
        let some = |random: &mut SplitMix| random.below(4) == 0;
        let ranges = if some(random) { ranges(n, 0, random) } else { Vec::new() };
        let count = random.pick(&[1, 3, 100, n]);
        let allowed = if some(random) { ids(count, random) } else { Vec::new() };
        let bits = if some(random) { bitmask(n, 0, random) } else { Vec::new() };
        let count = random.pick(&[1, 3, 100]);
        let banned = if some(random) { ids(count, random) } else { Vec::new() };
        Self { tokens, uniforms, ranges, allowed, bits, banned }
    }

    fn request<'a>(&'a self, row: &'a [f32], random: &mut SplitMix) -> ChainRequest<'a> {
        let n = row.len();
        let id = |random: &mut SplitMix| {
            let any = random.below(n);
            random.pick(&[0, n - 1, any]) as i32
        };
        let [first, last, keep, watched] = [(); 4].map(|()| id(random));
        let of = match self.tokens.is_empty() {
            true => ChainRequest::new(row),
            false => ChainRequest::of_tokens(&self.tokens, random.below(2) == 0),
        };
        ChainRequest {
            uniforms: &self.uniforms,
            ranges: &self.ranges,
            allowed_ids: &self.allowed,
            bitmask: &self.bits,
            banned: &self.banned,
            keep_id: (random.below(2) == 0).then(|| random.pick(&[keep, keep, -3])),
            watched_id: (random.below(2) == 0).then(|| random.pick(&[watched, -3, i32::MAX])),
            group: (random.below(2) == 0).then_some(TokenRange { first, last }),
            best_before: random.pick(&[0, 1, 5, 20, n, n + 7]),
            best_after: random.pick(&[0, 1, 5, 20, n, n + 7]),
            accept: random.below(4) > 0,
            ..of
        }
    }
}

fn told(request: &ChainRequest<'_>) -> String {
    let short = ChainRequest { logits: &[], uniforms: &[], ..*request };
    let (n, uniforms) = (request.logits.len(), request.uniforms.len());
    if request.tokens.len() + request.allowed_ids.len() < 50 {
        format!("{n} logits, {uniforms} uniforms, {short:?}")
    } else {
        let ChainRequest { keep_id, group, ranges, .. } = *request;
        format!("{n} logits, {uniforms} uniforms, keep {keep_id:?}, {group:?}, {ranges:?}")
    }
}

fn hold(what: &str, request: &ChainRequest<'_>, want: &Expected, got: &ChainResult) {
    let drawn = got.drawn;
    assert_eq!(
        (drawn.token, u64::from(drawn.rng_words), drawn.uniforms, drawn.candidates),
        (want.token, want.words, want.uniforms, want.candidates),
        "{what}: token, words, uniforms, candidates"
    );
    let logits = || request.logits.iter().copied().chain(request.tokens.iter().map(|t| t.logit));
    assert_eq!(got.nans, logits().filter(|l| l.is_nan()).count(), "{what}");
    assert_eq!(got.infinities, logits().filter(|l| *l == f32::INFINITY).count(), "{what}");
    let (raw, penalised) = (logs(&want.raw), logs(&want.penalised));
    let of = |list: &common::chain::List, logs: &[f64], id: i32| {
        let place = list.items.iter().position(|c| c.id == id);
        place.map_or(f64::NEG_INFINITY, |place| logs[place])
    };
    let check = |name: &str, id: i32, last: f64, got: &ChainProbability| {
        let (raw, penalised) = (of(&want.raw, &raw, id), of(&want.penalised, &penalised, id));
        let what = format!("{what}, {name} {id}: {raw}, {penalised}, {last} and {got:?}");
        for (log, got_p, got_log) in [
            (raw, got.raw_p, got.raw_log_p),
            (penalised, got.penalised_p, got.penalised_log_p),
            (last, got.final_p, got.final_log_p),
        ] {
            assert!(near(got_log, log) && (got_p - log.exp()).abs() <= 1e-5, "{what}");
        }
    };
    check("token", want.token, want.last[want.place].1, &got.probability);
    let watched = request.watched_id.unwrap_or(i32::MIN);
    let last = want.last.iter().find(|(c, _)| c.id == watched);
    let last = last.map_or(f64::NEG_INFINITY, |(_, log)| *log);
    check("watched", watched, last, &got.watched);
    let range = request.group.unwrap_or(TokenRange { first: 1, last: 0 });
    let within = |c: &Candidate| range.first <= c.id && c.id <= range.last;
    let group: Vec<&(Candidate, f64)> =
        want.last.iter().filter(|(c, _)| within(c) && c.logit > f32::NEG_INFINITY).collect();
    let p: f64 = group.iter().map(|(_, log)| log.exp()).sum();
    let best = group.iter().min_by(|a, b| rank_order(&a.0, &b.0));
    assert!((got.group.p - p).abs() <= 1e-5, "{what}: {p} and {:?}", got.group);
    assert_eq!(got.group.best, best.map(|(c, _)| c.id), "{what}");
    let best_p = best.map_or(0.0, |(_, log)| log.exp());
    assert!((got.group.best_p - best_p).abs() <= 1e-5, "{what}: {best_p} and {:?}", got.group);
}

/// The n best against a plain sort.
fn best(what: &str, request: &ChainRequest<'_>, want: &Expected, chain: &Chain) {
    let raw = want.raw.items.iter().copied().zip(logs(&want.raw)).collect();
    let last = want.last.clone();
    type List<'a> = (&'a str, Vec<(Candidate, f64)>, usize, &'a [TokenLogProb]);
    let lists: [List<'_>; 2] = [
        ("before", raw, request.best_before, chain.best_before()),
        ("after", last, request.best_after, chain.best_after()),
    ];
    for (name, mut sorted, n, got) in lists {
        sorted.retain(|(c, _)| c.logit > f32::NEG_INFINITY);
        sorted.sort_by(|a, b| rank_order(&a.0, &b.0));
        sorted.truncate(n);
        assert_eq!(got.len(), sorted.len(), "{what}: {name}");
        for (i, ((c, log), got)) in sorted.iter().zip(got).enumerate() {
            let same = got.id == c.id && near(f64::from(got.logprob), f64::from(*log as f32));
            assert!(same, "{what}: {name} {i}: {got:?} instead of {c:?} with {log}");
        }
    }
}

#[test]
fn a_request_without_options_is_a_plain_draw() {
    let row: Vec<f32> = (0..1000_u16).map(|i| f32::from(i * 37 % 101) / 10.0).collect();
    let specs = [Spec::TopK(40), Spec::Temperature(0.7), Spec::Dist(5)];
    let (mut plain, mut asked) = (fill(Chain::new(), &specs), fill(Chain::new(), &specs));
    for _ in 0..200 {
        let drawn = asked.sample_request(&ChainRequest::new(&row)).map(|r| r.drawn.token as u32);
        assert_eq!(drawn, plain.sample(&row));
    }
}

/// With the S2 preset a kept id is that of a sampler's request.
#[test]
fn a_kept_id_is_that_of_a_samplers_request() {
    let mut random = SplitMix(11);
    let mut returned = 0;
    for case in 0..3000_u32 {
        let (_, row) = rows::row(&mut random);
        if row.len() > 5000 {
            continue;
        }
        let params = SamplerParams {
            temperature: random.pick(&[0.8, 0.2, 3.0, 1e-3, f32::INFINITY, f32::NAN, 0.0]),
            top_p: random.pick(&[0.1, 0.8, 1.0, f32::NAN]),
            top_k: random.pick(&[0, 1, 2, 30]),
        };
        let keep_id = Some(random.below(row.len()) as i32);
        let mut chain = fill(Chain::new(), &[Spec::S2(params), Spec::Dist(case)]);
        let mut sampler = Sampler::new(case);
        for _ in 0..3 {
            let drawn = chain.sample_request(&ChainRequest { keep_id, ..ChainRequest::new(&row) });
            let request = SampleRequest { keep_id, ..SampleRequest::new(&row, params) };
            let want = sampler.sample_request(&request);
            assert_eq!(drawn.is_ok(), want.is_ok());
            let (Ok(drawn), Ok(want)) = (drawn, want) else { continue };
            let what = format!("case {case}, {params:?}, {keep_id:?}, n {}", row.len());
            assert_eq!(
                (drawn.drawn.token, drawn.drawn.rng_words),
                (want.token, want.rng_words),
                "{what}"
            );
            let p = drawn.probability.final_p;
            assert!((p - want.probability.final_p).abs() < 1e-5, "{what}: {p} {want:?}");
            returned += u32::from(keep_id == Some(drawn.drawn.token));
        }
    }
    assert!(returned > 100, "{returned}");
}

/// The caller's numbers move no generator, and xtc's kept word stays.
#[test]
fn uniforms_of_the_caller_leave_every_generator() {
    let row: Vec<f32> = (0..50_u8).map(|i| f32::from(i) / 10.0).collect();
    let xtc = Spec::Xtc { probability: 0.5, threshold: 0.01, min_keep: 1, seed: 3 };
    for last in [Spec::Dist(4), Spec::MirostatV2 { seed: 4, tau: 3.0, eta: 0.0 }] {
        let specs = [xtc.clone(), last];
        let (mut chain, mut untouched) = (fill(Chain::new(), &specs), fill(Chain::new(), &specs));
        for _ in 0..50 {
            for uniforms in [&[0.1, 0.2][..], &[0.9, 1.0], &[0.0, 0.0, 7.0_f64.recip()]] {
                let request = ChainRequest { uniforms, accept: false, ..ChainRequest::new(&row) };
                let drawn = chain.sample_request(&request).expect("enough").drawn;
                assert_eq!((drawn.uniforms, drawn.rng_words), (2, 0));
            }
            for uniforms in [&[0.1][..], &[1.5, 0.5], &[f64::NAN], &[0.5, -0.1]] {
                let request = ChainRequest { uniforms, ..ChainRequest::new(&row) };
                assert_eq!(chain.sample_request(&request), Err(Error::BadArgument));
            }
            assert_eq!(chain.sample(&row), untouched.sample(&row));
        }
    }
}

/// Races draw in proportion to the weights, and a candidate of weight 0 never wins.
#[test]
fn races_fit_their_distribution() {
    const DRAWS: u64 = 200_000;
    let weights = [0.5, 0.05, 0.2, 0.0, 0.24, 0.01];
    let row = weights.map(|w: f64| w.ln() as f32);
    for method in [DistMethod::ExponentialRace, DistMethod::GumbelRace] {
        let options = DistOptions { method, ..DistOptions::new(17) };
        let mut chain = fill(Chain::new(), &[Spec::DistWith(options)]);
        let mut counts = vec![0; weights.len()];
        for _ in 0..DRAWS {
            counts[chain.sample(&row).expect("candidates") as usize] += 1;
        }
        common::statistics::fit(&[weights.to_vec()], &[counts]).expect("the weights");
        // A u of 0 for all, and for the best alone.
        for uniforms in [[0.0; 6], [0.0, 1.0, 0.5, 1.0, 0.5, 0.5]] {
            let request = ChainRequest { uniforms: &uniforms, ..ChainRequest::new(&row) };
            let token = chain.sample_request(&request).expect("enough").drawn.token;
            assert_ne!(token, 3);
        }
    }
}

#[test]
fn options_of_dist_that_do_not_go_together() {
    use s2sampler_core::{DistSums, Stage};
    let options = DistOptions::new(1);
    let refused = [
        DistOptions { mass: f32::NAN, ..options },
        DistOptions { mass: -1e-45, ..options },
        DistOptions { mass: 0.5, method: DistMethod::Discrete, ..options },
        DistOptions { sums: DistSums::Float, method: DistMethod::GumbelRace, ..options },
    ];
    for options in refused {
        assert_eq!(Stage::dist_with(options).err(), Some(Error::BadArgument), "{options:?}");
    }
}
