//! The sums of a chain are double sums in rank order: on rows as long as vocabularies, and on rows and p where
//! the last bit of a sum decides. From the row, on arrays, and by the oracle, at every level.

use crate::common;

use common::chain::spec::{Spec, fill};
use common::chain::{List, Oracle};
use common::rows::{KINDS, SplitMix};
use common::scale::Numbered;
use common::{golden, levels};
use s2sampler_core::{Chain, TokenData};

const CASES: usize = 1500;

/// The numbers of candidates above -inf that the stages leave, one after the other, from the row.
fn counts(chain: &Chain, row: &[f32]) -> Vec<usize> {
    chain.report(row, 0).expect("a report").stages.iter().map(|stage| stage.after).collect()
}

fn array(row: &[f32]) -> Vec<TokenData> {
    (0..).zip(row).map(|(id, &logit)| TokenData { id, logit, p: 0.0 }).collect()
}

/// The number that the stages leave of an array.
fn count_of_array(chain: &Chain, row: &[f32]) -> usize {
    let (mut chain, mut tokens) = (chain.try_clone().expect("memory"), array(row));
    let len = chain.apply(&mut tokens, false).expect("candidates").len;
    let above = tokens[..len].iter().filter(|token| token.logit > f32::NEG_INFINITY).count();
    above.max(1)
}

fn chains(specs: &[Spec]) -> Vec<(&'static str, Chain)> {
    let chain = |level| fill(Chain::new().with_simd_level(level).expect("available"), specs);
    levels::all().into_iter().map(|level| (level.name(), chain(level))).collect()
}

/// Candidates of real rows of 262,144 logits: those of sums without an error, and Hugging Face's.
#[test]
fn real_rows_keep_their_tail() {
    let top_p = |p| Spec::TopP { p, min_keep: 1 };
    let typical = |p| Spec::Typical { p, min_keep: 1 };
    for (name, t, stage, want) in [
        ("18", 1.0, top_p(0.999), 21),
        ("18", 1.5, top_p(0.95), 45),
        ("18", 1.5, top_p(0.99), 1933),
        ("18", 1.5, top_p(0.999), 32_065),
        ("27", 1.0, top_p(0.95), 971),
        ("27", 1.0, top_p(0.99), 3001),
        ("27", 1.5, top_p(0.95), 8172),
        ("27", 1.5, top_p(0.99), 35_161),
        ("27", 1.5, top_p(0.999), 113_391),
        ("27", 1.5, typical(0.99), 35_161),
    ] {
        let row = golden::row(name);
        for (level, chain) in chains(&[Spec::Temperature(t), stage.clone()]) {
            let what = format!("row {name}, T {t}, {stage:?}, {level}");
            assert_eq!(counts(&chain, &row)[1], want, "{what}");
            assert_eq!(count_of_array(&chain, &row), want, "{what}, array");
        }
    }
}

#[test]
fn probabilities_of_a_long_row_add_up_to_1() {
    for (name, t) in [("18", 1.0), ("18", 1.5), ("27", 1.0), ("27", 1.5)] {
        let row = golden::row(name);
        for (level, mut chain) in chains(&[Spec::Temperature(t), Spec::Softmax]) {
            let mut tokens = array(&row);
            chain.apply(&mut tokens, false).expect("candidates");
            let sum: f64 = tokens.iter().map(|token| f64::from(token.p)).sum();
            assert!((sum - 1.0).abs() < 1e-7, "row {name}, T {t}, {level}: {sum}");
        }
    }
}

/// One top token and a tail, every exp of which a binary32 sum would lose.
#[test]
fn a_tail_counts_however_flat_it_is() {
    for n in [1_000, 65_537, 200_001] {
        let mut row = vec![-17.0; n];
        row[n / 2] = 0.0;
        let tail = f64::from((-17.0_f32).exp());
        let sum = 1.0 + (n - 1) as f64 * tail;
        // The p that is half-way between two ranks in the middle of the tail.
        let p = ((1.0 + (n as f64 / 2.0).floor() * tail) / sum) as f32;
        let want = 1 + ((f64::from(p) * sum - 1.0) / tail).ceil() as usize;
        for (level, chain) in chains(&[Spec::TopP { p, min_keep: 1 }]) {
            assert_eq!(counts(&chain, &row), [want], "{n}, {level}");
            assert_eq!(count_of_array(&chain, &row), want, "{n}, {level}, array");
        }
    }
}

/// Rows of every shape and of lengths around every boundary, with p at a running sum and beside it: top_p alone,
/// and after a softmax and cuts.
#[test]
fn p_at_running_sums() {
    for case in &mut Numbered::new(CASES) {
        let mut random = SplitMix(case);
        let n = length(&mut random);
        let (shape, make) = random.pick(KINDS);
        let row = make(n, random.next());
        let mut list = List::of_row(&row);
        list.sort();
        list.softmax();
        let rank = (n as f32).powf(random.unit()) as usize;
        let running: f64 = list.items.iter().take(rank).map(|c| f64::from(c.e)).sum();
        let at = (running / list.s) as f32;
        let other = random.unit();
        let p = random.pick(&[at.next_down(), at, at.next_up(), at, other, 0.999]);
        let top_p = Spec::TopP { p, min_keep: random.pick(&[0, 1, 1, 1, 40, n]) };
        let cut = random.pick(&[1, 2, 40, 64, 65, 1000, n / 2 + 1, n]) as i32;
        let specs = match random.below(5) {
            0 => vec![Spec::Softmax, Spec::TopK(cut), top_p],
            1 => vec![Spec::Softmax, Spec::MinP { p: 1e-4, min_keep: 1 }, top_p.clone(), top_p],
            2 => vec![Spec::TopK(cut), top_p.clone(), Spec::Typical { p, min_keep: 1 }],
            3 => vec![Spec::Typical { p, min_keep: 1 }],
            _ => vec![top_p],
        };
        let mut want = Vec::new();
        for stages in 1..=specs.len() {
            let mut list = List::of_row(&row);
            Oracle::new(&specs[..stages]).apply(&mut list).expect("no stage selects");
            let above = list.items.iter().filter(|c| c.logit > f32::NEG_INFINITY).count();
            want.push(above.max(1));
        }
        // No load is aligned but by chance, and what lies beside the row would win if it were read.
        let before = random.below(17);
        let mut buffer = vec![f32::INFINITY; before];
        buffer.extend_from_slice(&row);
        buffer.extend([f32::INFINITY; 5]);
        let placed = &buffer[before..before + n];
        for (level, chain) in chains(&specs) {
            let what = format!("case {case}, {shape}, n {n}, p {p:e}, {specs:?}, {level}");
            assert_eq!(counts(&chain, placed), want, "{what}");
            assert_eq!(count_of_array(&chain, placed), want[want.len() - 1], "{what}, array");
        }
    }
}

/// Lengths at the edges of chunks, of tiles and of the first prefix; seldom a long one.
fn length(random: &mut SplitMix) -> usize {
    let edge = match random.below(64) {
        0 => 155_776,
        1 => 65_536,
        2..6 => random.pick(&[4096, 8192, 16_384]),
        6..40 => random.pick(&[64, 128, 256, 512]) * (1 + random.below(5)),
        _ => random.pick(&[3, 16, 32, 64]),
    };
    edge + random.below(5) - 2
}
