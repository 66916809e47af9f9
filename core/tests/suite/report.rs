//! Reports: an article's trap, every number against the chain's own prefixes, and that nothing changes.

use crate::common;

use common::oracle::rank;
use common::params::{combined, one_at_a_time};
use common::reports::{Shown, random_chain, trap};
use common::rows::{KINDS, SplitMix};
use s2sampler_core::{
    CandidateReport, Chain, ChainRequest, DistOptions, DistOrder, Error, Preset, PresetParams,
    Report, SampleRequest, Sampler, SamplerParams, Stage, TokenData, report_draw,
};

fn chain(stages: Vec<Result<Stage, Error>>) -> Chain {
    let mut chain = Chain::new();
    for stage in stages {
        chain.add(stage.expect("good parameters")).expect("memory");
    }
    chain
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6
}

/// The same row and the same number: 0.9 for min-p is not 0.9 for top-p.
#[test]
fn min_p_leaves_one_where_top_p_leaves_many() {
    let (row, probabilities) = trap();
    let reported = |stage| {
        let chain = chain(vec![stage, Ok(Stage::dist(1))]);
        chain.report(&row, 5).expect("a report")
    };
    let min_p = reported(Stage::min_p(0.9, 1));
    assert_eq!((min_p.stages[0].before, min_p.stages[0].after), (row.len(), 1));
    assert!(near(min_p.stages[0].threshold.expect("one"), 0.150773), "{:?}", min_p.stages[0]);
    assert_eq!(min_p.stages[0].unit, "probability");
    assert!(near(min_p.stages[0].kept_mass, 0.167526), "{:?}", min_p.stages[0]);
    assert_eq!(min_p.warnings, ["min_p 0.9 leaves 1 candidate: equals greedy"]);
    assert_eq!(min_p.candidates[0].final_probability, 1.0);
    assert_eq!(min_p.candidates[1].dropped_by, Some(0));

    let top_p = reported(Stage::top_p(0.9, 1));
    let mut running = 0.0;
    let kept = 1 + probabilities
        .iter()
        .take_while(|p| {
            running += *p;
            running < 0.9
        })
        .count();
    assert!(kept > 20, "the row is no trap: {kept}");
    assert_eq!((top_p.stages[0].before, top_p.stages[0].after), (row.len(), kept));
    assert_eq!(top_p.stages[0].threshold, Some(f64::from(0.9_f32)));
    let mass: f64 = probabilities[..kept].iter().sum();
    assert!(near(top_p.stages[0].kept_mass, mass) && near(top_p.stages[0].raw_mass, mass));
    let entropy: f64 = probabilities[..kept].iter().map(|p| p / mass).map(|p| -p * p.ln()).sum();
    assert!((top_p.stages[0].entropy - entropy).abs() < 1e-5, "{entropy}: {:?}", top_p.stages[0]);
    assert_eq!(top_p.warnings, Vec::<String>::new());
    let raw = [0.167526, 0.0759989, 0.0484584, 0.0450433, 0.0404461];
    let mut running = 0.0;
    for (rank, (told, raw)) in top_p.candidates.iter().zip(raw).enumerate() {
        running += raw;
        assert_eq!((told.id, told.dropped_by), (rank as u32, None));
        assert_eq!((told.logit, told.final_logit), (row[rank], row[rank]));
        assert!(near(told.raw_probability, raw) && near(told.running, running), "{told:?}");
        assert!(near(told.final_probability, raw / mass), "{told:?}");
    }
    assert_eq!(top_p.candidates.len(), 5);
}

