//! All tokens that reach a threshold, in id order.

use super::scan::BlockedRow;
use crate::Error;
use crate::memory::reserve;
use crate::rules::rank::RankKey;
use crate::simd::Wanted;

/// Puts the tokens whose logits are at least `low`, which is finite, into `out`.
pub(crate) fn reaching(
    blocked: &BlockedRow<'_>,
    low: f32,
    out: &mut Vec<RankKey>,
) -> Result<(), Error> {
    let kernels = blocked.kernels;
    let count: usize =
        blocked.segments.iter().map(|segment| kernels.count_reaching(segment.logits, low)).sum();
    out.clear();
    // One tile more than needed, so `collect` never stops early.
    let room = count + kernels.tile_len();
    reserve(out, room)?;
    for segment in &blocked.segments {
        let wanted = Wanted { low, high: f32::INFINITY, room };
        let done = kernels.collect(*segment, wanted, out);
        let complete = done * kernels.tile_len() == segment.logits.len();
        debug_assert!(complete, "there was room for {count} tokens");
        if !complete {
            return Err(Error::Internal);
        }
    }
    Ok(())
}
