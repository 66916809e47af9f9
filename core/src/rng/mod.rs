//! libstdc++'s `std::mt19937` and the doubles it makes of its words, bit for bit.
//!
//! `generator` is an MT19937 that counts its words, and `canonical` makes a double of two words.
//! `source` is either a generator or a number from the caller. `state` saves a generator as bytes.
//! `fork` detects a child process. `system_seed` asks the operating system for a seed.

mod canonical;
mod fork;
mod generator;
mod source;
mod state;
mod system_seed;

pub(crate) use generator::Generator;
pub use generator::random_seed;
pub(crate) use source::Source;
pub(crate) use state::{STATE_LEN, put, restore, save, take};
