//! The view that a report has of a stage, and the warnings that several stages share.

use super::ops::StageOps;
use super::{Stage, TokenData};
use crate::Error;
use core::fmt::{self, Arguments, Display};

/// Takes a warning.
pub(crate) type Warnings<'a> = dyn FnMut(Arguments<'_>) -> Result<(), Error> + 'a;

/// Where a stage cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Threshold {
    pub value: f64,
    /// "rank", "running probability", "probability", "mass", "logit", "temperature" or "bits".
    pub unit: &'static str,
}

impl Threshold {
    pub(super) fn new(value: impl Into<f64>, unit: &'static str) -> Option<Self> {
        Some(Self { value: value.into(), unit })
    }
}

/// The candidates before and after a stage that is not off.
#[derive(Debug)]
pub(crate) struct Observed<'a> {
    pub name: &'static str,
    /// The candidates before the stage and after it.
    pub before: &'a [TokenData],
    pub after: &'a [TokenData],
    /// After the S2 rule, which counts candidates at -inf: the number of them that are not in the list.
    pub neg_inf_tail: Option<usize>,
    /// The numbers of candidates before and after, as a report counts them.
    pub counts: (usize, usize),
    /// The two largest probabilities before the stage.
    pub first_two: [f64; 2],
}

impl Observed<'_> {
    /// Whether no logit changed. For stages that keep the order of the candidates.
    pub(super) fn is_unchanged(&self) -> bool {
        self.before.iter().zip(self.after).all(|(before, after)| before.logit == after.logit)
    }

    /// Warns if a stage's history is empty.
    pub(super) fn warn_if_no_history(
        &self,
        stage: &impl StageOps,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        if stage.history_len() == Some(0) {
            warnings(format_args!("{} has no effect: no token was accepted yet", self.name))?;
        }
        Ok(())
    }

    /// Warns if no logit changed.
    pub(super) fn warn_if_unchanged(&self, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        if self.is_unchanged() {
            warnings(format_args!("{} has no effect: no candidate's logit changes", self.name))?;
        }
        Ok(())
    }

    /// For repetition penalties of one number.
    pub(super) fn warn_as_penalty(
        &self,
        stage: &impl StageOps,
        repeat: f32,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        match stage.history_len() {
            Some(0) => self.warn_if_no_history(stage, warnings)?,
            _ => self.warn_if_unchanged(warnings)?,
        }
        if repeat < 1.0 {
            warnings(format_args!("{} {repeat} below 1 rewards repetition", self.name))?;
        }
        self.warn_if_all_banned(warnings)
    }

    pub(super) fn warn_if_all_banned(&self, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        let above = |tokens: &[TokenData]| tokens.iter().any(|t| t.logit > f32::NEG_INFINITY);
        if above(self.before) && !above(self.after) {
            warnings(format_args!("{} bans every candidate", self.name))?;
        }
        Ok(())
    }

    /// For stages whose purpose is to drop candidates.
    pub(super) fn warn_as_filter(
        &self,
        stage: &impl StageOps,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        let (before, after) = self.counts;
        if before > 1 && before == after {
            let label = Label { name: self.name, stage };
            return warnings(format_args!("{label} drops nothing: {before} candidates before it"));
        }
        self.warn_if_one_left(stage, warnings)
    }

    pub(super) fn warn_if_one_left(
        &self,
        stage: &(impl StageOps + ?Sized),
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        let what = "always the same token, but not the best";
        self.warn_if_one_left_and(stage, what, warnings)
    }

    /// `not_best` ends the warning if the candidate left is not the best.
    pub(super) fn warn_if_one_left_and(
        &self,
        stage: &(impl StageOps + ?Sized),
        not_best: &str,
        warnings: &mut Warnings<'_>,
    ) -> Result<(), Error> {
        let left = counted(self.after, self.neg_inf_tail.is_some()).next();
        let Some(left) = left.filter(|_| self.counts.0 > 1 && self.counts.1 == 1) else {
            return Ok(());
        };
        let best = counted(self.before, false).min_by_key(|token| token.rank());
        let is_best = best.is_some_and(|best| best.id == left.id);
        let what = if is_best { "equals greedy" } else { not_best };
        warnings(format_args!("{} leaves 1 candidate: {what}", Label { name: self.name, stage }))
    }
}

/// The name of a stage with the parameter that matters most.
pub(super) struct Label<'a, S: ?Sized> {
    pub name: &'static str,
    pub stage: &'a S,
}

impl<S: StageOps + ?Sized> Display for Label<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.stage.main_parameter().map_or(Ok(()), |parameter| write!(f, " {parameter}"))
    }
}

/// The stages of a chain that ran.
#[derive(Debug)]
pub(crate) struct ObservedChain<'a> {
    pub stages: &'a [Stage],
    /// The index of the stage that warns.
    pub index: usize,
    /// The highest temperature that a stage divided by; 0 if no stage did.
    pub highest_temperature: f32,
}

impl<'a> ObservedChain<'a> {
    /// The later stages that are not off.
    pub(super) fn later(&self) -> impl Iterator<Item = &'a dyn StageOps> {
        active(&self.stages[self.index + 1..]).map(|(_, stage)| stage)
    }

    /// The earlier stages that are not off, the nearest first.
    pub(super) fn earlier(&self) -> impl Iterator<Item = (&'static str, &'a dyn StageOps)> {
        active(&self.stages[..self.index]).rev()
    }
}

fn active(stages: &[Stage]) -> impl DoubleEndedIterator<Item = (&'static str, &dyn StageOps)> {
    stages.iter().filter(|stage| !stage.is_off()).map(|stage| (stage.name(), stage.ops()))
}

/// A temperature and a top_p that work against each other.
pub(super) struct ConflictingSettings {
    pub temperature: f32,
    pub top_p: f32,
}

impl ConflictingSettings {
    const HIGH_TEMPERATURE: f32 = 1.2;
    const SMALL_TOP_P: f32 = 0.5;

    pub(super) fn warn(&self, warnings: &mut Warnings<'_>) -> Result<(), Error> {
        let Self { temperature, top_p } = self;
        if *temperature > Self::HIGH_TEMPERATURE && *top_p < Self::SMALL_TOP_P {
            let why = "high temperature flattens the distribution that a small top_p has already cut \
                to a few tokens";
            return warnings(format_args!("temperature {temperature} with top_p {top_p}: {why}"));
        }
        Ok(())
    }
}

/// The candidates that count: those above -inf, the first if there is none, or `all`.
pub(crate) fn counted(
    tokens: &[TokenData],
    all: bool,
) -> impl Iterator<Item = &TokenData> + Clone + '_ {
    let above = |token: &TokenData| token.logit > f32::NEG_INFINITY;
    let none = !all && !tokens.iter().any(above);
    let most = if none { 1 } else { usize::MAX };
    tokens.iter().filter(move |token| all || none || above(token)).take(most)
}
