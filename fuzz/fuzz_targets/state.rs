//! Saved states of arbitrary bytes: refused, or a generator that saves what it was given.
#![no_main]

use libfuzzer_sys::fuzz_target;
use s2sampler::{Error, Sampler, SamplerParams};

fuzz_target!(|bytes: &[u8]| {
    let mut sampler = Sampler::new(1);
    let before = sampler.save();
    match sampler.restore(bytes) {
        Ok(()) => assert_eq!(sampler.save()[..], *bytes),
        Err(error) => {
            assert_eq!(error, Error::BadArgument);
            assert_eq!(sampler.save(), before);
        }
    }
    let row = [1.0, 2.0, 3.0];
    assert!(sampler.sample(&row, &SamplerParams::default()).is_ok_and(|token| token < 3));
});
