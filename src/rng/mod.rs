//! The generator and the draw of C++'s `<random>` as libstdc++ has them, bit for bit.
//!
//! `generator` counts the words of an MT19937, `canonical` makes a double of two of them, and
//! `discrete` finds the index that `std::discrete_distribution` would return.

mod canonical;
mod discrete;
mod generator;

pub(crate) use discrete::pick;
pub(crate) use generator::Generator;
