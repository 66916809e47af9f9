//! A stage of any kind. Each kind's file has its constructor.

use super::observed::{Observed, ObservedChain, Threshold, Warnings};
use super::ops::StageOps;
use super::stages::{StageKind, text};
use crate::Error;
use core::ffi::CStr;
use core::fmt::{self, Write};

/// One stage of a [`Chain`](crate::Chain), with its parameters and what it remembers.
///
/// Constructors refuse NaN with [`Error::BadArgument`], except [`Stage::s2`]. A stage leaves at least
/// `min_keep` candidates, all if there are fewer; 0 counts as 1. The header has the formulas.
#[derive(Debug)]
pub struct Stage(pub(super) StageKind);

impl Stage {
    /// The kind of the stage: the constructor's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        text(self.c_name())
    }

    /// [`Stage::name`], ended by a NUL.
    #[must_use]
    pub fn c_name(&self) -> &'static CStr {
        self.0.c_name()
    }

    /// Whether the parameters turn the stage off.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.ops().is_off()
    }

    /// Whether the stage selects a token, which ends the pass.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.ops().selects()
    }

    /// Writes the parameters with their names, as "p 0.9, min_keep 1", and for some stages what they remember.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        self.ops().describe(out)
    }

    pub(super) fn ops(&self) -> &dyn StageOps {
        self.0.ops()
    }

    pub(super) fn ops_mut(&mut self) -> &mut dyn StageOps {
        self.0.ops_mut()
    }

    /// A copy in the same state.
    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        self.0.try_clone()
    }
}

/// For reports: see [`StageOps`].
#[allow(missing_docs)]
impl Stage {
    pub(crate) fn takes_best(&self) -> bool {
        self.ops().takes_best()
    }

    /// Whether the stage draws its token by probabilities. A stage of the caller's own states none.
    pub(crate) fn draws(&self) -> bool {
        self.ops().seed().is_some()
    }

    pub(crate) fn counts_neg_inf(&self) -> bool {
        self.ops().counts_neg_inf()
    }

    pub(crate) fn threshold(&self, seen: &Observed<'_>) -> Option<Threshold> {
        self.ops().threshold(seen)
    }

    pub(crate) fn warn(
        &self,
        seen: &Observed<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        self.ops().warn(seen, warnings)
    }

    pub(crate) fn warn_in_chain(
        &self,
        chain: &ObservedChain<'_>,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        self.ops().warn_in_chain(chain, warnings)
    }
}
