//! After the first draw of a length no draw allocates, whatever the row and the parameters.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "clippy.toml frees test functions; their helpers are outside of those"
)]

mod common;

use allocation_counter::{AllocationInfo, measure};
use common::chain::spec::{Spec, fill};
use common::for_each_level;
use common::oracle::rank;
use common::params::{combined, one_at_a_time};
use common::rows::{KINDS, SplitMix, bell};
use common::scale;
use s2sampler_core::{
    Chain, ChainRequest, Error, Preset, PresetParams, RasMode, SampleRequest, SamplerParams,
    Stream, StreamConfig, TokenData, TokenRange, sample_token, seed_thread,
};

/// A codebook, a length that fills no vector, and the S2 vocabulary; shorter rows come last, since
/// memory for a long row must do for them too.
const SIZES: [usize; 3] = [155_776, 4096, 77];

/// The call that needs the most memory: a flat row of which every token is a candidate.
const WARM_UP: SamplerParams = SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 0 };

#[test]
fn an_allocation_is_counted() {
    let counted = measure(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(counted.count_total, 1);
}

/// Rows without a logit above -inf are among the rows, and have no token.
fn drawn<T>(result: Result<T, Error>) {
    assert!(matches!(result, Ok(_) | Err(Error::NoCandidate)), "{:?}", result.err());
}

#[test]
fn a_sampler_does_not_allocate() {
    let flat = vec![0.5_f32; SIZES[0]];
    for_each_level(|level, make| {
        let mut sampler = make(1);
        sampler.sample(&flat, &WARM_UP).expect("a token");
        every_call(level, |row, params| {
            drawn(sampler.sample(row, params));
        });
    });
}

/// Where a row begins decides how it is cut into aligned parts, not how much memory that takes.
#[test]
fn a_row_at_any_address_does_not_allocate() {
    let buffer = bell(SIZES[0] + 16, 1.0 / (1 << 19) as f32, 1);
    for_each_level(|level, make| {
        for first in (0..16).step_by(4) {
            let mut sampler = make(1);
            sampler.sample(&buffer[first..][..SIZES[0]], &WARM_UP).expect("a token");
            for begin in 0..16 {
                let row = &buffer[begin..][..SIZES[0]];
                let counted = measure(|| {
                    sampler.sample(row, &WARM_UP).expect("a token");
                });
                none(&format!("{level}, first {first}, then {begin}"), &counted);
            }
        }
    });
}

/// Requests with everything in them, draws from ranges, and a stream that redraws.
#[test]
fn requests_ranges_and_streams_do_not_allocate() {
    let flat = vec![0.5_f32; SIZES[0]];
    let history: Vec<i32> = (0..64).map(|i| i % 7).collect();
    let config = StreamConfig {
        semantic_first: 5,
        semantic_last: i32::MAX,
        end_id: 3,
        ras_mode: RasMode::Share,
        ras_tau: 0.0,
        ..StreamConfig::default()
    };
    for_each_level(|level, make| {
        let mut sampler = make(1);
        let mut stream = Stream::new(make(2), &config).expect("a stream");
        let mut call = |row: &[f32], params: &SamplerParams| {
            let n = row.len() as i32;
            let range = |first, last| TokenRange { first, last };
            let ranges = [range(n / 2 + 1, n), range(0, n / 2 - 1), range(n / 3, n / 3)];
            drawn(sampler.sample_ranges(row, &ranges, params));
            let request = SampleRequest {
                ranges: &ranges,
                banned: &[1, 2, n - 1],
                history: &history,
                penalty_window: -1,
                repetition_penalty: 1.1,
                min_p: 0.01,
                keep_id: Some(4),
                watched_id: Some(9),
                ..SampleRequest::new(row, *params)
            };
            drawn(sampler.sample_request(&request));
            drawn(sampler.sample_request_token(&SampleRequest { uniform: Some(0.5), ..request }));
            drawn(stream.slow(row, params, true));
            drawn(stream.fast(row, params));
        };
        call(&flat, &WARM_UP);
        every_call(level, call);
        let reset = measure(|| {
            stream.reset(3);
            sampler.restore(&sampler.save()).expect("a state");
        });
        none(level, &reset);
    });
}

/// A chain keeps the memory of the draws it has made: the same ones over again take none.
///
/// Presets, and chains of every stage, over rows and over arrays, with histories that are full.
#[test]
fn a_chain_does_not_allocate_again() {
    let rows: Vec<(String, Vec<f32>)> = SIZES
        .iter()
        .flat_map(|n| {
            let (skipped, step) = if scale::is_quick() { (n % 3, 3) } else { (0, 1) };
            // Every third kind in a quick run, and others for another length.
            let kinds = KINDS.iter().skip(skipped).step_by(step);
            kinds.map(move |(kind, make)| (format!("{kind} n {n}"), make(*n, 5)))
        })
        .collect();
    let most = rows.iter().map(|(_, row)| row.len()).max().unwrap_or(0);
    let (bits, uniforms) = (vec![0x5bd6_b7ed; most.div_ceil(32)], vec![0.5; most]);
    for_each_chain(|name, chain| {
        let mut again = false;
        for _ in 0..2 {
            none(name, &measure(|| chain.reset()));
            for token in 0..100 {
                let counted = measure(|| chain.accept(token % 7).expect("memory"));
                assert!(!again || counted.count_total == 0, "{name}, accept");
            }
            for (kind, row) in &rows {
                let token = |(id, &logit): (i32, &f32)| TokenData { id, logit, p: 0.0 };
                let mut array: Vec<TokenData> = (0..).zip(row).map(token).collect();
                let counted = measure(|| {
                    drawn(chain.sample(row));
                    let request = ChainRequest {
                        bitmask: &bits[..row.len().div_ceil(32)],
                        banned: &[1, 2],
                        uniforms: &uniforms,
                        keep_id: Some(4),
                        watched_id: Some(9),
                        best_before: 20,
                        best_after: 20,
                        ..ChainRequest::new(row)
                    };
                    drawn(chain.sample_request(&request));
                    let of_tokens = ChainRequest::of_tokens(&array, false);
                    drawn(chain.sample_request(&ChainRequest { keep_id: Some(0), ..of_tokens }));
                    drawn(chain.sample_request_token(&ChainRequest { uniforms: &[], ..request }));
                    drawn(chain.apply(&mut array, false));
                });
                assert!(!again || counted.count_total == 0, "{name}, {kind}: {counted:?}");
            }
            again = true;
        }
    });
}

fn for_each_chain(mut body: impl FnMut(&str, &mut Chain)) {
    for preset in
        [Preset::S2, Preset::S2First, Preset::TemperatureFirst, Preset::Llama, Preset::HuggingFace]
    {
        let params = PresetParams { penalty_last_n: 64, ..PresetParams::of(preset) };
        let mut chain = Chain::preset(preset, &params, 1).expect("a chain");
        body(&format!("{preset:?}"), &mut chain);
    }
    let p = |p| Spec::TopP { p, min_keep: 1 };
    let edits = [
        Spec::LogitBias((0..40).map(|id| (id, 1.0)).collect()),
        Spec::Penalties { last_n: 64, repeat: 1.1, frequency: 0.1, presence: 0.1 },
        Spec::Dry {
            multiplier: 1.0,
            base: 1.5,
            allowed_length: 1,
            last_n: 64,
            breakers: vec![vec![5], vec![1, 2]],
        },
        Spec::PenaltyEach { last_n: 64, repeat: 1.1 },
        Spec::PenaltyRun(1.1),
        Spec::NoRepeatNgram { n: 1, last_n: 64 },
        Spec::PenaltyDecay { sustain: 32, decay: 32, repeat: 1.1 },
        Spec::SequenceBias(vec![(vec![1, 2], 1.0), (vec![3], 1.0)]),
        Spec::MinTokens { count: 1000, ids: vec![1, 2] },
        Spec::Temperature(0.9),
    ];
    let s2 = Spec::S2(SamplerParams { top_p: 0.9, top_k: 0, ..SamplerParams::default() });
    let cuts = [
        vec![p(0.9)],
        vec![Spec::MinP { p: 0.01, min_keep: 3 }],
        vec![Spec::TopNSigma(1.0)],
        vec![Spec::Softmax, Spec::TopK(1000), p(0.9)],
        vec![Spec::TemperatureExt { t: 1.0, delta: 0.5, exponent: 1.0 }],
        vec![
            Spec::TopK(5000),
            Spec::Typical { p: 0.9, min_keep: 1 },
            Spec::Xtc { probability: 0.5, threshold: 0.1, min_keep: 1, seed: 2 },
        ],
        vec![Spec::Scale(1.1), Spec::TopKTies(1000), Spec::TopPExclusive(0.9)],
        vec![Spec::Softmax, Spec::TopKTies(1000), Spec::TopPExclusive(0.9)],
        vec![Spec::EtaCutoff { eta: 1e-4, min_keep: 1 }],
        vec![
            Spec::Bitmask(vec![-1; 155_776 / 32]),
            Spec::Smoothing { factor: 0.1, curve: 1.5 },
            Spec::TopA { a: 1e-3, min_keep: 1 },
        ],
        vec![Spec::XtcProtected {
            probability: 0.5,
            threshold: 0.1,
            min_keep: 1,
            seed: 2,
            protected: vec![1, 2],
        }],
        vec![s2],
        vec![],
    ];
    for cut in cuts {
        for select in [
            Spec::Greedy,
            Spec::Dist(3),
            Spec::Mirostat { seed: 1, tau: 3.0, eta: 0.1, m: 100 },
            Spec::MirostatV2 { seed: 1, tau: 3.0, eta: 0.1 },
            Spec::AdaptiveP { target: 0.3, decay: 0.9, seed: 1 },
        ] {
            let specs = [&edits[..], &cut, &[select]].concat();
            body(&format!("{specs:?}"), &mut fill(Chain::new(), &specs));
        }
    }
}

#[test]
fn the_thread_sampler_does_not_allocate() {
    let flat = vec![0.5_f32; SIZES[0]];
    sample_token(&flat, &WARM_UP).expect("a token");
    every_call("the thread's generator", |row, params| {
        sample_token(row, params).expect("a token");
    });
    none("seed_thread", &measure(|| seed_thread(3)));
}

fn every_call(who: &str, mut draw: impl FnMut(&[f32], &SamplerParams)) {
    for n in SIZES {
        for (kind, make_row) in KINDS {
            let row = make_row(n, n as u64);
            let mut calls = if n < 100 { one_at_a_time(n) } else { Vec::new() };
            let ranked = rank(&row);
            let mut random = SplitMix(n as u64);
            calls.push(WARM_UP);
            calls.push(SamplerParams::default());
            calls.extend((0..scale::cases(4)).map(|_| combined(&ranked, &mut random)));
            for params in calls {
                let counted = measure(|| draw(&row, &params));
                none(&format!("{who}, {kind} n {n}, {params:?}"), &counted);
            }
        }
    }
}

fn none(what: &str, counted: &AllocationInfo) {
    assert_eq!((counted.count_total, counted.bytes_total), (0, 0), "{what}");
}
