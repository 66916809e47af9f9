//! The first ranks of a row, without sorting it.
//!
//! `scan` reads the row once and keeps the maximum of every block. `threshold` finds in those maxima a
//! logit that enough tokens reach. `ranked_prefix` collects the tokens that reach it and sorts them,
//! with `radix` if they are many: these are the first ranks. `groups` moves them into groups instead,
//! which are sorted only where their order is asked for. `reaching` collects all tokens that reach a
//! given logit. `tokens` does the same for an array of tokens, whose logits do not lie side by side.

mod groups;
pub(crate) mod radix;
mod ranked_prefix;
mod reaching;
mod scan;
mod threshold;
mod tokens;

pub(crate) use groups::RankGroups;
pub(crate) use ranked_prefix::RankedPrefix;
pub(crate) use reaching::{reaching, tied};
pub(crate) use scan::{BlockedRow, RowScan};
pub(crate) use threshold::lowest;
pub(crate) use tokens::{Scaled, TokenScan};
