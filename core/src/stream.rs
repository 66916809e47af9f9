//! One utterance of a speech engine of the S2 family, frame by frame: the Slow-AR model draws a main token,
//! then the Fast-AR model draws the frame's codebook tokens.

mod state;

use crate::id_mask::TokenRange;
use crate::rules::{MAX_WINDOW, ras};
use crate::{Error, Sampler, SamplerParams};
use std::collections::VecDeque;

/// Repetition-aware sampling (RAS): when a main token is drawn a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RasMode {
    /// Never.
    Off,
    /// The S2 engines' rule: a semantic token that occurs in the window is drawn again, from the same
    /// allowed tokens, with the RAS temperature, the RAS top_p and the caller's top_k.
    AnyHit,
    /// CosyVoice's rule: a semantic token that occurs in the window at least `window * tau` times is drawn
    /// again, from all allowed tokens, with the RAS temperature and without top_k and top_p.
    Share,
}

/// The engine's token ids, and the settings of RAS.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamConfig {
    /// The first id of the semantic tokens.
    pub semantic_first: i32,
    /// The last id of the semantic tokens, included.
    pub semantic_last: i32,
    /// The id that ends the utterance; negative for none.
    pub end_id: i32,
    /// When a main token is drawn a second time.
    pub ras_mode: RasMode,
    /// The number of latest main tokens that RAS looks at; 0 turns it off.
    pub ras_window: i32,
    /// The temperature of the second draw.
    pub ras_temperature: f32,
    /// The top_p of the second draw in the S2 engines' mode.
    pub ras_top_p: f32,
    /// The share of the window in CosyVoice's mode.
    pub ras_tau: f32,
    /// Whether an end token from the second draw does not end the utterance, as in the original engine, which
    /// goes on with code 0.
    pub continues_after_redrawn_end: bool,
    /// Whether the second draw is made for every main token, and used only if RAS asks for one, as in audio.cpp.
    pub ras_always: bool,
    /// Whether the second draw leaves out the token of the first, as in CrispASR.
    pub ras_bans: bool,
}

impl StreamConfig {
    /// The code of a main token: its distance from the first semantic token, clamped to 0 ..
    /// `codebook_size` - 1.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `codebook_size` is 0.
    pub fn code(&self, token: u32, codebook_size: u32) -> Result<u32, Error> {
        let last = codebook_size.checked_sub(1).ok_or(Error::BadArgument)?;
        Ok(token.saturating_sub(self.semantic_first as u32).min(last))
    }
}

impl Default for StreamConfig {
    /// No token ids; the S2 engines' RAS with window 10, temperature 1 and top_p 0.9; tau 0.1.
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
            continues_after_redrawn_end: false,
            ras_always: false,
            ras_bans: false,
        }
    }
}

/// An utterance: a sampler, the window of main tokens, and the rules of the engine's loop.
#[derive(Debug)]
pub struct Stream {
    sampler: Sampler,
    config: StreamConfig,
    window: VecDeque<u32>,
    ended: bool,
    redrawn: bool,
}

impl Stream {
    /// An utterance that draws with `sampler`.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no semantic token, its range begins below 0, or the window is
    /// negative or above 1,048,576; [`Error::OutOfMemory`].
    pub fn new(sampler: Sampler, config: &StreamConfig) -> Result<Self, Error> {
        let semantic = 0 <= config.semantic_first && config.semantic_first <= config.semantic_last;
        if !semantic || !(0..=MAX_WINDOW).contains(&config.ras_window) {
            return Err(Error::BadArgument);
        }
        let mut window = VecDeque::new();
        window.try_reserve(config.ras_window as usize + 1).map_err(|_| Error::OutOfMemory)?;
        Ok(Self { sampler, config: *config, window, ended: false, redrawn: false })
    }

