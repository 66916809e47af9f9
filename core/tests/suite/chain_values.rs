//! Stages against values known from elsewhere or worked out by hand.

use crate::common;

use common::chain::Oracle;
use common::chain::spec::{Spec, fill};
use common::oracle::Mt19937;
use common::rows;
use s2sampler_core::{Applied, Chain, SamplerParams, TokenData};
use std::collections::BTreeSet;

/// Candidates with these probabilities, whose logits are the logarithms.
pub fn likely(probabilities: &[f32]) -> Vec<TokenData> {
    let token = |(id, &p): (i32, &f32)| TokenData { id, logit: p.ln(), p };
    (0..).zip(probabilities).map(token).collect()
}

pub fn with_logits(logits: &[f32]) -> Vec<TokenData> {
    (0..).zip(logits).map(|(id, &logit)| TokenData { id, logit, p: 0.0 }).collect()
}

/// What one stage leaves, after the tokens of `history`.
pub fn after(stage: Spec, history: &[i32], tokens: Vec<TokenData>) -> Vec<TokenData> {
    after_all(&[stage], history, tokens).0
}

pub fn after_all(
    stages: &[Spec],
    history: &[i32],
    mut tokens: Vec<TokenData>,
) -> (Vec<TokenData>, Applied) {
    let mut chain = fill(Chain::new(), stages);
    history.iter().for_each(|token| chain.accept(*token).expect("memory"));
    let applied = chain.apply(&mut tokens, false).expect("candidates");
    tokens.truncate(applied.len);
    (tokens, applied)
}

pub fn ids(tokens: &[TokenData]) -> Vec<i32> {
    tokens.iter().map(|token| token.id).collect()
}

pub fn near(got: impl Iterator<Item = f32>, want: &[f32]) {
    let got: Vec<f32> = got.collect();
    let fits = got.len() == want.len() && got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-5);
    assert!(fits, "{got:?} instead of {want:?}");
}

/// The candidates are `ids`, and `want` their probabilities once their logits are normalised again.
#[track_caller]
pub fn left(tokens: &[TokenData], want_ids: &[i32], want: &[f32]) {
    assert_eq!(ids(tokens), want_ids);
    let e: Vec<f64> = tokens.iter().map(|token| f64::from(token.logit).exp()).collect();
    let sum: f64 = e.iter().sum();
    near(e.iter().map(|e| (e / sum) as f32), want);
}

pub const RISING: [f32; 4] = [0.1, 0.2, 0.3, 0.4];
pub const FALLING: [f32; 4] = [0.4, 0.3, 0.2, 0.1];

#[test]
fn top_k() {
    let of = |k| after(Spec::TopK(k), &[], likely(&RISING));
    left(&of(1), &[3], &[1.0]);
    left(&of(3), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(4), &[3, 2, 1, 0], &FALLING);
    left(&of(i32::MAX), &[3, 2, 1, 0], &FALLING);
    left(&of(0), &[0, 1, 2, 3], &RISING);
    left(&of(-1), &[0, 1, 2, 3], &RISING);
}

#[test]
fn top_p() {
    let of = |p, min_keep| after(Spec::TopP { p, min_keep }, &[], likely(&RISING));
    left(&of(0.0, 0), &[3], &[1.0]);
    left(&of(0.7, 0), &[3, 2], &[0.571_429, 0.428_571]);
    left(&of(0.8, 1), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(1.0, 1), &[0, 1, 2, 3], &RISING);
    left(&of(0.0, 3), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(0.0, 9), &[3, 2, 1, 0], &FALLING);
    near(of(0.8, 1).iter().map(|token| token.p), &[0.4, 0.3, 0.2]);
}

