//! Wide draws against the rule, one step after the other, on rows of every shape.

use super::{cut, token};
use crate::rules::expf::expf;
use crate::select::{RankGroups, RankedPrefix, RowScan};
use crate::simd::{Kernels, SimdLevel};

/// Numbers in [0, 1).
fn uniform(seed: u64) -> impl FnMut() -> f32 {
    let mut state = !seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 40) as f32 / (1 << 24) as f32
    }
}

/// The rule as the manual states it.
struct Rule {
    /// Rank order, without what counts as -inf.
    ranked: Vec<(f32, u32)>,
    /// The running sums that are compared with p.
    running: Vec<f32>,
}

impl Rule {
    fn of(row: &[f32]) -> Self {
        let finite = row.iter().copied().zip(0..).filter(|(l, _)| *l > f32::NEG_INFINITY);
        let mut ranked: Vec<(f32, u32)> = finite.collect();
        ranked.sort_by(|a, b| b.0.partial_cmp(&a.0).expect("no NaN").then(a.1.cmp(&b.1)));
        let exps: Vec<f32> = ranked.iter().map(|(l, _)| expf(l - ranked[0].0)).collect();
        let mut sum = 0.0;
        exps.iter().for_each(|e| sum += e);
        let mut running = Vec::new();
        let mut share = 0.0_f32;
        for e in exps {
            share += e / sum;
            running.push(share);
        }
        Self { ranked, running }
    }

    fn kept(&self, limit: usize, p: f32) -> usize {
        let end = self.running.iter().position(|share| *share > p);
        end.unwrap_or(limit).max(1).min(limit)
    }

    /// The running sums that the uniform is compared with.
    fn shares(&self, kept: usize, t: f32) -> Vec<f64> {
        let kept = &self.ranked[..kept.min(self.ranked.len())];
        let mut weights: Vec<f32> = kept.iter().map(|(l, _)| expf((l - kept[0].0) / t)).collect();
        for _ in 0..2 {
            let mut sum = 0.0;
            weights.iter().for_each(|w| sum += w);
            weights.iter_mut().for_each(|w| *w /= sum);
        }
        let mut sum = 0.0;
        weights.iter().for_each(|w| sum += f64::from(*w));
        let mut running = 0.0;
        let mut shares: Vec<f64> = Vec::new();
        for w in &weights {
            running += f64::from(*w) / sum;
            shares.push(running);
        }
        // The last weight that is not 0 has the rest.
        let last = weights.iter().rposition(|w| *w > 0.0).expect("the first is not 0");
        shares[last..].fill(1.0);
        shares
    }
}

