//! The loops over a row, written once for every vector unit: a file for each.
//!
//! Rows and tables of maxima come in whole vectors, since the caller pads them: a row in chunks of
//! [`DEPTH`] vectors, its maxima one vector for each chunk. Lane j of that vector is the maximum of
//! the chunk's elements j, j + LANES, j + 2 LANES, ..: no kernel ever reduces across lanes on the way.

pub(super) mod argmax;
pub(super) mod bounds;
pub(super) mod collect;
pub(super) mod count;
pub(super) mod exp;
pub(super) mod expf;
pub(super) mod maxima;
pub(super) mod tail;

/// The number of elements under one maximum.
pub(crate) const DEPTH: usize = 32;
