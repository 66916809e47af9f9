//! Two settings on one row, candidate by candidate.

use super::figures::{logit, percent};
use super::grid::Grid;
use super::tables::{fate, longest};
use s2sampler_core::Report;
use std::collections::HashMap;

/// Both candidate tables in one, the first `show` ranks.
pub fn candidates(a: &Report, b: &Report, show: usize) -> String {
    let head = [
        "rank",
        "id",
        "logit",
        "raw",
        "A final",
        "A",
        "A dropped by",
        "B final",
        "B",
        "B dropped by",
    ];
    let mut grid = Grid::new(&head, ">>>>><<><<");
    // Raw ranks do not depend on the setting: both lists are in the same order.
    let pairs = a.candidates.iter().zip(&b.candidates).take(show);
    let full = [a, b].map(|report| {
        let shown = report.candidates.get(..show).unwrap_or(&report.candidates);
        longest(shown)
    });
    let full = full[0].max(full[1]);
    for (rank, (left, right)) in pairs.enumerate() {
        let [_, a_final, a_bar, a_dropped] = fate(a, left, full);
        let [_, b_final, b_bar, b_dropped] = fate(b, right, full);
        grid.row(vec![
            rank.to_string(),
            left.id.to_string(),
            logit(left.logit),
            percent(left.raw_probability),
            a_final,
            a_bar,
            a_dropped,
            b_final,
            b_bar,
            b_dropped,
        ]);
    }
    grid.text()
}

/// What can be drawn under each, and how far apart the two are.
pub fn summary(a: &Report, b: &Report) -> String {
    let mut grid = Grid::new(&["", "can be drawn", "best", "of them in the other"], "<>>>");
    for (name, own, other) in [("A", a, b), ("B", b, a)] {
        let (own, other) = (finals(own), finals(other));
        grid.row(vec![
            name.to_owned(),
            own.len().to_string(),
            percent(own.values().copied().fold(0.0, f64::max)),
            own.keys().filter(|id| other.contains_key(id)).count().to_string(),
        ]);
    }
    let apart = percent(distance(a, b));
    grid.text() + &format!("{apart} of the probability lies elsewhere (total variation distance)\n")
}

fn finals(report: &Report) -> HashMap<u32, f64> {
    let all = report.candidates.iter().map(|c| (c.id, c.final_probability));
    all.filter(|(_, share)| *share > 0.0).collect()
}

/// Half the sum of the differences: 0 for equal distributions, 1 for those that share no token.
fn distance(a: &Report, b: &Report) -> f64 {
    let pairs = a.candidates.iter().zip(&b.candidates);
    pairs.map(|(a, b)| (a.final_probability - b.final_probability).abs()).sum::<f64>() / 2.0
}
