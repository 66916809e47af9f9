//! The presets: that each is the chain it says, and the experiments that show a sampler's knobs at work.

use crate::common;

use common::chain::Oracle;
use common::chain::spec::{Spec, fill};
use common::rows::{KINDS, SplitMix, bell};
use common::{golden, levels};
use s2sampler_core::{Chain, Error, Preset, PresetParams, Sampler, SamplerParams};
use std::collections::BTreeSet;

fn names(chain: &Chain) -> Vec<&'static str> {
    chain.stages().iter().map(s2sampler_core::Stage::name).collect()
}

fn s2(params: &SamplerParams, seed: u32) -> Chain {
    let SamplerParams { temperature, top_p, top_k } = *params;
    let params = PresetParams { temperature, top_p, top_k, ..PresetParams::of(Preset::S2) };
    Chain::preset(Preset::S2, &params, seed).expect("a chain")
}

/// The preset at the level in use, and its stages at every other.
fn every_s2(params: &SamplerParams, seed: u32) -> Vec<Chain> {
    let of = |level| {
        let chain = Chain::new().with_simd_level(level).expect("it is available");
        fill(chain, &[Spec::S2(*params), Spec::Dist(seed)])
    };
    [s2(params, seed)].into_iter().chain(levels::all().into_iter().map(of)).collect()
}

#[test]
fn s2_gives_the_golden_tokens() {
    let real = ["18", "27"].into_iter().flat_map(golden::real);
    let generated = ["sampler.tsv", "sampler_tied.tsv"].into_iter().flat_map(golden::generated);
    let mut lines = 0;
    for golden::Line { text, row, params, seed, tokens } in generated.chain(real) {
        for mut chain in every_s2(&params, seed) {
            let drawn: Vec<u32> =
                tokens.iter().map(|_| chain.sample(&row).expect("a token")).collect();
            assert_eq!(drawn, tokens, "{text}");
        }
        lines += 1;
    }
    assert_eq!(lines, 600 + 60 + 12);
}

