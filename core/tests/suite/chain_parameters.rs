//! The parameters of stages: at which values they are off, and which are refused.

use crate::common;

use common::chain::spec::{Spec, fill};
use common::rows::bell;
use s2sampler_core::{Chain, Error, Preset, PresetParams, Stage};

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
    let top_a = |a| Spec::TopA { a, min_keep: 1 };
    let smoothing = |factor, curve| Spec::Smoothing { factor, curve };
    let decay = |sustain, decay, repeat| Spec::PenaltyDecay { sustain, decay, repeat };
    let min_tokens = |count, ids: &[i32]| Spec::MinTokens { count, ids: ids.to_vec() };
    let protected = |probability, threshold| Spec::XtcProtected {
        probability,
        threshold,
        min_keep: 1,
        seed: 1,
        protected: vec![1],
    };
    let eta = |eta| Spec::EtaCutoff { eta, min_keep: 1 };
    let each = |last_n, repeat| Spec::PenaltyEach { last_n, repeat };
    let ngram = |n, last_n| Spec::NoRepeatNgram { n, last_n };
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
        (eta(zero), eta(least)),
        (top_a(zero), top_a(least)),
        (smoothing(zero, 2.0), smoothing(least, 2.0)),
        (protected(zero, 0.1), protected(least, 0.1)),
        (protected(0.9, 0.5_f32.next_up()), protected(0.9, 0.5)),
        (decay(0, 0, 1.5), decay(0, 1, 1.5)),
        (decay(0, 0, 1.5), decay(1, 0, 1.5)),
        (decay(-1, 0, 1.0), decay(-1, 0, up)),
        (Spec::SequenceBias(vec![]), Spec::SequenceBias(vec![(vec![1, 2], 0.0)])),
        (min_tokens(0, &[1]), min_tokens(1, &[1])),
        (min_tokens(1, &[]), min_tokens(1, &[1])),
        (Spec::Bitmask(vec![]), Spec::Bitmask(vec![-1])),
        (Spec::TopKTies(0), Spec::TopKTies(1)),
        (Spec::TopPExclusive(up), Spec::TopPExclusive(1.0)),
        (Spec::Scale(1.0), Spec::Scale(up)),
        (Spec::Scale(1.0), Spec::Scale(down)),
        (each(0, 1.1), each(1, 1.1)),
        (each(64, 1.0), each(64, down)),
        (Spec::PenaltyRun(1.0), Spec::PenaltyRun(up)),
        (ngram(0, -1), ngram(1, -1)),
        (ngram(2, 0), ngram(2, 1)),
        (Spec::TopNSigma(zero), Spec::TopNSigma(least)),
        (xtc(zero, 0.1), xtc(least, 0.1)),
        (xtc(0.9, 0.5_f32.next_up()), xtc(0.9, 0.5)),
    ];
    let is_off = |spec: &Spec| {
        let chain = fill(Chain::new(), std::slice::from_ref(spec));
        chain.report(&bell(100, 1.0 / (1 << 20) as f32, 1), 1).expect("a report").stages[0].off
    };
    for (off, on) in pairs {
        assert!(is_off(&off), "{off:?}");
        assert!(!is_off(&on), "{on:?}");
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
        Stage::eta_cutoff(nan, 1),
        Stage::top_a(nan, 1),
        Stage::smoothing(nan, 1.0),
        Stage::smoothing(inf, 1.0),
        Stage::smoothing(0.2, nan),
        Stage::smoothing(0.2, -inf),
        Stage::xtc_protected(nan, 0.1, 1, 0, &[]),
        Stage::xtc_protected(0.5, 0.0, 1, 0, &[]),
        Stage::penalty_decay(-2, 1, 1.1),
        Stage::penalty_decay(1, -1, 1.1),
        Stage::penalty_decay(-1, -1, 1.1),
        Stage::penalty_decay(1 << 20, 1, 1.1),
        Stage::penalty_decay(i32::MAX, i32::MAX, 1.1),
        Stage::penalty_decay(1, 1, 0.0),
        Stage::penalty_decay(1, 1, nan),
        Stage::sequence_bias(&[(&[], 1.0)]),
        Stage::sequence_bias(&[(&[1, 2], nan)]),
        Stage::sequence_bias(&[(&[-1, 2], 1.0)]),
        Stage::sequence_bias(&[(&[1, -2], 1.0)]),
        Stage::sequence_bias(&[(&vec![1; (1 << 20) + 2], 1.0)]),
        Stage::min_tokens(-1, &[1]),
        Stage::top_p_exclusive(nan),
        Stage::scale(nan),
        Stage::scale(0.0),
        Stage::scale(-1.0),
        Stage::scale(inf),
        Stage::penalty_each(64, nan),
        Stage::penalty_each(64, 0.0),
        Stage::penalty_each(64, inf),
        Stage::penalty_each(-2, 1.1),
        Stage::penalty_run(nan),
        Stage::penalty_run(-0.0),
        Stage::penalty_run(inf),
        Stage::no_repeat_ngram(-1, -1),
        Stage::no_repeat_ngram(2, -2),
        Stage::no_repeat_ngram(2, (1 << 20) + 1),
        Stage::mirostat(1, nan, 0.1, 100),
        Stage::mirostat(1, inf, 0.1, 100),
        Stage::mirostat(1, 5.0, inf, 100),
        Stage::mirostat(1, 5.0, 0.1, 1),
        Stage::mirostat(1, 5.0, 0.1, i32::MIN),
        Stage::adaptive_p(nan, 0.9, 1),
        Stage::adaptive_p(1.0_f32.next_up(), 0.9, 1),
        Stage::adaptive_p(0.3, nan, 1),
        Stage::adaptive_p(0.3, -1e-45, 1),
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
