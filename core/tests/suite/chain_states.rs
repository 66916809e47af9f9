//! What a chain keeps from draw to draw, and how it is changed, copied and begun anew.

use crate::common;

use common::chain::Oracle;
use common::chain::spec::{Spec, fill};
use common::rows::{SplitMix, bell};
use s2sampler_core::{
    Chain, ChainSample, Error, Preset, PresetParams, SamplerParams, Stage, TokenData,
};

/// One stage of each kind that remembers something, and a few that do not.
fn specs() -> Vec<Spec> {
    let breakers = vec![vec![3], vec![1, 2]];
    vec![
        Spec::LogitBias(vec![(3, 1.5), (7, f32::NEG_INFINITY)]),
        Spec::Penalties { last_n: 8, repeat: 1.2, frequency: 0.1, presence: 0.1 },
        Spec::Dry { multiplier: 1.0, base: 1.5, allowed_length: 1, last_n: -1, breakers },
        Spec::TopK(20),
        Spec::Xtc { probability: 0.5, threshold: 0.1, min_keep: 1, seed: 8 },
        Spec::TopP { p: 0.99, min_keep: 1 },
        Spec::Temperature(1.3),
        Spec::Dist(9),
    ]
}

fn row(step: u64) -> Vec<f32> {
    bell(100, 1.0 / (1 << 20) as f32, step)
}

fn draws(chain: &mut Chain, steps: std::ops::Range<u64>) -> Vec<u32> {
    steps.map(|step| chain.sample(&row(step)).expect("a token")).collect()
}

fn of_the_oracle(specs: &[Spec], steps: std::ops::Range<u64>) -> Vec<u32> {
    let mut oracle = Oracle::new(specs);
    steps.map(|step| oracle.sample(&row(step)).expect("a stage selects")).collect()
}

#[test]
fn clone_continues_independently() {
    for specs in [specs(), vec![Spec::MirostatV2 { seed: 4, tau: 3.0, eta: 0.3 }]] {
        let mut chain = fill(Chain::new(), &specs);
        draws(&mut chain, 0..30);
        let mut copy = chain.try_clone().expect("memory");
        let continued = draws(&mut copy, 30..60);
        assert_eq!(continued, draws(&mut chain, 30..60));
        // The copy's draws were none of the chain's, and the other way round.
        let whole = of_the_oracle(&specs, 0..60);
        assert_eq!(continued, whole[30..]);
        assert_eq!(copy.stages().len(), specs.len());
    }
}

#[test]
fn reset_restores_the_initial_state() {
    for specs in [specs(), vec![Spec::MirostatV2 { seed: 4, tau: 3.0, eta: 0.3 }]] {
        let mut chain = fill(Chain::new(), &specs);
        let first = draws(&mut chain, 0..30);
        assert_ne!(draws(&mut chain, 0..30), first, "nothing is remembered");
        chain.reset();
        assert_eq!(draws(&mut chain, 0..30), first);
    }
}

#[test]
fn a_new_seed_is_as_good_as_a_new_stage() {
    let with = |seed| {
        let xtc = Spec::Xtc { probability: 0.5, threshold: 0.05, min_keep: 1, seed };
        [
            xtc,
            Spec::Penalties { last_n: 8, repeat: 1.2, frequency: 0.0, presence: 0.0 },
            Spec::Dist(seed + 1),
        ]
    };
    let mut chain = fill(Chain::new(), &with(4));
    draws(&mut chain, 0..30);
    chain.reset();
    assert_eq!((chain.reseed(0, 9), chain.reseed(2, 10)), (Ok(()), Ok(())));
    assert_eq!((chain.seed(0), chain.seed(2)), (Ok(9), Ok(10)));
    let first = draws(&mut chain, 0..30);
    assert_eq!(first, draws(&mut fill(Chain::new(), &with(9)), 0..30));
    assert_ne!(first, draws(&mut fill(Chain::new(), &with(4)), 0..30));
    chain.reset();
    assert_eq!(draws(&mut chain, 0..30), first, "reset returns to the new seed");
    for index in [1, 3] {
        assert_eq!(chain.seed(index), Err(Error::BadArgument));
        assert_eq!(chain.reseed(index, 1), Err(Error::BadArgument));
    }
}

