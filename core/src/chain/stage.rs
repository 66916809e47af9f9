//! A stage of any kind, made by the constructor of its kind.

use super::ops::StageOps;
use super::stages::{
    Dist, Dry, Greedy, LogitBias, MinP, MirostatV2, Penalties, S2, Softmax, Temperature,
    TemperatureExt, TopK, TopNSigma, TopP, Typical, Xtc,
};
use crate::{Error, SamplerParams};

/// One stage of a [`Chain`](crate::Chain), with its parameters and what it remembers.
///
/// Every constructor refuses NaN with [`Error::BadArgument`]. `min_keep` is the number of candidates
/// that a stage leaves at least, if there are so many; 0 counts as 1. The header has the formulas.
#[derive(Debug)]
pub struct Stage(pub(super) StageKind);

/// Not boxed: a box could not be had without ending the process where memory lacks.
#[derive(Debug)]
pub(super) enum StageKind {
    LogitBias(LogitBias),
    Penalties(Penalties),
    TopK(TopK),
    TopP(TopP),
    MinP(MinP),
    Typical(Typical),
    TopNSigma(TopNSigma),
    Xtc(Xtc),
    Temperature(Temperature),
    TemperatureExt(TemperatureExt),
    Dry(Dry),
    MirostatV2(MirostatV2),
    S2(S2),
    Softmax(Softmax),
    Greedy(Greedy),
    Dist(Dist),
}

/// The stage of whatever kind, as what all of them are.
macro_rules! dispatch {
    ($kind:expr) => {
        match $kind {
            StageKind::LogitBias(stage) => stage,
            StageKind::Penalties(stage) => stage,
            StageKind::TopK(stage) => stage,
            StageKind::TopP(stage) => stage,
            StageKind::MinP(stage) => stage,
            StageKind::Typical(stage) => stage,
            StageKind::TopNSigma(stage) => stage,
            StageKind::Xtc(stage) => stage,
            StageKind::Temperature(stage) => stage,
            StageKind::TemperatureExt(stage) => stage,
            StageKind::Dry(stage) => stage,
            StageKind::MirostatV2(stage) => stage,
            StageKind::S2(stage) => stage,
            StageKind::Softmax(stage) => stage,
            StageKind::Greedy(stage) => stage,
            StageKind::Dist(stage) => stage,
        }
    };
}

impl Stage {
    /// Adds to the logits of single tokens; an id that stands there twice is added to twice. -inf
    /// bans a token. No bias: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for an id below 0, [`Error::OutOfMemory`].
    pub fn logit_bias(biases: &[(i32, f32)]) -> Result<Self, Error> {
        LogitBias::new(biases).map(|stage| Self(StageKind::LogitBias(stage)))
    }

    /// For tokens among the last `last_n` accepted: positive logits are divided by `repeat` and others
    /// multiplied; then `frequency` times the number of occurrences and `presence` are taken off.
    /// `last_n` -1: all; 0: off. (1, 0, 0): off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `repeat` is not positive, a number not finite, or `last_n` below -1
    /// or above 1,048,576; [`Error::OutOfMemory`].
    pub fn penalties(
        last_n: i32,
        repeat: f32,
        frequency: f32,
        presence: f32,
    ) -> Result<Self, Error> {
        let stage = Penalties::new(last_n, repeat, frequency, presence)?;
        Ok(Self(StageKind::Penalties(stage)))
    }

    /// Keeps the best `k`, sorted. 0 and less: off.
    ///
    /// # Errors
    /// None.
    pub fn top_k(k: i32) -> Result<Self, Error> {
        Ok(Self(StageKind::TopK(TopK { k })))
    }

    /// Keeps the ranks up to and with the one that brings the sum of the probabilities to `p`, sorted.
    /// 1 and more: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`].
    pub fn top_p(p: f32, min_keep: usize) -> Result<Self, Error> {
        TopP::new(p, min_keep).map(|stage| Self(StageKind::TopP(stage)))
    }

    /// Keeps those whose probability is at least `p` times the best one's. 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`].
    pub fn min_p(p: f32, min_keep: usize) -> Result<Self, Error> {
        MinP::new(p, min_keep).map(|stage| Self(StageKind::MinP(stage)))
    }

    /// Keeps those whose information is nearest to the entropy, until they have more than `p` of the
    /// mass. 1 and more: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`].
    pub fn typical(p: f32, min_keep: usize) -> Result<Self, Error> {
        Typical::new(p, min_keep).map(|stage| Self(StageKind::Typical(stage)))
    }

    /// Keeps those whose logits are at most `n` standard deviations below the largest. 0 and less: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`].
    pub fn top_n_sigma(n: f32) -> Result<Self, Error> {
        TopNSigma::new(n).map(|stage| Self(StageKind::TopNSigma(stage)))
    }

