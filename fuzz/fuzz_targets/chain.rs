//! Chains built and used in any order: the row and the array of its tokens give the same, a report
//! changes nothing, and a copy goes on alike.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use s2sampler_core::{Chain, Error, SamplerParams, Stage, TokenData};
use s2sampler_core::{DistMethod, DistOptions, DistOrder, DistSums};
use s2sampler_fuzz::{Params, Row};

#[derive(Debug, Arbitrary)]
enum Step {
    Add(Kind),
    Remove(u8),
    Move(u8, u8),
    Replace(u8, u8),
    SetBitmask(u8, Vec<i32>),
    Sample,
    Accept(i16),
    Report(u8),
    Clone,
    Reset,
}

#[derive(Debug, Arbitrary)]
enum Kind {
    Bias(Vec<(i16, f32)>),
    Penalties(i16, f32, f32, f32),
    PenaltyEach(i16, f32),
    PenaltyRun(f32),
    PenaltyDecay(i16, i16, f32),
    SequenceBias(Vec<(Vec<i16>, f32)>),
    MinTokens(i8, Vec<i16>),
    Bitmask(Vec<i32>),
    TopA(f32, u8),
    Smoothing(f32, f32),
    XtcProtected(f32, f32, u8, u32, Vec<i16>),
    NoRepeatNgram(i8, i16),
    TopK(i16),
    TopKTies(i16),
    TopPExclusive(f32),
    Scale(f32),
    TopP(f32, u8),
    MinP(f32, u8),
    EpsilonCutoff(f32, u8),
    EtaCutoff(f32, u8),
    Typical(f32, u8),
    TopNSigma(f32),
    Xtc(f32, f32, u8, u32),
    Temperature(f32),
    TemperatureExt(f32, f32, f32),
    Dry(f32, f32, u8, i16, Vec<Vec<u8>>),
    Mirostat(u32, f32, f32, i8),
    MirostatV2(u32, f32, f32),
    AdaptiveP(f32, f32, u32),
    S2(Params),
    S2First(Params, i16),
    Softmax,
    Greedy,
    Dist(u32),
    DistWith(u32, u8, u8, u8, f32),
}

fn wide(ids: &[i16]) -> Vec<i32> {
    ids.iter().map(|id| (*id).into()).collect()
}

fn stage(kind: &Kind) -> Result<Stage, Error> {
    match kind {
        Kind::Bias(biases) => {
            let biases: Vec<(i32, f32)> = biases.iter().map(|(id, b)| ((*id).into(), *b)).collect();
            Stage::logit_bias(&biases)
        }
        Kind::Penalties(last, a, b, c) => Stage::penalties((*last).into(), *a, *b, *c),
        Kind::PenaltyEach(last, repeat) => Stage::penalty_each((*last).into(), *repeat),
        Kind::PenaltyDecay(sustain, decay, repeat) => {
            Stage::penalty_decay((*sustain).into(), (*decay).into(), *repeat)
        }
        Kind::SequenceBias(biases) => {
            let biases: Vec<(Vec<i32>, f32)> = biases.iter().map(|(s, b)| (wide(s), *b)).collect();
            let biases: Vec<(&[i32], f32)> = biases.iter().map(|(s, b)| (&s[..], *b)).collect();
            Stage::sequence_bias(&biases)
        }
        Kind::MinTokens(count, ids) => Stage::min_tokens((*count).into(), &wide(ids)),
        Kind::Bitmask(words) => Stage::bitmask(words),
        Kind::TopA(a, keep) => Stage::top_a(*a, (*keep).into()),
        Kind::Smoothing(factor, curve) => Stage::smoothing(*factor, *curve),
        Kind::XtcProtected(p, t, keep, seed, ids) => {
            Stage::xtc_protected(*p, *t, (*keep).into(), *seed, &wide(ids))
        }
        Kind::PenaltyRun(repeat) => Stage::penalty_run(*repeat),
        Kind::NoRepeatNgram(n, last) => Stage::no_repeat_ngram((*n).into(), (*last).into()),
        Kind::TopKTies(k) => Ok(Stage::top_k_ties((*k).into())),
        Kind::TopPExclusive(p) => Stage::top_p_exclusive(*p),
        Kind::Scale(factor) => Stage::scale(*factor),
        Kind::TopK(k) => Ok(Stage::top_k((*k).into())),
        Kind::TopP(p, keep) => Stage::top_p(*p, (*keep).into()),
        Kind::MinP(p, keep) => Stage::min_p(*p, (*keep).into()),
        Kind::EpsilonCutoff(p, keep) => Stage::epsilon_cutoff(*p, (*keep).into()),
        Kind::EtaCutoff(eta, keep) => Stage::eta_cutoff(*eta, (*keep).into()),
        Kind::Typical(p, keep) => Stage::typical(*p, (*keep).into()),
        Kind::TopNSigma(n) => Stage::top_n_sigma(*n),
        Kind::Xtc(p, t, keep, seed) => Stage::xtc(*p, *t, (*keep).into(), *seed),
        Kind::Temperature(t) => Stage::temperature(*t),
        Kind::TemperatureExt(t, delta, exponent) => Stage::temperature_ext(*t, *delta, *exponent),
        Kind::Dry(multiplier, base, allowed, last, breakers) => {
            let breakers: Vec<Vec<i32>> =
                breakers.iter().map(|b| b.iter().map(|id| (*id).into()).collect()).collect();
            let breakers: Vec<&[i32]> = breakers.iter().map(Vec::as_slice).collect();
            Stage::dry(*multiplier, *base, (*allowed).into(), (*last).into(), &breakers)
        }
        Kind::Mirostat(seed, tau, eta, m) => Stage::mirostat(*seed, *tau, *eta, (*m).into()),
        Kind::MirostatV2(seed, tau, eta) => Stage::mirostat_v2(*seed, *tau, *eta),
        Kind::AdaptiveP(target, decay, seed) => Stage::adaptive_p(*target, *decay, *seed),
        Kind::S2(Params(params)) => Ok(Stage::s2(SamplerParams { ..*params })),
        Kind::S2First(Params(params), keep) => {
            Ok(Stage::s2_first(SamplerParams { ..*params }, (*keep).into()))
        }
        Kind::Softmax => Ok(Stage::softmax()),
        Kind::Greedy => Ok(Stage::greedy()),
        Kind::Dist(seed) => Ok(Stage::dist(*seed)),
        Kind::DistWith(seed, method, order, sums, mass) => Stage::dist_with(DistOptions {
            seed: *seed,
            method: DistMethod::try_from(i32::from(method % 4))?,
            order: DistOrder::try_from(i32::from(order % 3))?,
            sums: DistSums::try_from(i32::from(sums % 2))?,
            mass: *mass,
        }),
    }
}

