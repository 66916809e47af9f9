//! All tokens that reach a threshold, in id order.

use super::scan::BlockedRow;
use crate::Error;
use crate::memory::reserve;
use crate::rules::rank::RankKey;
use crate::simd::{Segment, Wanted};

/// Puts the tokens whose logits are at least `low`, which is finite, into `out`.
pub(crate) fn reaching(
    blocked: &BlockedRow<'_>,
    low: f32,
    out: &mut Vec<RankKey>,
) -> Result<(), Error> {
    let count = |segment: &Segment<'_>| blocked.kernels.count_reaching(segment.logits, low);
    let count = blocked.segments.iter().map(count).sum();
    between(blocked, low, f32::INFINITY, count, out)
}

/// Puts the tokens whose logits are `logit`, which is finite, into `out`.
pub(crate) fn tied(
    blocked: &BlockedRow<'_>,
    logit: f32,
    out: &mut Vec<RankKey>,
) -> Result<(), Error> {
    let count = |limit: f32| -> usize {
        let segments = blocked.segments.iter();
        segments.map(|segment| blocked.kernels.count_reaching(segment.logits, limit)).sum()
    };
    between(blocked, logit, logit, count(logit) - count(logit.next_up()), out)
}

fn between(
    blocked: &BlockedRow<'_>,
    low: f32,
    high: f32,
    count: usize,
    out: &mut Vec<RankKey>,
) -> Result<(), Error> {
    let kernels = blocked.kernels;
    out.clear();
    // One tile more than needed, so `collect` never stops early.
    let room = count + kernels.tile_len();
    reserve(out, room)?;
    for segment in &blocked.segments {
        let wanted = Wanted { low, high, room };
        let done = kernels.collect(*segment, wanted, out);
        let complete = done * kernels.tile_len() == segment.logits.len();
        debug_assert!(complete, "there was room for {count} tokens");
        if !complete {
            return Err(Error::Internal);
        }
    }
    Ok(())
}
