//! Each warning of a report: settings that trigger it, and settings close by that do not.

use crate::common;

use common::reports::trap;
use s2sampler_core::{Chain, SamplerParams, Stage, report_draw};
use std::sync::LazyLock;

/// The probabilities {.4, .3, .2, .1}.
static ROW: LazyLock<Vec<f32>> = LazyLock::new(|| [0.4_f32, 0.3, 0.2, 0.1].map(f32::ln).to_vec());

type Made = Result<Stage, s2sampler_core::Error>;

/// The warnings of a chain of `stages` to which `accepted` was told.
fn said_of(row: &[f32], stages: Vec<Made>, accepted: &[i32]) -> Vec<String> {
    let mut chain = Chain::new();
    for stage in stages {
        chain.add(stage.expect("good parameters")).expect("memory");
    }
    accepted.iter().for_each(|token| chain.accept(*token).expect("memory"));
    chain.report(row, 0).expect("a report").warnings
}

/// The warnings of a chain of `stages` and a draw.
fn said(stages: Vec<Made>) -> Vec<String> {
    said_of(&ROW, stages.into_iter().chain([Ok(Stage::dist(1))]).collect(), &[])
}

/// The warnings of the plain draw.
fn drawn(row: &[f32], temperature: f32, top_p: f32, top_k: i32) -> Vec<String> {
    let params = SamplerParams { temperature, top_p, top_k };
    report_draw(row, &params, 0).expect("a report").warnings
}

const NONE: [&str; 0] = [];

#[test]
fn a_stage_that_leaves_one() {
    let (row, _) = trap();
    let min_p = |p| said_of(&row, vec![Stage::min_p(p, 1), Ok(Stage::dist(1))], &[]);
    assert_eq!(min_p(0.9), ["min_p 0.9 leaves 1 candidate: equals greedy"]);
    assert_eq!(min_p(0.4), NONE);
    assert_eq!(said(vec![Ok(Stage::top_k(1))]), ["top_k 1 leaves 1 candidate: equals greedy"]);
    assert_eq!(said(vec![Ok(Stage::top_k(2))]), NONE);
    assert_eq!(said(vec![Stage::top_p(0.39, 1)]), ["top_p 0.39 leaves 1 candidate: equals greedy"]);
    assert_eq!(said(vec![Stage::top_p(0.39, 2)]), NONE);
    let cold = ["temperature 0 leaves 1 candidate: equals greedy"];
    assert_eq!(said(vec![Stage::temperature(0.0)]), cold);
    assert_eq!(said(vec![Stage::temperature(0.1)]), NONE);
    let sigma = ["top_n_sigma 0.1 leaves 1 candidate: equals greedy"];
    assert_eq!(said(vec![Stage::top_n_sigma(0.1)]), sigma);
    assert_eq!(said(vec![Stage::top_n_sigma(1.0)]), NONE);
    let mirostat = |tau| said_of(&ROW, vec![Stage::mirostat_v2(1, tau, 0.1)], &[]);
    assert_eq!(mirostat(0.5), ["mirostat_v2 leaves 1 candidate: equals greedy"]);
    assert_eq!(mirostat(1.0), NONE);
    // The first of the typical ones here is the second of all.
    let typical = ["typical 0.1 leaves 1 candidate: always the same token, but not the best"];
    assert_eq!(said(vec![Stage::typical(0.1, 1)]), typical);
    assert_eq!(said(vec![Stage::typical(0.6, 1)]), NONE);
    // The next time it may not act.
    let xtc = ["xtc leaves 1 candidate: not the best token"];
    assert_eq!(said(vec![Stage::xtc(1.0, 0.05, 1, 0)]), xtc);
    assert_eq!(said(vec![Stage::xtc(1.0, 0.25, 1, 0)]), NONE);
}

#[test]
fn a_stage_that_drops_nothing() {
    let idle = |label| vec![format!("{label} drops nothing: 4 candidates before it")];
    assert_eq!(said(vec![Ok(Stage::top_k(4))]), idle("top_k 4"));
    assert_eq!(said(vec![Ok(Stage::top_k(3))]), NONE);
    assert_eq!(said(vec![Stage::top_p(0.95, 1)]), idle("top_p 0.95"));
    assert_eq!(said(vec![Stage::top_p(0.85, 1)]), NONE);
    assert_eq!(said(vec![Stage::min_p(0.2, 1)]), idle("min_p 0.2"));
    assert_eq!(said(vec![Stage::min_p(0.3, 1)]), NONE);
    assert_eq!(said(vec![Stage::typical(0.95, 1)]), idle("typical 0.95"));
    assert_eq!(said(vec![Stage::typical(0.85, 1)]), NONE);
    assert_eq!(said(vec![Stage::top_n_sigma(9.0)]), idle("top_n_sigma 9"));
    // Nothing is left to drop, and the stage that left one has its warning.
    let after_one = said(vec![Ok(Stage::top_k(1)), Stage::top_p(0.5, 1)]);
    assert_eq!(after_one, ["top_k 1 leaves 1 candidate: equals greedy"]);
    // Off is off, and no news.
    assert_eq!(said(vec![Ok(Stage::top_k(0)), Stage::top_p(1.0, 1), Stage::min_p(0.0, 1)]), NONE);
}

