//! A report as JSON, read back by a parser that is not ours.

use crate::common;

use common::reports::{random_chain, trap};
use common::rows::{KINDS, SplitMix};
use s2sampler_core::{CandidateReport, Chain, Report, Stage, StageReport};
use serde_json::{Value, json};

fn read(report: &Report) -> Value {
    let text = report.to_json().expect("memory");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// What JSON does not know is null.
fn number(number: f64) -> Value {
    if number.is_finite() { json!(number) } else { Value::Null }
}

/// A float's shortest text is that of no double but its own.
fn float(value: &Value) -> f32 {
    value.as_f64().map_or(f32::NAN, |double| double as f32)
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (!a.is_finite() && b.is_nan())
}

fn holds(report: &Report) {
    let read = read(report);
    let Report { tokens, nans, infinities, entropy, selecting, stages, candidates, warnings } =
        report;
    assert_eq!(read["selecting"], json!(selecting));
    assert_eq!(read["tokens"], json!(tokens));
    assert_eq!(read["nans"], json!(nans));
    assert_eq!(read["infinities"], json!(infinities));
    assert_eq!(read["entropy"].as_f64(), Some(*entropy));
    assert_eq!(read["warnings"], json!(warnings));
    let (told_stages, told) = (&read["stages"], &read["candidates"]);
    assert_eq!(told_stages.as_array().map(Vec::len), Some(stages.len()));
    for (index, stage) in stages.iter().enumerate() {
        let StageReport { name, parameters, off, before, after, unit, .. } = stage;
        let told = &told_stages[index];
        assert_eq!((&told["name"], &told["unit"]), (&json!(name), &json!(unit)));
        assert_eq!((&told["parameters"], &told["off"]), (&json!(parameters), &json!(off)));
        assert_eq!((&told["before"], &told["after"]), (&json!(before), &json!(after)));
        let masses = [("raw_mass", stage.raw_mass), ("kept_mass", stage.kept_mass)];
        for (name, want) in masses.into_iter().chain([("entropy", stage.entropy)]) {
            assert_eq!(told[name].as_f64(), Some(want), "{name}: {told}");
        }
        let threshold = stage.threshold.map_or(Value::Null, number);
        assert_eq!(told["threshold"].as_f64(), threshold.as_f64(), "{told}");
    }
    assert_eq!(told.as_array().map(Vec::len), Some(candidates.len()));
    for (rank, candidate) in candidates.iter().enumerate() {
        let CandidateReport { id, dropped_by, raw_probability, running, .. } = candidate;
        let told = &told[rank];
        assert_eq!((&told["id"], &told["dropped_by"]), (&json!(id), &json!(dropped_by)));
        assert_eq!(told["raw_probability"].as_f64(), Some(*raw_probability));
        assert_eq!(told["running"].as_f64(), Some(*running));
        assert_eq!(told["final_probability"].as_f64(), Some(candidate.final_probability));
        assert!(same(candidate.logit, float(&told["logit"])), "{told}: {candidate:?}");
        assert!(same(candidate.final_logit, float(&told["final_logit"])), "{told}: {candidate:?}");
    }
}

#[test]
fn reports_of_all_kinds_of_rows_come_back() {
    let mut random = SplitMix(8);
    let mut warned = 0;
    for case in 0..8 * KINDS.len() {
        let n = random.pick(&[1, 4, 60]);
        let row = KINDS[case % KINDS.len()].1(n, random.next());
        let (chain, _) = random_chain(&mut random, n);
        let report = chain.report(&row, 20).expect("a report");
        holds(&report);
        warned += report.warnings.len();
    }
    assert!(warned > 50, "only {warned} warnings were read back");
}

#[test]
fn an_empty_chain_and_no_candidates_are_empty_lists() {
    let report = Chain::new().report(&[1.0, 2.0], 0).expect("a report");
    holds(&report);
    assert_eq!(read(&report)["stages"], json!([]));
    assert_eq!(read(&report)["candidates"], json!([]));
}

#[test]
fn texts_are_escaped() {
    let (row, _) = trap();
    let mut chain = Chain::new();
    chain.add(Stage::dist(1)).expect("memory");
    let mut report = chain.report(&row, 1).expect("a report");
    // All characters below U+0080 and some above.
    let ascii: String = ('\0'..='\x7f').collect();
    report.warnings = vec![ascii, "\u{80}\u{2028}\u{1f600}ü".to_owned(), String::new()];
    report.stages[0].parameters = "\"\\\n".to_owned();
    holds(&report);
}
