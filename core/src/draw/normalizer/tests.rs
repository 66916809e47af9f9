//! For each bound of the lemmas a test that fails if it is half as wide; and the bounds against S
//! itself, on rows made to push it past their ends.

mod tail;

use super::{
    Bounds, CEILING, about_row, at_least, at_most, exact, from_maxima, from_row, head,
    power_of_two_below, within_roundings,
};
use crate::select::{RankedPrefix, RowScan};
use crate::simd::{BLOCK_LEN, Cap, EXP_ERROR, Kernels, MIN_ADDEND_LN, SimdLevel};

/// Half a unit of the first binade.
const HALF_UNIT: f32 = 1.0 / (1 << 24) as f32;

/// Numbers in [0, 1).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f32) as usize % end
    }
}

fn sum(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |sum, v| sum + v)
}

fn real_sum(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(*v)).sum()
}

/// Exps as a row could have them: rank 0 has 1, the others less and less.
fn falling_exps(random: &mut Random) -> Vec<f32> {
    let (len, depth) = (1 + random.below(3000), 20.0 * random.unit());
    let mut exps: Vec<f32> = (0..len).map(|_| (-depth * random.unit()).exp()).collect();
    exps.push(1.0);
    exps.sort_by(|a, b| b.total_cmp(a));
    exps
}

/// 1, and `len` times the same.
fn one_and(len: usize, e: f32) -> Vec<f32> {
    let mut exps = vec![e; len + 1];
    exps[0] = 1.0;
    exps
}

#[test]
fn subsequences() {
    for seed in 0..2000 {
        let mut random = Random(seed);
        let exps = falling_exps(&mut random);
        let share = random.unit();
        let some: Vec<f32> = exps.iter().copied().filter(|_| random.unit() < share).collect();
        assert!(sum(&some) <= sum(&exps), "seed {seed}");
        assert!(at_least(real_sum(&some), some.len()) <= sum(&some).max(1.0), "seed {seed}");
    }
    // Each addition loses what it adds. With half the constant the bound would be too high.
    for len in [1000, 1 << 16, 1 << 20] {
        let exps = one_and(len, HALF_UNIT);
        let lost = len as f64 / CEILING;
        assert_eq!(sum(&exps), 1.0);
        assert!(real_sum(&exps) * (1.0 - lost) <= 1.0);
        assert!(real_sum(&exps) * (1.0 - lost / 2.0) > 1.0);
        assert_eq!(at_least(real_sum(&exps), len), 1.0);
    }
}

#[test]
fn small_exps() {
    let mut random = Random(1);
    for _ in 0..100_000 {
        let s = 1.0 + random.unit() * 2.0_f32.powi(random.below(24) as i32);
        assert_eq!(s + HALF_UNIT.next_down(), s);
    }
    assert_ne!(1.0_f32.next_up() + HALF_UNIT, 1.0_f32.next_up(), "half a unit can add something");

    // Each addition gains nearly what it adds. With half the constant the bound would be too low.
    for len in [1000, 1 << 16, 1 << 20, 1 << 22] {
        let exps = one_and(len, HALF_UNIT.next_up());
        let gained = len as f64 / CEILING;
        assert!(sum(&exps) <= at_most(real_sum(&exps), len), "{len}");
        assert!(f64::from(sum(&exps)) > real_sum(&exps) * (1.0 + gained / 2.0), "{len}");
    }
    for seed in 0..2000 {
        let exps = falling_exps(&mut Random(seed));
        let large: Vec<f32> = exps.iter().copied().filter(|e| *e >= HALF_UNIT).collect();
        assert!(sum(&exps) <= at_most(real_sum(&large), large.len()), "seed {seed}");
    }
    for n in (0..=64).map(|i| i << 18) {
        let growth = (f64::from(n as u32) * CEILING.recip().ln_1p()).exp();
        assert!(f64::from(at_most(1.0, n)) >= growth, "{n}");
    }
}

