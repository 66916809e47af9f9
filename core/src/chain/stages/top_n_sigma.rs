//! What is not more than n standard deviations below the best.

use super::super::not_nan;
use crate::Error;
use crate::chain::candidates::Candidates;
use crate::chain::ops::StageOps;
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopNSigma {
    pub n: f32,
}

impl TopNSigma {
    pub(in crate::chain) fn new(n: f32) -> Result<Self, Error> {
        Ok(Self { n: not_nan(n)? })
    }
}

impl StageOps for TopNSigma {
    fn name(&self) -> &'static str {
        "top_n_sigma"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "n {}", self.n)
    }

    fn is_off(&self) -> bool {
        self.n <= 0.0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let std_dev = candidates.std_dev()?;
        let limit = f64::from(candidates.top()?) - f64::from(self.n) * std_dev;
        // inf * 0 or inf - inf: nothing is below that.
        if limit.is_nan() { Ok(()) } else { candidates.at_least(limit, 1) }
    }
}
