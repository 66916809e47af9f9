//! The kernels of wide nuclei against plain loops.

use super::{levels, maxima_of, row, uniform};
use crate::rules::expf::expf;
use crate::simd::{Buckets, MAX_BUCKETS, Segment};

#[test]
fn copies_of_an_interval() {
    for kernels in levels() {
        let row = row(kernels, 5, 11);
        let maxima = maxima_of(kernels, &row);
        let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 7 };
        for (low, high) in
            [(f32::MIN, f32::INFINITY), (0.0, 0.25), (-3.0, 2.0), (4.5, f32::INFINITY), (2.0, 2.0)]
        {
            let wanted: Vec<f32> = row.iter().copied().filter(|l| *l >= low && *l < high).collect();
            let mut out = vec![0.0; row.len() + 16];
            let len = kernels.copy_between(segment, low, high, &mut out);
            assert_eq!(out[..len], wanted, "{low} {high}");
        }
    }
}

#[test]
fn the_place_of_an_equal_value() {
    for kernels in levels() {
        let row = row(kernels, 3, 12);
        let maxima = maxima_of(kernels, &row);
        let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 0 };
        for value in [row[0], row[row.len() - 1], 0.0, -0.0, 1000.0] {
            let places = row.iter().enumerate().filter(|(_, l)| **l == value).map(|(i, _)| i);
            let places: Vec<usize> = places.collect();
            for (before, place) in places.iter().enumerate() {
                assert_eq!(kernels.find_equal(segment, value, before), Ok(*place));
            }
            let (all, more) = (places.len(), places.len() + 3);
            assert_eq!(kernels.find_equal(segment, value, all), Err(all));
            assert_eq!(kernels.find_equal(segment, value, more), Err(all));
        }
    }
}

/// Around a batch of the kernel, with one bucket more than values and far fewer.
#[test]
fn buckets_are_a_partition_in_order() {
    for kernels in levels() {
        for len in [1, 2, 63, 64, 65, 1000, 5003] {
            for (spread, buckets) in [(1.0, 64), (1e-38, 64), (6e37, 256), (20.0, MAX_BUCKETS)] {
                let mut next = uniform(len as u64);
                let values: Vec<f32> = (0..len).map(|_| (next() - 0.7) * spread).collect();
                let (least, most) = kernels.extent(&values);
                assert_eq!(least, values.iter().copied().fold(f32::INFINITY, f32::min));
                assert_eq!(most, values.iter().copied().fold(f32::NEG_INFINITY, f32::max));
                let by = Buckets::new(most, least, buckets);
                let mut counts = [0; MAX_BUCKETS];
                kernels.count_in_buckets(&values, by, &mut counts);
                assert_eq!(counts.iter().sum::<u32>() as usize, len);
                assert!(counts[buckets..].iter().all(|count| *count == 0));
                let mut place = 0;
                let ends: Vec<usize> = counts
                    .iter()
                    .scan(0, |end, count| {
                        *end += *count as usize;
                        Some(*end)
                    })
                    .collect();
                for count in &mut counts {
                    (place, *count) = (place + *count, place);
                }
                let mut out = vec![f32::NAN; len];
                kernels.scatter(&values, by, &mut counts, &mut out);
                let mut start = 0;
                let mut above = f32::INFINITY;
                for end in ends {
                    let (low, high) = kernels.extent(&out[start..end]);
                    assert!(start == end || high < above, "{high} {above}");
                    (start, above) = (end, if start == end { above } else { low });
                }
                let sorted = |mut values: Vec<f32>| {
                    values.sort_by(f32::total_cmp);
                    values
                };
                assert_eq!(sorted(out), sorted(values));
            }
        }
    }
}

/// The sum is that of single steps, or none; and it is seldom none in the middle of a binade.
#[test]
fn sums_in_any_order_are_those_of_single_steps() {
    for kernels in levels() {
        let (mut sums, mut tried) = (0, 0);
        for seed in 0..400 {
            let mut next = uniform(seed);
            let len = (next() * 200.0) as usize;
            // Many bits or few: with few there are ties.
            let grid = (next() * 30.0).floor().exp2();
            let values: Vec<f32> = (0..len).map(|_| (next() * grid).round() / grid).collect();
            for start in [0.0, 1e-40, 1.0, 1.5 + next(), 100.0, 70_000.5, 16_777_215.0] {
                for divisor in [None, Some(1.0), Some(0.3 + 50.0 * next())] {
                    let quotient = |value: &f32| value / divisor.unwrap_or(1.0);
                    let single = values.iter().fold(start, |sum, value| sum + quotient(value));
                    let mut falling = values.clone();
                    falling.sort_by(|a, b| b.total_cmp(a));
                    let ranked = falling.iter().fold(start, |sum, value| sum + quotient(value));
                    tried += 1;
                    if let Some(sum) = kernels.add_in_any_order(start, &values, divisor) {
                        sums += 1;
                        assert_eq!(sum.to_bits(), single.to_bits(), "seed {seed}, {start}");
                        assert_eq!(sum.to_bits(), ranked.to_bits(), "seed {seed}, {start}");
                    }
                }
            }
        }
        assert!(sums * 4 > tried, "{sums} of {tried}");
        assert_eq!(kernels.add_in_any_order(f32::NAN, &[1.0], None), None);
        assert_eq!(kernels.add_in_any_order(1.0, &[f32::NAN], None), None);
        // 1 + 2^-24 is a tie; 2 is the next binade.
        assert_eq!(kernels.add_in_any_order(1.0, &[f32::EPSILON / 2.0], None), None);
        assert_eq!(kernels.add_in_any_order(1.0, &[1.0], None), None);
        assert_eq!(kernels.add_in_any_order(1.0, &[1.0_f32.next_down()], None), None);
        assert_eq!(kernels.add_in_any_order(1.0, &[0.5; 1], None), Some(1.5));
    }
}

#[test]
fn exps_quotients_and_double_sums() {
    for kernels in levels() {
        for len in [0, 1, 15, 31, 32, 33, 1023, 1024, 1025, 3000] {
            let mut next = uniform(len as u64);
            let values: Vec<f32> = (0..len).map(|_| 7.0 - 30.0 * next()).collect();
            for t in [1.0, 0.8, 1e-30, 1e-45, 1e30, f32::MAX] {
                let mut exps = vec![f32::NAN; len];
                kernels.tempered_exps(&values, 7.0, t, &mut exps);
                for (e, value) in exps.iter().zip(&values) {
                    assert_eq!(e.to_bits(), expf((value - 7.0) / t).to_bits(), "{value} {t}");
                }
                let sum: f64 = exps.iter().map(|e| f64::from(*e)).sum();
                let doubt = len as f64 * f64::EPSILON * sum;
                assert!((kernels.sum_in_double(&exps) - sum).abs() <= doubt, "{len}");
                let mut quotients = exps.clone();
                kernels.divide_all(&mut quotients, 3.7);
                assert!(quotients.iter().zip(&exps).all(|(q, e)| *q == e / 3.7));
            }
        }
    }
}
