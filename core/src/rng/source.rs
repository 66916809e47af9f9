//! Where the uniform of a draw comes from.

use super::Generator;

/// A generator, or one number that the caller brought from a generator of its own.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    Generator(&'a mut Generator),
    Given(f64),
}

impl Source<'_> {
    /// A double in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        match self {
            Self::Generator(generator) => generator.uniform(),
            Self::Given(uniform) => *uniform,
        }
    }
}