    /// With the given probability, drops those of at least `threshold` but the last of them.
    /// Probability 0 and less, and a threshold above 0.5: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`].
    pub fn xtc(
        probability: f32,
        threshold: f32,
        min_keep: usize,
        seed: u32,
    ) -> Result<Self, Error> {
        Xtc::new(probability, threshold, min_keep, seed).map(|stage| Self(StageKind::Xtc(stage)))
    }

    /// Divides the logits by `t`; 0 and less keeps the best alone. 1: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`].
    pub fn temperature(t: f32) -> Result<Self, Error> {
        Temperature::new(t).map(|stage| Self(StageKind::Temperature(stage)))
    }

    /// Divides the logits by a temperature between `t` - `delta` and `t` + `delta`, that share of the
    /// way up which the entropy has of the largest possible, to the power of `exponent`.
    ///
    /// # Errors
    /// [`Error::BadArgument`], also if the exponent is infinite.
    pub fn temperature_ext(t: f32, delta: f32, exponent: f32) -> Result<Self, Error> {
        TemperatureExt::new(t, delta, exponent).map(|stage| Self(StageKind::TemperatureExt(stage)))
    }

    /// Takes `multiplier * base^(length - allowed_length)` off the logits of tokens that would go on
    /// with a repetition of at least `allowed_length` tokens within the last `last_n` (-1: all), back
    /// to the last of the breakers. `multiplier` 0, `base` below 1, `last_n` 0: off.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite, `allowed_length` below 0, or `last_n` out of
    /// range as for [`Stage::penalties`]; [`Error::OutOfMemory`].
    pub fn dry(
        multiplier: f32,
        base: f32,
        allowed_length: i32,
        last_n: i32,
        breakers: &[&[i32]],
    ) -> Result<Self, Error> {
        let stage = Dry::new(multiplier, base, allowed_length, last_n, breakers)?;
        Ok(Self(StageKind::Dry(stage)))
    }

    /// Selects a token, with a limit of surprise that is moved by `eta` towards a mean of `tau` bits.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite.
    pub fn mirostat_v2(seed: u32, tau: f32, eta: f32) -> Result<Self, Error> {
        MirostatV2::new(seed, tau, eta).map(|stage| Self(StageKind::MirostatV2(stage)))
    }

    /// The S2 engines' rule: top_k and top_p at temperature 1, then temperature. With a
    /// [`Stage::dist`] after it the tokens are those of [`Sampler::sample`](crate::Sampler::sample).
    ///
    /// # Errors
    /// None.
    pub fn s2(params: SamplerParams) -> Result<Self, Error> {
        Ok(Self(StageKind::S2(S2 { params })))
    }

    /// Computes the probabilities here, for a top_p that comes after other stages.
    ///
    /// # Errors
    /// None.
    pub fn softmax() -> Result<Self, Error> {
        Ok(Self(StageKind::Softmax(Softmax)))
    }

    /// Selects the best token.
    ///
    /// # Errors
    /// None.
    pub fn greedy() -> Result<Self, Error> {
        Ok(Self(StageKind::Greedy(Greedy)))
    }

    /// Selects a token by its probability, with a generator in the state of `std::mt19937(seed)`.
    ///
    /// # Errors
    /// None.
    pub fn dist(seed: u32) -> Result<Self, Error> {
        Ok(Self(StageKind::Dist(Dist::new(seed))))
    }

    /// What kind of stage it is: the constructor's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.ops().name()
    }

    /// Whether its parameters say that it does nothing.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.ops().is_off()
    }

    pub(super) fn ops(&self) -> &dyn StageOps {
        dispatch!(&self.0)
    }

    pub(super) fn ops_mut(&mut self) -> &mut dyn StageOps {
        dispatch!(&mut self.0)
    }

    /// A copy in the same state.
    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self(match &self.0 {
            StageKind::LogitBias(stage) => StageKind::LogitBias(stage.try_clone()?),
            StageKind::Penalties(stage) => StageKind::Penalties(stage.try_clone()?),
            StageKind::Dry(stage) => StageKind::Dry(stage.try_clone()?),
            StageKind::TopK(stage) => StageKind::TopK(*stage),
            StageKind::TopP(stage) => StageKind::TopP(*stage),
            StageKind::MinP(stage) => StageKind::MinP(*stage),
            StageKind::Typical(stage) => StageKind::Typical(*stage),
            StageKind::TopNSigma(stage) => StageKind::TopNSigma(*stage),
            StageKind::Xtc(stage) => StageKind::Xtc(stage.clone()),
            StageKind::Temperature(stage) => StageKind::Temperature(*stage),
            StageKind::TemperatureExt(stage) => StageKind::TemperatureExt(*stage),
            StageKind::MirostatV2(stage) => StageKind::MirostatV2(stage.clone()),
            StageKind::S2(stage) => StageKind::S2(*stage),
            StageKind::Softmax(stage) => StageKind::Softmax(*stage),
            StageKind::Greedy(stage) => StageKind::Greedy(*stage),
            StageKind::Dist(stage) => StageKind::Dist(stage.clone()),
        }))
    }
}
