//! The C ABI of s2sampler: one file for each chapter of the header.
//!
//! `pointers` is the only file that dereferences a caller's pointers, `handle` keeps two threads out of
//! one handle, and `guard` turns every error and every panic into a status. The doc comments of the
//! other files go into `include/s2sampler.h`, at the places that `include/manual.txt` gives them. The
//! sampler itself is the crate `s2sampler_core`, which Rust programs use directly.
//!
//! An export is an `unsafe extern "C" fn` whose contract is the header's chapter "What holds for all
//! functions": each pointer argument is NULL or points to what its type and its count say. It hands each
//! pointer to one function of `pointers`, whose contract is the same sentence. So the files of exports
//! allow unsafe operations in unsafe functions, and the reasons stand where memory is touched.

mod chain_requests;
mod chains;
mod custom_stage;
mod dist_options;
mod engine_stages;
mod fp_env;
mod guard;
mod handle;
mod one_draw;
mod pointers;
mod presets;
mod report_layout;
mod reports;
mod requests;
mod samplers;
mod stages;
mod status;
mod streams;
mod versions;