    /// A copy in the same state, which continues identically.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut copy = Self::new(self.sampler.clone(), &self.config)?;
        copy.window.extend(&self.window);
        (copy.ended, copy.redrawn) = (self.ended, self.redrawn);
        Ok(copy)
    }

    /// Begins another utterance: seeds the generator and empties the window.
    pub fn reset(&mut self, seed: u32) {
        self.sampler.reseed(seed);
        self.window.clear();
        (self.ended, self.redrawn) = (false, false);
    }

    /// What the stream was configured with.
    #[must_use]
    pub fn config(&self) -> &StreamConfig {
        &self.config
    }

    /// The generator of this utterance.
    #[must_use]
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Whether the last main token ended the utterance.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the last main token is that of the second draw.
    #[must_use]
    pub fn was_redrawn(&self) -> bool {
        self.redrawn
    }

    /// Draws the main token of a frame, as the Slow-AR model's loop does: from the semantic tokens, and
    /// from the end token too if `allow_end`; a second time if RAS says so. The token returned enters
    /// the window.
    ///
    /// # Errors
    /// Those of [`Sampler::sample_ranges`]; then nothing enters the window.
    pub fn slow(
        &mut self,
        logits: &[f32],
        params: &SamplerParams,
        allow_end: bool,
    ) -> Result<u32, Error> {
        let StreamConfig { semantic_first: first, semantic_last: last, end_id: end, .. } =
            self.config;
        let both = [TokenRange { first, last }, TokenRange { first: end, last: end }];
        // A negative end is no id of any row. An end among the semantic tokens is left out if it is
        // forbidden.
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
        let repeats = self.repeats(token);
        let mut redrawn = false;
        if repeats || self.draws_always() {
            let second = self.second_draw(logits, ranges, params, token)?;
            if let Some(second) = second.filter(|_| repeats) {
                (token, redrawn) = (second, true);
            }
        }
        self.window.push_back(token);
        while self.window.len() > self.config.ras_window as usize {
            self.window.pop_front();
        }
        let continues = redrawn && self.config.continues_after_redrawn_end;
        self.ended = i64::from(token) == i64::from(end) && !continues;
        self.redrawn = redrawn;
        Ok(token)
    }

    fn draws_always(&self) -> bool {
        self.config.ras_always && self.config.ras_mode != RasMode::Off && self.config.ras_window > 0
    }

    /// Whether RAS replaces this token.
    fn repeats(&self, token: u32) -> bool {
        let config = &self.config;
        let semantic = i64::from(config.semantic_first)..=i64::from(config.semantic_last);
        if !semantic.contains(&i64::from(token)) {
            return false;
        }
        // In this form the compiler uses vector instructions: one for each token instead of three.
        let hits_in =
            |part: &[u32]| part.iter().map(|other| u32::from(*other == token)).sum::<u32>();
        let (first, second) = self.window.as_slices();
        let hits = (hits_in(first) + hits_in(second)) as usize;
        ras::redraws(config.ras_mode, hits, config.ras_window as usize, config.ras_tau)
    }

    /// The second draw; none if it leaves out the only token above -inf.
    fn second_draw(
        &mut self,
        logits: &[f32],
        ranges: &[TokenRange],
        params: &SamplerParams,
        token: u32,
    ) -> Result<Option<u32>, Error> {
        let redraw = self.ras_redraw_params(params);
        if !self.config.ras_bans {
            return self.sampler.sample_ranges(logits, ranges, &redraw).map(Some);
        }
        let others = without(ranges, token as i32);
        match self.sampler.sample_ranges(logits, &others, &redraw) {
            Err(Error::EmptyRow | Error::NoCandidate) => Ok(None),
            drawn => drawn.map(Some),
        }
    }

    /// The parameters of the second draw.
    fn ras_redraw_params(&self, params: &SamplerParams) -> SamplerParams {
        let (top_p, top_k) = match self.config.ras_mode {
            RasMode::Share => (f32::NAN, 0),
            _ => (self.config.ras_top_p, params.top_k),
        };
        SamplerParams { temperature: self.config.ras_temperature, top_p, top_k }
    }

    /// Draws a codebook token of a frame, as the Fast-AR model's loop does: from all of `logits`.
    ///
    /// # Errors
    /// Those of [`Sampler::sample`].
    pub fn fast(&mut self, logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
        self.sampler.sample(logits, params)
    }

    /// As [`StreamConfig::code`].
    ///
    /// # Errors
    /// Those of [`StreamConfig::code`].
    pub fn code(&self, token: u32, codebook_size: u32) -> Result<u32, Error> {
        self.config.code(token, codebook_size)
    }
}

/// At most two ranges without one id of them: what is left on either side of it.
fn without(ranges: &[TokenRange], id: i32) -> [TokenRange; 4] {
    const NONE: TokenRange = TokenRange { first: 0, last: -1 };
    let mut left = [NONE; 4];
    for (sides, range) in left.chunks_exact_mut(2).zip(ranges) {
        let TokenRange { first, last } = *range;
        let below = TokenRange { first, last: last.min(id.saturating_sub(1)) };
        let above =
            id.checked_add(1).map_or(NONE, |next| TokenRange { first: first.max(next), last });
        sides.copy_from_slice(&[below, above]);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::{TokenRange, without};

    #[test]
    fn ranges_without_an_id() {
        let ranges = [TokenRange { first: 3, last: 7 }, TokenRange { first: 9, last: 9 }];
        for id in 0..12 {
            let left = without(&ranges, id);
            for other in 0..12 {
                let is_in = |ranges: &[TokenRange]| {
                    ranges.iter().any(|r| (r.first..=r.last).contains(&other))
                };
                assert_eq!(is_in(&left), is_in(&ranges) && other != id, "{other} without {id}");
            }
        }
        // The id 0 has no neighbour below, and the largest none above.
        let all = [TokenRange { first: 0, last: i32::MAX }];
        assert!(without(&all, 0).iter().all(|r| r.first > r.last || r.first == 1));
        assert!(without(&all, i32::MAX).iter().all(|r| r.first > r.last || r.last < i32::MAX));
    }
}
