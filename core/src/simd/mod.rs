//! SIMD kernels in three layers: `lanes` lists the vector operations, `kernels` has the loops, generic over
//! those operations, and `levels` implements the operations, one file for each instruction set. `dispatch`
//! makes a set of kernels out of each level and chooses one for the process.

mod dispatch;
mod kernels;
mod lanes;
mod level;
mod levels;
#[cfg(test)]
mod tests;

pub(crate) use dispatch::Kernels;
pub(crate) use kernels::collect::Wanted;
pub(crate) use kernels::draw_sums::Weighing;
pub(crate) use kernels::entropy::{Division, EntropySums, ExpsOfRow};
pub(crate) use kernels::exp::{EXP_ERROR, EXP_MIN_ARG};
pub(crate) use kernels::exp_sums::{Cap, ExpRange, MIN_ADDEND_LN, TILE_ROUNDINGS};
pub(crate) use kernels::expf::BATCH_LEN;
pub(crate) use kernels::expf_sums::{ExpfRange, ExpfSums, MIN_DOUBLE_ADDEND_LN};
pub(crate) use kernels::few::{FEW, Few};
pub(crate) use kernels::groups::{Buckets, MAX_BUCKETS};
pub(crate) use kernels::ids::RowIds;
pub(crate) use kernels::tail::{Tail, TailSum, min_addend_ln};
pub(crate) use kernels::threshold::Reached;
pub(crate) use kernels::{BLOCK_LEN, Segment};
pub use level::SimdLevel;
