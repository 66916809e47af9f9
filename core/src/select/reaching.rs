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
        blocked.segments.iter().map(|part| (kernels.count_reaching)(part.logits, low)).sum();
    out.clear();
    // Room for a chunk more than there can be: so no part is left before its end.
    let room = count + kernels.chunk;
    reserve(out, room)?;
    for part in &blocked.segments {
        let wanted = Wanted { low, high: f32::INFINITY, first_id: part.first_id, room };
        let done = (kernels.collect)(part.logits, part.maxima, wanted, out);
        if done * kernels.chunk < part.logits.len() {
            return Err(Error::Internal);
        }
    }
    Ok(())
}
