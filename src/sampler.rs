//! A generator of one's own: for a request or an utterance, not for a thread.

use crate::rng::Generator;
use crate::sample::{self, Scratch};
use crate::simd::{Kernels, SimdLevel};
use crate::{Error, SamplerParams};

/// A stream of draws that depends on nothing but its seed and the rows it is given.
#[derive(Debug)]
pub struct Sampler {
    generator: Generator,
    scratch: Scratch,
    kernels: &'static Kernels,
}

impl Sampler {
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
        Self { generator, scratch: Scratch::new(), kernels: Kernels::chosen() }
    }

    /// A sampler that uses the kernels of `level`; none if this CPU lacks it. For tests and
    /// benchmarks: the tokens are the same at every level.
    #[doc(hidden)]
    #[must_use]
    pub fn with_simd_level(seed: u32, level: SimdLevel) -> Option<Self> {
        Some(Self { kernels: Kernels::at(level)?, ..Self::new(seed) })
    }

    /// The seed of the stream, for the log.
    #[must_use]
    pub fn seed(&self) -> u32 {
        self.generator.seed()
    }

    /// The number of 32-bit words taken from the generator so far.
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
    pub fn proofs(&self) -> [u64; 4] {
        self.scratch.proofs
    }

    /// Draws a token; as [`crate::sample_token`], with this sampler's own generator.
    ///
    /// # Errors
    /// Those of [`crate::sample_token`].
    pub fn sample(&mut self, logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
        sample::sample_row(self.kernels, logits, params, &mut self.generator, &mut self.scratch)
    }
}
