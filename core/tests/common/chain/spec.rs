//! A stage by its parameters: what the library's chain, the oracle's and others are built from.

// Each program uses only a part.
#![allow(dead_code)]

use s2sampler_core::{Chain, DistOptions, Error, SamplerParams, Stage};

#[derive(Debug, Clone)]
pub enum Spec {
    LogitBias(Vec<(i32, f32)>),
    Penalties { last_n: i32, repeat: f32, frequency: f32, presence: f32 },
    TopK(i32),
    TopP { p: f32, min_keep: usize },
    MinP { p: f32, min_keep: usize },
    EpsilonCutoff { epsilon: f32, min_keep: usize },
    Typical { p: f32, min_keep: usize },
    TopNSigma(f32),
    Xtc { probability: f32, threshold: f32, min_keep: usize, seed: u32 },
    Temperature(f32),
    TemperatureExt { t: f32, delta: f32, exponent: f32 },
    Dry { multiplier: f32, base: f32, allowed_length: i32, last_n: i32, breakers: Vec<Vec<i32>> },
    MirostatV2 { seed: u32, tau: f32, eta: f32 },
    S2(SamplerParams),
    S2First { params: SamplerParams, keep_id: i32 },
    Softmax,
    Greedy,
    Dist(u32),
    DistWith(DistOptions),
}

impl Spec {
    pub fn stage(&self) -> Result<Stage, Error> {
        match self {
            Self::LogitBias(biases) => Stage::logit_bias(biases),
            Self::Penalties { last_n, repeat, frequency, presence } => {
                Stage::penalties(*last_n, *repeat, *frequency, *presence)
            }
            Self::TopK(k) => Ok(Stage::top_k(*k)),
            Self::TopP { p, min_keep } => Stage::top_p(*p, *min_keep),
            Self::MinP { p, min_keep } => Stage::min_p(*p, *min_keep),
            Self::EpsilonCutoff { epsilon, min_keep } => Stage::epsilon_cutoff(*epsilon, *min_keep),
            Self::Typical { p, min_keep } => Stage::typical(*p, *min_keep),
            Self::TopNSigma(n) => Stage::top_n_sigma(*n),
            Self::Xtc { probability, threshold, min_keep, seed } => {
                Stage::xtc(*probability, *threshold, *min_keep, *seed)
            }
            Self::Temperature(t) => Stage::temperature(*t),
            Self::TemperatureExt { t, delta, exponent } => {
                Stage::temperature_ext(*t, *delta, *exponent)
            }
            Self::Dry { multiplier, base, allowed_length, last_n, breakers } => {
                let breakers: Vec<&[i32]> = breakers.iter().map(|breaker| &breaker[..]).collect();
                Stage::dry(*multiplier, *base, *allowed_length, *last_n, &breakers)
            }
            Self::MirostatV2 { seed, tau, eta } => Stage::mirostat_v2(*seed, *tau, *eta),
            Self::S2(params) => Ok(Stage::s2(*params)),
            Self::S2First { params, keep_id } => Ok(Stage::s2_first(*params, *keep_id)),
            Self::Softmax => Ok(Stage::softmax()),
            Self::Greedy => Ok(Stage::greedy()),
            Self::Dist(seed) => Ok(Stage::dist(*seed)),
            Self::DistWith(options) => Stage::dist_with(*options),
        }
    }

    /// The name the library gives it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LogitBias(_) => "logit_bias",
            Self::Penalties { .. } => "penalties",
            Self::TopK(_) => "top_k",
            Self::TopP { .. } => "top_p",
            Self::MinP { .. } => "min_p",
            Self::EpsilonCutoff { .. } => "epsilon_cutoff",
            Self::Typical { .. } => "typical",
            Self::TopNSigma(_) => "top_n_sigma",
            Self::Xtc { .. } => "xtc",
            Self::Temperature(_) => "temperature",
            Self::TemperatureExt { .. } => "temperature_ext",
            Self::Dry { .. } => "dry",
            Self::MirostatV2 { .. } => "mirostat_v2",
            Self::S2(_) => "s2",
            Self::S2First { .. } => "s2_first",
            Self::Softmax => "softmax",
            Self::Greedy => "greedy",
            Self::Dist(_) | Self::DistWith(_) => "dist",
        }
    }

    pub fn selects(&self) -> bool {
        matches!(self, Self::Greedy | Self::Dist(_) | Self::DistWith(_) | Self::MirostatV2 { .. })
    }
}

/// Adds stages to a chain.
pub fn fill(mut chain: Chain, specs: &[Spec]) -> Chain {
    for (index, spec) in specs.iter().enumerate() {
        let stage = spec.stage().unwrap_or_else(|error| panic!("{spec:?}: {error}"));
        assert_eq!(stage.name(), spec.name());
        assert_eq!(chain.add(stage), Ok(index), "{spec:?}");
    }
    chain
}
