//! The cut of stages that compare probabilities with a limit.

use crate::Error;
use crate::chain::candidates::{Candidates, Side, Threshold};
use crate::draw::normalizer::double::Bounds;

/// Ranks the candidates, and keeps those whose probability is at least what `limit` makes of all, and `min_keep`;
/// returns the limit.
pub(super) fn cut(
    candidates: &mut Candidates<'_>,
    min_keep: usize,
    limit: impl FnOnce(&mut dyn Iterator<Item = f32>) -> f64,
) -> Result<f64, Error> {
    let (list, _) = candidates.ranked()?;
    let limit = limit(&mut list.tokens().iter().map(|token| token.p));
    // In rank order, so the first that falls short is the end.
    let kept = list.tokens().iter().position(|token| f64::from(token.p) < limit);
    list.truncate(kept.unwrap_or(usize::MAX).max(min_keep));
    Ok(limit)
}

/// As [`cut`], without ranking a row; false if that is not possible. `limits` are the least and the largest limit for S
/// between these bounds, which are `known` from before or found; `least` is about the limit.
pub(super) fn cut_row(
    candidates: &mut Candidates<'_>,
    min_keep: usize,
    known: Option<Bounds>,
    least: f64,
    limits: impl Fn(Bounds) -> [f64; 2],
) -> Result<bool, Error> {
    let stays = |p: f32, side: Side| match side {
        Side::MayEnd(sum) => f64::from(p) >= limits(sum)[1],
        Side::Ends(sum) => f64::from(p) >= limits(sum)[0],
    };
    let kept = candidates.settle_row(known, &Threshold { stays, least })?;
    let Some(kept) = kept else { return Ok(false) };
    candidates.keep_settled(kept.max(min_keep))?;
    Ok(true)
}
