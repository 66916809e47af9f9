//! One utterance of an engine that draws a main token and then codebook tokens, frame by frame.

use crate::id_mask::TokenRange;
use crate::rules::ras;
use crate::{Error, Sampler, SamplerParams};
use std::collections::VecDeque;

/// Repetition-aware sampling: when a main token is drawn once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RasMode {
    /// Never.
    Off,
    /// The S2 engines' rule: if a semantic token occurs in the window, once more from the same tokens
    /// with the RAS temperature, the RAS top_p and the caller's top_k.
    AnyHit,
    /// CosyVoice's rule: if it occurs in the window at least `window * tau` times, once more with the
    /// RAS temperature from all allowed tokens, without top_k and top_p.
    Share,
}

/// What an utterance needs to know of its engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamConfig {
    /// The first id of the semantic tokens.
    pub semantic_first: i32,
    /// The last id of the semantic tokens, which is one of them.
    pub semantic_last: i32,
    /// The id that ends the utterance; negative for none.
    pub end_id: i32,
    /// When a main token is drawn once more.
    pub ras_mode: RasMode,
    /// How many of the latest main tokens RAS looks at; 0 turns it off.
    pub ras_window: i32,
    /// The temperature of the second draw.
    pub ras_temperature: f32,
    /// The top_p of the second draw in the S2 mode.
    pub ras_top_p: f32,
    /// The share of the window in CosyVoice's mode.
    pub ras_tau: f32,
}

impl Default for StreamConfig {
    /// No tokens yet; the S2 engines' RAS: window 10, temperature 1, top_p 0.9. (tau 0.1 for the other.)
    fn default() -> Self {
        Self {
            semantic_first: 0,
            semantic_last: -1,
            end_id: -1,
            ras_mode: RasMode::AnyHit,
            ras_window: 10,
            ras_temperature: 1.0,
            ras_top_p: 0.9,
            ras_tau: 0.1,
        }
    }
}

/// The longest window.
const LONGEST: i32 = 1 << 20;

/// A generator, a window of main tokens, and the rules of the loop around them.
#[derive(Debug)]
pub struct Stream {
    sampler: Sampler,
    config: StreamConfig,
    window: VecDeque<u32>,
    ended: bool,
}

impl Stream {
    /// An utterance that draws with `sampler`.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no semantic token, its range begins below 0, or the window is
    /// negative or above 1,048,576; [`Error::OutOfMemory`].
    pub fn new(sampler: Sampler, config: &StreamConfig) -> Result<Self, Error> {
        let semantic = 0 <= config.semantic_first && config.semantic_first <= config.semantic_last;
        if !semantic || !(0..=LONGEST).contains(&config.ras_window) {
            return Err(Error::BadArgument);
        }
        let mut window = VecDeque::new();
        window.try_reserve(config.ras_window as usize + 1).map_err(|_| Error::OutOfMemory)?;
        Ok(Self { sampler, config: *config, window, ended: false })
    }

    /// A copy in the same state: both continue alike.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut copy = Self::new(self.sampler.clone(), &self.config)?;
        copy.window.extend(&self.window);
        copy.ended = self.ended;
        Ok(copy)
    }

    /// Begins another utterance: the generator seeded, the window empty.
    pub fn reset(&mut self, seed: u32) {
        self.sampler.reseed(seed);
        self.window.clear();
        self.ended = false;
    }

    /// The generator of this utterance.
    #[must_use]
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Whether the last main token was the end token, be it drawn at once or by the second draw.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Draws the main token of a frame: from the semantic tokens, and from the end token too if
    /// `allow_end`; once more if RAS says so. What is returned enters the window.
    ///
    /// # Errors
    /// Those of [`Sampler::sample_ranges`]; nothing enters the window then.
    pub fn slow(
        &mut self,
        logits: &[f32],
        params: &SamplerParams,
        allow_end: bool,
    ) -> Result<u32, Error> {
        let StreamConfig { semantic_first: first, semantic_last: last, end_id: end, .. } =
            self.config;
        let both = [TokenRange { first, last }, TokenRange { first: end, last: end }];
        // A negative end is no id of any row. One among the semantic tokens is banned there too.
        let around = [
            TokenRange { first, last: end.saturating_sub(1) },
            TokenRange { first: end.saturating_add(1), last },
        ];
        let ranges = match allow_end {
            true => &both[..],
            false if (first..=last).contains(&end) => &around[..],
            false => &both[..1],
        };
        let mut token = self.sampler.sample_ranges(logits, ranges, params)?;
        if let Some(again) = self.again(token, params) {
            token = self.sampler.sample_ranges(logits, ranges, &again)?;
        }
        self.window.push_back(token);
        while self.window.len() > self.config.ras_window as usize {
            self.window.pop_front();
        }
        self.ended = i64::from(token) == i64::from(end);
        Ok(token)
    }

    /// The parameters of the second draw, if there is to be one.
    fn again(&self, token: u32, params: &SamplerParams) -> Option<SamplerParams> {
        let config = &self.config;
        let semantic = i64::from(config.semantic_first)..=i64::from(config.semantic_last);
        if !semantic.contains(&i64::from(token)) {
            return None;
        }
        let hits = self.window.iter().filter(|other| **other == token).count();
        if !ras::redraws(config.ras_mode, hits, config.ras_window as usize, config.ras_tau) {
            return None;
        }
        let (top_p, top_k) = match config.ras_mode {
            RasMode::Share => (f32::NAN, 0),
            _ => (config.ras_top_p, params.top_k),
        };
        Some(SamplerParams { temperature: config.ras_temperature, top_p, top_k })
    }

    /// Draws a codebook token of a frame, from all of `logits`.
    ///
    /// # Errors
    /// Those of [`Sampler::sample`].
    pub fn fast(&mut self, logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
        self.sampler.sample(logits, params)
    }

    /// The code of a main token: its distance from the first semantic token, from 0 to
    /// `codebook_size` - 1.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for a codebook without codes.
    pub fn code(&self, token: u32, codebook_size: u32) -> Result<u32, Error> {
        let last = codebook_size.checked_sub(1).ok_or(Error::BadArgument)?;
        Ok(token.saturating_sub(self.config.semantic_first as u32).min(last))
    }
}
