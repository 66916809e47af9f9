//! What is printed: `tables` of stages and candidates, `compare` of two settings, `draws` beside their
//! probabilities.
//!
//! All of it is text in a string, with the `figures` and `grid` of one form.

pub mod compare;
pub mod draws;
mod figures;
mod grid;
pub mod tables;

pub use figures::{percent, threshold};
