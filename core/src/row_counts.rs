//! The special values of a row.

/// How many logits of a row are no finite numbers. The -inf are not counted: masks put them there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowCounts {
    /// The number of NaN.
    pub nans: usize,
    /// The number of +inf.
    pub infinities: usize,
}

/// Counts the NaN and +inf logits of a row, for callers who want to know after a draw whether the model
/// is well. A draw does not count by itself: that would be one more pass over the row.
#[must_use]
pub fn count_special(logits: &[f32]) -> RowCounts {
    logits.iter().fold(RowCounts { nans: 0, infinities: 0 }, |counts, logit| RowCounts {
        nans: counts.nans + usize::from(logit.is_nan()),
        infinities: counts.infinities + usize::from(*logit == f32::INFINITY),
    })
}
