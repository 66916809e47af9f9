//! The generator of C++'s `<random>` as libstdc++ has it, bit for bit.
//!
//! `generator` counts the words of an MT19937 and `canonical` makes a double of two of them. `source` is a
//! generator or a number that the caller brings, `state` a generator as bytes, `fork` notices a child
//! process, `system_seed` asks the operating system.

mod canonical;
mod fork;
mod generator;
mod source;
mod state;
mod system_seed;

pub(crate) use generator::Generator;
pub(crate) use source::Source;
pub(crate) use state::{STATE_LEN, restore, save};