/// What a chain that ends after a stage does to an array is what the report says of that stage.
#[test]
fn every_number_is_that_of_the_prefix_of_the_chain() {
    let mut random = SplitMix(11);
    let mut cuts = 0;
    for case in 0..400 {
        let (name, make) = KINDS[case % KINDS.len()];
        let n = random.pick(&[1, 2, 5, 40, 300]);
        let row = make(n, random.next());
        let (chain, s2) = random_chain(&mut random, n);
        let report = chain.report(&row, n + 1).expect("a report");
        let shown = Shown::of(&chain, s2, &row);
        let what = format!("{name}, {n} tokens, {:?}", report.stages);
        assert_eq!((report.tokens, report.candidates.len()), (n, n), "{what}");
        assert_eq!(report.nans, row.iter().filter(|l| l.is_nan()).count(), "{what}");
        assert!((report.entropy - shown.raw_entropy).abs() < 1e-9, "{what}");
        assert_eq!(report.stages.len(), chain.stages().len(), "{what}");
        assert_eq!(report.selecting, shown.selecting, "{what}");
        for (index, (stage, want)) in report.stages.iter().zip(&shown.stages).enumerate() {
            assert_eq!(stage.name, chain.stages()[index].name(), "{what}");
            assert_eq!((stage.before, stage.after), want.counts, "{index} of {what}");
            let numbers = [stage.raw_mass, stage.kept_mass, stage.entropy];
            let same = numbers.iter().zip(want.numbers).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(same, "{index} of {what}: {:?}", want.numbers);
            cuts += usize::from(stage.after < stage.before);
        }
        let order = rank(&row).ids;
        for (rank, told) in report.candidates.iter().enumerate() {
            assert_eq!(told.id, order[rank], "{what}");
            assert_eq!(told.dropped_by, shown.dropped_by[told.id as usize], "{told:?} of {what}");
            let last = shown.last_logits[told.id as usize];
            assert_eq!(told.final_logit, last, "{told:?} of {what}");
            let chosen = shown.chosen[told.id as usize];
            assert!((told.final_probability - chosen).abs() < 1e-6, "{chosen}: {told:?} of {what}");
        }
    }
    assert!(cuts > 200, "the chains cut only {cuts} times");
}

#[test]
fn report_changes_nothing_and_predicts_the_token() {
    let mut random = SplitMix(5);
    for case in 0..200 {
        let n = random.pick(&[3, 70, 700]);
        let row = KINDS[case % KINDS.len()].1(n, random.next());
        let (mut chain, _) = random_chain(&mut random, n);
        chain.add(Stage::dist(random.next() as u32)).expect("memory");
        let mut untouched = chain.try_clone().expect("memory");
        for _ in 0..4 {
            let report = chain.report(&row, n).expect("a report");
            let again = chain.report(&row, n).expect("a report");
            // As texts, in which NaN equals NaN.
            assert_eq!(report.to_json(), again.to_json(), "another report");
            let drawn = chain.sample(&row);
            assert_eq!(drawn, untouched.sample(&row));
            let Ok(token) = drawn else {
                assert_eq!(drawn, Err(Error::NoCandidate));
                assert!(report.candidates.iter().all(|told| told.final_probability == 0.0));
                continue;
            };
            let told = report.candidates.iter().find(|told| told.id == token).expect("in the row");
            assert!(told.final_probability > 0.0 && told.dropped_by.is_none(), "{told:?}");
        }
    }
}

/// What lies beyond the mass of a dist is never drawn.
#[test]
fn a_mass_is_reported_as_a_request_tells_it() {
    let row = [1.0, 3.0, 2.0, f32::NEG_INFINITY, 2.5, 3.0];
    for (mass, order) in [(0.5, DistOrder::List), (0.6, DistOrder::Id), (0.9, DistOrder::Rank)] {
        let options = DistOptions { mass, order, ..DistOptions::new(7) };
        let mut chain = chain(vec![Ok(Stage::softmax()), Stage::dist_with(options)]);
        let report = chain.report(&row, row.len()).expect("a report");
        for told in report.candidates {
            let watched_id = Some(told.id as i32);
            let request = ChainRequest { watched_id, uniforms: &[0.3], ..ChainRequest::new(&row) };
            let watched = chain.sample_request(&request).expect("a token").watched;
            assert!(near(told.final_probability, watched.final_p), "{mass}: {told:?}");
        }
    }
}

