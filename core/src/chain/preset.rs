//! Chains in the order that other samplers use.

use super::{Chain, Stage};
use crate::{Error, SamplerParams};

/// A known order of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The S2 engines' draw. Its tokens are those of [`Sampler::sample`](crate::Sampler::sample).
    S2,
    /// Temperature first. top-p uses the probabilities of the whole row, though it comes after top-k.
    TemperatureFirst,
    /// llama.cpp's order, with the temperature last.
    Llama,
    /// The order of Hugging Face's generate.
    HuggingFace,
    /// The draw of the S2 engines' first generations.
    S2First,
}

/// The parameters of a [`Preset`]. A parameter that a preset has no stage for is ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PresetParams {
    /// Divides the logits.
    pub temperature: f32,
    /// The size of the nucleus.
    pub top_p: f32,
    /// The largest number of candidates.
    pub top_k: i32,
    /// The least probability of a candidate, as a share of the largest.
    pub min_p: f32,
    /// The repetition penalty.
    pub repeat_penalty: f32,
    /// How many of the last accepted tokens the penalty looks at: 0 none, -1 all.
    pub penalty_last_n: i32,
}

impl PresetParams {
    /// The preset's own parameters.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        let SamplerParams { temperature, top_p, top_k } = SamplerParams::DEFAULT;
        let off =
            Self { temperature, top_p, top_k, min_p: 0.0, repeat_penalty: 1.0, penalty_last_n: 64 };
        match preset {
            Preset::S2 => off,
            Preset::S2First => {
                let SamplerParams { temperature, top_p, top_k } = SamplerParams::FIRST;
                Self { temperature, top_p, top_k, ..off }
            }
            Preset::TemperatureFirst => Self { top_k: 40, top_p: 0.9, repeat_penalty: 1.1, ..off },
            Preset::Llama => Self { top_k: 40, top_p: 0.95, min_p: 0.05, ..off },
            Preset::HuggingFace => {
                Self { temperature: 1.0, top_k: 50, top_p: 1.0, penalty_last_n: -1, ..off }
            }
        }
    }
}

impl Chain {
    /// The stages of a preset. `seed` is the seed of the stage that draws.
    ///
    /// # Errors
    /// Those of the stages.
    pub fn preset(preset: Preset, params: &PresetParams, seed: u32) -> Result<Self, Error> {
        let PresetParams { temperature, top_p, top_k, .. } = *params;
        let penalties = || Stage::penalties(params.penalty_last_n, params.repeat_penalty, 0.0, 0.0);
        let heat = || Stage::temperature(temperature);
        let best = || Ok(Stage::top_k(top_k));
        let nucleus = || Stage::top_p(top_p, 1);
        let near = || Stage::min_p(params.min_p, 1);
        let mut chain = Self::new();
        let mut add = |stage: Result<Stage, Error>| chain.add(stage?).map(|_| ());
        match preset {
            Preset::S2 => add(Ok(Stage::s2(SamplerParams { temperature, top_p, top_k })))?,
            Preset::S2First => {
                add(Ok(Stage::s2_first(SamplerParams { temperature, top_p, top_k }, -1)))?;
            }
            Preset::TemperatureFirst => {
                add(penalties())?;
                add(heat())?;
                add(Ok(Stage::softmax()))?;
                add(best())?;
                add(nucleus())?;
                add(near())?;
            }
            Preset::Llama => {
                add(penalties())?;
                add(best())?;
                add(nucleus())?;
                add(near())?;
                add(heat())?;
            }
            Preset::HuggingFace => {
                add(penalties())?;
                add(heat())?;
                add(best())?;
                add(nucleus())?;
                add(near())?;
            }
        }
        add(Ok(Stage::dist(seed)))?;
        Ok(chain)
    }
}