#[test]
fn a_stage_can_be_removed_and_added_again() {
    let all = specs();
    for index in 0..all.len() {
        let mut chain = fill(Chain::new(), &all);
        let mut oracle = Oracle::new(&all);
        let agree = |chain: &mut Chain, oracle: &mut Oracle, steps: std::ops::Range<u64>| {
            for step in steps {
                let want = oracle.sample(&row(step));
                assert_eq!(chain.sample(&row(step)), want, "without stage {index}, step {step}");
            }
        };
        agree(&mut chain, &mut oracle, 0..10);
        assert_eq!(chain.remove(index), Ok(()));
        oracle.remove(index);
        let names: Vec<_> = chain.stages().iter().map(Stage::name).collect();
        let mut left: Vec<_> = all.iter().map(Spec::name).collect();
        left.remove(index);
        assert_eq!(names, left);
        agree(&mut chain, &mut oracle, 10..20);
        // It comes back at the end, with nothing to remember.
        assert_eq!(chain.add(all[index].stage().expect("a stage")), Ok(all.len() - 1));
        oracle.add(&all[index]);
        agree(&mut chain, &mut oracle, 20..40);
        assert_eq!(chain.remove(all.len()), Err(Error::BadArgument));
        assert_eq!(chain.stages().len(), all.len());
    }
}

/// `sample` accepts what it drew, `apply` accepts nothing.
#[test]
fn sample_accepts_and_apply_does_not() {
    let specs = [
        Spec::Penalties { last_n: 1, repeat: 1.0, frequency: 0.0, presence: 5.0 },
        Spec::Greedy,
        Spec::Penalties { last_n: -1, repeat: 2.0, frequency: 0.0, presence: 0.0 },
    ];
    let mut chain = fill(Chain::new(), &specs);
    let logits = [1.0, 3.0, 2.0];
    let array = || -> Vec<TokenData> {
        (0..).zip(logits).map(|(id, logit)| TokenData { id, logit, p: 0.0 }).collect()
    };
    for _ in 0..3 {
        assert_eq!(chain.apply(&mut array(), false).expect("candidates").selected, Some(1));
    }
    let drawn: Vec<u32> = (0..4).map(|_| chain.sample(&logits).expect("a token")).collect();
    assert_eq!(drawn, [1, 2, 1, 2]);
    chain.accept(1).expect("memory");
    assert_eq!(chain.sample(&logits), Ok(2));
    // Also by whoever stands after the one that selects.
    chain.remove(1).expect("greedy is there");
    chain.add(Stage::greedy()).expect("memory");
    // 1 and 2 have been drawn: 3 and 2 - 5 halved or doubled leave token 1 ahead with 1.5.
    assert_eq!(chain.sample(&logits), Ok(1));
}

#[test]
fn without_a_stage_that_selects() {
    let specs = [
        Spec::Penalties { last_n: 64, repeat: 2.0, frequency: 0.0, presence: 0.0 },
        Spec::Xtc { probability: 0.5, threshold: 0.1, min_keep: 1, seed: 3 },
    ];
    let mut chain = fill(Chain::new(), &specs);
    for _ in 0..20 {
        assert_eq!(chain.sample(&row(1)), Err(Error::NoSelection));
    }
    // Nothing was changed by that: no word is gone.
    chain.add(Stage::dist(5)).expect("memory");
    let with_dist = [&specs[..], &[Spec::Dist(5)]].concat();
    assert_eq!(draws(&mut chain, 0..20), of_the_oracle(&with_dist, 0..20));
    assert_eq!(Chain::new().sample(&row(1)), Err(Error::NoSelection));
    let mut tokens = [TokenData { id: 4, logit: 1.0, p: 0.5 }];
    let applied = Chain::new().apply(&mut tokens, false).expect("a candidate");
    assert_eq!((applied.len, applied.selected), (1, None));
    assert_eq!(tokens, [TokenData { id: 4, logit: 1.0, p: 0.5 }]);
    assert!(Error::NoSelection.status() == -7 && !Error::NoSelection.message().is_empty());
}

#[test]
fn nothing_to_draw_from() {
    for specs in [vec![], specs()] {
        let mut chain = fill(Chain::new(), &specs);
        assert_eq!(chain.apply(&mut [], false).err(), Some(Error::EmptyRow));
        if !specs.is_empty() {
            assert_eq!(chain.sample(&[]), Err(Error::EmptyRow));
            assert_eq!(draws(&mut chain, 0..20), of_the_oracle(&specs, 0..20));
        }
    }
}

