//! The spread of logits, in double.

/// Sums run in so many lanes, by place: so a row and the list of its tokens give the same.
const LANES: usize = 16;

/// The population's standard deviation of the finite logits; 0 if there are none.
pub(super) fn deviation(logits: &[f32]) -> f64 {
    let count = sum(logits, |_| 1.0);
    if count == 0.0 {
        return 0.0;
    }
    let mean = sum(logits, f64::from) / count;
    let square = |logit: f32| (f64::from(logit) - mean) * (f64::from(logit) - mean);
    (sum(logits, square) / count).sqrt()
}

/// The sum of what `term` gives for the finite logits.
fn sum(logits: &[f32], term: impl Fn(f32) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    for logits in logits.chunks(LANES) {
        for (lane, logit) in lanes.iter_mut().zip(logits) {
            *lane += if logit.is_finite() { term(*logit) } else { 0.0 };
        }
    }
    lanes.iter().sum()
}
