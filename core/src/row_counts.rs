//! The special values of a row.

use crate::simd::Kernels;

/// The numbers of NaN and +inf in a row. -inf is not counted, since masks use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowCounts {
    /// The number of NaN.
    pub nans: usize,
    /// The number of +inf.
    pub infinities: usize,
}

/// Counts the NaN and +inf logits of a row, so that a caller notices a broken model. A draw does not count
/// them: that would be one more pass over the row.
#[must_use]
pub fn count_special(logits: &[f32]) -> RowCounts {
    Kernels::chosen().count_special(logits)
}
