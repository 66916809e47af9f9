//! Which tokens come first, without sorting the row.
//!
//! `survey` reads the row once and keeps a maximum for every few elements; `threshold` finds in those
//! maxima a logit that enough tokens reach; `prefix` collects the tokens that reach it, sorts them,
//! and so has the first ranks, as many as were asked for. `reaching` has all that reach a logit.

mod prefix;
mod radix;
mod reaching;
mod survey;
mod threshold;

pub(crate) use prefix::Prefix;
pub(crate) use reaching::reaching;
pub(crate) use survey::{Part, Survey, View};
pub(crate) use threshold::lowest;
