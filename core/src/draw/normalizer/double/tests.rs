//! Every bound contains the double sum in rank order; for each lemma a row that a bound half as wide misses.

use super::{Bounds, by_definition, exact, floor_for, from_maxima, from_row};
use crate::select::{RankedPrefix, RowScan};
use crate::simd::{Kernels, MIN_DOUBLE_ADDEND_LN, SimdLevel};

/// Numbers in [0, 1).
fn uniform(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    }
}

/// S by its definition, by single steps.
fn literal_sum(row: &[f32]) -> f64 {
    let mut sorted: Vec<f32> = row.iter().map(|l| l.max(f32::MIN)).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.iter().fold(0.0, |sum, l| sum + f64::from((l - sorted[0]).exp()))
}

fn levels() -> impl Iterator<Item = &'static Kernels> {
    SimdLevel::ALL.into_iter().filter_map(Kernels::at)
}

/// Holds all bounds of a row against S, at every level; returns the widest of each kind, relatively.
fn widths(name: &str, row: &[f32], ranks: usize) -> [f64; 3] {
    let s = literal_sum(row);
    let mut widths = [0.0_f64; 3];
    for kernels in levels() {
        let mut scan = RowScan::new();
        let mut blocked = scan.read(kernels, row).expect("memory");
        let mut prefix = RankedPrefix::new();
        prefix.grow(&mut blocked, ranks).expect("memory");
        for floor in [-16.64, -16.7, -20.0, -27.5, -36.9] {
            let near = from_row(&blocked, &prefix, floor);
            assert!(near.low <= s && s <= near.high, "{name}: S {s:e} not in {near:?}, {floor}");
        }
        let by_row = from_row(&blocked, &prefix, MIN_DOUBLE_ADDEND_LN);
        let all = [from_maxima(&blocked, &prefix), by_row, exact(&blocked, by_row.high)];
        for (bounds, width) in all.into_iter().zip(&mut widths) {
            let Bounds { low, high } = bounds;
            let what = format!("{name}, n {}, {ranks} ranks, {:?}", row.len(), kernels.level());
            assert!(low <= s && s <= high, "{what}: S {s:e} not in {low:e}..{high:e}");
            *width = width.max((high - low) / s);
        }
        // A far upper bound of S makes more exps count as small.
        let Bounds { low, high } = exact(&blocked, row.len() as f64);
        assert!(low <= s && s <= high, "{name}: S {s:e} not in {low:e}..{high:e}");
        prefix.grow(&mut blocked, row.len()).expect("memory");
        assert_eq!(by_definition(&prefix), Bounds { low: s, high: s }, "{name}");
    }
    widths
}

#[test]
fn bounds_contain_the_sum() {
    type Shape = fn(&mut dyn FnMut() -> f32) -> f32;
    let shapes: [(&str, Shape); 12] = [
        ("wide", |next| -20.0 * next()),
        ("narrow", |next| -0.01 * next()),
        ("equal", |_| 0.0),
        ("levels", |next| -0.7 * (5.0 * next()).floor()),
        ("flat tail", |_| -16.7),
        ("around the limit of exactness", |next| -20.1 + 3.0 * (next() - 0.5)),
        ("smallest steps", |next| -36.74 + 0.4 * (next() - 0.5)),
        ("far down", |next| -16.0 - 100.0 * next()),
        ("at a floor", |next| if next() < 0.5 { -20.0 } else { -16.64_f32.next_down() }),
        // Where the numbers next to the top are 1024 and more below it.
        ("far up", |next| 1e10 - 1024.0 * (3.0 * next()).floor()),
        ("at the end", |next| if next() < 0.5 { f32::MAX } else { f32::MAX.next_down() }),
        ("at the lowest end", |next| if next() < 0.5 { f32::MIN } else { f32::MIN.next_up() }),
    ];
    for n in [2, 31, 255, 256, 257, 511, 513, 1536, 8197, 70_000] {
        for (name, logit) in shapes {
            let mut next = uniform(n as u64);
            let mut row: Vec<f32> = (0..n).map(|_| logit(&mut next)).collect();
            let is_shifted = name.ends_with("up") || name.ends_with("end");
            row[n / 3] = if is_shifted { row[n / 3] } else { 0.0 };
            widths(name, &row, 2);
            widths(name, &row, 64);
            for i in 0..n / 5 {
                row[(next() * n as f32) as usize] = [f32::NAN, f32::NEG_INFINITY][i % 2];
            }
            row[n / 2] = row[n / 3];
            // Four bytes on: no load is aligned any more.
            widths(name, &row[1..], 64);
        }
    }
}

