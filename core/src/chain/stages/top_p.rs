//! The nucleus, the token that reaches it included.

use super::super::not_nan;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopP {
    pub p: f32,
    pub min_keep: usize,
}

impl TopP {
    pub(in crate::chain) fn new(p: f32, min_keep: usize) -> Result<Self, Error> {
        Ok(Self { p: not_nan(p)?, min_keep })
    }
}

impl StageOps for TopP {
    fn name(&self) -> &'static str {
        "top_p"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "p {}, min_keep {}", self.p, self.min_keep)
    }

    fn is_off(&self) -> bool {
        self.p >= 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.nucleus(self.p.max(0.0), self.min_keep)
    }
}