/// Where every token is banned there is nothing to draw: an error that uses no random word.
#[test]
fn nothing_above_neg_inf_is_an_error_that_changes_nothing() {
    let filters = [
        Spec::TopK(3),
        Spec::TopP { p: 0.0, min_keep: 0 },
        Spec::MinP { p: 2.0, min_keep: 0 },
        Spec::EpsilonCutoff { epsilon: 2.0, min_keep: 0 },
        Spec::Typical { p: 0.0, min_keep: 0 },
        Spec::TopNSigma(1e-30),
        Spec::Temperature(0.0),
        Spec::TemperatureExt { t: 0.5, delta: 0.5, exponent: 1.0 },
        Spec::S2(SamplerParams { temperature: 1.0, top_p: 0.0, top_k: 1 }),
        Spec::S2(SamplerParams { temperature: 0.0, top_p: 1.0, top_k: 0 }),
        Spec::Softmax,
        Spec::Xtc { probability: 0.9, threshold: 0.01, min_keep: 1, seed: 2 },
    ];
    let selecting = [Spec::Greedy, Spec::Dist(3), Spec::MirostatV2 { seed: 1, tau: 1.0, eta: 0.1 }];
    let masked = f32::NEG_INFINITY;
    for n in [1, 2, 40, 1000] {
        let good = bell(n, 1.0 / (1 << 20) as f32, 5);
        let dead = [vec![masked; n], vec![f32::NAN; n]];
        for filter in &filters {
            for select in &selecting {
                let specs = [filter.clone(), select.clone()];
                let mut chain = fill(Chain::new(), &specs);
                for row in &dead {
                    let what = format!("n {n}, {specs:?}");
                    assert_eq!(chain.sample(row), Err(Error::NoCandidate), "{what}");
                    let token = |(id, l): (i32, &f32)| TokenData { id, logit: *l, p: 0.0 };
                    let mut array: Vec<TokenData> = (0..).zip(row).map(token).collect();
                    let applied = chain.apply(&mut array, false);
                    assert_eq!(applied.err(), Some(Error::NoCandidate), "{what}");
                }
                // Also where a ban comes after xtc has drawn its number.
                let ban = Spec::LogitBias((0..n as i32).map(|id| (id, masked)).collect());
                chain.remove(1).expect("the selecting stage");
                for late in [&ban, select] {
                    chain.add(late.stage().expect("a stage")).expect("memory");
                }
                assert_eq!(chain.sample(&good), Err(Error::NoCandidate));
                chain.remove(1).expect("the ban");
                let mut oracle = Oracle::new(&specs);
                for draw in 0..10 {
                    assert_eq!(chain.sample(&good), oracle.sample(&good), "{specs:?}, {draw}");
                }
            }
        }
    }
}

