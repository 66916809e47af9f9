//! Where a stage cut.

use super::shares::Shares;
use crate::TokenData;
use crate::chain::{Setting, Step};

/// The threshold of a stage that is not off, with its unit.
///
/// `before` are the shares of the candidates before the stage, `counts` the numbers before and after.
pub(super) fn threshold(
    step: &Step<'_>,
    before: &Shares,
    counts: (usize, usize),
) -> Option<(f64, &'static str)> {
    Some(match step.stage.setting() {
        Setting::TopK(k) => (f64::from(k), "rank"),
        Setting::TopP(p) => (f64::from(p), "running probability"),
        Setting::MinP(p) => (f64::from(p) * before.first_two[0], "probability"),
        Setting::Typical(p) => (f64::from(p), "mass"),
        Setting::TopNSigma(n) => (sigma_limit(step.before, n), "logit"),
        Setting::Xtc(threshold) => (f64::from(threshold), "probability"),
        Setting::Temperature(t) => (f64::from(t), "temperature"),
        Setting::TemperatureExt => (f64::from(step.temperature?), "temperature"),
        Setting::MirostatV2(mu) => (f64::from(mu), "bits"),
        Setting::S2(params) => {
            let limit = params.rank_limit(counts.0);
            if params.is_greedy() {
                return None;
            }
            if counts.1 == limit && limit < counts.0 {
                // top_k was the nearer of the two.
                (limit as f64, "rank")
            } else if params.nucleus().is_nan() {
                return None;
            } else {
                (f64::from(params.nucleus()), "running probability")
            }
        }
        Setting::LogitBias
        | Setting::Penalties { .. }
        | Setting::Dry { .. }
        | Setting::Softmax
        | Setting::Greedy
        | Setting::Dist => return None,
    })
}

/// The largest logit less `n` standard deviations of the finite ones.
fn sigma_limit(tokens: &[TokenData], n: f32) -> f64 {
    let top = tokens.iter().fold(f32::NEG_INFINITY, |top, token| top.max(token.logit));
    let finite = || tokens.iter().map(|t| f64::from(t.logit)).filter(|logit| logit.is_finite());
    let count = finite().count().max(1) as f64;
    let mean = finite().sum::<f64>() / count;
    let variance = finite().map(|logit| (logit - mean) * (logit - mean)).sum::<f64>() / count;
    f64::from(top) - f64::from(n) * variance.sqrt()
}
