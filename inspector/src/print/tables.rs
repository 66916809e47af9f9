//! The table of the stages, the table of the candidates, and the warnings.

use super::figures::{bar, logit, nats, pale_bar, percent, threshold};
use super::grid::Grid;
use s2sampler_core::{CandidateReport, Report};
use std::fmt::Write;

/// The row itself, in a line.
pub fn row(name: &str, logits: &[f32], report: &Report) -> String {
    let Report { tokens, nans, infinities, entropy, .. } = report;
    let masked = logits.iter().filter(|logit| **logit == f32::NEG_INFINITY).count();
    format!(
        "{name}: {tokens} logits, {nans} NaN, {infinities} +inf, {masked} -inf, entropy {} nats (as of \
         {:.1} equal tokens)\n",
        nats(*entropy),
        entropy.exp()
    )
}

pub fn stages(report: &Report) -> String {
    let head =
        ["#", "stage", "parameters", "before", "after", "raw mass", "kept", "entropy", "cut at"];
    let mut grid = Grid::new(&head, "><<>>>>><");
    for (index, stage) in report.stages.iter().enumerate() {
        grid.row(vec![
            index.to_string(),
            stage.name.to_owned(),
            stage.parameters.clone(),
            stage.before.to_string(),
            stage.after.to_string(),
            percent(stage.raw_mass),
            percent(stage.kept_mass),
            nats(stage.entropy),
            threshold(stage),
        ]);
    }
    grid.text()
}

/// The first `show` candidates; bars of the final probability, pale ones of the raw where a stage
/// dropped the candidate.
pub fn candidates(report: &Report, show: usize) -> String {
    let head = ["rank", "id", "logit", "raw", "running", "final logit", "final", "", "dropped by"];
    let mut grid = Grid::new(&head, ">>>>>>><<");
    let shown = report.candidates.get(..show).unwrap_or(&report.candidates);
    let full = longest(shown);
    for (rank, candidate) in shown.iter().enumerate() {
        let [final_logit, final_probability, bar, dropped] = fate(report, candidate, full);
        grid.row(vec![
            rank.to_string(),
            candidate.id.to_string(),
            logit(candidate.logit),
            percent(candidate.raw_probability),
            percent(candidate.running),
            final_logit,
            final_probability,
            bar,
            dropped,
        ]);
    }
    grid.text() + &hidden(report, shown.len())
}

/// Final logit and probability, the bar, and the stage that dropped the candidate.
pub fn fate(report: &Report, candidate: &CandidateReport, full: f64) -> [String; 4] {
    match candidate.dropped_by {
        None => [
            logit(candidate.final_logit),
            percent(candidate.final_probability),
            bar(candidate.final_probability, full),
            String::new(),
        ],
        Some(index) => {
            let name = report.stages.get(index).map_or("", |stage| stage.name);
            let bar = pale_bar(candidate.raw_probability, full);
            [String::new(), String::new(), bar, format!("{name} (#{index})")]
        }
    }
}

/// The largest probability that gets a bar.
pub fn longest(candidates: &[CandidateReport]) -> f64 {
    let shares = candidates.iter().map(|c| match c.dropped_by {
        None => c.final_probability,
        Some(_) => c.raw_probability,
    });
    shares.fold(0.0, f64::max)
}

/// What the table leaves out of those that can be drawn.
fn hidden(report: &Report, shown: usize) -> String {
    let rest = report.candidates.get(shown..).unwrap_or_default();
    let left: Vec<f64> =
        rest.iter().map(|c| c.final_probability).filter(|share| *share > 0.0).collect();
    if left.is_empty() {
        return String::new();
    }
    let share = percent(left.iter().sum());
    format!("... and {} more that can be drawn, with {share} (--show)\n", left.len())
}

pub fn warnings(report: &Report) -> String {
    let mut text = String::new();
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}
