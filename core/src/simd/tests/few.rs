//! Thresholds, the first ranks among few tokens, and counts, against sorts and plain loops.

use super::super::{FEW, Few, Reached, Segment};
use super::{RankKey, levels, maxima_of, uniform};
use crate::row_counts::RowCounts;

/// Rows of `len` values: smooth, with ties, of two levels, a sawtooth, sorted, of one peak, of denormals, with huge
/// steps, masked but for a few, with one large value in each strip, with a step, and with NaN.
fn rows(len: usize, seed: u64) -> Vec<(&'static str, Vec<f32>)> {
    let mut next = uniform(seed);
    let smooth: Vec<f32> = (0..len).map(|_| next() * 20.0 - 10.0).collect();
    let map = |f: &dyn Fn(usize, f32) -> f32| {
        smooth.iter().enumerate().map(|(i, x)| f(i, *x)).collect::<Vec<f32>>()
    };
    let mut rising = smooth.clone();
    rising.sort_by(f32::total_cmp);
    let falling = rising.iter().rev().copied().collect();
    vec![
        ("ties", map(&|_, x| x.round())),
        ("two levels", map(&|_, x| if x > 8.0 { 1.0 } else { -1.0 })),
        ("all equal", vec![-0.0; len]),
        ("zeros of both signs", map(&|_, x| if x > 0.0 { 0.0 } else { -0.0 })),
        ("sawtooth", map(&|i, _| (i % 128) as f32)),
        ("one peak", map(&|i, x| if i == len / 3 { 1e30 } else { x })),
        ("denormals", map(&|_, x| x * 1e-40)),
        ("huge steps", map(&|_, x| x * 10.0_f32.powf(x * 3.7))),
        ("ends of the range", map(&|i, _| [f32::MIN, f32::MAX][i % 2])),
        ("masked", map(&|i, x| if i % 37 == 5 { x } else { f32::NEG_INFINITY })),
        ("NaN", map(&|i, x| if i % 3 == 1 { f32::NAN } else { x })),
        ("one in each strip", map(&|i, _| if i % 64 == 7 { -(i as f32) } else { f32::MIN })),
        ("a step", map(&|i, _| if i < 64 { 1.0 } else { -1.0 })),
        ("nothing", vec![f32::NEG_INFINITY; len]),
        ("rising", rising),
        ("falling", falling),
        ("smooth", smooth),
    ]
}

#[test]
fn thresholds_are_reached_by_enough_and_not_by_many() {
    for kernels in levels() {
        for len in [16, 64, 128, 512] {
            for (what, values) in rows(len, 3) {
                let values: Vec<f32> = values
                    .iter()
                    .map(|x| if x.is_nan() { f32::NEG_INFINITY } else { *x })
                    .collect();
                let highest = kernels.largest(&values);
                if highest == f32::NEG_INFINITY {
                    continue;
                }
                for least in [1, 2, 15, 16, 30, 63, 64, 65, 128, 512] {
                    let enough = least + least / 8 + 2;
                    let t = kernels.threshold(&values, highest, Reached { least, enough });
                    let reaching = |t: f32| values.iter().filter(|x| **x >= t).count();
                    let what = format!("{:?} {what} {len} {least}: {t}", kernels.level());
                    if reaching(f32::MIN) < least {
                        assert_eq!(t, f32::MIN, "{what}");
                        continue;
                    }
                    assert!(reaching(t) >= least, "{what}");
                    // It may be just below values that are equal and many.
                    let best = reaching(t) <= enough || reaching(t.next_up()) < least;
                    assert!(best || reaching(t) == reaching(highest), "{what}: {}", reaching(t));
                }
            }
        }
    }
}

/// Lengths around a tile, and around the 64 tiles whose hits are in one word; thresholds that no token, few, exactly
/// as many as are few, and one more reach; a row in three segments.
#[test]
fn first_ranks_are_those_of_a_sort() {
    for kernels in levels() {
        let tile = kernels.tile_len();
        for tiles in [1, 2, 3, 63, 64, 65, 130] {
            for (what, row) in rows(tiles * tile, tiles as u64) {
                let maxima = maxima_of(kernels, &row);
                let cuts = [0, tile * (tiles / 3), tile * (tiles - tiles / 2), row.len()];
                let segments = [0, 1, 2].map(|i| Segment {
                    logits: &row[cuts[i]..cuts[i + 1]],
                    block_maxima: &maxima[cuts[i] / 32..cuts[i + 1] / 32],
                    first_id: cuts[i] as u32,
                });
                let mut sorted: Vec<RankKey> = row
                    .iter()
                    .zip(0..)
                    .filter(|(x, _)| **x > f32::NEG_INFINITY)
                    .map(|(x, id)| RankKey::new(*x, id))
                    .collect();
                sorted.sort_unstable();
                let mut few = Few::new();
                for rank in [0, 1, 15, 16, 29, 63, FEW - 2, FEW - 1, FEW] {
                    let Some(key) = sorted.get(rank) else { continue };
                    let low = key.logit();
                    let reaching = row.iter().filter(|x| **x >= low).count();
                    for wanted in [1, rank, rank + 1, reaching.min(FEW)] {
                        let mut out = vec![RankKey::new(0.0, u32::MAX); wanted];
                        let found = kernels.first_ranks(&segments, low, &mut few, &mut out);
                        let what = format!("{:?} {tiles} {what} {low} {wanted}", kernels.level());
                        assert_eq!(found, (reaching <= FEW).then_some(reaching), "{what}");
                        if found.is_some() {
                            assert_eq!(out, sorted[..wanted], "{what}");
                        }
                    }
                }
                let above = sorted.first().map_or(0.0, |key| key.logit()).next_up();
                if above.is_finite() {
                    assert_eq!(kernels.first_ranks(&segments, above, &mut few, &mut []), Some(0));
                }
            }
        }
    }
}

/// Lengths around the chunks of every level; rows of special values, and rows with one at every place.
#[test]
fn special_values_are_counted() {
    for kernels in levels() {
        for place in 0..257 {
            for (special, counts) in
                [(f32::NAN, (1, 0)), (f32::INFINITY, (0, 1)), (f32::MIN, (0, 0))]
            {
                let mut row = [1.0, f32::NEG_INFINITY, f32::MAX].repeat(86);
                row[place] = special;
                let RowCounts { nans, infinities } = kernels.count_special(&row);
                assert_eq!((nans, infinities), counts, "{:?} {place}", kernels.level());
            }
        }
        for len in [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300] {
            for seed in 0..20 {
                let mut next = uniform(seed);
                let specials =
                    [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 0.0];
                let row: Vec<f32> =
                    (0..len).map(|_| specials[(next() * specials.len() as f32) as usize]).collect();
                let expected = RowCounts {
                    nans: row.iter().filter(|x| x.is_nan()).count(),
                    infinities: row.iter().filter(|x| **x == f32::INFINITY).count(),
                };
                assert_eq!(kernels.count_special(&row), expected, "{row:?}");
            }
        }
    }
}
