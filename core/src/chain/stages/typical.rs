//! Locally typical sampling (Meister et al. 2022, "Locally Typical Sampling"): what carries about as
//! much information as is to be expected.

use super::super::not_nan;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::memory::reserve;
use crate::rules::entropy::entropy;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Typical {
    pub p: f32,
    pub min_keep: usize,
}

impl Typical {
    pub(in crate::chain) fn new(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(Self { p: not_nan(p)?, min_keep })
    }
}

impl StageOps for Typical {
    fn name(&self) -> &'static str {
        "typical"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn is_off(&self) -> bool {
        self.p >= 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let (list, scratch) = candidates.ranked()?;
        let (entropy, _) = entropy(list.tokens().iter().map(|token| token.p));
        let scores = &mut scratch.scores;
        scores.clear();
        reserve(scores, list.tokens().len())?;
        // -ln 0 is inf and comes last.
        let score = |p: f32| (-f64::from(p).ln() - entropy).abs();
        scores.extend(list.tokens().iter().zip(0..).map(|(t, rank)| (score(t.p), rank, *t)));
        // The rank makes the order of equal scores certain.
        scores.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut running = 0.0;
        let passes = |(_, _, token): &(f64, u32, _)| {
            let token: &crate::TokenData = token;
            running += token.p;
            running > self.p
        };
        let passed = scores.iter().position(passes).map_or(scores.len(), |place| place + 1);
        list.tokens_mut().iter_mut().zip(&*scores).for_each(|(place, (_, _, t))| *place = *t);
        list.truncate(passed.max(self.min_keep));
        list.sorted = false;
        Ok(())
    }
}
