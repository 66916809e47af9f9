//! What it takes to settle draws: the slow path stays rare, and the golden cases go every way.
//!
//! `cargo test resolutions -- --nocapture` shows the shares.

use crate::common;

use common::golden;
use common::rows::{SplitMix, bell};
use common::scale;
use s2sampler_core::{ResolutionCounts, Sampler, SamplerParams};

/// For each of two real rows: more than 10,000 draws together.
const DRAWS: usize = 5_250;

/// Parameters of the kind that users choose. The row, top_p and top_k decide how a draw is settled,
/// so each has a top_p of its own; most have a top_k, since others take longer.
fn usual(random: &mut SplitMix) -> SamplerParams {
    SamplerParams {
        temperature: 0.8,
        top_p: 0.5 + 0.49 * random.unit(),
        top_k: random.pick(&[0, 30, 30, 30, 40, 50, 50, 100]),
    }
}

fn show(what: &str, counts: ResolutionCounts) {
    let all = counts.total();
    let ResolutionCounts { maxima, row, exact, sort } = counts;
    let [maxima, row, exact, sort] =
        [maxima, row, exact, sort].map(|n| 100.0 * n as f64 / all as f64);
    println!(
        "{what}: {all} draws; {maxima:.2} % by the maxima, {row:.2} % by a sum over the row, \
         {exact:.2} % by the exact sum, {sort:.2} % by a sort"
    );
}

#[test]
fn fewer_than_one_draw_in_10_000_sorts_a_real_row() {
    let draws_of_a_row = scale::cases(DRAWS);
    let mut all = ResolutionCounts::default();
    for name in ["18", "27"] {
        let row = &golden::real(name)[0].row;
        let mut random = SplitMix(1);
        let mut sampler = Sampler::new(1);
        for _ in 0..draws_of_a_row {
            sampler.sample(row, &usual(&mut random)).expect("a token");
        }
        show(&format!("real row {name}"), sampler.resolutions());
        all += sampler.resolutions();
    }
    let draws = all.total();
    assert_eq!(draws, 2 * draws_of_a_row as u64, "each of these draws needs a proof");
    assert!(all.sort * 10_000 < draws, "{all:?}");
}

#[test]
fn a_wide_row_is_settled_by_bounds() {
    let mut sampler = Sampler::new(1);
    let mut random = SplitMix(2);
    for seed in 0..200 {
        let row = bell(155_776, 3.0 / (1 << 20) as f32, seed);
        let params = SamplerParams { top_k: 30, ..usual(&mut random) };
        sampler.sample(&row, &params).expect("a token");
    }
    show("N(0,3), top_k 30", sampler.resolutions());
    let ResolutionCounts { maxima, row, exact, sort } = sampler.resolutions();
    assert_eq!((maxima + row, exact, sort), (200, 0, 0));
}

/// If one of the ways were never gone, none of the golden tokens would show that it is wrong.
#[test]
fn golden_cases_use_every_resolution() {
    let mut all = ResolutionCounts::default();
    for line in golden::generated("sampler.tsv") {
        let mut sampler = Sampler::new(1);
        for _ in 0..line.tokens.len() {
            sampler.sample(&line.row, &line.params).expect("a token");
        }
        all += sampler.resolutions();
    }
    show("sampler.tsv", all);
    let ResolutionCounts { maxima, row, exact, sort } = all;
    assert!([maxima, row, exact, sort].iter().all(|draws| *draws > 0), "{all:?}");
}
