//! How what two chains left differs.

use crate::peer::Outcome;
use s2sampler_core::TokenData;

/// Relative to values of 1 and more, absolute below.
const NEAR: f32 = 1e-5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    Candidates,
    Logits,
    Order,
    Probabilities,
    Token,
}

/// The candidates that can be drawn, in their order; the entries at -inf that llama.cpp keeps cannot.
pub fn possible(tokens: &[TokenData]) -> Vec<TokenData> {
    tokens.iter().filter(|t| t.logit > f32::NEG_INFINITY).copied().collect()
}

/// The same by id.
pub fn drawable(tokens: &[TokenData]) -> Vec<TokenData> {
    let mut tokens = possible(tokens);
    tokens.sort_by_key(|t| t.id);
    tokens
}

/// The first that there is, in the order of the kinds.
///
/// The order of the candidates is none by itself: who sorts when is each library's own affair. It is
/// asked for where other tokens are drawn.
pub fn difference(ours: &Outcome, theirs: &Outcome) -> Option<Difference> {
    let drawn = |outcome: &Outcome| outcome.selected.map(|at| outcome.tokens[at].id);
    let (a, b) = (drawable(&ours.tokens), drawable(&theirs.tokens));
    let all =
        |near: &dyn Fn(&TokenData, &TokenData) -> bool| a.iter().zip(&b).all(|(a, b)| near(a, b));
    if a.len() != b.len() || !all(&|a, b| a.id == b.id) {
        Some(Difference::Candidates)
    } else if !all(&|a, b| (a.logit - b.logit).abs() <= NEAR * a.logit.abs().max(1.0)) {
        Some(Difference::Logits)
    } else if !all(&|a, b| (a.p - b.p).abs() <= NEAR * a.p + f32::MIN_POSITIVE) {
        Some(Difference::Probabilities)
    } else if drawn(ours) != drawn(theirs) {
        Some(Difference::Token)
    } else {
        None
    }
}

/// As [`difference`], for the reason of one: without what follows from other lists.
pub fn difference_of_lists(ours: &Outcome, theirs: &Outcome) -> Option<Difference> {
    let ids =
        |outcome: &Outcome| possible(&outcome.tokens).iter().map(|t| t.id).collect::<Vec<_>>();
    match difference(ours, theirs) {
        Some(lists @ (Difference::Candidates | Difference::Logits)) => Some(lists),
        _ => (ids(ours) != ids(theirs)).then_some(Difference::Order),
    }
}

/// The ids that only one of two lists has.
pub fn only_one_has(a: &[TokenData], b: &[TokenData]) -> Vec<TokenData> {
    let without = |a: &[TokenData], b: &[TokenData]| -> Vec<TokenData> {
        let ids: std::collections::BTreeSet<i32> = b.iter().map(|t| t.id).collect();
        a.iter().filter(|t| !ids.contains(&t.id)).copied().collect()
    };
    [without(a, b), without(b, a)].concat()
}
