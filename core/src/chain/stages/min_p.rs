//! What is not too far below the best.

use super::super::number;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::rule::Rule;
use core::fmt::{self, Write};

/// p_i >= p * p_0 is the same as l_i >= l_0 + ln p, and takes no softmax.
#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct MinP {
    pub p: f32,
    pub min_keep: usize,
}

impl MinP {
    pub(in crate::chain) fn new(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(Self { p: number(p)?, min_keep })
    }
}

impl Rule for MinP {
    fn name(&self) -> &'static str {
        "min_p"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn is_off(&self) -> bool {
        self.p <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_, '_>) -> Result<(), Error> {
        let limit = candidates.top()? + self.p.ln();
        candidates.at_least(f64::from(limit), self.min_keep)
    }
}
