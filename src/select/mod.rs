//! Which tokens come first: rank order, and the first ranks of a row without sorting all of it.

mod entry;

pub(crate) use entry::Entry;
