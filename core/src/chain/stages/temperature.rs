//! Division of the logits.

use super::super::not_nan;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use crate::rules::temperature::is_greedy;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct Temperature {
    pub t: f32,
}

impl Temperature {
    pub(in crate::chain) fn new(t: f32) -> Result<Self, Error> {
        Ok(Self { t: not_nan(t)? })
    }
}

impl StageOps for Temperature {
    fn name(&self) -> &'static str {
        "temperature"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "t {}", self.t)
    }

    fn is_off(&self) -> bool {
        self.t == 1.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        if is_greedy(self.t) { candidates.keep_top_k(1) } else { candidates.divide(self.t) }
    }
}
