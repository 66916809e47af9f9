//! Temperatures against values worked out by hand: usual ones, the ends of binary32, and ties.

use super::chain_values::{RISING, after, after_all, ids, left, likely, near, with_logits};
use crate::common;

use common::chain::spec::{Spec, fill};
use s2sampler_core::{Chain, Preset, PresetParams, Sampler, SamplerParams};

#[test]
fn temperatures() {
    let of = |t| after(Spec::Temperature(t), &[], likely(&RISING));
    left(&of(1.0), &[0, 1, 2, 3], &RISING);
    left(&of(2.0), &[0, 1, 2, 3], &[0.162_700, 0.230_094, 0.281_806, 0.325_401]);
    left(&of(0.5), &[0, 1, 2, 3], &[1.0 / 30.0, 4.0 / 30.0, 9.0 / 30.0, 16.0 / 30.0]);
    left(&of(0.0), &[3], &[1.0]);
    left(&of(-1.0), &[3], &[1.0]);
    left(&of(f32::INFINITY), &[0, 1, 2, 3], &[0.25; 4]);

    let of = |t, delta, exponent, row: &[f32]| {
        after(Spec::TemperatureExt { t, delta, exponent }, &[], likely(row))
    };
    // All alike: the entropy is all there can be, the temperature 1 + 0.5.
    let kept = of(1.0, 0.5, 2.0, &[0.25; 4]);
    near(kept.iter().map(|token| token.logit), &[-0.924_196; 4]);
    // H = 0.325083, by ln 2: 0.468996; from 0.4 to 1.2: 0.775197; ln 9 by that: 2.834409.
    left(&of(0.8, 0.4, 1.0, &[0.9, 0.1]), &[0, 1], &[0.944_507, 0.055_493]);
    // 0.468996 squared: 0.219957; 0.575966; 3.814850.
    left(&of(0.8, 0.4, 2.0, &[0.9, 0.1]), &[0, 1], &[0.978_434, 0.021_566]);
    left(&of(0.5, 0.0, 1.0, &RISING), &[0, 1, 2, 3], &[1.0 / 30.0, 4.0 / 30.0, 0.3, 16.0 / 30.0]);
    left(&of(0.5, 0.4, 1.0, &[1.0]), &[0], &[1.0]);
    // Exponent 0 takes the upper end for every entropy; the softmax before it ranks.
    left(&of(0.25, 0.25, 0.0, &RISING), &[3, 2, 1, 0], &[16.0 / 30.0, 0.3, 4.0 / 30.0, 1.0 / 30.0]);
}

/// Rounding makes both quotients 2.12500024, and then the lower id is the first.
#[test]
fn ties_after_a_division_are_in_rank_order() {
    let row = [1.700_000_2, 1.700_000_3, 0.0];
    let heat = || Spec::Temperature(0.8);
    let s2 = |temperature| Spec::S2(SamplerParams { temperature, top_p: f32::NAN, top_k: 0 });
    let ext = Spec::TemperatureExt { t: 0.8, delta: 1e-30, exponent: 1.0 };
    for stages in [
        vec![heat(), Spec::TopK(1)],
        vec![Spec::TopK(2), heat(), Spec::TopK(1)],
        vec![Spec::TopK(2), heat(), Spec::TopP { p: 0.1, min_keep: 1 }],
        vec![Spec::TopK(3), heat(), Spec::Greedy],
        vec![ext.clone(), Spec::TopK(1)],
    ] {
        let (tokens, applied) = after_all(&stages, &[], with_logits(&row));
        assert_eq!(tokens[applied.selected.unwrap_or(0)].id, 0, "{stages:?}");
        let mut chain = fill(Chain::new(), &[&stages[..], &[Spec::Greedy]].concat());
        assert_eq!(chain.sample(&row), Ok(0), "{stages:?}");
    }
    let (tokens, applied) = after_all(&[Spec::TopK(3), heat()], &[], with_logits(&row));
    assert_eq!((ids(&tokens), applied.sorted), (vec![1, 0, 2], false));
    let (_, applied) = after_all(&[Spec::TopK(3), heat()], &[], with_logits(&[1.0, 3.0, 2.0]));
    assert!(applied.sorted);
    // At 1.5 the two distances from the best round to one.
    let row = [2.0, 1.700_000_2, 1.700_000_3];
    let (tokens, _) = after_all(&[s2(1.5), Spec::TopK(3)], &[], with_logits(&row));
    assert!(tokens[1].logit > tokens[2].logit || tokens[1].id < tokens[2].id, "{tokens:?}");
}

