//! One MT19937 stream: the words of `std::mt19937(seed)`, counted.

use super::canonical::canonical;
use super::fork;
use super::system_seed::system_seed;
use crate::Error;
use rand_mt::Mt;

/// A generator, with its seed and the number of words taken: these are enough to replay it.
#[derive(Debug, Clone)]
pub(crate) struct Generator {
    mt: Mt,
    seed: u32,
    words: u64,
    /// The fork count at seeding if the system gave the seed; none if the caller chose it.
    forks_at_seeding: Option<u32>,
}

/// A seed from the operating system, to use and to log.
///
/// # Errors
/// [`Error::NoEntropy`] if the system gives no random bytes.
pub fn random_seed() -> Result<u32, Error> {
    system_seed()
}

impl Generator {
    pub(crate) fn new(seed: u32) -> Self {
        Self::from_parts(Mt::new(seed), seed, 0)
    }

    pub(super) fn from_parts(mt: Mt, seed: u32, words: u64) -> Self {
        Self { mt, seed, words, forks_at_seeding: None }
    }

    /// A generator whose seed is a word from the operating system.
    pub(crate) fn from_system() -> Result<Self, Error> {
        fork::watch();
        let seed = system_seed()?;
        Ok(Self { forks_at_seeding: Some(fork::count()), ..Self::new(seed) })
    }

    /// Call this before a draw. In the child of a fork it replaces a seed from the system, since parent and
    /// child would draw the same tokens. A seed that the caller chose stays.
    pub(crate) fn after_fork(&mut self) -> Result<(), Error> {
        if self.forks_at_seeding.is_some_and(|forks| forks != fork::count()) {
            *self = Self::from_system()?;
        }
        Ok(())
    }

    pub(super) fn mt(&self) -> &Mt {
        &self.mt
    }

    pub(crate) fn seed(&self) -> u32 {
        self.seed
    }

    pub(crate) fn words(&self) -> u64 {
        self.words
    }

    /// A double in [0, 1); takes two words.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.words = self.words.wrapping_add(2);
        let low = self.mt.next_u32();
        let high = self.mt.next_u32();
        canonical(low, high)
    }

    /// A float in [0, 1), the same as from `std::uniform_real_distribution<float>`; takes one word.
    pub(crate) fn uniform_float(&mut self) -> f32 {
        const TWO_32: f32 = 4_294_967_296.0;
        self.words = self.words.wrapping_add(1);
        let u = self.mt.next_u32() as f32 / TWO_32;
        // The word rounds to 24 bits, so it can reach 2^32.
        if u < 1.0 { u } else { 1.0_f32.next_down() }
    }
}
