//! Repetition-aware sampling (RAS): whether a main token is drawn once more.
//!
//! Sources: the S2 engines' loop, which repeats the draw on any hit in the window; Chen et al. 2024,
//! "VALL-E 2", and CosyVoice, which count hits against a share of the window.

use crate::stream::RasMode;

/// Whether a token that occurs `hits` times among the last `window` main tokens is drawn once more.
pub(crate) fn redraws(mode: RasMode, hits: usize, window: usize, tau: f32) -> bool {
    match mode {
        RasMode::Off => false,
        RasMode::AnyHit => hits > 0,
        // In binary32, as the engines compute it.
        RasMode::Share => window > 0 && hits as f32 >= window as f32 * tau,
    }
}

#[cfg(test)]
mod tests {
    use super::redraws;
    use crate::stream::RasMode::{AnyHit, Off, Share};

    #[test]
    fn modes() {
        assert!(!redraws(Off, 10, 10, 0.0));
        assert!(redraws(AnyHit, 1, 10, 0.9) && !redraws(AnyHit, 0, 10, 0.0));
        assert!(redraws(Share, 1, 10, 0.1) && !redraws(Share, 0, 10, 0.1));
        assert!(redraws(Share, 5, 25, 0.2) && !redraws(Share, 4, 25, 0.2));
        assert!(!redraws(Share, 0, 0, 0.0));
        assert!(!redraws(Share, 10, 10, f32::NAN));
    }
}
