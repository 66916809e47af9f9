//! The best k, and all that equal the k-th: Hugging Face's `TopKLogitsWarper`, and engines that cut by a
//! threshold (audio.cpp, qwentts.cpp).

use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, Stage};
use core::fmt::{self, Display, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct TopKTies {
    k: i32,
}

impl Stage {
    /// Keeps the candidates whose logits are at least the k-th largest, in their order. 0 and less: off.
    #[must_use]
    pub fn top_k_ties(k: i32) -> Self {
        TopKTies { k }.into()
    }
}

impl TopKTies {
    pub(super) const PARAMETERS: &[Parameter] = &[Parameter::Int("K", None)];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Int(k)] => Ok(Stage::top_k_ties(*k)),
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for TopKTies {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "k {}", self.k)
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.i32(self.k);
    }

    fn is_off(&self) -> bool {
        self.k <= 0
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        debug_assert!(self.k > 0);
        candidates.keep_top_k_ties(self.k as usize)
    }

    fn main_parameter(&self) -> Option<&dyn Display> {
        Some(&self.k)
    }

    fn keeps_best(&self) -> bool {
        true
    }

    fn keeps_frozen(&self) -> bool {
        true
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.k, "rank")
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        seen.warn_as_filter(self, warnings)
    }
}
