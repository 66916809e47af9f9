//! What a chain keeps from draw to draw, and how it is changed, copied and begun anew.

use crate::common;

use common::chain::Oracle;
use common::chain::spec::{Spec, fill};
use common::rows::{SplitMix, bell};
use s2sampler_core::{Chain, ChainSample, Error, SamplerParams, Stage, TokenData};

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

/// Chains of stages that remember something.
fn remembering() -> Vec<Vec<Spec>> {
    let seed = 4;
    vec![
        specs(),
        vec![Spec::MirostatV2 { seed, tau: 3.0, eta: 0.3 }],
        vec![Spec::Mirostat { seed, tau: 3.0, eta: 0.3, m: 100 }],
        vec![Spec::AdaptiveP { target: 0.3, decay: 0.9, seed }],
        vec![Spec::PenaltyEach { last_n: 20, repeat: 1.3 }, Spec::Dist(seed)],
        vec![Spec::PenaltyRun(1e-4), Spec::Dist(seed)],
        vec![Spec::PenaltyDecay { sustain: 3, decay: 5, repeat: 1.5 }, Spec::Dist(seed)],
        vec![Spec::MinTokens { count: 20, ids: (0..50).collect() }, Spec::Dist(seed)],
        vec![
            Spec::SequenceBias((0..99).map(|id| (vec![id, id + 1], 9.0)).collect()),
            Spec::Dist(seed),
        ],
        vec![
            Spec::XtcProtected {
                probability: 0.5,
                threshold: 0.01,
                min_keep: 1,
                seed,
                protected: vec![],
            },
            Spec::Dist(seed),
        ],
        vec![Spec::NoRepeatNgram { n: 1, last_n: 20 }, Spec::Dist(seed)],
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
    for specs in remembering() {
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
    for specs in remembering() {
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

/// A stage that lost its new seed on the way would go on with the old one.
#[test]
fn other_stages_that_draw_take_new_seeds_too() {
    for of in [
        (|seed| Spec::Mirostat { seed, tau: 3.0, eta: 0.3, m: 100 }) as fn(u32) -> Spec,
        |seed| Spec::AdaptiveP { target: 0.3, decay: 0.9, seed },
        |seed| Spec::XtcProtected {
            probability: 0.5,
            threshold: 0.01,
            min_keep: 1,
            seed,
            protected: vec![1],
        },
    ] {
        let mut chain = fill(Chain::new(), &[of(1), Spec::Dist(5)]);
        assert_eq!((chain.seed(0), chain.reseed(0, 9), chain.seed(0)), (Ok(1), Ok(()), Ok(9)));
        let drawn = draws(&mut chain, 0..30);
        assert_eq!(drawn, of_the_oracle(&[of(9), Spec::Dist(5)], 0..30));
        assert_ne!(drawn, of_the_oracle(&[of(1), Spec::Dist(5)], 0..30));
        chain.reset();
        assert_eq!(draws(&mut chain, 0..30), drawn);
    }
}

#[test]
fn stages_move_and_take_the_place_of_others() {
    let names = |chain: &Chain| chain.stages().iter().map(|stage| stage.name()).collect::<Vec<_>>();
    let fresh = || {
        fill(Chain::new(), &[Spec::TopK(1), Spec::Softmax, Spec::Temperature(0.5), Spec::Greedy])
    };
    for (from, to, want) in [
        (0, 3, ["softmax", "temperature", "greedy", "top_k"]),
        (3, 0, ["greedy", "top_k", "softmax", "temperature"]),
        (1, 2, ["top_k", "temperature", "softmax", "greedy"]),
        (2, 2, ["top_k", "softmax", "temperature", "greedy"]),
    ] {
        let mut chain = fresh();
        assert_eq!(chain.move_stage(from, to), Ok(()));
        assert_eq!(names(&chain), want, "{from} to {to}");
    }
    for (from, index, want) in [
        (3, 0, ["greedy", "softmax", "temperature"]),
        (0, 3, ["softmax", "temperature", "top_k"]),
        (2, 1, ["top_k", "temperature", "greedy"]),
        (1, 2, ["top_k", "softmax", "greedy"]),
    ] {
        let mut chain = fresh();
        assert_eq!(chain.replace(from, index), Ok(()));
        assert_eq!(names(&chain), want, "{from} in the place of {index}");
    }
    let mut chain = fresh();
    for (a, b) in [(0, 4), (4, 0), (4, 4), (usize::MAX, 0), (0, usize::MAX)] {
        assert_eq!(chain.move_stage(a, b), Err(Error::BadArgument));
        assert_eq!(chain.replace(a, b), Err(Error::BadArgument));
    }
    assert_eq!(chain.replace(2, 2), Err(Error::BadArgument));
    assert_eq!(names(&chain), names(&fresh()));
}

#[test]
fn a_bitmask_is_replaced() {
    let mut chain = fill(Chain::new(), &[Spec::Bitmask(vec![0b110]), Spec::Greedy]);
    let row = [9.0, 1.0, 2.0, 3.0];
    assert_eq!(chain.sample(&row), Ok(2));
    for (words, want) in [
        (vec![0b1000], Ok(3)),
        (vec![], Ok(0)),
        (vec![0], Err(Error::NoCandidate)),
        (vec![0, -1], Err(Error::NoCandidate)),
        (vec![i32::MIN | 2], Ok(1)),
    ] {
        assert_eq!(chain.set_bitmask(0, &words), Ok(()));
        assert_eq!(chain.sample(&row), want, "{words:?}");
    }
    assert_eq!(chain.set_bitmask(1, &[1]), Err(Error::BadArgument));
    assert_eq!(chain.set_bitmask(2, &[1]), Err(Error::BadArgument));
    // The sign bit of a word is an id's too.
    let mut wide = vec![0.0; 33];
    wide[31] = 1.0;
    assert_eq!(chain.sample(&wide), Ok(31));
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
        Spec::EtaCutoff { eta: 2.0, min_keep: 0 },
        Spec::TopKTies(3),
        Spec::TopA { a: 2.0, min_keep: 0 },
        Spec::Smoothing { factor: 0.5, curve: 2.0 },
        Spec::XtcProtected {
            probability: 0.9,
            threshold: 0.01,
            min_keep: 1,
            seed: 2,
            protected: vec![3],
        },
        Spec::TopPExclusive(0.0),
        Spec::Scale(2.0),
        Spec::Typical { p: 0.0, min_keep: 0 },
        Spec::TopNSigma(1e-30),
        Spec::Temperature(0.0),
        Spec::TemperatureExt { t: 0.5, delta: 0.5, exponent: 1.0 },
        Spec::S2(SamplerParams { temperature: 1.0, top_p: 0.0, top_k: 1 }),
        Spec::S2(SamplerParams { temperature: 0.0, top_p: 1.0, top_k: 0 }),
        Spec::Softmax,
        Spec::Xtc { probability: 0.9, threshold: 0.01, min_keep: 1, seed: 2 },
    ];
    let selecting = [
        Spec::Greedy,
        Spec::Dist(3),
        Spec::Mirostat { seed: 1, tau: 1.0, eta: 0.1, m: 100 },
        Spec::MirostatV2 { seed: 1, tau: 1.0, eta: 0.1 },
        Spec::AdaptiveP { target: 0.3, decay: 0.9, seed: 1 },
        Spec::AdaptiveP { target: -1.0, decay: 0.9, seed: 1 },
    ];
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
        Stage::penalty_each(-1, 1.0),
        Stage::penalty_run(1.0),
        Stage::no_repeat_ngram(0, -1),
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
    chain.remove(6).expect("the stage that is on");
    let mut fresh = Chain::new();
    for stage in [
        Stage::penalties(-1, 1.0, 0.0, 0.0),
        Stage::dry(0.0, 1.75, 2, -1, &[]),
        Stage::dry(0.8, 0.5, 2, -1, &[&[1]]),
        Stage::penalty_each(-1, 1.0),
        Stage::penalty_run(1.0),
        Stage::no_repeat_ngram(0, -1),
    ] {
        fresh.add(stage.expect("good parameters")).expect("memory");
    }
    assert_eq!(format!("{:?}", chain.stages()), format!("{:?}", fresh.stages()));
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
