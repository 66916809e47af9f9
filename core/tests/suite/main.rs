//! The tests of the library's public interface, as one program: `cargo test ranges` runs what concerns ranges.
//!
//! A test gets a program beside this folder only if it needs a process of its own: `allocations` replaces the
//! allocator, `fork` forks.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "clippy.toml frees test functions; their helpers are outside of those"
)]

#[path = "../common/mod.rs"]
mod common;

mod adversarial_rows;
mod chain_arrays;
mod chain_custom;
mod chain_engine_values;
mod chain_parameters;
mod chain_presets;
mod chain_random;
mod chain_requests;
mod chain_states;
mod chain_sums;
mod chain_temperatures;
mod chain_unranked;
mod chain_values;
mod draw_boundaries;
mod edge_cases;
mod first_generations;
mod flush_to_zero;
mod generator;
mod golden;
mod masks;
mod properties;
mod ranges;
mod recipes;
mod report;
mod report_json;
mod report_warnings;
mod requests;
mod resolutions;
mod saved_states;
mod simd_levels;
mod statistics;
mod streams;
mod threads;