/// What [`from_row`] gives if the head is not known: the bounds of the kernel's sum and count.
#[test]
fn bounds_from_the_row_are_those_of_the_kernels_sum() {
    let mut seen = 0;
    for kernels in levels() {
        for ranks in [1, 2, 100] {
            let row: Vec<f32> = (0..kernels.tile_len()).map(|i| -0.1 * i as f32).collect();
            let mut scan = RowScan::new();
            let mut blocked = scan.read(kernels, &row).expect("memory");
            let mut prefix = RankedPrefix::new();
            prefix.grow(&mut blocked, ranks).expect("memory");
            let (known, sum) = head(&prefix);
            let (bounds, is_exact) = from_row(&blocked, &prefix);
            let near = row.iter().filter(|l| **l >= -16.64 + power_of_two_below(sum).ln()).count();
            let tail: f64 = row[known..near].iter().map(|l| f64::from(l.exp())).sum();
            let wanted = within_roundings(f64::from(sum), tail, near - known);
            let is_head = sum >= 8.0;
            assert_eq!(is_exact, is_head, "{sum}");
            if !is_exact {
                let close = |a: f32, b: f32| (a - b).abs() <= 2e-7 * b;
                assert!(close(bounds.low, wanted.low) && close(bounds.high, wanted.high));
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

/// Rows for which the lanes of `sum_maxima_exps` gain half a unit at each addition while S loses half a
/// unit: `from_maxima` must count the additions of a lane, one for each vector of maxima. Fails if it
/// counts a quarter.
#[test]
fn bounds_from_maxima_allow_for_the_roundings_of_the_lanes() {
    let mut needed = 0.0_f64;
    for kernels in levels() {
        let lanes = kernels.tile_len() / BLOCK_LEN;
        for (many, blocks) in [(32, 1024), (64, 2048), (64, 8192), (128, 8192), (256, 16_384)] {
            // S and the first lane stay in the binade of `many`.
            for ln in (0..200).filter_map(|units| logit_around_tie(kernels, many as f32, units)) {
                // One token in each block. `many` in one lane, or one more, have an exp of 1.
                let mut row = vec![f32::NEG_INFINITY; blocks * BLOCK_LEN];
                for block in 0..blocks {
                    let (vector, lane) = (block / lanes, block % lanes);
                    row[vector * kernels.tile_len() + lane] = match (vector, lane) {
                        (0, 1) => 0.0,
                        (vector, 0) if vector <= many => -1e-9,
                        _ => ln,
                    };
                }
                let mut scan = RowScan::new();
                let mut blocked = scan.read(kernels, &row).expect("memory");
                let mut prefix = RankedPrefix::new();
                prefix.grow(&mut blocked, 1).expect("memory");
                assert_eq!(prefix.keys().len(), 1, "the lanes sum all maxima below the top");
                let (bounds, s) = (from_maxima(&blocked, &prefix), literal_sum(&row));
                assert!(bounds.low <= s && s <= bounds.high, "{s:e} not in {bounds:?}");
                let cap = Cap { top: 0.0, cap: 0.0, floor: MIN_ADDEND_LN };
                let sums = kernels.sum_maxima_exps(blocked.block_maxima, cap);
                let low = |roundings| at_least(1.0 + sums.below_cap, 1 + sums.count + roundings);
                let vectors = blocked.block_maxima.len() / lanes;
                let least = (0..vectors).find(|roundings| low(*roundings) <= s);
                let least = least.expect("the bound holds with all of them");
                needed = needed.max(least as f64 / vectors as f64);
            }
        }
    }
    assert!(needed > 0.25, "{needed:.3} of the roundings would do");
}

/// The exp of one value by a level's kernels.
fn kernel_exp(kernels: &Kernels, x: f32) -> f32 {
    let mut e = vec![x; kernels.tile_len()];
    kernels.exp_all(&mut e);
    e[0]
}

/// A logit near that of `units` and a half units of the binade whose exp an even sum rounds down, while
/// the kernel's exp is rounded up.
fn logit_around_tie(kernels: &Kernels, binade: f32, units: u32) -> Option<f32> {
    let tie = (unit(binade) * (f64::from(units) + 0.5)) as f32;
    let falls = |e: f32| e < tie || (e == tie && units.is_multiple_of(2));
    let x = tie.ln();
    let near = [x, x.next_up(), x.next_down()];
    near.into_iter().find(|x| falls(x.exp()) && kernel_exp(kernels, *x) > tie)
}

/// S by its definition.
fn literal_sum(row: &[f32]) -> f32 {
    let mut sorted = row.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.iter().fold(0.0, |s, l| s + (l - sorted[0]).exp())
}

#[test]
fn no_sum_passes_the_ceiling() {
    let ceiling = CEILING as f32;
    assert_eq!(ceiling.next_down() + 1.0, ceiling);
    assert_eq!(ceiling + 1.0, ceiling);
    assert_eq!(at_most(f64::from(f32::MAX), 10), ceiling);
    assert_eq!(at_most(2.0, CEILING as usize + 1), ceiling, "the series ends at 1");
    let row = vec![0.0; CEILING as usize + 4096];
    for kernels in levels() {
        let mut scan = RowScan::new();
        let mut blocked = scan.read(kernels, &row).expect("memory");
        let mut prefix = RankedPrefix::new();
        prefix.grow(&mut blocked, 64).expect("memory");
        assert_eq!(from_maxima(&blocked, &prefix).high, ceiling);
        assert_eq!(from_row(&blocked, &prefix).0.high, ceiling);
    }
}

fn unit(binade: f32) -> f64 {
    f64::from(binade) / f64::from(1 << 23)
}

fn is_tie(e: f32, binade: f32) -> bool {
    (f64::from(e) / unit(binade)).fract() == 0.5
}

/// The levels this CPU has; the tests of the kernels check that none is skipped.
fn levels() -> impl Iterator<Item = &'static Kernels> {
    SimdLevel::ALL.into_iter().filter_map(Kernels::at)
}

/// How many exact sums were needed and their kinds: so a test notices if it only ever sorts.
#[derive(Debug, Default)]
struct Seen {
    by_roundings: usize,
    exact: usize,
    with_ties: usize,
    sorted: usize,
}

/// Holds all bounds of a row, at every level, against S.
fn check(name: &str, row: &[f32], all_ranks: &[usize], seen: &mut Seen) {
    let number = |l: &f32| if l.is_nan() { f32::NEG_INFINITY } else { *l };
    let mut sorted: Vec<f32> = row.iter().map(number).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let top = sorted[0];
    let s = sorted.iter().fold(0.0, |s, l| s + (l - top).exp());
    for kernels in levels() {
        for &ranks in all_ranks {
            let what = format!("{name}, n {}, {ranks} ranks, {:?}", row.len(), kernels.level());
            let holds = |bounds: Bounds, of: &str| {
                let Bounds { low, high } = bounds;
                assert!(low <= s && s <= high, "{what}: S {s:e} not in {low:e}..{high:e} {of}");
            };
            let mut scan = RowScan::new();
            let mut blocked = scan.read(kernels, row).expect("memory");
            let mut prefix = RankedPrefix::new();
            prefix.grow(&mut blocked, ranks).expect("memory");
            let (by_row, is_exact) = from_row(&blocked, &prefix);
            holds(from_maxima(&blocked, &prefix), "from the maxima");
            holds(by_row, "from the row");
            holds(about_row(&blocked, &prefix).0, "about the row");
            seen.by_roundings += usize::from(!is_exact);
            for estimate in [s, by_row.low, 1.0] {
                let mut prefix = RankedPrefix::new();
                prefix.grow(&mut blocked, ranks).expect("memory");
                let bounds = exact(&mut blocked, &mut prefix, estimate).expect("memory");
                holds(bounds, "from the exact sum");
                // It is as wide as the ties of the tail make it.
                let (last, _) = prefix.last();
                let binade = power_of_two_below(bounds.low);
                let ties = match prefix.is_whole() {
                    true => 0,
                    false => row
                        .iter()
                        .filter(|l| **l <= last.logit() && is_tie((**l - top).exp(), binade))
                        .count(),
                };
                let width = f64::from(bounds.high) - f64::from(bounds.low);
                assert_eq!(width, ties as f64 * unit(binade), "{what}");
                seen.exact += usize::from(!prefix.is_whole());
                seen.with_ties += usize::from(ties > 0);
                seen.sorted += usize::from(prefix.is_whole());
            }
        }
    }
}

/// The logarithm of an odd number of half units of the binade, if expf has one near `e`.
fn log_of_tie(binade: f32, e: f32) -> Option<f32> {
    let half_unit = unit(binade) as f32 / 2.0;
    let e = (2.0 * (e / half_unit / 2.0).floor() + 1.0) * half_unit;
    let x = e.ln();
    [x, x.next_up(), x.next_down()].into_iter().find(|x| x.exp() == e && *x <= 0.0)
}

/// One that a sum of `n` exps could end in.
fn binade_of(n: usize, random: &mut Random) -> f32 {
    power_of_two_below(n as f32 * 2.0_f32.powi(-(random.below(5) as i32)))
}

type Shape = (&'static str, fn(usize, &mut Random) -> Vec<f32>);

/// Rows with the largest logit at 0, but for the last.
const SHAPES: &[Shape] = &[
    ("wide", |n, random| topped(n, random, |random| -20.0 * random.unit())),
    ("narrow", |n, random| topped(n, random, |random| -0.01 * random.unit())),
    ("equal", |n, _| vec![0.0; n]),
    ("ties", |n, random| topped(n, random, |random| -0.7 * random.below(5) as f32)),
    ("few above many ties", |n, random| {
        topped(n, random, |random| if random.below(200) == 0 { -random.unit() } else { -1.1 })
    }),
    ("lanes", |n, _| (0..n).map(|i| -0.4 * (i % 16) as f32).collect()),
    ("tiles", |n, _| (0..n).map(|i| -2.3 * (i / 256 % 7) as f32).collect()),
    ("at a power of two", |n, random| {
        let sum = 2.0_f32.powi(1 + random.below(10) as i32) + (random.unit() - 0.5) * 1e-4;
        let x = ((sum - 1.0).min(n as f32 - 1.0) / (n as f32 - 1.0).max(1.0)).ln();
        topped(n, random, |random| (x + 1e-6 * (random.unit() - 0.5)).min(0.0))
    }),
    ("ties of the sum", |n, random| {
        let binade = binade_of(n, random);
        topped(n, random, |random| {
            loop {
                if let Some(x) = log_of_tie(binade, (-7.0 * random.unit()).exp()) {
                    return x;
                }
            }
        })
    }),
    ("a tie among others", |n, random| {
        let binade = binade_of(n, random);
        topped(n, random, |random| {
            let x = -7.0 * random.unit();
            let rare = random.below(n / 4 + 1) == 0;
            if rare { log_of_tie(binade, x.exp()).unwrap_or(x) } else { x }
        })
    }),
    ("just above the smallest step", |n, random| topped(n, random, |_| -16.6355)),
    ("just below the smallest step", |n, random| topped(n, random, |_| -16.637)),
    ("around the smallest step", |n, random| {
        topped(n, random, |random| -16.64 + 0.01 * (random.unit() - 0.5))
    }),
    ("far down", |n, random| topped(n, random, |random| -16.0 - 100.0 * random.unit())),
    ("high up", |n, random| (0..n).map(|_| 1e4 + 9.0 * random.unit()).collect()),
    // Where the numbers next to the top are 8, 1024 and more below it.
    ("far up", |n, random| (0..n).map(|_| 1e8 - 8.0 * random.below(4) as f32).collect()),
    ("further up", |n, random| (0..n).map(|_| 1e10 - 1024.0 * random.below(3) as f32).collect()),
    ("at the end", |n, random| {
        (0..n).map(|_| [f32::MAX, f32::MAX.next_down(), 0.0][random.below(3)]).collect()
    }),
    ("at the lowest end", |n, random| {
        let lowest = [f32::MIN, f32::MIN.next_up(), f32::NEG_INFINITY];
        (0..n).map(|i| lowest[if i == 1 { 0 } else { random.below(3) }]).collect()
    }),
];

fn topped(n: usize, random: &mut Random, mut logit: impl FnMut(&mut Random) -> f32) -> Vec<f32> {
    let mut row: Vec<f32> = (0..n).map(|_| logit(random)).collect();
    row[random.below(n)] = 0.0;
    row
}

#[test]
fn bounds_contain_the_sum() {
    let mut seen = Seen::default();
    for n in [2, 31, 255, 256, 257, 511, 513, 768, 1023, 1536, 4096, 8197, 16_400] {
        for (name, shape) in SHAPES {
            for seed in 0..if n < 5000 { 3 } else { 1 } {
                let mut random = Random(seed << 32 | n as u64);
                let mut row = shape(n, &mut random);
                check(name, &row, &[2, 64, 700], &mut seen);
                for _ in 0..n / 5 {
                    row[random.below(n)] = f32::NAN;
                    row[random.below(n)] = f32::NEG_INFINITY;
                }
                row[n / 2] = 0.0;
                // Four bytes on: no load is aligned any more.
                check(name, &row[1..], &[2, 64, 700], &mut seen);
            }
        }
    }
    assert!(seen.exact > 1000 && seen.with_ties > 100 && seen.sorted > 1000, "{seen:?}");
    assert!(seen.by_roundings > 1000, "{seen:?}");
}

#[test]
fn bounds_of_long_rows_contain_the_sum() {
    let mut seen = Seen::default();
    for (name, shape) in SHAPES {
        check(name, &shape(1 << 20, &mut Random(5)), &[64], &mut seen);
    }
    assert!(seen.exact > 0, "{seen:?}");
}

/// With few exps the bounds allow for few roundings: so the error of the kernels shows.
#[test]
fn bounds_of_two_exps_contain_their_sum() {
    let mut random = Random(7);
    for kernels in levels() {
        let mut row = vec![f32::NEG_INFINITY; kernels.tile_len()];
        row[3] = 0.0;
        for _ in 0..100_000 {
            row[40] = -random.unit();
            let s = 1.0 + row[40].exp();
            let mut scan = RowScan::new();
            let mut blocked = scan.read(kernels, &row).expect("memory");
            let mut prefix = RankedPrefix::new();
            prefix.grow(&mut blocked, 1).expect("memory");
            for (Bounds { low, high }, _) in
                [from_row(&blocked, &prefix), about_row(&blocked, &prefix)]
            {
                let level = kernels.level();
                assert!(low <= s && s <= high, "{level:?}: {s:e} not in {low:e}..{high:e}");
            }
        }
    }
}

/// Exps that add nothing must not widen the bounds, or every such row would be read again.
#[test]
fn small_exps_leave_the_bounds_narrow() {
    for kernels in levels() {
        let mut row = vec![-16.65; 1 << 16];
        row[77] = 0.0;
        let mut scan = RowScan::new();
        let mut blocked = scan.read(kernels, &row).expect("memory");
        let mut prefix = RankedPrefix::new();
        prefix.grow(&mut blocked, 2).expect("memory");
        for Bounds { low, high } in [from_maxima(&blocked, &prefix), from_row(&blocked, &prefix).0]
        {
            assert!(low == 1.0 && high < 1.0002, "{:?}: {low:e}..{high:e}", kernels.level());
        }
    }
}

/// If more maxima reach the last rank than the prefix has ranks, the excess is known not to be in the
/// prefix.
#[test]
fn ties_with_the_last_rank_count_towards_the_sum() {
    for kernels in levels() {
        let row = vec![0.0; 1 << 16];
        let mut scan = RowScan::new();
        let mut blocked = scan.read(kernels, &row).expect("memory");
        let mut prefix = RankedPrefix::new();
        prefix.grow(&mut blocked, 2).expect("memory");
        let least = (row.len() / BLOCK_LEN) as f32;
        assert!(from_maxima(&blocked, &prefix).low > 0.99 * least, "{:?}", kernels.level());
    }
}

/// Ties that all round up carry the sum into the next binade, where the later exps add twice as much as
/// before: no bound of the lower binade holds.
#[test]
fn ties_can_carry_the_sum_across() {
    let units_of = |x: &f32| f64::from(x.exp()) / unit(1.0);
    let near = (0..3_000_000).scan(-12.0_f32, |x, _| Some(std::mem::replace(x, x.next_down())));
    let odd = |units: &f64| units.floor() % 2.0 == 1.0;
    // An odd number of units and a half rounds up from every even sum, to an even sum.
    let half = near.clone().find(|x| units_of(x).fract() == 0.5 && odd(&units_of(x)));
    // An odd number and less than a half is rounded down, but up in units of twice the size.
    let less = |x: &f32| (0.1..0.4).contains(&units_of(x).fract()) && odd(&units_of(x));
    let half = half.expect("expf hits a half");
    let other = near.skip_while(|x| *x >= half).find(less).expect("and misses most");
    let mut seen = Seen::default();
    for (halves, others) in [(300, 20), (1000, 60), (1000, 90), (1000, 900)] {
        // Crosses when half of the others are still to come.
        let before = f64::from(halves) * units_of(&half).ceil()
            + f64::from(others / 2) * units_of(&other).floor();
        let mut row = vec![0.0, (1.0 - before * unit(1.0)).ln() as f32];
        row.extend((0..halves).map(|_| half));
        row.extend((0..others).map(|_| other));
        row.extend((0..20_000).map(|_| -50.0));
        check("ties at a crossing", &row, &[2], &mut seen);
    }
    assert!(seen.sorted + seen.exact > 0);
}
