//! Every vector unit against the baseline, on rows that begin anywhere.
#![no_main]

use libfuzzer_sys::fuzz_target;
use s2sampler_fuzz::{Params, Row, at_each_level};

fuzz_target!(|input: (Row, Params, u8)| {
    let (row, Params(params), skipped) = input;
    let row = &row.0[usize::from(skipped) % row.0.len()..];
    let mut wanted = None;
    for (level, mut sampler) in at_each_level(7) {
        let drawn = [(); 4].map(|()| sampler.sample(row, &params));
        let wanted = *wanted.get_or_insert((drawn, sampler.rng_words()));
        assert_eq!((drawn, sampler.rng_words()), wanted, "{level:?}, {params:?}");
    }
});
