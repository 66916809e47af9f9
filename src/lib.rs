//! The C ABI of s2sampler: one file for each chapter of the header, in the header's order.
//!
//! `pointers` is the only file that dereferences what a caller passed, and `guard` turns every error and
//! every panic into a status. The doc comments of the other files are the text of
//! `include/s2sampler.h`; what holds for all functions is in `include/manual.txt`. The sampler itself is
//! the crate `s2sampler_core`, which Rust programs use directly.

mod chain;
mod chain_draw;
mod chain_logits;
mod chain_preset;
mod chain_stages;
mod fp_env;
mod guard;
mod oneshot;
mod pointers;
mod report;
mod report_structs;
mod request;
mod rows;
mod sampler;
mod status;
mod stream;
mod stream_config;
mod version;
