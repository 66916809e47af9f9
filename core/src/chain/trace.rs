//! A pass in slow motion, for a report: one stage at a time over a list, on a copy of the chain.

use super::candidates::{Candidates, DrawRule};
use super::stage::StageKind;
use super::{Chain, Stage, TokenData};
use crate::{Error, SamplerParams, memory};
use core::fmt::{self, Write};

/// What one stage did.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    pub index: usize,
    /// The stage as it was before.
    pub stage: &'a Stage,
    /// The candidates before it.
    pub before: &'a [TokenData],
    /// Those after it.
    pub after: &'a [TokenData],
    /// After the S2 rule, whose candidates at -inf count: how many of them are not in the list.
    pub hidden: Option<usize>,
    /// The place of the token that it selected.
    pub selected: Option<usize>,
    /// The temperature that followed from the entropy.
    pub temperature: Option<f32>,
}

/// The parameters of a stage, as far as they tell what it may do.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Setting {
    LogitBias,
    /// With the number of tokens that it knows of.
    Penalties {
        repeat: f32,
        frequency: f32,
        presence: f32,
        heard: usize,
    },
    TopK(i32),
    TopP(f32),
    MinP(f32),
    Typical(f32),
    TopNSigma(f32),
    /// With its threshold.
    Xtc(f32),
    Temperature(f32),
    TemperatureExt,
    /// With the number of tokens that it knows of.
    Dry {
        heard: usize,
    },
    /// With its limit of surprise, in bits.
    MirostatV2(f32),
    S2(SamplerParams),
    Softmax,
    Greedy,
    Dist,
}

impl Stage {
    pub(crate) fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        self.ops().describe(out)
    }

    pub(crate) fn selects(&self) -> bool {
        self.ops().selects()
    }

    pub(crate) fn setting(&self) -> Setting {
        match &self.0 {
            StageKind::LogitBias(_) => Setting::LogitBias,
            StageKind::Penalties(stage) => Setting::Penalties {
                repeat: stage.strengths.repeat,
                frequency: stage.strengths.frequency,
                presence: stage.strengths.presence,
                heard: stage.heard(),
            },
            StageKind::TopK(stage) => Setting::TopK(stage.k),
            StageKind::TopP(stage) => Setting::TopP(stage.p),
            StageKind::MinP(stage) => Setting::MinP(stage.p),
            StageKind::Typical(stage) => Setting::Typical(stage.p),
            StageKind::TopNSigma(stage) => Setting::TopNSigma(stage.n),
            StageKind::Xtc(stage) => Setting::Xtc(stage.threshold),
            StageKind::Temperature(stage) => Setting::Temperature(stage.t),
            StageKind::TemperatureExt(_) => Setting::TemperatureExt,
            StageKind::Dry(stage) => Setting::Dry { heard: stage.heard() },
            StageKind::MirostatV2(stage) => Setting::MirostatV2(stage.mu),
            StageKind::S2(stage) => Setting::S2(stage.params),
            StageKind::Softmax(_) => Setting::Softmax,
            StageKind::Greedy(_) => Setting::Greedy,
            StageKind::Dist(_) => Setting::Dist,
        }
    }
}

impl Chain {
    /// Applies a copy of the stages to a row, up to the first that selects, and tells of each. A stage
    /// that is off leaves what was before it.
    pub(crate) fn trace(
        &self,
        logits: &[f32],
        mut tell: impl FnMut(Step<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut copy = self.try_clone()?;
        let (mut list, mut before) = (Vec::new(), Vec::new());
        memory::reserve(&mut list, logits.len())?;
        memory::reserve(&mut before, logits.len())?;
        list.extend((0..).zip(logits).map(|(id, logit)| TokenData { id, logit: *logit, p: 0.0 }));
        let mut candidates = Candidates::array(&mut list, false, &mut copy.memory);
        for (index, (stage, working)) in self.stages.iter().zip(&mut copy.stages).enumerate() {
            before.clear();
            before.extend_from_slice(candidates.to_list()?.0.tokens());
            let mut temperature = None;
            if !stage.is_off() {
                if let StageKind::TemperatureExt(stage) = &working.0 {
                    temperature = stage.choose(&mut candidates)?;
                }
                working.ops_mut().apply(&mut candidates)?;
            }
            let hidden = match candidates.draw_rule {
                DrawRule::Softmax => None,
                DrawRule::LibstdcxxDiscrete { neg_inf_tail } => Some(neg_inf_tail),
            };
            let selected = candidates.selected;
            let after = candidates.to_list()?.0.tokens();
            tell(Step { index, stage, before: &before, after, hidden, selected, temperature })?;
            if selected.is_some() {
                break;
            }
        }
        Ok(())
    }
}
