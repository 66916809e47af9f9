//! What is not too far below the best.

use super::super::not_nan;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::rules::min_p;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct MinP {
    pub p: f32,
    pub min_keep: usize,
}

impl MinP {
    pub(in crate::chain) fn new(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(Self { p: not_nan(p)?, min_keep })
    }
}

impl StageOps for MinP {
    fn name(&self) -> &'static str {
        "min_p"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn is_off(&self) -> bool {
        min_p::is_off(self.p)
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let limit = min_p::lowest_logit(candidates.top()?, self.p);
        candidates.at_least(f64::from(limit), self.min_keep)
    }
}
