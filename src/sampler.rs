//! A generator of one's own: for a request or an utterance, not for a thread.

use crate::rng::Generator;
use crate::sample::{self, Scratch};
use crate::{Error, SamplerParams};

/// A stream of draws that depends on nothing but its seed and the rows it is given.
#[derive(Debug)]
pub struct Sampler {
    generator: Generator,
    scratch: Scratch,
}

impl Sampler {
    /// A sampler whose generator starts in the state of `std::mt19937(seed)`.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self { generator: Generator::new(seed), scratch: Scratch::new() }
    }

    /// A sampler seeded by the operating system; [`Sampler::seed`] tells with what.
    ///
    /// # Errors
    /// [`Error::NoEntropy`] if the system has no randomness to give.
    pub fn from_system() -> Result<Self, Error> {
        Ok(Self { generator: Generator::from_system()?, scratch: Scratch::new() })
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

    /// Draws a token; as [`crate::sample_token`], with this sampler's own generator.
    ///
    /// # Errors
    /// Those of [`crate::sample_token`].
    pub fn sample(&mut self, logits: &[f32], params: &SamplerParams) -> Result<u32, Error> {
        sample::sample_row(logits, params, &mut self.generator, &mut self.scratch)
    }
}