#[test]
fn min_p() {
    let of = |p, min_keep| after(Spec::MinP { p, min_keep }, &[], likely(&RISING));
    left(&of(0.0, 0), &[0, 1, 2, 3], &RISING);
    left(&of(0.24, 0), &[0, 1, 2, 3], &RISING);
    left(&of(0.26, 0), &[1, 2, 3], &[0.2 / 0.9, 0.3 / 0.9, 0.4 / 0.9]);
    left(&of(0.49, 1), &[1, 2, 3], &[0.2 / 0.9, 0.3 / 0.9, 0.4 / 0.9]);
    left(&of(0.51, 1), &[2, 3], &[0.3 / 0.7, 0.4 / 0.7]);
    left(&of(0.74, 1), &[2, 3], &[0.3 / 0.7, 0.4 / 0.7]);
    left(&of(0.76, 1), &[3], &[1.0]);
    left(&of(1.0, 1), &[3], &[1.0]);
    left(&of(1.05, 1), &[3], &[1.0]);
    left(&of(0.76, 3), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(1.05, 2), &[3, 2], &[0.571_429, 0.428_571]);
}

#[test]
fn epsilon_cutoff() {
    let of =
        |epsilon, min_keep| after(Spec::EpsilonCutoff { epsilon, min_keep }, &[], likely(&RISING));
    left(&of(0.0, 0), &[0, 1, 2, 3], &RISING);
    left(&of(-1.0, 0), &[0, 1, 2, 3], &RISING);
    left(&of(0.09, 0), &[3, 2, 1, 0], &FALLING);
    left(&of(0.15, 0), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    near(of(0.15, 0).iter().map(|token| token.p), &[0.4, 0.3, 0.2]);
    left(&of(0.15, 9), &[3, 2, 1, 0], &FALLING);
    // A probability that equals epsilon stays.
    left(
        &after(Spec::EpsilonCutoff { epsilon: 0.25, min_keep: 0 }, &[], with_logits(&[1.0; 4])),
        &[0, 1, 2, 3],
        &[0.25; 4],
    );
    // The best stays, whatever its probability.
    left(&of(0.9, 0), &[3], &[1.0]);
    left(&of(f32::INFINITY, 2), &[3, 2], &[0.571_429, 0.428_571]);

    // What Hugging Face's epsilon_cutoff of 0.01 leaves of a row of the golden data's generator.
    let row = rows::bell(50, 1.0 / (1 << 19) as f32, 7_355_264_397_604_496_222);
    let stage = Spec::EpsilonCutoff { epsilon: 0.01, min_keep: 1 };
    let kept = after(stage, &[], with_logits(&row));
    let e: Vec<f64> = kept.iter().map(|token| f64::from(token.logit).exp()).collect();
    let sum: f64 = e.iter().sum();
    near(
        e.iter().take(5).map(|e| (e / sum) as f32),
        &[0.357_202_9, 0.118_055_28, 0.072_514_69, 0.069_838_79, 0.060_394_11],
    );
    let mut ids = ids(&kept);
    ids.sort_unstable();
    assert_eq!(ids, [0, 2, 6, 9, 13, 18, 21, 23, 25, 30, 32, 35, 37, 39, 42, 45, 47, 48]);
}

#[test]
fn typical() {
    let of = |p, row: &[f32]| after(Spec::Typical { p, min_keep: 1 }, &[], likely(row));
    let kept = of(0.5, &[0.4, 0.2, 0.2, 0.2]);
    assert_eq!(ids(&kept), [1, 2, 3]);
    near(kept.iter().map(|token| token.p), &[0.2; 3]);
    left(&of(0.5, &[0.97, 0.01, 0.01, 0.01]), &[0], &[1.0]);
    // A sum that equals p does not pass it.
    left(&of(0.5, &[1.0; 4]), &[0, 1, 2], &[0.333_33; 3]);
    // H = 1.279854: 0.3 is 0.0759 away, 0.2 is 0.3296, 0.4 is 0.3636, 0.1 is 1.0227.
    left(&of(0.25, &FALLING), &[1], &[1.0]);
    left(&of(0.45, &FALLING), &[1, 2], &[0.6, 0.4]);
    left(&of(0.85, &FALLING), &[1, 2, 0], &[0.333_33, 0.222_22, 0.444_44]);
    left(&of(1.0, &FALLING), &[0, 1, 2, 3], &FALLING);
}

#[test]
fn top_n_sigma() {
    let of = |n| after(Spec::TopNSigma(n), &[], likely(&RISING));
    left(&of(1.0), &[2, 3], &[0.428_571, 0.571_429]);
    left(&of(0.0), &[0, 1, 2, 3], &RISING);
    left(&of(3.0), &[0, 1, 2, 3], &RISING);
    // The mean of 0, 0, 0, 4 is 1, their deviation the root of 3: 4 - 2.3 * 1.732 is 0.016.
    let of = |n, l: &[f32]| ids(&after(Spec::TopNSigma(n), &[], with_logits(l)));
    assert_eq!(of(2.3, &[0.0, 0.0, 0.0, 4.0]), [3]);
    assert_eq!(of(2.4, &[0.0, 0.0, 0.0, 4.0]), [0, 1, 2, 3]);
    // Without a finite logit there is no deviation, and nothing is dropped.
    let (inf, masked) = (f32::INFINITY, f32::NEG_INFINITY);
    assert_eq!(of(2.0, &[masked, inf, f32::NAN, inf]), [0, 1, 2, 3]);
    assert_eq!(of(2.0, &[masked, masked]), [0, 1]);
    assert_eq!(of(2.0, &[masked, inf, 1.0]), [1]);
    // What is masked does not count for either.
    assert_eq!(of(2.4, &[masked, 0.0, 0.0, masked, 0.0, 4.0]), [1, 2, 4, 5]);
}

#[test]
fn xtc() {
    let of = |threshold, min_keep| {
        let stage = Spec::Xtc { probability: 0.99, threshold, min_keep, seed: 1 };
        after(stage, &[], likely(&FALLING))
    };
    left(&of(0.09, 0), &[3], &[1.0]);
    let kept = of(0.29, 0);
    assert_eq!(ids(&kept), [1, 2, 3]);
    near(kept.iter().map(|token| token.p), &[0.3, 0.2, 0.1]);
    left(&of(0.39, 0), &[0, 1, 2, 3], &FALLING);
    left(&of(0.51, 0), &[0, 1, 2, 3], &FALLING);
    left(&of(0.09, 2), &[0, 1, 2, 3], &FALLING);
    // At a threshold of 0.5, two tokens can reach it.
    let half = Spec::Xtc { probability: 1.0, threshold: 0.5, min_keep: 1, seed: 1 };
    left(&after(half, &[], with_logits(&[1.0, 1.0, -200.0])), &[1, 2], &[1.0, 0.0]);
    // A number that equals the probability acts: the first word of the seed by 2^32.
    for seed in 0..200 {
        let share = (f64::from(Mt19937::new(seed).next_u32()) / 2.0_f64.powi(32)) as f32;
        let of = |probability| {
            let stage = Spec::Xtc { probability, threshold: 0.29, min_keep: 1, seed };
            after(stage, &[], likely(&FALLING)).len()
        };
        let lengths = [share.next_down(), share, share.next_up()].map(of);
        assert_eq!(lengths, [4, 3, 3], "seed {seed}");
    }
    let never = Spec::Xtc { probability: 0.0, threshold: 0.09, min_keep: 0, seed: 1 };
    left(&after(never, &[], likely(&FALLING)), &[0, 1, 2, 3], &FALLING);
}

fn repeat(repeat: f32) -> Spec {
    Spec::Penalties { last_n: 64, repeat, frequency: 0.0, presence: 0.0 }
}

#[test]
fn penalties() {
    left(
        &after(repeat(50.0), &[0], likely(&[0.2; 5])),
        &[0, 1, 2, 3, 4],
        &[0.0, 0.25, 0.25, 0.25, 0.25],
    );
    let kept = after(repeat(50.0), &[0, 1, 2], likely(&[0.2; 5]));
    left(&kept, &[0, 1, 2, 3, 4], &[0.0, 0.0, 0.0, 0.5, 0.5]);
    let kept = after(repeat(50.0), &[0, 1, 2, 0, 0], likely(&[0.2; 5]));
    left(&kept, &[0, 1, 2, 3, 4], &[0.0, 0.0, 0.0, 0.5, 0.5]);

    let logits = |history: &[i32]| {
        let kept = after(repeat(1.5), history, with_logits(&[2.0, -2.0, 1.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    near(logits(&[0, 1]).into_iter(), &[1.333_33, -3.0, 1.0]);
    assert_eq!(logits(&[0, 0, 0, 0]), logits(&[0]));

    // 1 - (2 * 0.5 + 0.25) and 1 - (0.5 + 0.25); the first token is out of sight.
    let stage = Spec::Penalties { last_n: 3, repeat: 1.0, frequency: 0.5, presence: 0.25 };
    let kept = after(stage, &[2, 0, 1, 0], with_logits(&[1.0, 1.0, 1.0]));
    near(kept.iter().map(|token| token.logit), &[-0.25, 0.25, 1.0]);

    // A window of -1 forgets nothing.
    let stage = Spec::Penalties { last_n: -1, repeat: 1.0, frequency: 0.5, presence: 0.0 };
    let kept = after(stage, &[2; 500], with_logits(&[1.0, 1.0, 1.0]));
    near(kept.iter().map(|token| token.logit), &[1.0, 1.0, -249.0]);

    // The known values of alpha 5 for both.
    let stage = |count: &[i32]| {
        let stage = Spec::Penalties { last_n: 64, repeat: 1.0, frequency: 5.0, presence: 5.0 };
        after(stage, count, likely(&[0.2; 5]))
    };
    left(&stage(&[0]), &[0, 1, 2, 3, 4], &[0.000_011, 0.249_997, 0.249_997, 0.249_997, 0.249_997]);
    left(
        &stage(&[0, 1, 2]),
        &[0, 1, 2, 3, 4],
        &[0.000_023, 0.000_023, 0.000_023, 0.499_966, 0.499_966],
    );
    left(
        &stage(&[0, 1, 2, 0, 0]),
        &[0, 1, 2, 3, 4],
        &[0.0, 0.000_023, 0.000_023, 0.499_977, 0.499_977],
    );
}

#[test]
fn dry() {
    let of = |multiplier, base, allowed_length, breakers: &[&[i32]], history: &[i32]| {
        let breakers = breakers.iter().map(|breaker| breaker.to_vec()).collect();
        let stage = Spec::Dry { multiplier, base, allowed_length, last_n: 5, breakers };
        after(stage, history, likely(&[0.25; 4]))
    };
    let all = [0, 1, 2, 3];
    left(&of(1.0, 1.1, 2, &[], &[0, 1]), &all, &[0.25; 4]);
    let one = [0.296_923, 0.296_923, 0.109_232, 0.296_923];
    left(&of(1.0, 1.1, 2, &[], &[0, 1, 2, 0, 1]), &all, &one);
    // The breaker hides what comes before it, also one of two tokens.
    left(&of(1.0, 1.1, 2, &[&[3]], &[0, 1, 3, 4, 0, 1]), &all, &[0.25; 4]);
    left(&of(1.0, 1.1, 2, &[&[0]], &[0, 1, 2, 0, 1]), &all, &[0.25; 4]);
    left(&of(1.0, 1.1, 2, &[&[2, 0]], &[0, 1, 2, 0, 1]), &all, &[0.25; 4]);
    left(&of(1.0, 1.1, 1, &[&[2, 0]], &[0, 1, 2, 0, 1]), &all, &one);
    left(&of(1.0, 1.1, 2, &[&[2]], &[0, 1, 2, 0, 1]), &all, &[0.25; 4]);
    // Of several that begin at a place the longest counts, in whatever order they were given.
    let longest: [&[i32]; 5] = [&[3], &[2, 0, 1, 0], &[2, 0], &[2], &[0, 0]];
    left(&of(1.0, 1.1, 2, &longest, &[0, 1, 2, 0, 1]), &all, &[0.25; 4]);
    left(&of(1.0, 1.1, 1, &longest[..3], &[0, 1, 2, 0, 1]), &all, &one);
    // A breaker is spared that is one by itself, not one that only begins one.
    left(&of(1.0, 1.1, 1, &[&[3], &[2, 3], &[2]], &[0, 2, 0]), &all, &[0.25; 4]);
    let begins: &[&[i32]] = &[&[3], &[2, 3]];
    left(&of(1.0, 1.1, 1, begins, &[0, 2, 0]), &all, &one);
    // After 0 1 came 2 and after 1 2 0 1 nothing: with base 2, 2 * 2^(2 - 1) is 4 off token 2.
    let e = (-4.0_f32).exp();
    let rest = 1.0 / (3.0 + e);
    left(&of(2.0, 2.0, 1, &[], &[0, 1, 2, 0, 1]), &all, &[rest, rest, e * rest, rest]);
    left(&of(0.0, 2.0, 1, &[], &[0, 1, 2, 0, 1]), &all, &[0.25; 4]);
    left(&of(2.0, 0.9, 1, &[], &[0, 1, 2, 0, 1]), &all, &[0.25; 4]);
    // Without the exponent's limit the penalty would be infinite.
    let stage =
        Spec::Dry { multiplier: 1e-38, base: 3.0, allowed_length: 1, last_n: -1, breakers: vec![] };
    let kept = after(stage, &[0; 500], with_logits(&[0.0; 2]));
    // 3^80 * 1e-38, 80 being 88.72 / ln 3 rounded down.
    near(kept.iter().map(|token| token.logit), &[-1.478_088_3, 0.0]);
}

/// As many edits as a row keeps beside it, and one more; a cut by logit merges them in.
#[test]
fn min_p_after_many_edits() {
    for (count, n) in [(511, 3000), (512, 3000), (513, 3000), (512, 513), (40, 41)] {
        let row = rows::bell(n, 1.0 / (1 << 19) as f32, count as u64);
        let biases = (0..count).map(|i| (((i * 7) % n) as i32, [9.0, -9.0, 0.5][i % 3])).collect();
        let specs = [
            Spec::LogitBias(biases),
            Spec::Temperature(0.7),
            Spec::MinP { p: 1e-4, min_keep: 1 },
            Spec::Dist(count as u32),
        ];
        let (mut chain, mut oracle) = (fill(Chain::new(), &specs), Oracle::new(&specs));
        for draw in 0..50 {
            assert_eq!(chain.sample(&row), oracle.sample(&row), "{count} of {n}, draw {draw}");
        }
    }
}

#[test]
fn logit_bias() {
    let of = |biases: &[(i32, f32)]| {
        let kept = after(Spec::LogitBias(biases.to_vec()), &[], with_logits(&[1.0, 2.0, 3.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    assert_eq!(of(&[]), [1.0, 2.0, 3.0]);
    assert_eq!(of(&[(0, 0.5), (2, -1.0), (0, 0.25), (9, 5.0)]), [1.75, 2.0, 2.0]);
    assert_eq!(of(&[(1, f32::NEG_INFINITY)]), [1.0, f32::NEG_INFINITY, 3.0]);

    // Ids of an array stand in any order, and more than once.
    let ids = [7, 2, 2, 9, -3, 0, 1, 4, 4, i32::MAX, 0];
    let tokens = ids.map(|id| TokenData { id, logit: 0.0, p: 0.0 }).to_vec();
    let biases = [(4, 0.5), (0, 1.0), (4, 0.25), (2, 3.0), (i32::MAX, 4.0), (3, 9.0)];
    let kept = after(Spec::LogitBias(biases.to_vec()), &[], tokens);
    let logits: Vec<f32> = kept.iter().map(|token| token.logit).collect();
    assert_eq!(logits, [0.0, 3.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.75, 0.75, 4.0, 1.0]);
}

#[test]
fn the_s2_rule() {
    let of = |temperature, top_p, top_k| {
        after(Spec::S2(SamplerParams { temperature, top_p, top_k }), &[], likely(&RISING))
    };
    // The third would carry the sum past 0.75; halving the temperature squares what is left.
    left(&of(0.5, 0.75, 0), &[3, 2], &[0.64, 0.36]);
    left(&of(1.0, 0.5, 0), &[3], &[1.0]);
    left(&of(1.0, f32::NAN, 3), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(0.0, f32::NAN, 0), &[3], &[1.0]);
    assert_eq!(of(0.5, 0.75, 0)[0].logit, 0.0);
}

/// Held probabilities are those of before the cut.
#[test]
fn softmax_holds() {
    let top_p = Spec::TopP { p: 0.5, min_keep: 1 };
    let left_by = |stages: &[Spec]| ids(&after_all(stages, &[], likely(&RISING)).0);
    assert_eq!(left_by(&[Spec::TopK(2), top_p.clone()]), [3]);
    assert_eq!(left_by(&[Spec::Softmax, Spec::TopK(2), top_p.clone()]), [3, 2]);
    let warmed = [Spec::Softmax, Spec::TopK(2), Spec::Temperature(0.9), top_p.clone()];
    assert_eq!(left_by(&warmed), [3]);
    let (tokens, _) = after_all(&[Spec::Softmax], &[], with_logits(&[0.0, 3.0_f32.ln()]));
    near(tokens.iter().map(|token| token.p), &[0.25, 0.75]);
    // Without a logit above -inf the first in rank order has it all, which is the lowest id.
    let token = |id| TokenData { id, logit: f32::NEG_INFINITY, p: 0.5 };
    let (tokens, _) = after_all(&[Spec::Softmax], &[], [7, 3, 5].map(token).to_vec());
    assert_eq!(tokens.iter().map(|token| token.p).collect::<Vec<_>>(), [0.0, 1.0, 0.0]);
    // From a row it is no other, whatever cuts between.
    let row = RISING.map(f32::ln);
    for cut in [Spec::TopK(2), Spec::MinP { p: 0.6, min_keep: 1 }, Spec::TopNSigma(1.0)] {
        for again in [Spec::TopNSigma(5.0), Spec::MinP { p: 0.1, min_keep: 1 }] {
            let stages = [Spec::Softmax, cut.clone(), again, top_p.clone(), Spec::Dist(1)];
            let mut chain = fill(Chain::new(), &stages);
            let drawn: BTreeSet<u32> =
                (0..100).map(|_| chain.sample(&row).expect("a token")).collect();
            assert_eq!(drawn, BTreeSet::from([2, 3]), "{stages:?}");
        }
    }
}

#[test]
fn selection() {
    let (_, applied) = after_all(&[Spec::Greedy], &[], likely(&[0.1, 0.45, 0.45]));
    assert_eq!((applied.len, applied.selected), (3, Some(1)));
    let (tokens, applied) = after_all(&[Spec::TopK(2), Spec::Dist(3)], &[], likely(&RISING));
    near(tokens.iter().map(|token| token.p), &[0.571_429, 0.428_571]);
    assert!(applied.selected.is_some() && applied.sorted);
    let (_, applied) = after_all(&[Spec::TopK(2)], &[], likely(&RISING));
    assert_eq!((applied.len, applied.selected, applied.sorted), (2, None, true));
}

/// The surprises of the candidates are 1, 2, 3 and 3 bits.
#[test]
fn mirostat_v2() {
    let mut chain = fill(Chain::new(), &[Spec::MirostatV2 { seed: 5, tau: 0.6, eta: 0.5 }]);
    // It begins at 1.2, and a sure token is 0.6 bits less than what is wanted: 1.5, 1.8, 2.1.
    for want in [1, 1, 1, 2] {
        let mut tokens = likely(&[0.125, 0.5, 0.125, 0.25]);
        let applied = chain.apply(&mut tokens, false).expect("candidates");
        assert_eq!(applied.len, want);
        near(
            tokens[..want].iter().map(|token| token.p),
            &[[1.0, 0.0], [0.666_67, 0.333_33]][want - 1][..want],
        );
    }
    let mut chain = fill(Chain::new(), &[Spec::MirostatV2 { seed: 5, tau: 5.0, eta: 0.1 }]);
    let applied = chain.apply(&mut likely(&RISING), false).expect("candidates");
    assert_eq!(applied.len, 4);
}