#[test]
fn the_s2_rule() {
    let below = [
        "top_p 0.6 leaves 1 candidate: the S2 rule drops the token that exceeds top_p, and the first two have 0.700000",
    ];
    assert_eq!(drawn(&ROW, 0.8, 0.6, 3), below);
    assert_eq!(
        said(vec![Ok(Stage::s2(SamplerParams { temperature: 0.8, top_p: 0.6, top_k: 3 }))]),
        below
    );
    assert_eq!(drawn(&ROW, 0.8, 0.8, 3), NONE);
    assert_eq!(drawn(&ROW, 0.0, 0.8, 3), ["temperature 0 leaves 1 candidate: equals greedy"]);
    assert_eq!(drawn(&ROW, 0.8, 0.6, 1), ["top_k 1 leaves 1 candidate: equals greedy"]);
    let wide = ["top_k 30 drops nothing: 4 candidates before it"];
    assert_eq!(drawn(&ROW, 0.8, 0.8, 30), wide);
    assert_eq!(drawn(&ROW, 0.8, 0.8, 4), ["top_k 4 drops nothing: 4 candidates before it"]);
    assert_eq!(drawn(&ROW, 0.8, 0.8, 0), NONE);
    let full =
        "top_p 1 is not off under the S2 rule: rounding can drop the last candidates; NaN is off";
    assert_eq!(drawn(&ROW, 0.8, 1.0, 3), [full]);
    assert_eq!(drawn(&ROW, 0.8, f32::NAN, 3), NONE);
    let nan = ["temperature NaN leaves only tokens that equal the best"];
    assert_eq!(drawn(&ROW, f32::NAN, 0.8, 3), nan);
    assert_eq!(
        drawn(&ROW, f32::INFINITY, 0.8, 3),
        ["temperature inf makes all candidates equally likely"]
    );
    // A single token leaves no choice to begin with.
    assert_eq!(drawn(&ROW[..1], 0.0, 0.8, 3), NONE);
}

#[test]
fn high_temperature_with_small_top_p() {
    let quarrel = |t, p| {
        let why = "high temperature flattens the distribution that a small top_p has already cut to a few tokens";
        format!("temperature {t} with top_p {p}: {why}")
    };
    assert_eq!(said(vec![Stage::temperature(1.3), Stage::top_p(0.45, 1)]), [quarrel(1.3, 0.45)]);
    assert_eq!(said(vec![Stage::top_p(0.45, 1), Stage::temperature(1.3)]), [quarrel(1.3, 0.45)]);
    assert_eq!(said(vec![Stage::temperature(1.2), Stage::top_p(0.45, 1)]), NONE);
    assert_eq!(said(vec![Stage::temperature(1.3), Stage::top_p(0.5, 1)]), NONE);
    let ext = said(vec![Stage::temperature_ext(2.0, 0.1, 1.0), Stage::top_p(0.45, 1)]);
    assert!(ext.len() == 1 && ext[0].starts_with("temperature 2.0"), "{ext:?}");
    let flat = [0.0_f32; 9];
    assert_eq!(drawn(&flat, 1.3, 0.45, 3), [quarrel(1.3, 0.45)]);
    assert_eq!(drawn(&flat, 1.3, 0.5, 3), NONE);
    assert_eq!(drawn(&flat, 1.2, 0.45, 3), NONE);
}

#[test]
fn histories() {
    let penalties = |last_n, repeat, frequency, presence, accepted: &[i32]| {
        let stages =
            vec![Stage::penalties(last_n, repeat, frequency, presence), Ok(Stage::dist(1))];
        said_of(&ROW, stages, accepted)
    };
    let empty = "penalties has no effect: no token was accepted yet";
    assert_eq!(penalties(64, 1.1, 0.0, 0.0, &[]), [empty]);
    assert_eq!(penalties(64, 1.1, 0.0, 0.0, &[2]), NONE);
    let elsewhere = "penalties has no effect: no candidate's logit changes";
    assert_eq!(penalties(64, 1.1, 0.0, 0.0, &[9]), [elsewhere]);
    assert_eq!(penalties(1, 1.1, 0.0, 0.0, &[2, 9]), [elsewhere]);
    // The token is there, but whatever 0 is divided by, it is 0.
    let stages = vec![Stage::penalties(64, 1.1, 0.0, 0.0), Ok(Stage::dist(1))];
    assert_eq!(said_of(&[0.0, -1.0], stages, &[0]), [elsewhere]);
    assert_eq!(penalties(64, 1.0, 0.0, 0.0, &[]), NONE);
    assert_eq!(
        penalties(64, 0.9, 0.0, 0.0, &[2]),
        ["repeat penalty 0.9 below 1 rewards repetition"]
    );
    assert_eq!(
        penalties(64, 1.1, -0.5, -0.25, &[2]),
        [
            "frequency penalty -0.5 below 0 rewards repetition",
            "presence penalty -0.25 below 0 rewards repetition"
        ]
    );
    let dry = |accepted: &[i32]| {
        said_of(&ROW, vec![Stage::dry(0.8, 1.75, 2, -1, &[]), Ok(Stage::dist(1))], accepted)
    };
    assert_eq!(dry(&[]), ["dry has no effect: no token was accepted yet"]);
    assert_eq!(dry(&[1, 2]), NONE);
}

