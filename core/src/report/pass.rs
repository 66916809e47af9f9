//! Follows a pass of a chain and takes down what each stage does.

use super::shares::{Shares, counted};
use super::text::written;
use super::threshold::threshold;
use super::{CandidateReport, Report, StageReport, warnings};
use crate::chain::{Setting, Step};
use crate::draw::check_row_len;
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::{Chain, Error, Stage, TokenData, memory};

/// What is known between two stages.
struct Pass {
    report: Report,
    /// The shares in the row.
    raw: Shares,
    /// Those of the candidates left; in the end those of the selection.
    current: Shares,
    /// What became of each token.
    fates: Vec<Fate>,
    /// The number of candidates.
    left: usize,
}

/// What became of a token so far.
struct Fate {
    /// Its logit when it was seen last.
    logit: f32,
    /// The stages that left it.
    survived: usize,
}

pub(super) fn report(chain: &Chain, logits: &[f32], first: usize) -> Result<Report, Error> {
    check_row_len(logits.len())?;
    let mut pass = Pass::new(logits, first)?;
    let top = pass.fates.iter().map(|fate| fate.logit).fold(f32::NEG_INFINITY, f32::max);
    warnings::row(&mut pass.report, top)?;
    chain.trace(logits, |step| pass.take(&step))?;
    pass.finish(chain)
}

impl Pass {
    fn new(logits: &[f32], first: usize) -> Result<Self, Error> {
        let tokens = logits.len();
        let mut row = Vec::new();
        memory::reserve(&mut row, tokens)?;
        let token =
            |(id, logit): (i32, &f32)| TokenData { id, logit: nan_to_neg_inf(*logit), p: 0.0 };
        row.extend((0..).zip(logits).map(token));
        let (mut raw, mut current) = (Shares::new(tokens)?, Shares::new(tokens)?);
        raw.set_softmax(counted(&row, false));
        current.set_softmax(counted(&row, false));
        let mut fates = Vec::new();
        memory::reserve(&mut fates, tokens)?;
        fates.extend(row.iter().map(|token| Fate { logit: token.logit, survived: 0 }));
        let report = Report {
            tokens,
            nans: logits.iter().filter(|logit| logit.is_nan()).count(),
            infinities: logits.iter().filter(|logit| **logit == f32::INFINITY).count(),
            entropy: raw.entropy,
            selecting: None,
            stages: Vec::new(),
            candidates: first_ranks(logits, &row, &raw, first)?,
            warnings: Vec::new(),
        };
        let left = counted(&row, false).count();
        Ok(Self { report, raw, current, fates, left })
    }

    /// Takes down what a stage did.
    fn take(&mut self, step: &Step<'_>) -> Result<(), Error> {
        let setting = step.stage.setting();
        let off = step.stage.is_off();
        let place = step.selected.filter(|_| matches!(setting, Setting::Greedy));
        let chosen = place.and_then(|place| step.after.get(place..=place));
        let (tokens, hidden) = match chosen {
            Some(chosen) => (chosen, step.hidden.map(|_| 0)),
            None => (step.after, step.hidden),
        };
        let all = hidden.is_some();
        let after = counted(tokens, all).count() + hidden.unwrap_or(0);
        // The S2 rule ranks what is at -inf too.
        let ranks_all = matches!(setting, Setting::S2(_));
        let before = if ranks_all { step.before.len() } else { self.left };
        let cut = if off { None } else { threshold(step, &self.current, (before, after)) };
        // Infinite parameters can make one that is no number, and so none.
        let cut = cut.filter(|cut| !cut.0.is_nan());
        let stage = StageReport {
            name: step.stage.name(),
            parameters: written(|text| step.stage.describe(text))?,
            off,
            before,
            after,
            raw_mass: self.raw.mass(counted(tokens, all)),
            kept_mass: self.current.mass(counted(tokens, all)),
            entropy: 0.0,
            threshold: cut.map(|cut| cut.0),
            unit: cut.map_or("", |cut| cut.1),
        };
        if !off {
            warnings::stage(&mut self.report.warnings, step, &stage, &self.current)?;
        }
        self.current.set_softmax(counted(tokens, all));
        let entropy = self.current.entropy;
        self.follow(step, tokens, all);
        self.left = after;
        self.add(StageReport { entropy, ..stage })?;
        if let Some(place) = step.selected.filter(|_| chosen.is_none()) {
            self.select(step.after, place);
        }
        Ok(())
    }