/// The more of the sum the first ranks have, the closer the bounds from the row.
#[test]
fn known_ranks_are_exact() {
    let mut next = uniform(3);
    let row: Vec<f32> = (0..50_000).map(|_| -15.0 * next()).collect();
    let [_, few, nearly] = widths("slope", &row, 64);
    let [_, many, _] = widths("slope", &row, 30_000);
    assert!(few < 4e-6 && many < few / 1000.0, "{few:e}, {many:e}");
    assert!(nearly < 1e-10, "{nearly:e}");
}

/// A floor leaves out as much as it may, or the whole row is read.
#[test]
fn floors_leave_out_what_they_may() {
    let kernels = levels().last().expect("a level");
    let row: Vec<f32> = (0..50_000).map(|i| -30.0 * i as f32 / 50_000.0).collect();
    let mut scan = RowScan::new();
    let mut blocked = scan.read(kernels, &row).expect("memory");
    let mut prefix = RankedPrefix::new();
    prefix.grow(&mut blocked, 64).expect("memory");
    for doubt in [1e-3, 1e-5, 1e-7] {
        let Bounds { low, high } = from_row(&blocked, &prefix, floor_for(&blocked, doubt));
        let width = high - low - 4e-6 * high;
        assert!(width <= doubt, "{doubt:e}: {width:e}");
    }
    assert_eq!(floor_for(&blocked, 0.0), MIN_DOUBLE_ADDEND_LN);
    assert_eq!(floor_for(&blocked, f64::INFINITY), -16.64);
}

/// The limit of exactness is that of lemma 3: at it there is no doubt, below it the sum depends on the order.
#[test]
fn large_exps_add_exactly_in_any_order() {
    // S is a little above 1, so the limit is 2^-29 and a little.
    let log_of = |e: f32| {
        let x = e.ln();
        [x, x.next_up(), x.next_down()].into_iter().find(|x| x.exp() >= e && x.exp() < 1.5 * e)
    };
    let limit = 2.0_f32.powi(-29);
    let at = log_of(1.01 * limit).expect("an exp");
    let below = log_of(0.3 * limit).expect("an exp");
    for (x, is_exact) in [(at, true), (below, false)] {
        let mut row = vec![x; 40_000];
        row[20_000] = 0.0;
        let [_, _, width] = widths("limit", &row, 64);
        assert_eq!(width == 0.0, is_exact, "{x}: {width:e}");
    }
}

/// Every addition to S rounds up by nearly half a unit: a bound without lemma 4's N h would miss S.
#[test]
fn every_addition_can_round() {
    let half_unit = 2.0_f32.powi(-53);
    let near = (0..20_000_000).scan(-36.7_f32, |x, _| Some(core::mem::replace(x, x.next_down())));
    let x = near.take_while(|x| x.exp() > half_unit).last().expect("an exp");
    let mut row = vec![x; 300_000];
    row[150_000] = 0.0;
    let (s, real) = (literal_sum(&row), 1.0 + 299_999.0 * f64::from(x.exp()));
    assert!(s - real > 0.9 * 299_999.0 * f64::from(half_unit), "{s:e} {real:e}");
    let [_, _, width] = widths("half units", &row, 64);
    assert!(width > 0.0);
}
