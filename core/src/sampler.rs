//! A sampler: a generator that belongs to a request or an utterance, not to a thread.

use crate::draw::{Draw, DrawOptions, MaskedRow, ResolutionCounts, Scratch};
use crate::id_mask::{IdMask, TokenRange};
use crate::request::{self, SampleRequest, SampleResult, SampledToken};
use crate::rng::{self, Generator, Source};
use crate::simd::{Kernels, SimdLevel};
use crate::{Error, SamplerParams};

/// A stream of draws that depends only on its seed and on the rows that it draws from.
#[derive(Debug)]
pub struct Sampler {
    pub(crate) generator: Generator,
    pub(crate) scratch: Scratch,
    pub(crate) mask: IdMask,
    /// Working memory: the allowed logits, with the penalties of a request.
    pub(crate) masked_logits: Vec<f32>,
    /// Working memory: how often each token is in the history of a request. All are 0 between two draws.
    pub(crate) occurrences: Vec<u32>,
    pub(crate) kernels: &'static Kernels,
}

impl Sampler {
    /// The length of the block that [`Sampler::save`] returns.
    pub const STATE_LEN: usize = rng::STATE_LEN;

    /// A sampler whose generator starts in the state of `std::mt19937(seed)`.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self::with(Generator::new(seed))
    }

    /// A sampler seeded by the operating system; [`Sampler::seed`] returns the seed.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] if the system gives no random bytes.
    pub fn from_system() -> Result<Self, Error> {
        Generator::from_system().map(Self::with)
    }

    fn with(generator: Generator) -> Self {
        Self {
            generator,
            scratch: Scratch::new(),
            mask: IdMask::new(),
            masked_logits: Vec::new(),
            occurrences: Vec::new(),
            kernels: Kernels::chosen(),
        }
    }

    /// A sampler that uses the kernels of `level`, for tests and benchmarks; none if this CPU lacks it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_simd_level(seed: u32, level: SimdLevel) -> Option<Self> {
        Some(Self { kernels: Kernels::at(level)?, ..Self::new(seed) })
    }

    /// Restarts the stream in the state of `std::mt19937(seed)`.
    pub fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
    }

    /// The seed of the stream, for the log.
    #[must_use]
    pub fn seed(&self) -> u32 {
        self.generator.seed()
    }

    /// The number of 32-bit words taken from the generator since it was seeded.
    #[must_use]
    pub fn rng_words(&self) -> u64 {
        self.generator.words()
    }

    /// The number of draws that each kind of proof has settled.
    #[doc(hidden)]
    #[must_use]
    pub fn resolutions(&self) -> ResolutionCounts {
        self.scratch.resolutions
    }

    /// Draws a token with this sampler's generator; otherwise the same as [`crate::sample_token`].
    ///
    /// # Errors
    /// [`Error::NoCandidate`] if no logit is above -inf, else those of [`crate::sample_token`].
    pub fn sample(&mut self, logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
        let Self { generator, scratch, kernels, .. } = self;
        let (row, options) = (MaskedRow::whole(logits), DrawOptions::default());
        generator.after_fork()?;
        let draw = Draw { kernels: *kernels, row, params, options };
        let outcome = draw.token(&mut Source::Generator(generator), scratch)?;
        outcome.candidate()
    }

    /// Draws a token from the ids in `ranges`. The result is the same as that of [`Sampler::sample`] for a
    /// row with -inf at every other id. The cost depends on the number of allowed ids.
    ///
    /// Ranges may come in any order and overlap; ids beyond the row are ignored.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] if no id of the row is allowed, [`Error::NoCandidate`] if no allowed logit is
    /// above -inf, else those of [`crate::sample_token`].
    pub fn sample_ranges(
        &mut self,
        logits: &[f32],
        ranges: &[TokenRange],
        params: &SamplerParams,
    ) -> Result<u32, Error> {
        let Self { generator, scratch, mask, masked_logits, kernels, .. } = self;
        mask.set_ranges(*kernels, ranges, logits.len())?;
        let row = mask.row(*kernels, &mut scratch.scan, logits, masked_logits)?;
        generator.after_fork()?;
        let draw = Draw { kernels: *kernels, row, params, options: DrawOptions::default() };
        let outcome = draw.token(&mut Source::Generator(generator), scratch)?;
        outcome.candidate().map(|index| mask.id(index))
    }

    /// Draws a token as the request says. A request without options is the same as [`Sampler::sample`].
    ///
    /// The order is: penalties, bans and ranges change the row; top_k, top_p and min_p leave candidates;
    /// the kept token joins them; temperature and the draw follow. The probabilities in the whole row
    /// cost one more pass over it.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] if no id of the row is allowed; [`Error::NoCandidate`] if no logit is above -inf
    /// after penalties, bans and ranges; [`Error::BadArgument`] if the uniform is not
    /// in [0, 1), an id of the row not in 0..=i32::MAX, a penalty not finite, or the repetition penalty
    /// not positive; else those of [`crate::sample_token`]. After an error no random word was used.
    pub fn sample_request(&mut self, request: &SampleRequest<'_>) -> Result<SampleResult, Error> {
        request::draw_result(self, request)
    }

    /// As [`Sampler::sample_request`], but returns no probabilities and does not read the whole row again.
    ///
    /// # Errors
    /// Those of [`Sampler::sample_request`].
    pub fn sample_request_token(
        &mut self,
        request: &SampleRequest<'_>,
    ) -> Result<SampledToken, Error> {
        request::draw_token(self, request)
    }

    /// The state of the generator as bytes, portable between machines.
    #[must_use]
    pub fn save(&self) -> [u8; Self::STATE_LEN] {
        rng::save(&self.generator)
    }

    /// Continues where [`Sampler::save`] was called.
    ///
    /// # Errors [`Error::BadArgument`] for bytes that [`Sampler::save`] did not return; then nothing changes.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), Error> {
        self.generator = rng::restore(state)?;
        Ok(())
    }
}

/// A copy in the same state, which continues identically. Working memory is not copied.
impl Clone for Sampler {
    fn clone(&self) -> Self {
        Self { kernels: self.kernels, ..Self::with(self.generator.clone()) }
    }
}
