//! The stages, one file for each: its parameters, its rule, and what it remembers.

mod dist;
mod dry;
mod greedy;
mod history;
mod logit_bias;
mod min_p;
mod mirostat_v2;
mod penalties;
mod s2;
mod softmax;
mod temperature;
mod temperature_ext;
mod top_k;
mod top_n_sigma;
mod top_p;
mod typical;
mod xtc;

pub(super) use dist::Dist;
pub(super) use dry::Dry;
pub(super) use greedy::Greedy;
pub(super) use logit_bias::LogitBias;
pub(super) use min_p::MinP;
pub(super) use mirostat_v2::MirostatV2;
pub(super) use penalties::Penalties;
pub(super) use s2::S2;
pub(super) use softmax::Softmax;
pub(super) use temperature::Temperature;
pub(super) use temperature_ext::TemperatureExt;
pub(super) use top_k::TopK;
pub(super) use top_n_sigma::TopNSigma;
pub(super) use top_p::TopP;
pub(super) use typical::Typical;
pub(super) use xtc::Xtc;
