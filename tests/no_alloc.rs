//! After the first draw of a length no draw allocates, whatever the row and the parameters.

mod common;

use allocation_counter::{AllocationInfo, measure};
use common::for_each_level;
use common::oracle::rank;
use common::params::{combined, one_at_a_time};
use common::rows::{KINDS, SplitMix};
use s2sampler::{
    RasMode, Request, SamplerParams, Stream, StreamConfig, TokenRange, sample_token, seed_thread,
};

/// A codebook, a length that fills no vector, and the S2 vocabulary; shorter rows come last, since
/// memory for a long row must do for them too.
const SIZES: [usize; 3] = [155_776, 4096, 77];

/// The call that needs the most memory: a flat row of which every token is a candidate.
const WARM_UP: SamplerParams = SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 0 };

#[test]
fn the_count_counts() {
    let counted = measure(|| drop(std::hint::black_box(vec![1_u8; 100])));
    assert_eq!(counted.count_total, 1);
}

#[test]
fn a_sampler_does_not_allocate() {
    let flat = vec![0.5_f32; SIZES[0]];
    for_each_level(|level, make| {
        let mut sampler = make(1);
        sampler.sample(&flat, &WARM_UP).expect("a token");
        every_call(level, |row, params| {
            sampler.sample(row, params).expect("a token");
        });
    });
}

/// Requests with everything in them, draws from ranges, and a stream that redraws.
#[test]
fn what_a_sampler_can_do_besides_does_not_allocate() {
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
            sampler.sample_ranges(row, &ranges, params).expect("a token");
            let request = Request {
                ranges: &ranges,
                banned: &[1, 2, n - 1],
                history: &history,
                repetition_penalty: 1.1,
                min_p: 0.01,
                keep_id: Some(4),
                watched_id: Some(9),
                ..Request::new(row, *params)
            };
            sampler.sample_request(&request).expect("a token");
            sampler
                .sample_request_token(&Request { uniform: Some(0.5), ..request })
                .expect("a token");
            stream.slow(row, params, true).expect("a token");
            stream.fast(row, params).expect("a token");
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

#[test]
fn the_thread_does_not_allocate() {
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
            calls.extend((0..4).map(|_| combined(&ranked, &mut random)));
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
