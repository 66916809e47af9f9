//! The source of a draw's uniform.

use super::Generator;

/// A generator, or a number that the caller gave.
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
