//! The cut is that of single steps, whatever proves it.

use super::{INITIAL_RANKS, Resolution, cut};
use crate::draw::nucleus::tests::uniform;
use crate::select::{RankedPrefix, RowScan};
use crate::simd::{Kernels, SimdLevel};

/// The running sums that are compared with p's share of the last one, by single steps.
fn running_sums(row: &[f32]) -> Vec<f64> {
    let mut sorted: Vec<f32> = row.iter().map(|l| l.max(f32::MIN)).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut add = |l: &f32| {
        sum += f64::from((l - sorted[0]).exp());
        sum
    };
    sorted.iter().map(&mut add).collect()
}

/// The number of ranks that stay.
fn literal(sums: &[f64], limit: usize, p: f32) -> usize {
    let share = f64::from(p) * sums[sums.len() - 1];
    sums[..limit].iter().position(|sum| *sum >= share).map_or(limit, |end| end + 1)
}

/// The largest p that keeps no more than the first `ranks`.
fn p_at(sums: &[f64], ranks: usize) -> f32 {
    let mut p = (sums[ranks - 1] / sums[sums.len() - 1]) as f32;
    while literal(sums, sums.len(), p) > ranks {
        p = p.next_down();
    }
    while literal(sums, sums.len(), p.next_up()) <= ranks && p < 1.0 {
        p = p.next_up();
    }
    p
}

type Shape = fn(usize, &mut dyn FnMut() -> f32) -> Vec<f32>;

/// Rows on which some bound of S is close to decide, or does not decide.
const SHAPES: &[(&str, Shape)] = &[
    ("slope", |n, next| {
        let (depth, grid) = (12.0 * next() * next(), [64.0, 1e5][(2.0 * next()) as usize]);
        (0..n).map(|_| (next() * depth * grid).round() / grid).collect()
    }),
    ("all equal", |n, _| vec![-3.25; n]),
    // Every running sum is exact, and so is p's share for some p: equality, where no error is allowed.
    ("two levels", |n, next| {
        let level = -(12.0 * next()).round() * core::f32::consts::LN_2;
        (0..n).map(|_| if next() < 0.1 { 0.0 } else { level }).collect()
    }),
    // A tail that binary32 loses, most of the mass.
    ("flat tail", |n, next| {
        let level = -15.0 - 4.0 * next();
        (0..n).map(|i| if i == n / 3 { 0.0 } else { level + 0.01 * next() }).collect()
    }),
    // Exps of every size down to those that add nothing in double.
    ("deep", |n, next| (0..n).map(|i| if i == n / 2 { 0.0 } else { -45.0 * next() }).collect()),
    // Exps of which some add to a sum and some do not.
    ("smallest steps", |n, next| {
        (0..n).map(|i| if i == 0 { 0.0 } else { -36.7 - 0.1 * next() }).collect()
    }),
    // At the limit between the exps that add exactly and those that do not, for sums of every binade.
    ("limit of exactness", |n, next| {
        let equals = 1 + (next() * next() * n as f32) as usize;
        let level = (equals as f32).ln() - 20.1;
        (0..n).map(|i| if i < equals { 0.0 } else { level + 0.7 * (next() - 0.5) }).collect()
    }),
    ("masked", |n, next| {
        let masks = [f32::NEG_INFINITY, f32::NAN];
        (0..n)
            .map(|i| match (10.0 * next()) as usize {
                mask if mask > 1 && i > 0 => masks[mask % 2],
                _ => 6.0 * next(),
            })
            .collect()
    }),
];

#[test]
fn every_proof_finds_the_cut() {
    let lengths = [2, 3, 63, 64, 65, 127, 129, 255, 256, 257, 1000, 4095, 4097, 8193, 20_000];
    for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
        let mut resolutions = Vec::new();
        let (mut prefix, mut scan) = (RankedPrefix::new(), RowScan::new());
        for seed in 0..120 {
            let mut next = uniform(seed);
            let (name, shape) = SHAPES[seed as usize % SHAPES.len()];
            let n = lengths[(next() * lengths.len() as f32) as usize];
            let row = shape(n, &mut next);
            let sums = running_sums(&row);
            for _ in 0..20 {
                let ranks = 1 + [next() * n as f32, (n as f32).powf(next())]
                    [(2.0 * next()) as usize] as usize;
                let at = p_at(&sums, ranks.min(n));
                let p = [at.next_down().max(0.0), at, at.next_up(), next(), 0.999, 0.5];
                let p = p[(next() * p.len() as f32) as usize].min(1.0_f32.next_down());
                let limit = [n, n.min(INITIAL_RANKS + 1), 1 + (next() * n as f32) as usize]
                    [(next() * 3.0) as usize];
                let mut blocked = scan.read(kernels, &row).expect("memory");
                let (found, resolution) =
                    cut(&mut blocked, &mut prefix, limit, p.into()).expect("memory");
                assert_eq!(
                    found,
                    literal(&sums, limit, p),
                    "{name}, seed {seed}, n {n}, p {p:e}, limit {limit}, {resolution:?}, {:?}",
                    kernels.level()
                );
                resolutions.push(resolution);
            }
        }
        for resolution in [Resolution::Maxima, Resolution::Row, Resolution::Exact, Resolution::Sort]
        {
            let count = resolutions.iter().filter(|r| **r == resolution).count();
            assert!(count > 10, "{:?}: {resolution:?} was needed {count} times", kernels.level());
        }
    }
}

/// The number of candidates that the rule leaves of a row, without a limit.
fn candidates(row: &[f32], p: f32) -> usize {
    let (mut scan, mut prefix) = (RowScan::new(), RankedPrefix::new());
    let mut blocked = scan.read(Kernels::chosen(), row).expect("memory");
    cut(&mut blocked, &mut prefix, row.len(), p.into()).expect("memory").0
}

#[test]
fn the_token_that_reaches_p_stays() {
    let row = [0.0; 4];
    for (p, kept) in [
        (0.0, 1),
        (0.25, 1),
        (0.25_f32.next_up(), 2),
        (0.5, 2),
        (0.5_f32.next_up(), 3),
        (1.0_f32.next_down(), 4),
        (1.0, 4),
    ] {
        assert_eq!(candidates(&row, p), kept, "{p}");
    }
    // Tokens at -inf add nothing.
    let row = [0.0, f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY];
    assert_eq!(candidates(&row, 1.0_f32.next_down()), 2);
    assert_eq!(candidates(&[f32::NEG_INFINITY, 7.0, f32::NEG_INFINITY], 0.9), 1);
}

/// A long row of equal logits has an exact sum: a p that falls on a rank needs no sort of the row.
#[test]
fn exact_sums_need_no_sort() {
    let row = vec![1.0; 200_000];
    let (mut scan, mut prefix) = (RowScan::new(), RankedPrefix::new());
    for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
        let mut blocked = scan.read(kernels, &row).expect("memory");
        let found = cut(&mut blocked, &mut prefix, row.len(), 1.0 / 64.0).expect("memory");
        assert_eq!(found, (200_000 / 64, Resolution::Exact), "{:?}", kernels.level());
    }
}
