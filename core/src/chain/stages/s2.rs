//! The S2 engines' rule: top-k and top-p at temperature 1, then temperature.

use crate::chain::candidates::{Candidates, Draw};
use crate::chain::rule::Rule;
use crate::{Error, SamplerParams};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct S2 {
    pub params: SamplerParams,
}

impl Rule for S2 {
    fn name(&self) -> &'static str {
        "s2"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let SamplerParams { temperature, top_p, top_k } = self.params;
        write!(out, "temperature {temperature}, top_p {top_p}, top_k {top_k}")
    }

    fn apply(&mut self, candidates: &mut Candidates<'_, '_>) -> Result<(), Error> {
        let t = self.params.temperature;
        if self.params.is_greedy() {
            candidates.best(1)?;
            candidates.draw = Draw::Discrete { hidden: 0 };
        } else {
            let mut hidden = candidates.s2(&self.params)?;
            let (list, _) = candidates.list()?;
            let ends = [list.tokens().first(), list.tokens().last()];
            let [top, last] = ends.map(|end| end.map_or(0.0, |token| token.logit));
            if t == f32::INFINITY && (hidden > 0 || last - top == f32::NEG_INFINITY) {
                // -inf / inf, be it by overflow: no weights, and rank 0 is the answer.
                hidden += list.tokens().len() - 1;
                list.truncate(1);
            }
            candidates.draw = Draw::Discrete { hidden };
        }
        let (list, _) = candidates.list()?;
        let top = list.tokens().first().map_or(0.0, |token| token.logit);
        // The best is its own distance from itself, be that a number or not.
        list.change(|token| match token.logit {
            logit if logit == top => 0.0,
            _ if t.is_nan() => f32::NEG_INFINITY,
            logit => (logit - top) / t,
        });
        Ok(())
    }
}
