//! The rule of the S2 engines' first generations: top-k, softmax at the temperature, top-p, and a kept id.

use super::temperature::warn_if_infinite;
use crate::chain::candidates::Candidates;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{ConflictingSettings, Observed, Threshold, Warnings};
use crate::chain::ops::StageOps;
use crate::saved::Writer;
use crate::{Error, SamplerParams, Stage};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct S2First {
    params: SamplerParams,
    keep_id: Option<i32>,
}

impl Stage {
    /// The rule of the S2 engines' first generations; with a [`Stage::dist`] after it, their draw. `keep_id`
    /// stays a candidate, as do all that rank before it; negative: none.
    #[must_use]
    pub fn s2_first(params: SamplerParams, keep_id: i32) -> Self {
        S2First { params, keep_id: (keep_id >= 0).then_some(keep_id) }.into()
    }
}

impl S2First {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Float("TEMPERATURE", Some(SamplerParams::FIRST.temperature)),
        Parameter::Float("TOP_P", Some(SamplerParams::FIRST.top_p)),
        Parameter::Int("TOP_K", Some(SamplerParams::FIRST.top_k)),
        Parameter::Int("KEEP_ID", Some(-1)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [
                Value::Float(temperature),
                Value::Float(top_p),
                Value::Int(top_k),
                Value::Int(keep_id),
            ] => {
                let (temperature, top_p, top_k) = (*temperature, *top_p, *top_k);
                Ok(Stage::s2_first(SamplerParams { temperature, top_p, top_k }, *keep_id))
            }
            _ => Err(Error::BadArgument),
        }
    }
}

impl StageOps for S2First {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let SamplerParams { temperature, top_p, top_k } = self.params;
        write!(out, "temperature {temperature}, top_p {top_p}, top_k {top_k}")?;
        self.keep_id.map_or(Ok(()), |id| write!(out, ", keep_id {id}"))
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.f32(self.params.temperature);
        out.f32(self.params.top_p);
        out.i32(self.params.top_k);
        out.i32(self.keep_id.unwrap_or(-1));
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        // The rule has a kept id of its own; a request's takes its place, and does not return otherwise.
        candidates.kept = None;
        let kept = candidates.keep_id.filter(|id| *id >= 0);
        candidates.s2_first(&self.params, kept.or(self.keep_id))
    }

    fn counts_neg_inf(&self) -> bool {
        true
    }

    /// Whichever of top_k and top_p cut.
    fn threshold(&self, seen: &Observed<'_>) -> Option<Threshold> {
        let (before, after) = seen.counts;
        let limit = self.params.rank_limit(before);
        if after >= limit && limit < before {
            Threshold::new(limit as f64, "rank")
        } else if self.params.top_p.is_nan() {
            None
        } else {
            Threshold::new(self.params.top_p, "running probability")
        }
    }

    fn warn(&self, seen: &Observed<'_>, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        let SamplerParams { temperature: t, top_p, top_k } = self.params;
        let count = seen.counts.0;
        if self.params.is_greedy() && count > 1 {
            warnings(format_args!("temperature {t} leaves weight to the best alone"))?;
        }
        if t.is_nan() {
            warnings(format_args!("temperature NaN leaves weight to tokens that equal the best"))?;
        }
        if top_k > 0 && count > 1 && self.params.rank_limit(count) == count {
            warnings(format_args!("top_k {top_k} drops nothing: {count} candidates before it"))?;
        }
        seen.warn_if_one_left(self, warnings)?;
        ConflictingSettings { temperature: t, top_p }.warn(warnings)?;
        warn_if_infinite(t, warnings)
    }
}