    fn add(&mut self, stage: StageReport) -> Result<(), Error> {
        memory::reserve(&mut self.report.stages, 1)?;
        self.report.stages.push(stage);
        Ok(())
    }

    /// Sees which tokens are left, and their logits.
    fn follow(&mut self, step: &Step<'_>, tokens: &[TokenData], all: bool) {
        let fate = |fates: &mut [Fate], id: i32, see: &dyn Fn(&mut Fate)| {
            let fate = usize::try_from(id).ok().and_then(|id| fates.get_mut(id));
            fate.into_iter().for_each(see);
        };
        for token in step.after {
            fate(&mut self.fates, token.id, &|fate| fate.logit = token.logit);
        }
        for token in counted(tokens, all) {
            fate(&mut self.fates, token.id, &|fate| fate.survived = step.index + 1);
        }
    }

    /// The report, once the pass is over.
    fn finish(mut self, chain: &Chain) -> Result<Report, Error> {
        let ran = self.report.stages.len();
        self.report.selecting = chain.stages().iter().position(Stage::selects);
        warnings::chain(&mut self.report, chain.stages())?;
        for token in &mut self.report.candidates {
            if let Some(fate) = self.fates.get(token.id as usize) {
                let dropped = token.logit > f32::NEG_INFINITY && fate.survived < ran;
                token.dropped_by = dropped.then_some(fate.survived);
                token.final_logit = fate.logit;
            }
            token.final_probability = self.current.of(token.id as i32);
        }
        let (before, after) = (self.left, self.left);
        let last = self.report.stages.last();
        let (raw_mass, entropy) =
            last.map_or((1.0, self.report.entropy), |last| (last.raw_mass, last.entropy));
        for stage in chain.stages().iter().skip(ran) {
            self.add(StageReport {
                name: stage.name(),
                parameters: written(|text| stage.describe(text))?,
                off: stage.is_off(),
                before,
                after,
                raw_mass,
                kept_mass: 1.0,
                entropy,
                threshold: None,
                unit: "",
            })?;
        }
        Ok(self.report)
    }

    /// The shares are those with which a stage selected the token at `place`.
    fn select(&mut self, tokens: &[TokenData], place: usize) {
        let weights = tokens.iter().map(|token| (token.id, f64::from(token.p)));
        if !self.current.set(weights) {
            // Weights that are no distribution leave the selection no choice.
            self.current.set(tokens.iter().skip(place).take(1).map(|token| (token.id, 1.0)));
        }
    }
}

/// The first tokens of the row by rank; what becomes of them is not known yet.
fn first_ranks(
    logits: &[f32],
    row: &[TokenData],
    raw: &Shares,
    first: usize,
) -> Result<Vec<CandidateReport>, Error> {
    let mut ranks = Vec::new();
    memory::reserve(&mut ranks, row.len())?;
    ranks.extend((0..).zip(row).map(|(id, token)| RankKey::new(token.logit, id)));
    if (1..ranks.len()).contains(&first) {
        ranks.select_nth_unstable(first);
    }
    ranks.truncate(first);
    ranks.sort_unstable();
    let mut running = 0.0;
    let mut told = Vec::new();
    memory::reserve(&mut told, ranks.len())?;
    told.extend(ranks.iter().map(|rank| {
        let id = rank.id();
        let logit = logits.get(id as usize).copied().unwrap_or(f32::NAN);
        let raw_probability = raw.of(id as i32);
        running += raw_probability;
        CandidateReport {
            id,
            logit,
            raw_probability,
            running: running.min(1.0),
            dropped_by: None,
            final_logit: logit,
            final_probability: 0.0,
        }
    }));
    Ok(told)
}