#[test]
fn stats_of_the_row_come_with_the_token() {
    let mut chain = fill(Chain::new(), &[Spec::TopK(2), Spec::Dist(1)]);
    let mut plain = fill(Chain::new(), &[Spec::TopK(2), Spec::Dist(1)]);
    let row = [f32::NAN, 1.0, f32::INFINITY, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for _ in 0..10 {
        let ChainSample { token, nans, infinities } =
            chain.sample_with_stats(&row).expect("a token");
        assert_eq!((plain.sample(&row), nans, infinities), (Ok(token), 2, 2));
    }
}

/// Stages that are off remember nothing, so they cost nothing however many tokens are accepted.
#[test]
fn off_stages_have_no_history() {
    let off = [
        Stage::penalties(-1, 1.0, 0.0, 0.0),
        Stage::dry(0.0, 1.75, 2, -1, &[]),
        Stage::dry(0.8, 0.5, 2, -1, &[&[1]]),
    ];
    let on = Stage::penalties(-1, 1.5, 0.0, 0.0);
    let mut chain = Chain::new();
    for stage in off.into_iter().chain([on]) {
        chain.add(stage.expect("good parameters")).expect("memory");
    }
    let unused = format!("{chain:?}");
    for token in 0..1000 {
        chain.accept(token).expect("memory");
    }
    assert_ne!(format!("{chain:?}"), unused, "nothing shows the history");
    chain.remove(3).expect("the stage that is on");
    let mut fresh = Chain::new();
    for stage in [
        Stage::penalties(-1, 1.0, 0.0, 0.0),
        Stage::dry(0.0, 1.75, 2, -1, &[]),
        Stage::dry(0.8, 0.5, 2, -1, &[&[1]]),
    ] {
        fresh.add(stage.expect("good parameters")).expect("memory");
    }
    assert_eq!(format!("{:?}", chain.stages()), format!("{:?}", fresh.stages()));
}

/// The first of each pair is the off-value, the second the float or integer beside it.
#[test]
fn off_values_are_off() {
    let (up, down) = (1.0_f32.next_up(), 1.0_f32.next_down());
    let (zero, least) = (0.0, 1e-45);
    let (top_p, typical) =
        (|p| Spec::TopP { p, min_keep: 1 }, |p| Spec::Typical { p, min_keep: 1 });
    let min_p = |p| Spec::MinP { p, min_keep: 1 };
    let epsilon = |epsilon| Spec::EpsilonCutoff { epsilon, min_keep: 1 };
    let xtc = |probability, threshold| Spec::Xtc { probability, threshold, min_keep: 1, seed: 1 };
    let ext = |t, delta| Spec::TemperatureExt { t, delta, exponent: 1.0 };
    let penalties = |last_n, repeat, frequency, presence| Spec::Penalties {
        last_n,
        repeat,
        frequency,
        presence,
    };
    let dry = |multiplier, base, last_n| Spec::Dry {
        multiplier,
        base,
        allowed_length: 2,
        last_n,
        breakers: vec![],
    };
    let pairs = [
        (Spec::LogitBias(vec![]), Spec::LogitBias(vec![(0, 0.0)])),
        (penalties(0, 1.1, 0.1, 0.1), penalties(1, 1.1, 0.1, 0.1)),
        (penalties(64, 1.0, zero, zero), penalties(64, up, zero, zero)),
        (penalties(64, 1.0, zero, zero), penalties(64, 1.0, least, zero)),
        (penalties(64, 1.0, zero, zero), penalties(64, 1.0, zero, least)),
        (dry(zero, 1.75, -1), dry(least, 1.75, -1)),
        (dry(0.8, down, -1), dry(0.8, 1.0, -1)),
        (dry(0.8, 1.75, 0), dry(0.8, 1.75, 1)),
        (Spec::Temperature(1.0), Spec::Temperature(up)),
        (Spec::Temperature(1.0), Spec::Temperature(down)),
        (ext(1.0, zero), ext(1.0, least)),
        (ext(1.0, zero), ext(up, zero)),
        (Spec::TopK(0), Spec::TopK(1)),
        (top_p(1.0), top_p(down)),
        (min_p(zero), min_p(least)),
        (typical(1.0), typical(down)),
        (epsilon(zero), epsilon(least)),
        (Spec::TopNSigma(zero), Spec::TopNSigma(least)),
        (xtc(zero, 0.1), xtc(least, 0.1)),
        (xtc(0.9, 0.5_f32.next_up()), xtc(0.9, 0.5)),
    ];
    let is_off = |spec: &Spec| {
        let chain = fill(Chain::new(), std::slice::from_ref(spec));
        chain.report(&row(1), 1).expect("a report").stages[0].off
    };
    for (off, on) in pairs {
        assert!(is_off(&off), "{off:?}");
        assert!(!is_off(&on), "{on:?}");
    }
}

/// Where all tokens but one are banned, that one is drawn.
#[test]
fn one_token_not_banned() {
    let mut random = SplitMix(1);
    for _ in 0..50 {
        let n = 2 + random.below(600);
        let open = random.below(n);
        let banned = (0..n).filter(|id| *id != open).map(|id| (id as i32, f32::NEG_INFINITY));
        let stages = [Spec::LogitBias(banned.collect()), Spec::Temperature(2.0), Spec::Dist(1)];
        let row = bell(n, 1.0 / (1 << 20) as f32, random.next());
        let mut chain = fill(Chain::new(), &stages);
        assert!((0..5).all(|_| chain.sample(&row) == Ok(open as u32)));
    }
}

#[test]
fn bad_arguments() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let bad = [
        Stage::logit_bias(&[(1, 0.0), (2, nan)]),
        Stage::logit_bias(&[(-1, 0.0)]),
        Stage::penalties(-2, 1.1, 0.0, 0.0),
        Stage::penalties(64, 0.0, 0.0, 0.0),
        Stage::penalties(64, -1.0, 0.0, 0.0),
        Stage::penalties(64, inf, 0.0, 0.0),
        Stage::penalties(64, nan, 0.0, 0.0),
        Stage::penalties(64, 1.1, inf, 0.0),
        Stage::penalties(64, 1.1, 0.0, nan),
        Stage::top_p(nan, 1),
        Stage::min_p(nan, 1),
        Stage::typical(nan, 1),
        Stage::top_n_sigma(nan),
        Stage::xtc(0.5, nan, 1, 0),
        Stage::xtc(0.5, 0.0, 1, 0),
        Stage::xtc(0.5, -1.0, 1, 0),
        Stage::epsilon_cutoff(nan, 1),
        Stage::temperature(nan),
        Stage::temperature_ext(nan, 0.5, 1.0),
        Stage::temperature_ext(0.8, nan, 1.0),
        Stage::temperature_ext(0.8, 0.5, nan),
        Stage::temperature_ext(0.8, 0.5, inf),
    ];
    for (index, stage) in bad.into_iter().enumerate() {
        assert_eq!(stage.err(), Some(Error::BadArgument), "number {index}");
    }
    let bad = PresetParams { repeat_penalty: 0.0, ..PresetParams::of(Preset::TemperatureFirst) };
    assert_eq!(Chain::preset(Preset::TemperatureFirst, &bad, 1).err(), Some(Error::BadArgument));
}
