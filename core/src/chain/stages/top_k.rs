//! The best k.

use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopK {
    pub k: i32,
}

impl StageOps for TopK {
    fn name(&self) -> &'static str {
        "top_k"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "k {}", self.k)
    }

    fn is_off(&self) -> bool {
        self.k <= 0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        candidates.keep_top_k(usize::try_from(self.k).unwrap_or(usize::MAX))
    }
}
