//! Placeholder.

mod allowed;
mod capi;
mod entry;
mod error;
mod mass;
mod memory;
mod nucleus;
mod oneshot;
mod ordered;
mod params;
mod request;
mod rng;
mod sample;
mod sampler;
mod select;
mod simd;
mod stream;
mod temper;
mod thread_state;

pub use allowed::TokenRange;
pub use error::Error;
pub use oneshot::{sample_token, seed_thread};
pub use params::SamplerParams;
pub use request::{Answer, Likelihood, Request, Response};
pub use sampler::Sampler;
pub use simd::SimdLevel;
pub use stream::{RasMode, Stream, StreamConfig};