#[test]
fn draw_report_has_the_candidates_of_the_request() {
    let mut random = SplitMix(3);
    let mut several = 0;
    for case in 0..12 * KINDS.len() {
        let (name, make) = KINDS[case % KINDS.len()];
        let n = random.pick(&[1, 2, 3, 33, 1000]);
        let row = make(n, random.next());
        let ranked = rank(&row);
        if ranked.logits[0] == f32::NEG_INFINITY {
            // A draw with a handle is an error, and no token has a probability.
            let report = report_draw(&row, &SamplerParams::default(), n).expect("a report");
            let probabilities =
                |told: &CandidateReport| [told.raw_probability, told.final_probability];
            assert!(report.candidates.iter().all(|told| probabilities(told) == [0.0, 0.0]));
            continue;
        }
        let mut all = one_at_a_time(n);
        all.extend((0..20).map(|_| combined(&ranked, &mut random)));
        let params = random.pick(&all);
        for params in [params, combined(&ranked, &mut random)] {
            let what = format!("{name}, {n} tokens, {params:?}");
            let report = report_draw(&row, &params, 3).expect("a report");
            let respond = |watched| {
                let request =
                    SampleRequest { watched_id: Some(watched), ..SampleRequest::new(&row, params) };
                Sampler::new(1).sample_request(&request).expect("a response")
            };
            let response = respond(0);
            assert_eq!(report.stages[0].after, response.candidates, "{what}");
            let mut drawn = chain(vec![Ok(Stage::s2(params)), Ok(Stage::dist(1))]);
            assert_eq!(drawn.sample(&row), Ok(response.token as u32), "{what}");
            assert_eq!((report.nans, report.infinities), (response.nans, response.infinities));
            several += usize::from(response.candidates > 1);
            for told in &report.candidates {
                let watched = respond(told.id as i32).watched;
                let want = watched.raw_p;
                assert!((told.raw_probability - want).abs() < 1e-6, "{want}: {told:?}, {what}");
                let want = watched.final_p;
                assert!((told.final_probability - want).abs() < 1e-9, "{want}: {told:?}, {what}");
            }
        }
    }
    assert!(several > 100, "only {several} draws had a choice");
}

/// The threshold of each kind, from the probabilities {.1, .2, .3, .4}.
#[test]
fn thresholds_are_in_their_units() {
    let row = [0.1_f32, 0.2, 0.3, 0.4].map(f32::ln);
    let of = |stage: Result<Stage, Error>| -> (Option<f64>, &'static str) {
        let report = chain(vec![stage]).report(&row, 0).expect("a report");
        (report.stages[0].threshold, report.stages[0].unit)
    };
    let near = |(threshold, unit): (Option<f64>, &str), want: f64, name: &str| {
        let threshold = threshold.expect("a threshold");
        assert!(
            (threshold - want).abs() < 1e-6 && unit == name,
            "{threshold} {unit}: {want} {name}"
        );
    };
    near(of(Ok(Stage::top_k(3))), 3.0, "rank");
    near(of(Stage::top_p(0.7, 1)), 0.7, "running probability");
    near(of(Stage::min_p(0.6, 1)), 0.24, "probability");
    near(of(Stage::typical(0.5, 1)), 0.5, "mass");
    near(of(Stage::xtc(1.0, 0.15, 1, 0)), 0.15, "probability");
    near(of(Stage::temperature(0.5)), 0.5, "temperature");
    near(of(Stage::mirostat_v2(1, 2.5, 0.1)), 5.0, "bits");
    let logits = row.map(f64::from);
    let mean = logits.iter().sum::<f64>() / 4.0;
    let deviation = (logits.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / 4.0).sqrt();
    near(of(Stage::top_n_sigma(1.0)), logits[3] - deviation, "logit");
    let entropy: f64 = [0.1, 0.2, 0.3, 0.4].iter().map(|p: &f64| -p * p.ln()).sum();
    let t = 0.5 + (1.5 - 0.5) * (entropy / 4_f64.ln()).powi(2);
    near(of(Stage::temperature_ext(1.0, 0.5, 2.0)), t, "temperature");
    let s2 = |temperature, top_p, top_k| Ok(Stage::s2(SamplerParams { temperature, top_p, top_k }));
    near(of(s2(0.8, 0.8, 30)), 0.8, "running probability");
    near(of(s2(0.8, 0.95, 2)), 2.0, "rank");
    for none in [
        s2(0.0, 0.8, 30),
        s2(0.8, f32::NAN, 0),
        Ok(Stage::softmax()),
        Ok(Stage::greedy()),
        Ok(Stage::dist(1)),
        Ok(Stage::top_k(0)),
        Stage::top_p(1.0, 1),
        Stage::temperature(1.0),
        Stage::penalties(64, 1.1, 0.0, 0.0),
        Stage::logit_bias(&[(1, 1.0)]),
        // What is no number is no threshold either.
        Stage::temperature_ext(f32::NEG_INFINITY, f32::INFINITY, 1.0),
    ] {
        assert_eq!(of(none), (None, ""));
    }
}

