//! Stages that single engines have, against values known from elsewhere or worked out by hand.

use super::chain_values::{
    FALLING, RISING, after, after_all, ids, left, likely, near, with_logits,
};
use crate::common;

use common::chain::spec::{Spec, fill};
use common::rows;
use s2sampler_core::Chain;

#[test]
fn top_k_ties() {
    let of = |k, logits: &[f32]| ids(&after(Spec::TopKTies(k), &[], with_logits(logits)));
    let logits = [1.0, 3.0, 2.0, 2.0, f32::NEG_INFINITY, 2.0];
    assert_eq!(of(1, &logits), [1]);
    assert_eq!(of(2, &logits), [1, 2, 3, 5]);
    assert_eq!(of(4, &logits), [1, 2, 3, 5]);
    assert_eq!(of(5, &logits), [0, 1, 2, 3, 5]);
    assert_eq!(of(6, &logits), [0, 1, 2, 3, 5]);
    assert_eq!(of(i32::MAX, &logits), [0, 1, 2, 3, 5]);
    assert_eq!(of(0, &logits), [0, 1, 2, 3, 4, 5]);
    assert_eq!(of(2, &[f32::NEG_INFINITY, f32::NAN]), [0]);
    assert_eq!(of(1, &[f32::INFINITY, 5.0, f32::INFINITY]), [0, 2]);
    // 0 and -0 are equal.
    assert_eq!(of(1, &[-0.0, 0.0, -1.0]), [0, 1]);
}

#[test]
fn top_p_exclusive() {
    let of = |p| ids(&after(Spec::TopPExclusive(p), &[], with_logits(&[0.0; 4])));
    assert_eq!(of(0.0), [0]);
    assert_eq!(of(-1.0), [0]);
    assert_eq!(of(0.5_f32.next_down()), [0]);
    // A sum that equals p stays: here the rules of top_p and of this stage are one token apart.
    assert_eq!(of(0.5), [0, 1]);
    assert_eq!(of(0.6), [0, 1]);
    assert_eq!(of(1.0), [0, 1, 2, 3]);
    // Ten times binary32(0.1) is above 1 in double.
    let ten = |p| after(Spec::TopPExclusive(p), &[], with_logits(&[0.0; 10])).len();
    assert_eq!((ten(1.0), ten(1.0_f32.next_up())), (9, 10));
    // Of frozen probabilities: those of before the cut.
    let frozen = [Spec::Softmax, Spec::TopK(3), Spec::TopPExclusive(0.7)];
    assert_eq!(ids(&after_all(&frozen, &[], likely(&RISING)).0), [3, 2]);
    assert_eq!(ids(&after_all(&frozen[1..], &[], likely(&RISING)).0), [3]);
}

#[test]
fn top_a() {
    let of = |a, min_keep| after(Spec::TopA { a, min_keep }, &[], likely(&RISING));
    left(&of(0.0, 0), &[0, 1, 2, 3], &RISING);
    // The limits are 0.16 a: 0.096, 0.112, 0.24 and 0.48.
    left(&of(0.6, 0), &[3, 2, 1, 0], &FALLING);
    left(&of(0.7, 0), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(1.5, 0), &[3, 2], &[0.571_429, 0.428_571]);
    left(&of(3.0, 0), &[3], &[1.0]);
    left(&of(f32::INFINITY, 2), &[3, 2], &[0.571_429, 0.428_571]);
    // A probability at the limit stays: 0.25 = 4 * 0.25^2.
    let equal = |a| after(Spec::TopA { a, min_keep: 0 }, &[], with_logits(&[1.0; 4])).len();
    assert_eq!((equal(4.0), equal(4.0_f32.next_up())), (4, 1));
}

