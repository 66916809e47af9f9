//! Tests of the repository: the header, the exported symbols, and what the documents state.

mod docs;
mod exports;
mod header;
mod readme;
