//! A stage of a caller's own, as a caller writes it.

use s2sampler_core::{CandidateArray, CustomStage, Error};

/// Drops every third candidate, lowers odd ids by the number of accepted tokens, and turns the order around.
#[derive(Debug, Clone, Default)]
pub struct Thinner {
    pub selects: bool,
    pub accepted: i32,
}

impl CustomStage for Thinner {
    fn name(&self) -> &str {
        "thinner"
    }

    fn selects(&self) -> bool {
        self.selects
    }

    fn apply(&mut self, candidates: &mut CandidateArray<'_>) -> Result<(), Error> {
        let mut left = 0;
        for place in 0..candidates.len {
            if place % 3 != 1 {
                let mut token = candidates.tokens[place];
                if token.id % 2 != 0 {
                    token.logit -= self.accepted as f32;
                }
                candidates.tokens[left] = token;
                left += 1;
            }
        }
        candidates.len = left;
        candidates.tokens[..left].reverse();
        // It does not know, so the library has to look.
        candidates.sorted = true;
        if self.selects {
            let above = |t: &s2sampler_core::TokenData| t.logit > f32::NEG_INFINITY;
            let place = candidates.tokens[..left].iter().position(above);
            candidates.selected = Some(place.ok_or(Error::NoCandidate)?);
        }
        Ok(())
    }

    fn accept(&mut self, _token: i32) {
        self.accepted += 1;
    }

    fn reset(&mut self) {
        self.accepted = 0;
    }

    fn try_clone(&self) -> Result<Box<dyn CustomStage>, Error> {
        Ok(Box::new(self.clone()))
    }
}
