//! The penalties for one token that occurs in the history.
//!
//! Sources: repetition, Keskar et al. 2019, "CTRL: A Conditional Transformer Language Model", with the
//! sign rule of Hugging Face's generate, which multiplies logits that are not positive; frequency and
//! presence, OpenAI's API.

use super::maths;

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
        repetition(logit, self.repeat) - (count as f32 * self.frequency + self.presence)
    }
}

/// Whether a repetition penalty alone lies in its range.
pub(crate) fn is_valid(repeat: f32) -> bool {
    repeat > 0.0 && repeat.is_finite()
}

/// The repetition penalty once: `l > 0 ? l / repeat : l * repeat`. At 0 the two are equal.
pub(crate) fn repetition(logit: f32, repeat: f32) -> f32 {
    if logit > 0.0 { logit / repeat } else { logit * repeat }
}

/// The repetition penalty once for each of `count` occurrences, rounded each time (zonos2.cpp).
pub(crate) fn for_each(logit: f32, repeat: f32, count: usize) -> f32 {
    let mut penalised = logit;
    for _ in 0..count {
        let next = repetition(penalised, repeat);
        if next == penalised {
            // 0, an infinity, or what rounding no longer moves: further penalties do nothing.
            break;
        }
        penalised = next;
    }
    penalised
}

/// The repetition penalty of the last token, which came `run` times in a row: `l / repeat^run` in double,
/// whatever the sign of l (TTS.cpp).
pub(crate) fn for_run(logit: f32, repeat: f32, run: u32) -> f32 {
    (f64::from(logit) / maths::pow(repeat.into(), run.into())) as f32
}

#[cfg(test)]
mod tests {
    use super::{Penalties, for_each, for_run};

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
    fn once_for_each_occurrence() {
        assert_eq!(for_each(9.0, 3.0, 2), 1.0);
        assert_eq!(for_each(-1.0, 3.0, 2), -9.0);
        assert_eq!(for_each(0.0, 3.0, usize::MAX), 0.0);
        assert_eq!(for_each(f32::NEG_INFINITY, 3.0, usize::MAX), f32::NEG_INFINITY);
        // Rounded each time: 1.1^8 rounded once is 2.1435893.
        assert_eq!(for_each(-1.0, 1.1, 8), -2.143_589);
        assert_eq!(for_each(-1.0, 1.1, 0), -1.0);
    }

    #[test]
    fn of_a_run() {
        assert_eq!(for_run(9.0, 3.0, 2), 1.0);
        assert_eq!(for_run(-9.0, 3.0, 2), -1.0);
        assert_eq!(for_run(-9.0, 0.5, 1), -18.0);
        assert_eq!(for_run(1.0, 2.0, u32::MAX), 0.0);
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
