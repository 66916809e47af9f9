//! Placeholder.

mod capi;
mod error;
mod oneshot;
mod params;
mod rng;
mod sample;
mod sampler;
mod select;
mod temper;
mod thread_state;

pub use error::Error;
pub use oneshot::{sample_token, seed_thread};
pub use params::SamplerParams;
pub use sampler::Sampler;
