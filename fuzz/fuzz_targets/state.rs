//! Saved states of arbitrary bytes, as they come and with their check sum put right: refused, or a generator
//! whose own state is taken back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use s2sampler_core::{Error, Sampler, SamplerParams};

const ROW: [f32; 3] = [1.0, 2.0, 2.5];
const ALL: SamplerParams = SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 0 };

fn restore(bytes: &[u8]) {
    let mut sampler = Sampler::new(1);
    let before = sampler.save();
    if let Err(error) = sampler.restore(bytes) {
        assert_eq!(error, Error::BadArgument);
        assert_eq!(sampler.save(), before);
        return;
    }
    let saved = sampler.save();
    let mut copy = Sampler::new(2);
    copy.restore(&saved).expect("it was saved");
    assert_eq!(copy.save(), saved);
    assert_eq!((copy.seed(), copy.rng_words()), (sampler.seed(), sampler.rng_words()));
    for _ in 0..700 {
        let token = sampler.sample(&ROW, &ALL).expect("a token");
        assert!(token < 3);
        assert_eq!(copy.sample(&ROW, &ALL), Ok(token));
    }
}

fuzz_target!(|bytes: &[u8]| {
    restore(bytes);
    if let Some((body, sum)) = bytes.split_last_chunk::<8>() {
        let fnv = body.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        if fnv.to_le_bytes() != *sum {
            restore(&[body, &fnv.to_le_bytes()].concat());
        }
    }
});
