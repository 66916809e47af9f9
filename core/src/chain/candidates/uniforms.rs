//! The random numbers of a pass.

use crate::Error;
use crate::rng::Generator;

/// Where stages take their random numbers from, and how many they took.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::chain) struct Uniforms<'a> {
    /// The caller's, from 0 to 1, in the order in which the stages need them. None: each stage uses its own
    /// generator.
    given: Option<&'a [f64]>,
    /// How many of the caller's were used.
    pub used: usize,
    /// How many words were taken from generators.
    pub words: u32,
}

impl<'a> Uniforms<'a> {
    /// The caller's numbers instead of the stages' generators; none if there are no numbers.
    pub(in crate::chain) fn given(uniforms: &'a [f64]) -> Self {
        Self { given: (!uniforms.is_empty()).then_some(uniforms), ..Self::default() }
    }

    /// The caller's next number, below 1; none if the stages use their generators.
    fn next(&mut self) -> Result<Option<f64>, Error> {
        let Some(given) = self.given else { return Ok(None) };
        let uniform = given.get(self.used).ok_or(Error::BadArgument)?;
        self.used += 1;
        Ok(Some(uniform.min(1.0_f64.next_down())))
    }

    /// A double in [0, 1): the caller's next, or of two words of `generator`. An error if the caller brought
    /// too few.
    pub(in crate::chain) fn uniform(&mut self, generator: &mut Generator) -> Result<f64, Error> {
        if let Some(uniform) = self.next()? {
            return Ok(uniform);
        }
        self.words = self.words.wrapping_add(2);
        Ok(generator.uniform())
    }

    /// A float in [0, 1): the caller's next, rounded; or `kept`, which took one word when it was drawn, and
    /// then `used` becomes true. An error if the caller brought too few.
    pub(in crate::chain) fn kept_float(
        &mut self,
        kept: f32,
        used: &mut bool,
    ) -> Result<f32, Error> {
        if let Some(uniform) = self.next()? {
            return Ok((uniform as f32).min(1.0_f32.next_down()));
        }
        self.words = self.words.wrapping_add(1);
        *used = true;
        Ok(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::Uniforms;
    use crate::Error;
    use crate::rng::Generator;

    #[test]
    fn the_callers_numbers_move_no_generator() {
        let (mut generator, mut untouched) = (Generator::new(7), Generator::new(7));
        let mut uniforms = Uniforms::given(&[0.25, 1.0, 1.0]);
        let mut used = false;
        assert_eq!(uniforms.uniform(&mut generator), Ok(0.25));
        assert_eq!(uniforms.uniform(&mut generator), Ok(1.0_f64.next_down()));
        assert_eq!(uniforms.kept_float(0.5, &mut used), Ok(1.0_f32.next_down()));
        assert_eq!(uniforms.uniform(&mut generator), Err(Error::BadArgument));
        assert_eq!(uniforms.kept_float(0.5, &mut used), Err(Error::BadArgument));
        assert_eq!((uniforms.used, uniforms.words, used), (3, 0, false));
        assert_eq!(generator.uniform(), untouched.uniform());
    }

    #[test]
    fn without_them_words_are_counted() {
        let (mut generator, mut same) = (Generator::new(7), Generator::new(7));
        let mut uniforms = Uniforms::given(&[]);
        let mut used = false;
        assert_eq!(uniforms.uniform(&mut generator), Ok(same.uniform()));
        assert_eq!(uniforms.kept_float(0.5, &mut used), Ok(0.5));
        assert_eq!((uniforms.used, uniforms.words, used), (0, 3, true));
    }
}
