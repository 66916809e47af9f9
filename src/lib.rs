//! Placeholder.

mod capi;
mod entry;
mod error;
mod mass;
mod memory;
mod nucleus;
mod oneshot;
mod ordered;
mod params;
mod rng;
mod sample;
mod sampler;
mod select;
mod simd;
mod temper;
mod thread_state;

pub use error::Error;
pub use oneshot::{sample_token, seed_thread};
pub use params::SamplerParams;
pub use sampler::Sampler;
pub use simd::SimdLevel;
