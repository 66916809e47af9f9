//! The penalties for one token that occurs in the history.
//!
//! Sources: repetition, Keskar et al. 2019, "CTRL: A Conditional Transformer Language Model", with the
//! sign rule of Hugging Face's generate, which multiplies logits that are not positive; frequency and
//! presence, OpenAI's API.

/// The strengths of the three penalties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Penalties {
    /// Divides positive logits and multiplies others; above 0 and finite, 1 is off.
    pub repeat: f32,
    /// Subtracted once for each occurrence; finite, 0 is off.
    pub frequency: f32,
    /// Subtracted once; finite, 0 is off.
    pub presence: f32,
}

impl Penalties {
    /// Whether every number lies in its range.
    pub(crate) fn are_valid(&self) -> bool {
        self.repeat > 0.0
            && [self.repeat, self.frequency, self.presence].iter().all(|number| number.is_finite())
    }

    /// Whether no logit changes.
    pub(crate) fn are_off(&self) -> bool {
        (self.repeat, self.frequency, self.presence) == (1.0, 0.0, 0.0)
    }

    /// The logit of a token that occurs `count` times, at least once:
    /// `(l > 0 ? l / repeat : l * repeat) - (count * frequency + presence)`, each operation rounded to
    /// binary32.
    pub(crate) fn apply(&self, logit: f32, count: usize) -> f32 {
        debug_assert!(count > 0);
        let scaled = if logit > 0.0 { logit / self.repeat } else { logit * self.repeat };
        scaled - (count as f32 * self.frequency + self.presence)
    }
}

#[cfg(test)]
mod tests {
    use super::Penalties;

    #[test]
    fn the_sign_of_the_logit_decides_between_division_and_multiplication() {
        let penalties = Penalties { repeat: 2.0, frequency: 0.25, presence: 0.5 };
        assert_eq!(penalties.apply(3.0, 1), 0.75);
        assert_eq!(penalties.apply(3.0, 4), 0.0);
        assert_eq!(penalties.apply(-3.0, 1), -6.75);
        assert_eq!(penalties.apply(0.0, 2), -1.0);
        assert_eq!(penalties.apply(f32::NEG_INFINITY, 1), f32::NEG_INFINITY);
    }

    #[test]
    fn ranges() {
        let off = Penalties { repeat: 1.0, frequency: 0.0, presence: 0.0 };
        assert!(off.are_off() && off.are_valid());
        assert!(!Penalties { presence: -0.1, ..off }.are_off());
        for repeat in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(!Penalties { repeat, ..off }.are_valid());
        }
        assert!(!Penalties { frequency: f32::NEG_INFINITY, ..off }.are_valid());
        assert!(!Penalties { presence: f32::NAN, ..off }.are_valid());
    }
}
