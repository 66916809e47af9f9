//! The cut of stages that compare probabilities with a limit.

use crate::Error;
use crate::chain::candidates::Candidates;

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
