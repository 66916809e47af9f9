//! Follows a pass of a chain and records what each stage does.

use super::shares::Shares;
use super::text::{push_warning, written};
use super::{CandidateReport, Report, StageReport, warnings};
use crate::chain::{Observed, Step, counted};
use crate::draw::check_row_len;
use crate::row_counts::count_special;
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::{Chain, Error, TokenData, memory};

/// The state between two stages.
struct Builder {
    report: Report,
    /// The shares among all tokens of the row.
    raw: Shares,
    /// The shares among the candidates left; after a selection, the probabilities of the selection.
    current: Shares,
    /// The state of each token, by id.
    token_states: Vec<TokenState>,
    /// The number of candidates.
    left: usize,
}

/// The state of a token after the stages so far.
struct TokenState {
    /// Its logit after the last stage that it reached.
    logit: f32,
    /// The number of stages that it survived.
    survived: usize,
}

pub(super) fn report(chain: &Chain, logits: &[f32], first: usize) -> Result<Report, Error> {
    check_row_len(logits.len())?;
    let mut builder = Builder::new(logits, first)?;
    let top =
        builder.token_states.iter().map(|state| state.logit).fold(f32::NEG_INFINITY, f32::max);
    warnings::row(&mut builder.report, top)?;
    chain.trace(logits, |step| builder.record(&step))?;
    builder.finish(chain)
}

impl Builder {
    fn new(logits: &[f32], first: usize) -> Result<Self, Error> {
        let tokens = logits.len();
        let mut row = Vec::new();
        memory::reserve(&mut row, tokens)?;
        let token =
            |(id, logit): (i32, &f32)| TokenData { id, logit: nan_to_neg_inf(*logit), p: 0.0 };
        row.extend((0..).zip(logits).map(token));
        let mut raw = Shares::new(tokens)?;
        raw.set_softmax(counted(&row, false));
        let current = raw.try_clone()?;
        let mut token_states = Vec::new();
        memory::reserve(&mut token_states, tokens)?;
        token_states.extend(row.iter().map(|token| TokenState { logit: token.logit, survived: 0 }));
        let special = count_special(logits);
        let report = Report {
            tokens,
            nans: special.nans,
            infinities: special.infinities,
            entropy: raw.entropy,
            selecting: None,
            stages: Vec::new(),
            candidates: first_ranks(logits, &row, &raw, first)?,
            warnings: Vec::new(),
        };
        let left = counted(&row, false).count();
        Ok(Self { report, raw, current, token_states, left })
    }

    /// Records what a stage did.
    fn record(&mut self, step: &Step<'_>) -> Result<(), Error> {
        let off = step.stage.is_off();
        // Greedy leaves one candidate.
        let place = step.selected.filter(|_| step.stage.takes_best());
        let best = place.map(|place| &step.after[place..=place]);
        let tokens = best.unwrap_or(step.after);
        let neg_inf_tail = step.neg_inf_tail.map(|tail| if best.is_some() { 0 } else { tail });
        let all = neg_inf_tail.is_some();
        let after = counted(tokens, all).count() + neg_inf_tail.unwrap_or(0);
        let before = if step.stage.counts_neg_inf() { step.before.len() } else { self.left };
        let seen = Observed {
            name: step.stage.name(),
            before: step.before,
            after: step.after,
            neg_inf_tail: step.neg_inf_tail,
            counts: (before, after),
            first_two: self.current.first_two,
        };
        let mut threshold = None;
        if !off {
            // Infinite parameters can make NaN, which is no threshold.
            threshold = step.applied.threshold(&seen).filter(|cut| !cut.value.is_nan());
            let warnings = &mut self.report.warnings;
            step.applied.warn(&seen, &mut |line| push_warning(warnings, line))?;
        }
        let stage = StageReport {
            name: step.stage.name(),
            parameters: written(|text| step.stage.describe(text))?,
            off,
            before,
            after,
            raw_mass: self.raw.mass(counted(tokens, all)),
            kept_mass: self.current.mass(counted(tokens, all)),
            entropy: 0.0,
            threshold: threshold.map(|cut| cut.value),
            unit: threshold.map_or("", |cut| cut.unit),
        };
        self.current.set_softmax(counted(tokens, all));
        let entropy = self.current.entropy;
        self.follow(step, tokens, all);
        self.left = after;
        if step.is_last && (step.selected.is_some() || step.stage.selects()) {
            self.report.selecting = Some(step.index);
        }
        self.add(StageReport { entropy, ..stage })?;
        if let Some(place) = step.selected.filter(|_| step.stage.draws()) {
            self.select(step, place);
        }
        Ok(())
    }

    fn add(&mut self, stage: StageReport) -> Result<(), Error> {
        memory::reserve(&mut self.report.stages, 1)?;
        self.report.stages.push(stage);
        Ok(())
    }

    /// Records which tokens are left, and their logits.
    fn follow(&mut self, step: &Step<'_>, tokens: &[TokenData], all: bool) {
        // A row has ids below its length.
        for token in step.after {
            self.token_states[token.id as usize].logit = token.logit;
        }
        for token in counted(tokens, all) {
            self.token_states[token.id as usize].survived = step.index + 1;
        }
    }

    /// The report, once the pass is over.
    fn finish(mut self, chain: &Chain) -> Result<Report, Error> {
        let ran = self.report.stages.len();
        warnings::chain(&mut self.report, chain.stages())?;
        for token in &mut self.report.candidates {
            let state = &self.token_states[token.id as usize];
            let dropped = token.logit > f32::NEG_INFINITY && state.survived < ran;
            token.dropped_by = dropped.then_some(state.survived);
            token.final_logit = state.logit;
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

    /// Sets the shares to the probabilities with which a stage selected the token at `place`.
    fn select(&mut self, step: &Step<'_>, place: usize) {
        let tokens = step.after;
        let weight = |place| step.weights.and_then(|weights| weights.get(place)).copied();
        let weights = tokens
            .iter()
            .enumerate()
            .map(|(place, token)| (token.id, f64::from(weight(place).unwrap_or(token.p))));
        if !self.current.set(weights) {
            // The weights are no distribution, so the token was certain.
            self.current.set(tokens.iter().skip(place).take(1).map(|token| (token.id, 1.0)));
        }
    }
}

/// The first tokens of the row by rank. [`Builder::finish`] fills in what the stages did to them.
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
    let mut candidates = Vec::new();
    memory::reserve(&mut candidates, ranks.len())?;
    candidates.extend(ranks.iter().map(|rank| {
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
    Ok(candidates)
}
