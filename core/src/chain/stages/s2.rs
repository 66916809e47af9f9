//! The S2 engines' rule: top-k and top-p at temperature 1, then temperature.

use crate::chain::candidates::{Candidates, DrawRule};
use crate::chain::ops::StageOps;
use crate::{Error, SamplerParams};
use core::fmt::{self, Write};

#[derive(Debug, Clone, Copy)]
pub(in crate::chain) struct S2 {
    pub params: SamplerParams,
}

impl StageOps for S2 {
    fn name(&self) -> &'static str {
        "s2"
    }

    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let SamplerParams { temperature, top_p, top_k } = self.params;
        write!(out, "temperature {temperature}, top_p {top_p}, top_k {top_k}")
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let t = self.params.temperature;
        if self.params.is_greedy() {
            candidates.keep_top_k(1)?;
            candidates.draw_rule = DrawRule::LibstdcxxDiscrete { neg_inf_tail: 0 };
        } else {
            let mut neg_inf_tail = candidates.s2(&self.params)?;
            let (list, _) = candidates.to_list()?;
            let ends = [list.tokens().first(), list.tokens().last()];
            let [top, last] = ends.map(|end| end.map_or(0.0, |token| token.logit));
            if t == f32::INFINITY && (neg_inf_tail > 0 || last - top == f32::NEG_INFINITY) {
                // -inf / inf, be it by overflow: no weights, and rank 0 is the answer.
                neg_inf_tail += list.tokens().len() - 1;
                list.truncate(1);
            }
            candidates.draw_rule = DrawRule::LibstdcxxDiscrete { neg_inf_tail };
        }
        let (list, _) = candidates.to_list()?;
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
