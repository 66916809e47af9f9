//! Draws against the slow oracle.
#![no_main]

use libfuzzer_sys::fuzz_target;
use s2sampler_core::Sampler;
use s2sampler_fuzz::oracle::{Mt19937, rank};
use s2sampler_fuzz::{Params, Row};

fuzz_target!(|input: (Row, Vec<Params>, u32)| {
    let (row, params, seed) = input;
    let (mut sampler, mut mt) = (Sampler::new(seed), Mt19937::new(seed));
    let ranked = rank(&row.0);
    for Params(params) in params.iter().take(8) {
        let want = ranked.draw(params, &mut mt);
        assert_eq!(sampler.sample(&row.0, params), want.token, "{params:?}");
    }
});
