//! Which tokens come first, without sorting the row.
//!
//! `survey` reads the row once and keeps a maximum for every few elements; `threshold` finds in those
//! maxima a logit that enough tokens reach; `prefix` collects the tokens that reach it, sorts them,
//! and so has the first ranks, as many as were asked for.

mod prefix;
mod radix;
mod survey;
mod threshold;

pub(crate) use prefix::Prefix;
pub(crate) use survey::{Survey, View};