/// A quotient that overflows is the limit t -> 0, and an infinite temperature makes all alike.
#[test]
fn extreme_temperatures() {
    let of = |t, logits: &[f32]| after(Spec::Temperature(t), &[], with_logits(logits));
    for t in [1e-38, 1e-40, 1e-45] {
        assert_eq!(ids(&of(t, &[18.0, 20.0, 19.0])), [1]);
        assert_eq!(ids(&of(t, &[-20.0, -18.0, -19.0])), [1]);
        assert_eq!(ids(&of(t, &[10.0, 20.0, 20.0])), [1]);
    }
    assert_eq!(ids(&of(0.5, &[3e38, 1.0, -3e38])), [0]);
    let presets = [Preset::Llama, Preset::HuggingFace, Preset::TemperatureFirst];
    let history: [&[i32]; 2] = [&[], &[0, 1]];
    for (preset, accepted) in presets.into_iter().flat_map(|p| history.map(|h| (p, h))) {
        for row in [[18.0, 20.0, 19.0], [-20.0, -18.0, -19.0], [-3e38, -1.0, -2.0]] {
            let params = PresetParams { temperature: 1e-38, ..PresetParams::of(preset) };
            let params = PresetParams { repeat_penalty: 1.0001, min_p: 0.0, ..params };
            let mut chain = Chain::preset(preset, &params, 5).expect("a chain");
            accepted.iter().for_each(|token| chain.accept(*token).expect("memory"));
            for _ in 0..30 {
                assert_eq!(chain.sample(&row), Ok(1), "{preset:?}, {row:?}");
            }
        }
    }
    // The quotient of +inf is infinite too, and smaller ones can overflow to it.
    let (inf, masked) = (f32::INFINITY, f32::NEG_INFINITY);
    for (t, row) in [(1e-38, [inf, 20.0, 19.0]), (0.8, [inf, inf, 1.0]), (1.5, [inf, inf, 1.0])] {
        assert_eq!(ids(&of(t, &row)), [0], "{t}");
        let mut chain = fill(Chain::new(), &[Spec::Temperature(t), Spec::Dist(4)]);
        assert!((0..50).all(|_| chain.sample(&row) == Ok(0)), "{t}");
    }
    // A temperature of 1 is off, also if the entropy leads to it.
    assert_eq!(ids(&of(1.0, &[inf, inf, 1.0])), [0, 1, 2]);
    let ext = Spec::TemperatureExt { t: 1.0, delta: 1e-30, exponent: 1.0 };
    assert_eq!(ids(&after(ext, &[], with_logits(&[inf, inf, 1.0]))), [0, 1, 2]);
    let alike = of(inf, &[1.0, masked, -5.0, f32::NAN]);
    assert_eq!(alike.iter().map(|t| t.logit).collect::<Vec<_>>(), [0.0, masked, 0.0, masked]);
    let ext = Spec::TemperatureExt { t: inf, delta: 0.5, exponent: 1.0 };
    left(&after(ext, &[], with_logits(&[1.5, 1.5, 0.5])), &[0, 1, 2], &[1.0 / 3.0; 3]);
    // A certain distribution has no entropy, and the lower end of the range is 0.
    let ext = Spec::TemperatureExt { t: 1.0, delta: inf, exponent: 1.0 };
    assert_eq!(ids(&after(ext, &[], with_logits(&[500.0, 0.0]))), [0]);
    let s2 = SamplerParams { temperature: inf, top_p: f32::NAN, top_k: 0 };
    let mut drawn = [0; 3];
    let mut chain = fill(Chain::new(), &[Spec::S2(s2), Spec::Dist(3)]);
    let mut sampler = Sampler::new(3);
    for row in [[0.0, 0.0, masked], [3e38, 0.0, masked]] {
        for _ in 0..200 {
            let token = chain.sample(&row).expect("a token");
            assert_eq!(sampler.sample(&row, &s2), Ok(token));
            drawn[token as usize] += 1;
        }
    }
    assert!(drawn[0] > 150 && drawn[1] > 150 && drawn[2] == 0, "{drawn:?}");
}