/// A stage that never runs, one that is off, and greedy, which leaves one.
#[test]
fn every_stage_is_reported() {
    let row = [1.0, 3.0, 2.0, 0.0];
    let stages =
        vec![Ok(Stage::top_k(0)), Ok(Stage::top_k(3)), Ok(Stage::greedy()), Ok(Stage::top_k(1))];
    let report = chain(stages).report(&row, 4).expect("a report");
    let counts: Vec<_> = report.stages.iter().map(|s| (s.name, s.off, s.before, s.after)).collect();
    let want = [
        ("top_k", true, 4, 4),
        ("top_k", false, 4, 3),
        ("greedy", false, 3, 1),
        ("top_k", false, 1, 1),
    ];
    assert_eq!(counts, want);
    assert_eq!(report.stages[1].parameters, "k 3");
    let fates: Vec<_> =
        report.candidates.iter().map(|c| (c.id, c.dropped_by, c.final_probability)).collect();
    let want = [(1, None, 1.0), (2, Some(2), 0.0), (0, Some(2), 0.0), (3, Some(1), 0.0)];
    assert_eq!(fates, want);
}

#[test]
fn histories_and_presets_are_reported() {
    let row = [2.0, -2.0, 1.0];
    let params = PresetParams { repeat_penalty: 1.5, ..PresetParams::of(Preset::TemperatureFirst) };
    let mut chain = Chain::preset(Preset::TemperatureFirst, &params, 4).expect("a chain");
    chain.accept(0).expect("memory");
    chain.accept(1).expect("memory");
    let report = chain.report(&row, 3).expect("a report");
    let names: Vec<_> = report.stages.iter().map(|stage| stage.name).collect();
    assert_eq!(names, ["penalties", "temperature", "softmax", "top_k", "top_p", "min_p", "dist"]);
    let told = |id| report.candidates.iter().find(|told| told.id == id).expect("in the row");
    assert_eq!(told(0).final_logit, 2.0_f32 / 1.5 / 0.8);
    assert_eq!(told(1).final_logit, -2.0_f32 * 1.5 / 0.8);
    assert_eq!(told(0).logit, 2.0);
}

#[test]
fn a_row_must_have_tokens() {
    assert_eq!(chain(vec![Ok(Stage::greedy())]).report(&[], 3), Err(Error::EmptyRow));
    assert_eq!(report_draw(&[], &SamplerParams::default(), 3), Err(Error::EmptyRow));
    let report: Report = chain(vec![]).report(&[1.0], 3).expect("a report");
    assert_eq!(report.candidates[0].final_probability, 1.0);
    // The same as a list, which the other tests apply chains to.
    let mut one = [TokenData { id: 0, logit: 1.0, p: 0.0 }];
    assert_eq!(chain(vec![]).apply(&mut one, false).map(|applied| applied.len), Ok(1));
}