/// Draws from the row, and from the array of its tokens with a copy of the chain.
fn sample(chain: &mut Chain, row: &[f32]) {
    let mut copy = chain.try_clone().expect("memory");
    let drawn = chain.sample(row);
    let mut tokens: Vec<TokenData> =
        (0..).zip(row).map(|(id, logit)| TokenData { id, logit: *logit, p: 0.0 }).collect();
    let applied = copy.apply(&mut tokens, false).expect("there are tokens");
    assert!((1..=row.len()).contains(&applied.len));
    match applied.selected {
        Some(place) => {
            assert!(place < applied.len);
            let token = tokens[place].id;
            assert_eq!(drawn, Ok(token as u32));
            copy.accept(token).expect("memory");
        }
        None => assert_eq!(drawn, Err(Error::NoSelection)),
    }
    if drawn.is_ok() {
        // Both are in the same state.
        assert_eq!(copy.sample(row), chain.sample(row));
    }
}

fuzz_target!(|input: (Row, Vec<Step>)| {
    let (Row(row), steps) = input;
    let mut chain = Chain::new();
    for step in steps.iter().take(40) {
        match step {
            Step::Add(kind) => {
                if let Ok(stage) = stage(kind) {
                    let index = chain.add(stage).expect("memory");
                    assert_eq!(index + 1, chain.stages().len());
                }
            }
            Step::Remove(index) => {
                let index = usize::from(*index);
                let there = index < chain.stages().len();
                assert_eq!(chain.remove(index).is_ok(), there);
            }
            Step::Move(from, to) => {
                let count = chain.stages().len();
                let (from, to) = (usize::from(*from), usize::from(*to));
                assert_eq!(chain.move_stage(from, to).is_ok(), from.max(to) < count);
            }
            Step::Replace(from, index) => {
                let count = chain.stages().len();
                let (from, index) = (usize::from(*from), usize::from(*index));
                let fits = from != index && from.max(index) < count;
                assert_eq!(chain.replace(from, index).is_ok(), fits);
            }
            Step::SetBitmask(index, words) => {
                let index = usize::from(*index);
                let is = chain.stages().get(index).is_some_and(|stage| stage.name() == "bitmask");
                assert_eq!(chain.set_bitmask(index, words).is_ok(), is);
            }
            Step::Sample => sample(&mut chain, &row),
            Step::Accept(token) => chain.accept((*token).into()).expect("memory"),
            Step::Report(first) => {
                let mut copy = chain.try_clone().expect("memory");
                let report = chain.report(&row, usize::from(*first)).expect("there are tokens");
                report.to_json().expect("memory");
                assert_eq!(report.stages.len(), chain.stages().len());
                assert_eq!(copy.sample(&row), chain.sample(&row));
            }
            Step::Clone => chain = chain.try_clone().expect("memory"),
            Step::Reset => chain.reset(),
        }
    }
});
