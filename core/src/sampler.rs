//! A generator of one's own: for a request or an utterance, not for a thread.

use crate::draw::{DrawOptions, Row, Scratch, sample};
use crate::id_mask::{IdMask, TokenRange};
use crate::rng::{self, Generator, Source};
use crate::simd::{Kernels, SimdLevel};
use crate::{Error, SamplerParams};

/// A stream of draws that depends on nothing but its seed and the rows it is given.
#[derive(Debug)]
pub struct Sampler {
    pub(crate) generator: Generator,
    pub(crate) scratch: Scratch,
    pub(crate) allowed: IdMask,
    pub(crate) recent: Vec<u32>,
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

    /// A sampler seeded by the operating system; [`Sampler::seed`] tells with what.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] if the system has no randomness to give.
    pub fn from_system() -> Result<Self, Error> {
        Generator::from_system().map(Self::with)
    }

    fn with(generator: Generator) -> Self {
        Self {
            generator,
            scratch: Scratch::new(),
            allowed: IdMask::new(),
            recent: Vec::new(),
            kernels: Kernels::chosen(),
        }
    }

    /// A sampler that uses the kernels of `level`; none if this CPU lacks it. For tests and
    /// benchmarks: the tokens are the same at every level.
    #[doc(hidden)]
    #[must_use]
    pub fn with_simd_level(seed: u32, level: SimdLevel) -> Option<Self> {
        Some(Self { kernels: Kernels::at(level)?, ..Self::new(seed) })
    }

    /// Starts the stream again, in the state of `std::mt19937(seed)`.
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
    pub fn words(&self) -> u64 {
        self.generator.words()
    }

    /// How the draws so far were settled: by bounds from the maxima of the row, by bounds from a sum
    /// over it, by the exact sum, and by sorting it, in this order, each dearer than the one before.
    ///
    /// Draws that need no proof are not counted: greedy ones, `top_k` 1, `top_p` 0, and rows without
    /// a finite maximum.
    #[must_use]
    pub fn resolutions(&self) -> [u64; 4] {
        self.scratch.resolutions
    }

    /// Draws a token; as [`crate::sample_token`], with this sampler's own generator.
    ///
    /// # Errors
    /// Those of [`crate::sample_token`].
    pub fn sample(&mut self, logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
        self.draw(Row { logits, masked_out: 0 }, params).map(|index| index.unwrap_or(0))
    }

    /// Draws a token from the ids in `ranges`: what [`Sampler::sample`] would draw from the row with
    /// -inf at every other id, at a cost that follows the number of ids allowed.
    ///
    /// Ranges may come in any order and overlap; ids beyond the row are ignored.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] if no id of the row is allowed, else those of [`crate::sample_token`].
    pub fn sample_ranges(
        &mut self,
        logits: &[f32],
        ranges: &[TokenRange],
        params: &SamplerParams,
    ) -> Result<u32, Error> {
        let mut allowed = core::mem::take(&mut self.allowed);
        let token = allowed.set(ranges.iter().map(TokenRange::ends), logits.len()).and_then(|()| {
            if !allowed.is_one() {
                allowed.copy(logits)?;
            }
            let part = allowed.logits(logits);
            if part.is_empty() {
                return Err(Error::EmptyRow);
            }
            self.draw(Row { logits: part, masked_out: logits.len() - part.len() }, params)
        });
        // All -inf is the row's own affair: the answer is id 0, as for the masked row.
        let token = token.map(|index| index.map_or(0, |index| allowed.id(index)));
        self.allowed = allowed;
        token
    }

    fn draw(&mut self, row: Row<'_>, params: &SamplerParams) -> Result<Option<u32>, Error> {
        self.generator.after_fork()?;
        let mut source = Source::Generator(&mut self.generator);
        let options = DrawOptions::default();
        sample(self.kernels, row, params, options, &mut source, &mut self.scratch)
            .map(|drawn| drawn.index)
    }

    /// The state of the generator as bytes, the same on every machine.
    #[must_use]
    pub fn save(&self) -> [u8; Self::STATE_LEN] {
        rng::save(&self.generator)
    }

    /// Continues where [`Sampler::save`] was called.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for anything but the bytes of such a call; nothing changes then.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), Error> {
        self.generator = rng::restore(state)?;
        Ok(())
    }
}

/// A copy with the same state, which continues alike; working memory is not copied.
impl Clone for Sampler {
    fn clone(&self) -> Self {
        Self { kernels: self.kernels, ..Self::with(self.generator.clone()) }
    }
}
