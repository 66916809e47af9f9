//! One MT19937 stream: the same words as `std::mt19937(seed)`, with a count of those taken.

use super::canonical::canonical;
use crate::Error;
use rand::TryRng as _;
use rand::rngs::SysRng;
use rand_mt::Mt;

/// A generator and what is needed to replay it: its seed and the number of words taken.
#[derive(Debug, Clone)]
pub(crate) struct Generator {
    mt: Mt,
    seed: u32,
    words: u64,
}

impl Generator {
    pub(crate) fn new(seed: u32) -> Self {
        Self { mt: Mt::new(seed), seed, words: 0 }
    }

    /// A generator whose seed is a word from the operating system.
    pub(crate) fn from_system() -> Result<Self, Error> {
        SysRng.try_next_u32().map(Self::new).map_err(|_| Error::NoEntropy)
    }

    pub(crate) fn seed(&self) -> u32 {
        self.seed
    }

    pub(crate) fn words(&self) -> u64 {
        self.words
    }

    /// A double in [0, 1); takes two words.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.words += 2;
        let low = self.mt.next_u32();
        let high = self.mt.next_u32();
        canonical(low, high)
    }
}