/// Also where the golden rows do not go: tied, masked, infinite, not numbers.
#[test]
fn s2_is_the_sampler() {
    let mut random = SplitMix(3);
    for (kind, make) in KINDS {
        for n in [1, 2, 31, 200, 513, 5000] {
            let row = make(n, random.next());
            let ranked = common::oracle::rank(&row);
            for _ in 0..6 {
                let params = common::params::combined(&ranked, &mut random);
                for mut chain in every_s2(&params, 6) {
                    let mut sampler = Sampler::new(6);
                    for draw in 0..3 {
                        let want = match ranked.logits[0] {
                            f32::NEG_INFINITY => Err(Error::NoCandidate),
                            _ => sampler.sample(&row, &params),
                        };
                        assert_eq!(
                            chain.sample(&row),
                            want,
                            "{kind}, n {n}, {params:?}, draw {draw}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn presets_have_these_stages() {
    let of = |preset, params: &PresetParams| Chain::preset(preset, params, 11).expect("a chain");
    let defaults = |preset| of(preset, &PresetParams::of(preset));
    let penalties =
        |last_n, repeat| Spec::Penalties { last_n, repeat, frequency: 0.0, presence: 0.0 };
    let top_p = |p| Spec::TopP { p, min_keep: 1 };
    let min_p = |p| Spec::MinP { p, min_keep: 1 };
    let (t, dist) = (Spec::Temperature, Spec::Dist(11));
    let s2 = SamplerParams { temperature: 0.8, top_p: 0.8, top_k: 30 };
    let first = SamplerParams { temperature: 0.7, top_p: 0.7, top_k: 30 };
    let table = [
        (Preset::S2, vec![Spec::S2(s2), dist.clone()]),
        (Preset::S2First, vec![Spec::S2First { params: first, keep_id: -1 }, dist.clone()]),
        (
            Preset::TemperatureFirst,
            vec![
                penalties(64, 1.1),
                t(0.8),
                Spec::Softmax,
                Spec::TopK(40),
                top_p(0.9),
                min_p(0.0),
                dist.clone(),
            ],
        ),
        (
            Preset::Llama,
            vec![
                penalties(64, 1.0),
                Spec::TopK(40),
                top_p(0.95),
                min_p(0.05),
                t(0.8),
                dist.clone(),
            ],
        ),
        (
            Preset::HuggingFace,
            vec![penalties(-1, 1.0), t(1.0), Spec::TopK(50), top_p(1.0), min_p(0.0), dist.clone()],
        ),
    ];
    for (preset, specs) in table {
        let mut chain = defaults(preset);
        let want: Vec<_> = specs.iter().map(Spec::name).collect();
        assert_eq!(names(&chain), want);
        let mut oracle = Oracle::new(&specs);
        for step in 0..300 {
            let row = bell(300, 1.0 / (1 << 21) as f32, step);
            assert_eq!(chain.sample(&row), oracle.sample(&row), "{want:?}, step {step}");
        }
    }
}

/// A stand-in for a model: the row depends on the token before, and few tokens are likely.
fn next_row(token: u32) -> Vec<f32> {
    bell(2000, 1.0 / (1 << 18) as f32, u64::from(token) + 1)
}

fn generate(preset: Preset, params: &PresetParams, seed: u32) -> Vec<u32> {
    let mut chain = Chain::preset(preset, params, seed).expect("a chain");
    let mut token = 0;
    let mut next = || {
        token = chain.sample(&next_row(token)).expect("a token");
        token
    };
    (0..64).map(|_| next()).collect()
}

/// How many different tokens 400 seeds draw from one row.
fn width(params: &PresetParams) -> usize {
    let draw = |seed| {
        let mut chain = Chain::preset(Preset::TemperatureFirst, params, seed).expect("a chain");
        chain.sample(&next_row(7)).expect("a token")
    };
    (0..400).map(draw).collect::<BTreeSet<u32>>().len()
}

#[test]
fn five_experiments() {
    let usual = PresetParams::of(Preset::TemperatureFirst);
    let with = |params: &PresetParams, seed| generate(Preset::TemperatureFirst, params, seed);
    // Greedy, twice, with different seeds: nothing is left to chance.
    let greedy = PresetParams { temperature: 0.0, ..usual };
    assert_eq!(with(&greedy, 1), with(&greedy, 2));
    // The same seed, twice; then another.
    assert_eq!(with(&usual, 42), with(&usual, 42));
    assert_ne!(with(&usual, 42), with(&usual, 43));
    // Cold draws are narrow, hot ones from a larger nucleus wide.
    let cold = PresetParams { temperature: 0.2, ..usual };
    let hot = PresetParams { temperature: 1.2, top_p: 0.95, ..usual };
    assert_eq!(with(&cold, 42), with(&cold, 42));
    assert_ne!(with(&hot, 42), with(&usual, 42));
    let widths = [&greedy, &cold, &usual, &hot].map(width);
    assert!(widths[0] == 1 && widths.is_sorted_by(|a, b| a < b), "{widths:?}");
}

/// With the temperature first it comes before the softmax: T = 0 must not divide by it.
#[test]
fn greedy_in_every_order() {
    for preset in [Preset::S2, Preset::TemperatureFirst, Preset::Llama, Preset::HuggingFace] {
        for temperature in [0.0, -1.0] {
            let params = PresetParams { temperature, ..PresetParams::of(preset) };
            let mut chain = Chain::preset(preset, &params, 5).expect("a chain");
            let first = common::chain::List::of_row(&next_row(9)).best() as u32;
            assert_eq!(chain.sample(&next_row(9)), Ok(first));
            for step in 0..20 {
                chain.sample(&next_row(step)).expect("a token");
            }
        }
    }
    // The penalty comes first: what was just drawn need not win again.
    let params = PresetParams { temperature: 0.0, ..PresetParams::of(Preset::TemperatureFirst) };
    let mut chain = Chain::preset(Preset::TemperatureFirst, &params, 5).expect("a chain");
    let row = [2.0, 2.1, 1.0];
    assert_eq!([0; 4].map(|_| chain.sample(&row).expect("a token")), [1, 0, 1, 1]);
}