/// The probabilities of mlx-lm's test; both of the smallest stay.
#[test]
fn xtc_protected() {
    let of = |probability, threshold, min_keep, protected: &[i32]| {
        let protected = protected.to_vec();
        let stage = Spec::XtcProtected { probability, threshold, min_keep, seed: 1, protected };
        ids(&after(stage, &[], likely(&[0.4, 0.3, 0.15, 0.15])))
    };
    assert_eq!(of(1.0, 0.1, 1, &[]), [2, 3]);
    assert_eq!(of(1.0, 0.2, 1, &[]), [1, 2, 3]);
    assert_eq!(of(1.0, 0.35, 1, &[]), [0, 1, 2, 3]);
    assert_eq!(of(1.0, 0.5, 1, &[]), [0, 1, 2, 3]);
    assert_eq!(of(1.0, 0.1, 1, &[0]), [0, 2, 3]);
    assert_eq!(of(1.0, 0.1, 1, &[9, 1, 0, -1]), [0, 1, 2, 3]);
    assert_eq!(of(1.0, 0.1, 2, &[]), [2, 3]);
    assert_eq!(of(1.0, 0.1, 3, &[]), [0, 1, 2, 3]);
    assert_eq!(of(0.0, 0.1, 1, &[]), [0, 1, 2, 3]);
}

#[test]
fn eta_cutoff() {
    let of = |eta, min_keep| after(Spec::EtaCutoff { eta, min_keep }, &[], likely(&RISING));
    // The entropy of these is 1.279854, and exp(-that) 0.278078.
    left(&of(0.0, 0), &[0, 1, 2, 3], &RISING);
    left(&of(0.09, 0), &[3, 2, 1, 0], &FALLING);
    // sqrt(0.2) * 0.278078 = 0.124360
    left(&of(0.2, 0), &[3, 2, 1], &[0.444_44, 0.333_33, 0.222_22]);
    left(&of(0.2, 9), &[3, 2, 1, 0], &FALLING);
    near(of(0.2, 0).iter().map(|token| token.p), &[0.4, 0.3, 0.2]);
    // sqrt(0.5175) * 0.278078 = 0.200042
    left(&of(0.5175, 0), &[3, 2], &[0.571_429, 0.428_571]);
    left(&of(f32::INFINITY, 0), &[3], &[1.0]);
}

#[test]
fn scale() {
    let of = |factor, logits: &[f32]| {
        let kept = after(Spec::Scale(factor), &[], with_logits(logits));
        kept.iter().map(|token| (token.id, token.logit)).collect::<Vec<_>>()
    };
    assert_eq!(of(2.0, &[1.0, -3.0]), [(0, 2.0), (1, -6.0)]);
    // Where the quotient by 0.3 is 10.999999.
    assert_eq!(of(1.0 / 0.3, &[3.3, f32::NEG_INFINITY]), [(0, 11.0), (1, f32::NEG_INFINITY)]);
    assert_eq!(of(f32::MAX, &[1.0, 2.0, 3.0]), [(2, 3.0)]);
    assert_eq!(of(1e-45, &[0.25, 1.0]), [(0, 0.0), (1, 1e-45)]);
}

