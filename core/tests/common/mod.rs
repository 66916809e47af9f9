//! What the test programs share: every way to make a sampler, the oracle, rows of logits, the golden files.

// Each test program is a crate of its own and uses only a part.
#![allow(dead_code)]

pub mod chain;
pub mod engine;
pub mod golden;
pub mod levels;
pub mod oracle;
pub mod params;
pub mod recipes;
pub mod reports;
pub mod requests;
pub mod rows;
pub mod scale;
pub mod statistics;
pub mod toy;

use s2sampler_core::Sampler;

/// Runs `body` once for every way to make a sampler from a seed, with the name of that way.
pub fn for_each_level(mut body: impl FnMut(&str, &dyn Fn(u32) -> Sampler)) {
    body("default", &Sampler::new);
    for level in levels::all() {
        body(level.name(), &|seed| Sampler::with_simd_level(seed, level).expect("it is available"));
    }
}
