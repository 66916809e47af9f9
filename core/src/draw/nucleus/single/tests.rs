//! The cut grows with S, and is the same as that of single steps.

use super::{INITIAL_RANKS, Resolution, cut, kept_ranks};
use crate::draw::nucleus::tests::uniform;
use crate::select::{RankedPrefix, RowScan};
use crate::simd::{Kernels, SimdLevel};

/// [`kept_ranks`], with all ranks if the running sum does not get to p.
fn kept(exps: &[f32], sum: f32, p: f32) -> usize {
    kept_ranks(exps, sum, p).unwrap_or(exps.len())
}

/// The running sums that are compared with p.
fn running_sums(exps: &[f32], sum: f32) -> Vec<f32> {
    let step = |c: &mut f32, e: &f32| {
        *c += e / sum;
        Some(*c)
    };
    exps.iter().scan(0.0, step).collect()
}

fn falling_exps(seed: u64) -> Vec<f32> {
    let mut next = uniform(seed);
    let (len, depth) = (1 + (2000.0 * next()) as usize, 20.0 * next() * next());
    let mut exps: Vec<f32> = (0..len).map(|_| (-depth * next()).exp()).collect();
    exps.push(1.0);
    exps.sort_by(|a, b| b.total_cmp(a));
    exps
}

#[test]
fn the_running_sums_fall_as_the_sum_grows() {
    for seed in 0..300 {
        let exps = falling_exps(seed);
        let mut sum = exps.iter().fold(0.0, |s, e| s + e);
        let mut before = running_sums(&exps, sum);
        let mut next = uniform(!seed);
        for _ in 0..20 {
            // By one unit, or by a percent.
            sum = if next() < 0.5 { sum.next_up() } else { sum * (1.0 + 0.01 * next()) };
            let after = running_sums(&exps, sum);
            assert!(before.iter().zip(&after).all(|(before, after)| after <= before));
            // Hence the cut.
            let p = before[(next() * exps.len() as f32) as usize];
            assert!(kept(&exps, sum.next_down(), p) <= kept(&exps, sum, p), "seed {seed}");
            assert!(kept(&exps, sum, p) <= kept(&exps, CEILING, p), "seed {seed}");
            before = after;
        }
    }
}

const CEILING: f32 = (1 << 24) as f32;

#[test]
fn the_cut_is_where_single_steps_pass() {
    for seed in 0..200 {
        let exps = falling_exps(seed);
        let sum = exps.iter().fold(0.0, |s, e| s + e);
        let running = running_sums(&exps, sum);
        for i in 0..running.len() {
            for p in [running[i].next_down(), running[i], running[i].next_up()] {
                let passes = running.iter().position(|c| *c > p).unwrap_or(exps.len()).max(1);
                assert_eq!(kept(&exps, sum, p), passes, "seed {seed}, rank {i}");
                if exps.len() > 200 && i > 100 {
                    break;
                }
            }
        }
    }
}

/// Every proof finds the literal cut, whatever p and the limit: a p between, at, and next to running
/// sums, where a sum that is one unit off gives another cut.
#[test]
fn every_proof_finds_the_cut() {
    for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
        let mut resolutions = Vec::new();
        let mut prefix = RankedPrefix::new();
        let mut scan = RowScan::new();
        for seed in 0..60 {
            let mut next = uniform(seed);
            let (n, depth) = ((20_000.0 * next() * next()) as usize + 2, 12.0 * next() * next());
            let grid = if seed % 3 == 0 { 64.0 } else { 1e5 };
            let row: Vec<f32> = (0..n).map(|_| (next() * depth * grid).round() / grid).collect();
            let mut sorted = row.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let exps: Vec<f32> = sorted.iter().map(|l| (l - sorted[0]).exp()).collect();
            let running = running_sums(&exps, exps.iter().fold(0.0, |s, e| s + e));
            for _ in 0..40 {
                let at = running[(next() * next() * n as f32) as usize];
                let p = [at.next_down(), at, at.next_up(), next()][(next() * 4.0) as usize];
                let limit = [n, n.min(INITIAL_RANKS + 1), 2 + (next() * (n - 1) as f32) as usize]
                    [(next() * 3.0) as usize];
                let literal = running.iter().position(|c| *c > p).unwrap_or(n).clamp(1, limit);
                let mut blocked = scan.read(kernels, &row).expect("memory");
                let (found, resolution) = cut(&mut blocked, &mut prefix, limit, p).expect("memory");
                assert_eq!(
                    found,
                    literal,
                    "seed {seed}, n {n}, p {p:e}, limit {limit}, {resolution:?}, {:?}",
                    kernels.level()
                );
                resolutions.push(resolution);
            }
        }
        for resolution in [Resolution::Maxima, Resolution::Row, Resolution::Exact, Resolution::Sort]
        {
            assert!(resolutions.contains(&resolution), "{resolution:?} was never needed");
        }
    }
}

/// The number of candidates that the rule leaves of a row, without a limit.
fn candidates(row: &[f32], p: f32) -> usize {
    let (mut scan, mut prefix) = (RowScan::new(), RankedPrefix::new());
    let mut blocked = scan.read(Kernels::chosen(), row).expect("memory");
    cut(&mut blocked, &mut prefix, row.len(), p).expect("memory").0
}

#[test]
fn the_token_that_exceeds_p_is_dropped() {
    // Four probabilities of a quarter: their running sums are exact.
    let row = [0.0; 4];
    for (p, kept) in [
        (0.0, 1),
        (0.25_f32.next_down(), 1),
        (0.25, 1),
        (0.25_f32.next_up(), 1),
        (0.5, 2),
        (0.5_f32.next_up(), 2),
        (1.0_f32.next_down(), 3),
        (1.0, 4),
    ] {
        assert_eq!(candidates(&row, p), kept, "{p}");
    }
}

#[test]
fn tokens_at_neg_inf_stay_if_the_sum_does_not_exceed_p() {
    let row = [0.0, f32::NEG_INFINITY, 0.0, f32::NEG_INFINITY];
    // The sum of two halves is 1: it does not exceed 1.
    assert_eq!(candidates(&row, 1.0), 4);
    assert_eq!(candidates(&row, f32::NAN), 4);
    // A single token above -inf: rank 0 stays by itself, unless its probability of 1 does not exceed p.
    let row = [f32::NEG_INFINITY, 7.0, f32::NEG_INFINITY];
    assert_eq!(candidates(&row, 0.9), 1);
    assert_eq!(candidates(&row, 1.0), 3);
}
