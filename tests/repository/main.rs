//! Tests of the repository: the header, the exported symbols, what the documents state, and the sources.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "clippy.toml frees test functions; their helpers are outside of those"
)]

mod docs;
mod exports;
mod handle;
mod header;
mod library;
mod readme;
mod sources;