#[test]
fn biases_and_bans() {
    let ban = f32::NEG_INFINITY;
    let idle = "logit_bias has no effect: no candidate's logit changes";
    assert_eq!(said(vec![Stage::logit_bias(&[(7, 1.0)])]), [idle]);
    assert_eq!(said(vec![Stage::logit_bias(&[(3, 0.0)])]), [idle]);
    assert_eq!(said(vec![Stage::logit_bias(&[(3, 1.0)])]), NONE);
    let all = "logit_bias bans every candidate";
    assert_eq!(said(vec![Stage::logit_bias(&[(0, ban), (1, ban), (2, ban), (3, ban)])])[0], all);
    assert_eq!(said(vec![Stage::logit_bias(&[(0, ban), (1, ban)])]), NONE);
}

#[test]
fn rows_without_a_number() {
    let drawn = |row: &[f32]| drawn(row, 0.8, 0.8, 2);
    let nan = "2 of 4 logits are NaN and count as -inf";
    assert_eq!(drawn(&[f32::NAN, 1.0, 1.1, f32::NAN])[0], nan);
    let inf = "1 of 3 logits are +inf: they outrank every finite logit";
    assert_eq!(drawn(&[0.0, f32::INFINITY, 1.0]), [inf]);
    let lost = "no logit is above -inf: no token can be drawn";
    assert_eq!(drawn(&[f32::NEG_INFINITY; 3]), [lost]);
    assert_eq!(drawn(&[0.0, 0.1, 0.2, f32::NEG_INFINITY]), NONE);
}

#[test]
fn selections() {
    let none = "no stage selects a token: a draw with this chain returns an error";
    assert_eq!(said_of(&ROW, vec![Ok(Stage::top_k(2))], &[]), [none]);
    assert_eq!(said_of(&ROW, vec![], &[]), [none]);
    assert_eq!(said_of(&ROW, vec![Ok(Stage::greedy())], &[]), NONE);
    let late =
        said_of(&ROW, vec![Ok(Stage::dist(1)), Ok(Stage::top_k(2)), Ok(Stage::greedy())], &[]);
    let never = |stage| format!("stage {stage} comes after a selecting stage and never runs");
    assert_eq!(late, [never("1 (top_k)"), never("2 (greedy)")]);
}

#[test]
fn stages_without_effect_before_greedy() {
    let greedy = |stages: Vec<Made>| {
        said_of(&ROW, stages.into_iter().chain([Ok(Stage::greedy())]).collect(), &[2])
    };
    let idle = |label| format!("{label} has no effect: greedy takes the best token anyway");
    let both = greedy(vec![Stage::temperature(0.8), Ok(Stage::top_k(3))]);
    assert_eq!(both, [idle("top_k 3"), idle("temperature 0.8")]);
    // What comes before an edit may weigh in with it, and typical may drop the best.
    assert_eq!(greedy(vec![Stage::temperature(0.8), Stage::penalties(9, 1.1, 0.0, 0.5)]), NONE);
    assert_eq!(greedy(vec![Ok(Stage::top_k(3)), Stage::typical(0.5, 1)]), NONE);
    assert_eq!(said(vec![Stage::temperature(0.8), Ok(Stage::top_k(3))]), NONE);
}

#[test]
fn an_unused_softmax() {
    let idle = "softmax has no effect: no later top_p uses its probabilities";
    let top_p = || Stage::top_p(0.7, 1);
    assert_eq!(said(vec![Ok(Stage::softmax())]), [idle]);
    assert_eq!(said(vec![top_p(), Ok(Stage::softmax())]), [idle]);
    assert_eq!(said(vec![Ok(Stage::softmax()), Stage::temperature(0.8), top_p()]), [idle]);
    assert_eq!(said(vec![Ok(Stage::softmax()), top_p()]), NONE);
    assert_eq!(
        said(vec![Ok(Stage::softmax()), Ok(Stage::top_k(3)), Stage::temperature(1.0), top_p()]),
        NONE
    );
    // xtc has probabilities of its own where it acts, and leaves those held where it does not.
    assert_eq!(said(vec![Ok(Stage::softmax()), Stage::xtc(1e-9, 0.25, 1, 0), top_p()]), NONE);
    assert_eq!(said(vec![Ok(Stage::softmax()), Stage::xtc(1e-9, 0.25, 1, 0)]), [idle]);
}