type Shape = (&'static str, fn(usize, &mut dyn FnMut() -> f32) -> Vec<f32>);

fn bell(n: usize, deviation: f32, next: &mut dyn FnMut() -> f32) -> Vec<f32> {
    (0..n).map(|_| ((0..12).map(|_| next()).sum::<f32>() - 6.0) * deviation).collect()
}

const SHAPES: [Shape; 22] = [
    ("bell 3", |n, next| bell(n, 3.0, next)),
    ("bell 1", |n, next| bell(n, 1.0, next)),
    ("bell 0.1, far from 0", |n, next| bell(n, 0.1, next).iter().map(|l| l - 1000.0).collect()),
    ("bell 6", |n, next| bell(n, 6.0, next)),
    ("bell 100", |n, next| bell(n, 100.0, next)),
    ("flat", |n, next| (0..n).map(|_| 5.0 + 0.01 * next()).collect()),
    ("equal", |n, _| vec![-3.25; n]),
    ("two levels", |n, next| (0..n).map(|_| if next() < 0.3 { 1.0 } else { 0.25 }).collect()),
    ("two clusters", |n, next| {
        (0..n).map(|_| if next() < 0.1 { 1.0 } else { -6.0 } + 1e-4 * next()).collect()
    }),
    ("coarse", |n, next| bell(n, 2.0, next).iter().map(|l| (l * 4.0).round() / 4.0).collect()),
    ("rising", |n, _| (0..n).map(|i| i as f32 / n as f32 * 9.0).collect()),
    ("falling", |n, _| (0..n).map(|i| i as f32 / n as f32 * -0.5).collect()),
    ("saw", |n, _| (0..n).map(|i| (i % 37) as f32 / 16.0).collect()),
    ("around 0", |n, next| (0..n).map(|_| (next() - 0.5) * 1e-38).collect()),
    ("denormal", |n, next| (0..n).map(|_| f32::from_bits((next() * 5000.0) as u32)).collect()),
    ("signed zeros", |n, next| (0..n).map(|_| if next() < 0.5 { 0.0 } else { -0.0 }).collect()),
    ("a peak", |n, next| {
        let mut row = bell(n, 1.0, next);
        row[n / 3] = 16.0;
        row
    }),
    ("far peaks", |n, next| {
        let mut row = bell(n, 1.0, next);
        row[n / 3] = 9.0;
        row[n / 2] = 8.5;
        row[0] = -3e38;
        row
    }),
    ("masked", |n, next| {
        bell(n, 1.0, next)
            .into_iter()
            .map(|l| if l > 1.5 { f32::NEG_INFINITY } else { l })
            .collect()
    }),
    ("NaN", |n, next| {
        bell(n, 1.0, next).into_iter().map(|l| if l > 1.0 { f32::NAN } else { l }).collect()
    }),
    ("huge", |n, next| (0..n).map(|_| (2.0 * next() - 1.0) * 3e38).collect()),
    ("half units", |n, next| {
        // Exps of half a unit of sums between 1 and 2^12, and a top.
        let half = |next: &mut dyn FnMut() -> f32| {
            let odd = (next() * 40.0).floor().mul_add(2.0, 1.0);
            f64::from(odd * ((next() * 12.0).floor() - 24.0).exp2()).ln() as f32
        };
        let mut row: Vec<f32> = (0..n).map(|_| half(next).min(0.0)).collect();
        row[n / 2] = 0.0;
        row
    }),
];

/// What happened to the draws of a test.
#[derive(Debug, Default)]
struct Settled {
    cuts: usize,
    cuts_in_doubt: usize,
    tokens: usize,
    tokens_in_doubt: usize,
}

/// The buffers of one level.
struct Draws {
    kernels: &'static Kernels,
    scan: RowScan,
    prefix: RankedPrefix,
    groups: RankGroups,
}

impl Draws {
    fn at_every_level() -> Vec<Self> {
        let levels = SimdLevel::ALL.into_iter().filter_map(Kernels::at);
        let buffers = |kernels| Self {
            kernels,
            scan: RowScan::new(),
            prefix: RankedPrefix::new(),
            groups: RankGroups::new(),
        };
        levels.map(buffers).collect()
    }

    /// The number of candidates and a token for each uniform: none if in doubt.
    fn draw(&mut self, row: &[f32], limit: usize, (p, t): (f32, f32), us: &[f64]) -> Drawn {
        let Self { kernels, scan, prefix, groups } = self;
        let mut blocked = scan.read(*kernels, row).expect("memory");
        prefix.clear();
        prefix.grow(&mut blocked, 64.min(row.len())).expect("memory");
        let kept = cut(&blocked, groups, prefix, limit, p).expect("memory");
        let tokens = us.iter().map(|u| {
            // Each draw needs the groups as the cut leaves them.
            let kept = cut(&blocked, groups, prefix, limit, p).expect("memory")?;
            token(&blocked, groups, kept, t, *u).expect("memory")
        });
        Drawn { kept, tokens: tokens.collect() }
    }
}

struct Drawn {
    kept: Option<usize>,
    tokens: Vec<Option<u32>>,
}

fn check(
    levels: &mut [Draws],
    row: &[f32],
    what: &str,
    next: &mut dyn FnMut() -> f32,
    settled: &mut Settled,
) {
    let n = row.len();
    let rule = Rule::of(row);
    let pick =
        |next: &mut dyn FnMut() -> f32, len: usize| ((next() * len as f32) as usize).min(len - 1);
    for _ in 0..3 {
        let at = rule.running[pick(next, rule.running.len())];
        let p = [0.9, 1.0, f32::NAN, next(), at.next_down(), at, at.next_up()][pick(next, 7)];
        let limit = [n, n, 2 + pick(next, n - 1)][pick(next, 3)];
        let t = [1.0, 0.8, 1.7, 30.0, 0.05, 1e-30, 1e30][pick(next, 7)];
        let kept = if p.is_nan() { limit } else { rule.kept(limit, p) };
        let shares = rule.shares(kept, t);
        let share = shares[pick(next, shares.len())];
        let below_one = 1.0_f64.next_down();
        let near = [0.0, 1e-12, -1e-12, 1e-8, -1e-8, 1e-7, -1e-7][pick(next, 7)];
        let us = [0.0, f64::from(next()), share, share + near, below_one];
        let us = us.map(|u| u.clamp(0.0, below_one));
        for draws in &mut *levels {
            let what = format!(
                "{what}, n {n}, limit {limit}, p {p:e}, t {t:e}, {:?}",
                draws.kernels.level()
            );
            let drawn = draws.draw(row, limit, (p, t), &us);
            settled.cuts += 1;
            match drawn.kept {
                Some(found) => assert_eq!(found, kept, "{what}"),
                None => settled.cuts_in_doubt += 1,
            }
            for (u, token) in us.iter().zip(drawn.tokens) {
                let rank = shares.iter().position(|share| share >= u).expect("the last is 1");
                settled.tokens += 1;
                match token {
                    Some(token) => assert_eq!(token, rule.ranked[rank].1, "{what}, u {u:e}"),
                    None => settled.tokens_in_doubt += 1,
                }
            }
        }
    }
}

/// Lengths around a vector, a tile, a batch and a chunk, and where the groups are few or many.
#[test]
fn every_shape_draws_as_the_rule_does() {
    let mut levels = Draws::at_every_level();
    for (seed, (name, shape)) in (1..).zip(SHAPES) {
        let mut settled = Settled::default();
        for n in [2, 15, 33, 255, 512, 513, 1000, 1023, 2049, 4095, 4097, 9001] {
            let mut next = uniform(seed * 1000 + n as u64);
            let row = shape(n + n % 13, &mut next);
            // At an odd place, of which the loads are not aligned.
            check(&mut levels, &row[n % 13..], name, &mut next, &mut settled);
        }
        println!("{name}: {settled:?}");
    }
}

#[test]
fn long_rows_draw_as_the_rule_does_and_are_seldom_in_doubt() {
    let mut levels = Draws::at_every_level();
    let mut settled = Settled::default();
    for (seed, (name, shape)) in (1..).zip(SHAPES) {
        let mut next = uniform(seed);
        let row = shape(if seed % 7 == 0 { 155_776 } else { 30_011 }, &mut next);
        check(&mut levels, &row, name, &mut next, &mut settled);
    }
    println!("{settled:?}");
    assert!(settled.cuts_in_doubt * 20 < settled.cuts, "{settled:?}");
}

/// Usual uniforms, not those beside a running sum.
#[test]
fn one_draw_in_a_thousand_is_in_doubt_at_most() {
    let kernels = Kernels::chosen();
    let mut draws = Draws::at_every_level();
    let draws = draws.iter_mut().find(|d| d.kernels.level() == kernels.level());
    let draws = draws.expect("the chosen level is there");
    for (name, shape) in [SHAPES[0], SHAPES[1], SHAPES[3], SHAPES[5], SHAPES[9]] {
        let mut next = uniform(9);
        let row = shape(20_000, &mut next);
        let us: Vec<f64> = (0..100).map(|_| f64::from(next()) + 1e-9).collect();
        let mut doubtful = 0;
        for p in 1..=10 {
            let drawn = draws.draw(&row, row.len(), (p as f32 / 10.0, 0.8), &us);
            doubtful += drawn.tokens.iter().filter(|token| token.is_none()).count();
        }
        assert!(doubtful <= 1, "{name}: {doubtful} of 1,000");
    }
}

/// Rows whose S lies just above a power of two, which half of the estimates miss: then the tail crosses it, or the
/// groups end before the cut. And tokens whose logit is the last that the groups reach.
#[test]
fn estimates_that_are_wrong_cost_no_more_than_time() {
    let mut levels = Draws::at_every_level();
    let mut settled = Settled::default();
    for seed in 0..12 {
        let mut next = uniform(seed);
        let mut row = bell(30_000, 3.0, &mut next);
        let top = row.iter().copied().fold(f32::MIN, f32::max);
        let sum: f64 = row.iter().map(|l| f64::from(l - top).exp()).sum();
        let wanted = sum.log2().ceil().exp2() * 1.002;
        // Of e^-4 each.
        let missing = ((wanted - sum) / f64::from(-4.0_f32).exp()) as usize;
        for _ in 0..missing {
            let at = (next() * row.len() as f32) as usize;
            row.insert(at.min(row.len()), top - 4.0 - 1e-3 * next());
        }
        check(&mut levels, &row, "just above a power of two", &mut next, &mut settled);
        for draws in &mut levels {
            for p in [0.5, 0.8, 0.9, 0.96, 0.98, 0.99] {
                let mut row = row.clone();
                // Twice: the groups end where they ended, but at a token.
                for _ in 0..2 {
                    let (limit, rule) = (row.len(), Rule::of(&row));
                    let drawn = draws.draw(&row, limit, (p, 0.8), &[]);
                    let kept = drawn.kept.unwrap_or_else(|| rule.kept(limit, p));
                    assert_eq!(kept, rule.kept(limit, p), "seed {seed}, p {p}");
                    let low = draws.groups.low();
                    let below = |l: &&mut f32| **l < low && **l > low - 0.02;
                    row.iter_mut().filter(below).for_each(|l| *l = low);
                }
            }
        }
    }
    assert!(settled.cuts_in_doubt * 20 < settled.cuts, "{settled:?}");
}

/// A row whose sampled tiles, every 16th, have far more large logits than the others: the estimates are too high by a
/// factor, and S is known exactly while the groups end before the cut.
#[test]
fn a_cut_behind_the_groups_is_found() {
    for draws in &mut Draws::at_every_level() {
        let tile_len = draws.kernels.tile_len();
        let mut next = uniform(5);
        let logit = |i: usize| match (i / tile_len).is_multiple_of(16) {
            true if next() < 0.4 => -1e-3 * next(),
            true => -10.0 - next(),
            false => -5.3 - 1e-3 * next(),
        };
        let row: Vec<f32> = (0..132_000).map(logit).collect();
        let rule = Rule::of(&row);
        for p in [0.86, 0.9, 0.95] {
            let kept = draws.draw(&row, row.len(), (p, 0.8), &[]).kept;
            assert_eq!(kept, Some(rule.kept(row.len(), p)), "{:?}, p {p}", draws.kernels.level());
        }
    }
}
