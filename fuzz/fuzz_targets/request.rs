//! Requests with hostile numbers, ranges and lists: an id of the row, or an error that used no word.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use s2sampler_core::{SampleRequest, Sampler, TokenRange};
use s2sampler_fuzz::{Params, Row};

#[derive(Debug, Arbitrary)]
struct Options {
    id_offset: i32,
    ranges: Vec<(i32, i32)>,
    near: Vec<(u16, u16)>,
    banned: Vec<i16>,
    history: Vec<i16>,
    window: u8,
    penalties: [f32; 3],
    min_p: f32,
    keep: Option<i16>,
    watched: Option<i32>,
    uniform: Option<f64>,
    first_generations: bool,
}

fuzz_target!(|input: (Row, Params, Options)| {
    let (Row(row), Params(params), options) = input;
    let offset = options.id_offset;
    let range = |(first, last): (i32, i32)| TokenRange { first, last };
    let far = options.ranges.iter().copied().map(range);
    let near = options.near.iter().map(|(a, b)| range((i32::from(*a), i32::from(*b))));
    let ranges: Vec<TokenRange> = far.chain(near).collect();
    let ids = |ids: &[i16]| -> Vec<i32> {
        ids.iter().map(|id| offset.saturating_add(i32::from(*id))).collect()
    };
    let (banned, history) = (ids(&options.banned), ids(&options.history));
    let request = SampleRequest {
        id_offset: offset,
        ranges: &ranges,
        banned: &banned,
        history: &history,
        penalty_window: options.window.into(),
        repetition_penalty: options.penalties[0],
        frequency_penalty: options.penalties[1],
        presence_penalty: options.penalties[2],
        min_p: options.min_p,
        keep_id: options.keep.map(i32::from),
        watched_id: options.watched,
        uniform: options.uniform,
        first_generations: options.first_generations,
        ..SampleRequest::new(&row, params)
    };
    let (mut whole, mut short) = (Sampler::new(9), Sampler::new(9));
    let response = whole.sample_request(&request);
    let answer = short.sample_request_token(&request);
    assert_eq!(response.as_ref().map(|r| r.token), answer.as_ref().map(|a| a.token));
    if let Ok(response) = response {
        let place = i64::from(response.token) - i64::from(offset);
        assert!((0..row.len() as i64).contains(&place));
        assert!((0.0..=1.000_01).contains(&response.probability.final_p), "{response:?}");
        assert_eq!(whole.rng_words(), u64::from(response.rng_words));
    } else {
        assert_eq!(whole.rng_words(), 0, "a word was used for an error");
    }
});
