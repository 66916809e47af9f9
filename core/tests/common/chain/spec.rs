//! A stage by its parameters: what the library's chain, the oracle's and others are built from.

// Each program uses only a part.
#![allow(dead_code)]

use super::custom::Thinner;
use s2sampler_core::{Chain, DistOptions, Error, SamplerParams, Stage};

#[derive(Debug, Clone)]
pub enum Spec {
    LogitBias(Vec<(i32, f32)>),
    Penalties {
        last_n: i32,
        repeat: f32,
        frequency: f32,
        presence: f32,
    },
    PenaltyEach {
        last_n: i32,
        repeat: f32,
    },
    PenaltyRun(f32),
    Custom(Thinner),
    PenaltyDecay {
        sustain: i32,
        decay: i32,
        repeat: f32,
    },
    SequenceBias(Vec<(Vec<i32>, f32)>),
    MinTokens {
        count: i32,
        ids: Vec<i32>,
    },
    Bitmask(Vec<i32>),
    TopA {
        a: f32,
        min_keep: usize,
    },
    Smoothing {
        factor: f32,
        curve: f32,
    },
    XtcProtected {
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
        protected: Vec<i32>,
    },
    TopK(i32),
    TopKTies(i32),
    TopP {
        p: f32,
        min_keep: usize,
    },
    TopPExclusive(f32),
    MinP {
        p: f32,
        min_keep: usize,
    },
    EpsilonCutoff {
        epsilon: f32,
        min_keep: usize,
    },
    EtaCutoff {
        eta: f32,
        min_keep: usize,
    },
    Typical {
        p: f32,
        min_keep: usize,
    },
    TopNSigma(f32),
    Xtc {
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
    },
    Temperature(f32),
    Scale(f32),
    TemperatureExt {
        t: f32,
        delta: f32,
        exponent: f32,
    },
    Dry {
        multiplier: f32,
        base: f32,
        allowed_length: i32,
        last_n: i32,
        breakers: Vec<Vec<i32>>,
    },
    NoRepeatNgram {
        n: i32,
        last_n: i32,
    },
    Mirostat {
        seed: u32,
        tau: f32,
        eta: f32,
        m: i32,
    },
    MirostatV2 {
        seed: u32,
        tau: f32,
        eta: f32,
    },
    AdaptiveP {
        target: f32,
        decay: f32,
        seed: u32,
    },
    S2(SamplerParams),
    S2First {
        params: SamplerParams,
        keep_id: i32,
    },
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
            Self::PenaltyEach { last_n, repeat } => Stage::penalty_each(*last_n, *repeat),
            Self::PenaltyDecay { sustain, decay, repeat } => {
                Stage::penalty_decay(*sustain, *decay, *repeat)
            }
            Self::SequenceBias(biases) => {
                let biases: Vec<(&[i32], f32)> = biases.iter().map(|(s, b)| (&s[..], *b)).collect();
                Stage::sequence_bias(&biases)
            }
            Self::MinTokens { count, ids } => Stage::min_tokens(*count, ids),
            Self::Bitmask(words) => Stage::bitmask(words),
            Self::TopA { a, min_keep } => Stage::top_a(*a, *min_keep),
            Self::Smoothing { factor, curve } => Stage::smoothing(*factor, *curve),
            Self::XtcProtected { probability, threshold, min_keep, seed, protected } => {
                Stage::xtc_protected(*probability, *threshold, *min_keep, *seed, protected)
            }
            Self::Custom(thinner) => Ok(Stage::custom(Box::new(thinner.clone()))),
            Self::PenaltyRun(repeat) => Stage::penalty_run(*repeat),
            Self::TopK(k) => Ok(Stage::top_k(*k)),
            Self::TopKTies(k) => Ok(Stage::top_k_ties(*k)),
            Self::TopPExclusive(p) => Stage::top_p_exclusive(*p),
            Self::EtaCutoff { eta, min_keep } => Stage::eta_cutoff(*eta, *min_keep),
            Self::Scale(factor) => Stage::scale(*factor),
            Self::NoRepeatNgram { n, last_n } => Stage::no_repeat_ngram(*n, *last_n),
            Self::Mirostat { seed, tau, eta, m } => Stage::mirostat(*seed, *tau, *eta, *m),
            Self::AdaptiveP { target, decay, seed } => Stage::adaptive_p(*target, *decay, *seed),
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
            Self::PenaltyEach { .. } => "penalty_each",
            Self::PenaltyDecay { .. } => "penalty_decay",
            Self::SequenceBias(_) => "sequence_bias",
            Self::MinTokens { .. } => "min_tokens",
            Self::Bitmask(_) => "bitmask",
            Self::TopA { .. } => "top_a",
            Self::Smoothing { .. } => "smoothing",
            Self::XtcProtected { .. } => "xtc_protected",
            Self::Custom(_) => "custom",
            Self::PenaltyRun(_) => "penalty_run",
            Self::TopK(_) => "top_k",
            Self::TopKTies(_) => "top_k_ties",
            Self::TopPExclusive(_) => "top_p_exclusive",
            Self::EtaCutoff { .. } => "eta_cutoff",
            Self::Scale(_) => "scale",
            Self::NoRepeatNgram { .. } => "no_repeat_ngram",
            Self::Mirostat { .. } => "mirostat",
            Self::AdaptiveP { .. } => "adaptive_p",
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
        matches!(
            self,
            Self::Custom(Thinner { selects: true, .. })
                | Self::Greedy
                | Self::Dist(_)
                | Self::DistWith(_)
                | Self::Mirostat { .. }
                | Self::MirostatV2 { .. }
                | Self::AdaptiveP { .. }
        )
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
