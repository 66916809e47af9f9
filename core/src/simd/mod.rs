//! Vector kernels in three layers that do not mix: `lanes` says what a vector unit can do, `kernels`
//! has the loops, generic over it, and `levels` has one file for each unit. `dispatch` joins them into
//! a table for each level and chooses one.

mod dispatch;
mod kernels;
mod lanes;
mod level;
mod levels;
#[cfg(test)]
mod tests;

pub(crate) use dispatch::Kernels;
pub(crate) use kernels::DEPTH;
pub(crate) use kernels::bounds::{FLOOR, MaximaMass, RowMass};
pub(crate) use kernels::collect::Wanted;
pub(crate) use kernels::exp::{EXP_ERROR, EXP_FLOOR};
pub(crate) use kernels::tail::{Tail, TailSum};
pub use level::SimdLevel;