#[test]
fn penalties_by_occurrence_and_by_run() {
    let each = |last_n, history: &[i32]| {
        let stage = Spec::PenaltyEach { last_n, repeat: 2.0 };
        let kept = after(stage, history, with_logits(&[8.0, -1.0, 0.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    assert_eq!(each(-1, &[0, 1, 1, 0, 0, 2, 9]), [1.0, -4.0, 0.0]);
    assert_eq!(each(3, &[0, 1, 1, 0, 0]), [2.0, -2.0, 0.0]);
    assert_eq!(each(3, &[]), [8.0, -1.0, 0.0]);
    let run = |history: &[i32]| {
        let kept = after(Spec::PenaltyRun(2.0), history, with_logits(&[8.0, -1.0, 0.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    assert_eq!(run(&[]), [8.0, -1.0, 0.0]);
    assert_eq!(run(&[0, 1, 0]), [4.0, -1.0, 0.0]);
    assert_eq!(run(&[1, 0, 0, 0]), [1.0, -1.0, 0.0]);
    // A negative logit rises.
    assert_eq!(run(&[0, 1, 1]), [8.0, -0.25, 0.0]);
}

#[test]
fn penalty_decay() {
    let of = |sustain, decay, history: &[i32]| {
        let stage = Spec::PenaltyDecay { sustain, decay, repeat: 2.0 };
        let kept = after(stage, history, with_logits(&[8.0, -1.0, 7.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    assert_eq!(of(1, 0, &[0, 0, 1]), [8.0, -2.0, 7.0]);
    assert_eq!(of(2, 0, &[0, 0, 1]), [4.0, -2.0, 7.0]);
    // Four tokens after the last 0: two of four steps down, by 1.5; then the last of them, by 1.25.
    assert_eq!(of(2, 4, &[2, 0, 9, 9, 9, 9]), [8.0 / 1.5, -1.0, 7.0 / 1.25]);
    assert_eq!(of(2, 4, &[2, 0, 9, 9, 9, 9, 9]), [8.0 / 1.25, -1.0, 7.0]);
    // The latest occurrence counts, once.
    assert_eq!(of(1, 1, &[0, 1, 0, 1]), [4.0, -2.0, 7.0]);
    assert_eq!(of(-1, 5, &[0, 9, 9, 9, 9, 9, 9, 9]), [4.0, -1.0, 7.0]);
}

#[test]
fn sequence_bias_and_min_tokens() {
    let of = |biases: &[(&[i32], f32)], history: &[i32]| {
        let biases = biases.iter().map(|(s, b)| (s.to_vec(), *b)).collect();
        let kept = after(Spec::SequenceBias(biases), history, with_logits(&[1.0, 2.0, 3.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    let banned = f32::NEG_INFINITY;
    let biases: [(&[i32], f32); 4] =
        [(&[0, 1], 10.0), (&[2], -1.0), (&[2, 0, 1], banned), (&[9, 9, 0], 5.0)];
    assert_eq!(of(&biases, &[]), [1.0, 2.0, 2.0]);
    assert_eq!(of(&biases, &[0]), [1.0, 12.0, 2.0]);
    assert_eq!(of(&biases, &[2, 0]), [1.0, banned, 2.0]);
    assert_eq!(of(&biases, &[2, 0, 9]), [1.0, 2.0, 2.0]);
    assert_eq!(of(&biases, &[9]), [1.0, 2.0, 2.0]);
    assert_eq!(of(&biases, &[9, 9]), [6.0, 2.0, 2.0]);
    let of = |count, history: &[i32]| {
        let stage = Spec::MinTokens { count, ids: vec![1, 7, 1] };
        let kept = after(stage, history, with_logits(&[1.0, 2.0]));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    assert_eq!(of(2, &[5]), [1.0, banned]);
    assert_eq!(of(2, &[5, 5]), [1.0, 2.0]);
}

#[test]
fn smoothing() {
    let of = |factor, curve, logits: &[f32]| {
        let kept = after(Spec::Smoothing { factor, curve }, &[], with_logits(logits));
        kept.iter().map(|token| token.logit).collect::<Vec<_>>()
    };
    let low = f32::NEG_INFINITY;
    // 3 - 0.25 * 4, 3 - 0.25 * 16
    assert_eq!(of(0.25, 1.0, &[3.0, 1.0, -1.0, low]), [3.0, 2.0, -1.0, low]);
    // k = s = 0.5: 3 - 0.25 * (0.5 * 4 + 0.5 * 8)
    assert_eq!(of(0.25, 2.0, &[3.0, 1.0]), [3.0, 1.5]);
    assert_eq!(of(0.25, 3.0, &[3.0, 1.0]), [3.0, 1.0]);
    assert_eq!(of(0.25, 1.0, &[f32::INFINITY, 1.0]), [f32::INFINITY, 1.0]);
    assert_eq!(of(1e30, 1.0, &[1e30, 0.0]), [1e30, low]);
}

#[test]
fn no_repeat_ngram() {
    let of = |n, last_n, history: &[i32]| {
        let kept = after(Spec::NoRepeatNgram { n, last_n }, history, with_logits(&[0.0; 5]));
        let banned = kept.iter().filter(|token| token.logit == f32::NEG_INFINITY);
        banned.map(|token| token.id).collect::<Vec<_>>()
    };
    assert_eq!(of(1, -1, &[]), [0; 0]);
    assert_eq!(of(1, -1, &[3]), [3]);
    assert_eq!(of(1, -1, &[3, 1, 3, 9]), [1, 3]);
    assert_eq!(of(1, 2, &[3, 1, 1]), [1]);
    // After 1 came 2 and 1.
    assert_eq!(of(2, -1, &[1, 2, 1, 1]), [1, 2]);
    assert_eq!(of(2, -1, &[1]), [0; 0]);
    // The values of Hugging Face's test: of two-grams 1, of three-grams none.
    assert_eq!(of(2, -1, &[1, 1, 2, 1]), [1, 2]);
    assert_eq!(of(3, -1, &[1, 1, 2, 1]), [0; 0]);
    assert_eq!(of(3, -1, &[0, 1, 0, 1]), [0]);
    assert_eq!(of(3, 3, &[0, 1, 0, 1]), [0; 0]);
    assert_eq!(of(i32::MAX, -1, &[0, 1, 0, 1]), [0; 0]);
}

/// The tokens of eight draws of llama.cpp.
#[test]
fn mirostat_and_adaptive_p() {
    let heat = Spec::Temperature(0.8);
    let mirostat = |seed, tau| Spec::Mirostat { seed, tau, eta: 0.1, m: 100 };
    let adaptive = |target, decay, seed| Spec::AdaptiveP { target, decay, seed };
    for (n, scale, row, specs, want) in [
        (
            1000,
            20,
            1_044_672_593_897_622_032,
            vec![heat.clone(), mirostat(401_032_219, 5.0)],
            [586, 523, 857, 354, 256, 255, 963, 72],
        ),
        (
            4000,
            20,
            346_497_873_419_973_626,
            vec![heat, mirostat(1_185_905_900, 5.0)],
            [3117, 3117, 3117, 405, 405, 3653, 499, 1135],
        ),
        (
            2000,
            20,
            16_265_645_351_860_630_463,
            vec![Spec::MinP { p: 0.1, min_keep: 2 }, adaptive(0.3, 0.5, 1_452_413_491)],
            [1098, 865, 668, 1636, 704, 655, 1680, 1418],
        ),
        (
            155_776,
            19,
            5_914_285_702_116_460_623,
            vec![Spec::TopK(40), adaptive(0.4, 0.9, 2_059_567_948)],
            [140_010, 125_688, 49_658, 59_688, 24_763, 140_010, 329, 139_745],
        ),
        (
            100,
            20,
            15_147_864_382_873_208_265,
            vec![Spec::MinP { p: 0.05, min_keep: 8 }, adaptive(-1.0, 0.5, 1_184_506_487)],
            [59, 73, 3, 52, 29, 21, 68, 9],
        ),
    ] {
        let row = rows::bell(n, 1.0 / (1 << scale) as f32, row);
        let mut chain = fill(Chain::new(), &specs);
        assert_eq!(want.map(|_| chain.sample(&row).expect("a token")), want, "{specs:?}");
    }
}

/// The target moves when the drawn token is accepted, and not for tokens from elsewhere.
#[test]
fn adaptive_p_waits_for_its_token() {
    let stage = [Spec::AdaptiveP { target: 0.5, decay: 0.0, seed: 1 }];
    let aim = |chain: &Chain| {
        let report = chain.report(&[3.0, 0.0, 0.0], 1).expect("a report");
        report.stages[0].threshold.expect("a threshold")
    };
    let mut chain = fill(Chain::new(), &stage);
    assert_eq!(aim(&chain), 0.5);
    let mut tokens = with_logits(&[3.0, 0.0, 0.0]);
    let place = chain.apply(&mut tokens, false).expect("candidates").selected.expect("a place");
    let drawn = tokens[place].id;
    let mut other = chain.try_clone().expect("memory");
    other.accept((drawn + 1) % 3).expect("memory");
    other.accept(drawn).expect("memory");
    assert_eq!(aim(&other), 0.5);
    chain.accept(drawn).expect("memory");
    // The probability of the drawn token, from which the target leans away.
    let e = [3.0_f64.exp(), 1.0, 1.0];
    let p = e[drawn as usize] / e.iter().sum::<f64>();
    assert!((aim(&chain) - (1.0 - p)).abs() < 1e-6);
}
