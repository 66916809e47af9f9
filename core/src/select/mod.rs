//! Which tokens come first, without sorting the row.
//!
//! `survey` reads the row once and keeps a maximum for every few elements; `threshold` finds in those
//! maxima a logit that enough tokens reach; `prefix` collects the tokens that reach it, sorts them,
//! and so has the first ranks, as many as were asked for. `reaching` has all that reach a logit.

mod radix;
mod ranked_prefix;
mod reaching;
mod scan;
mod threshold;

pub(crate) use ranked_prefix::RankedPrefix;
pub(crate) use reaching::reaching;
pub(crate) use scan::{BlockedRow, RowScan, Segment};
pub(crate) use threshold::lowest;
