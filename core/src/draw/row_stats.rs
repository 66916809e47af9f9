//! Facts about a whole row: special values, the top, and the softmax denominator.

use crate::Error;
use crate::draw::Scratch;
use crate::select::BlockedRow;
use crate::simd::{EXP_MIN_ARG, ExpRange, Kernels};

/// Facts about a whole row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowStats {
    pub nans: usize,
    pub infinities: usize,
    /// The largest logit.
    pub top: f32,
    /// The logarithm of the sum of e^(l - top), to about six digits; 0 if the largest logit is not finite.
    pub log_sum: f64,
}

impl RowStats {
    /// Reads the row.
    pub(crate) fn of(
        kernels: &'static Kernels,
        logits: &[f32],
        scratch: &mut Scratch,
    ) -> Result<Self, Error> {
        Ok(Self::of_blocked(&scratch.scan.read(kernels, logits)?))
    }

    /// Reads the row once more.
    pub(crate) fn of_blocked(blocked: &BlockedRow<'_>) -> Self {
        let (kernels, top) = (blocked.kernels, blocked.top);
        let mut stats = Self { nans: 0, infinities: 0, top, log_sum: 0.0 };
        let mut sum = 0.0;
        for segment in &blocked.segments {
            // Everything but NaN reaches -inf, the padding included.
            let numbers = kernels.count_reaching(segment.logits, f32::NEG_INFINITY);
            stats.nans += segment.logits.len() - numbers;
            stats.infinities += kernels.count_reaching(segment.logits, f32::INFINITY);
            if top.is_finite() {
                let range = ExpRange { top, highest: top, floor: EXP_MIN_ARG };
                sum += kernels.sum_exps(*segment, range).sum;
            }
        }
        if top.is_finite() {
            stats.log_sum = sum.ln();
        }
        stats
    }

    /// The natural logarithm of the share of a token with this logit.
    pub(crate) fn log_p(&self, logit: f32) -> f64 {
        if !logit.is_nan() && self.top.is_finite() {
            // In this order: beside a large logit the logarithm of the sum would be lost.
            (f64::from(logit) - f64::from(self.top)) - self.log_sum
        } else if logit == f32::INFINITY {
            // Tokens at +inf have all the probability, in equal parts.
            -(self.infinities as f64).ln()
        } else {
            f64::NEG_INFINITY
        }
    }
}
