//! The S2 engines' rule: top-k and top-p at temperature 1, then temperature.

use super::temperature::warn_if_infinite;
use crate::chain::candidates::{Candidates, DrawRule};
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{ConflictingSettings, Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::rules::temperature::tempered;
use crate::saved::Writer;
use crate::{Error, SamplerParams, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct S2 {
    params: SamplerParams,
}

impl Stage {
    /// The S2 engines' rule: top_k and top_p at temperature 1, then temperature. With a
    /// [`Stage::dist`] after it the tokens are those of [`Sampler::sample`](crate::Sampler::sample).
    #[must_use]
    pub fn s2(params: SamplerParams) -> Self {
        S2 { params }.into()
    }
}

impl S2 {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("TEMPERATURE", Some(SamplerParams::DEFAULT.temperature)),
        Parameter::Float("TOP_P", Some(SamplerParams::DEFAULT.top_p)),
        Parameter::Int("TOP_K", Some(SamplerParams::DEFAULT.top_k)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Float(temperature), Value::Float(top_p), Value::Int(top_k)] => {
                let (temperature, top_p, top_k) = (*temperature, *top_p, *top_k);
                Ok(Stage::s2(SamplerParams { temperature, top_p, top_k }))
            }
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for S2 {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let SamplerParams { temperature, top_p, top_k } = self.params;
        write!(out, "temperature {temperature}, top_p {top_p}, top_k {top_k}")
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.params.temperature);
        out.f32(self.params.top_p);
        out.i32(self.params.top_k);
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let t = self.params.temperature;
        if self.params.is_greedy() {
            candidates.kept = None;
            candidates.keep_top_k(1)?;
            candidates.draw_rule = DrawRule::LibstdcxxDiscrete { neg_inf_tail: 0, sum: None };
        } else {
            let neg_inf_tail = candidates.s2(&self.params)?;
            candidates.draw_rule = DrawRule::LibstdcxxDiscrete { neg_inf_tail, sum: None };
        }
        let (list, _) = candidates.as_list()?;
        let top = list.tokens()[0].logit;
        if top == f32::NEG_INFINITY {
            return Ok(());
        }
        // `top - top` is 0 even when top is infinite (inf - inf would be NaN).
        let change = |logit| if logit == top { 0.0 } else { tempered(logit, top, t) };
        list.change(|token| change(token.logit));
        if top == f32::INFINITY {
            candidates.kept = None;
        }
        candidates.return_last(change)
    }

    fn counts_neg_inf(&self) -> bool {
        true
    }

    /// Whichever of top_k and top_p cut.
    fn threshold(&self, seen: &Observed<'_>) -> Option<Threshold> {
        let (before, after) = seen.counts;
        let limit = self.params.rank_limit(before);
        if self.params.is_greedy() {
            None
        } else if after == limit && limit < before {
            Threshold::new(limit as f64, "rank")
        } else if self.params.nucleus().is_nan() {
            None
        } else {
            Threshold::new(self.params.nucleus(), "running probability")
        }
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        self.warn_of_cuts(seen, warnings)?;
        warn_if_infinite(self.params.temperature, warnings)
    }
}

impl S2 {
    fn warn_of_cuts(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        let SamplerParams { temperature: t, top_p, top_k } = self.params;
        let (count, after) = seen.counts;
        if self.params.is_greedy() && count > 1 {
            return warnings(format_args!("temperature {t} leaves 1 candidate: equals greedy"));
        }
        if t.is_nan() {
            warnings(format_args!("temperature NaN leaves only tokens that equal the best"))?;
        }
        if top_k > 0 && count > 1 && self.params.rank_limit(count) == count {
            warnings(format_args!("top_k {top_k} drops nothing: {count} candidates before it"))?;
        }
        if top_p >= 1.0 {
            let why = "rounding can drop the last candidates; NaN is off";
            warnings(format_args!("top_p {top_p} is not off under the S2 rule: {why}"))?;
        }
        if count > 1 && self.params.rank_limit(count) == 1 {
            return warnings(format_args!("top_k 1 leaves 1 candidate: equals greedy"));
        }
        if count > 1 && after == 1 {
            let two: f64 = seen.first_two.iter().sum();
            let why = "the S2 rule drops the token that exceeds top_p";
            warnings(format_args!(
                "top_p {top_p} leaves 1 candidate: {why}, and the first two have {two:.6}"
            ))?;
        }
        ConflictingSettings { temperature: t, top_p }.warn(warnings)
    }
}
