//! The generator and the draw of C++'s `<random>` as libstdc++ has them, bit for bit.
//!
//! `generator` counts the words of an MT19937, `canonical` makes a double of two of them, and
//! `discrete` finds the index that `std::discrete_distribution` would return, or a plain search. `source` is a generator
//! or a number of the caller's own, `state` a generator as bytes, `fork` notices a child process.

mod canonical;
mod discrete;
mod fork;
mod generator;
mod source;
mod state;

pub(crate) use discrete::{pick, reach};
pub(crate) use generator::Generator;
pub(crate) use source::Source;
pub(crate) use state::{STATE_LEN, restore, save};
