//! The entropy of the rule lies between the bounds, on rows that strain them.

use super::{Row, RowMemory};
use crate::chain::scratch::Memory;
use crate::rules::entropy::entropy;
use crate::rules::expf::expf;
use crate::rules::softmax::probability;
use crate::simd::{Kernels, SimdLevel};

/// The entropy by its definition.
fn literal(row: &[f32]) -> (f64, usize) {
    let mut logits: Vec<f32> = row.iter().copied().filter(|l| *l > f32::NEG_INFINITY).collect();
    logits.sort_by(|a, b| b.total_cmp(a));
    let exps: Vec<f32> = logits.iter().map(|l| expf(l - logits[0])).collect();
    let sum = exps.iter().fold(0.0, |sum, e| sum + f64::from(*e));
    entropy(exps.iter().map(|e| probability(*e, sum)))
}

fn rows(n: usize, next: &mut dyn FnMut() -> f32) -> Vec<Vec<f32>> {
    let mut each = |logit: &dyn Fn(f32, usize) -> f32| -> Vec<f32> {
        (0..n).map(|i| logit(next(), i)).collect()
    };
    vec![
        each(&|u, _| 12.0 * u),
        each(&|u, _| 3.0 * (u / (1.000_001 - u)).ln()),
        each(&|_, _| 2.5),
        each(&|u, i| if i == n / 2 { 60.0 } else { u }),
        each(&|u, i| if i == n / 2 { 18.0 } else { u }),
        each(&|u, _| -110.0 * u),
        each(&|u, _| -86.0 - 4.0 * u).into_iter().chain([0.0, 0.0]).collect(),
        each(&|u, _| -(u * 40.0).floor()),
        each(&|u, i| {
            if i % 3 == 0 {
                f32::NEG_INFINITY
            } else if i % 7 == 0 {
                f32::NAN
            } else {
                u
            }
        }),
        each(&|u, i| if i < 70 { 10.0 } else { 10.0 * u }),
        each(&|_, i| -(i as f32) * 0.01),
        each(&|_, i| i as f32 * 0.01),
    ]
}

#[test]
fn the_entropy_lies_between_its_bounds() {
    let mut state = 9_u64;
    let mut next = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let (mut narrow, mut all) = (0, 0);
    for n in [1, 2, 63, 64, 65, 66, 129, 511, 512, 513, 1000, 4097, 20_000] {
        for (shape, row) in rows(n, &mut next).into_iter().enumerate() {
            let (want, count) = literal(&row);
            for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
                let mut memory = Memory::new(kernels);
                let mut changes = RowMemory::new();
                let mut row = Row::new(&row, &mut changes);
                if !row.is_whole(&mut memory.scratch).expect("memory") {
                    continue;
                }
                let found = row.entropy(&mut memory.scratch).expect("memory");
                let what = format!("{n} {shape} {:?}: {found:?}", kernels.level());
                assert!(found.low <= want && want <= found.high, "{want} {what}");
                assert_eq!(found.count, count, "{what}");
                all += 1;
                narrow += u32::from(found.high - found.low <= 1e-9 * want);
            }
        }
    }
    assert!(narrow * 10 > all * 9, "{narrow} of {all}");
}

#[test]
fn expf_rises() {
    let exhaustive = std::env::var("S2_TEST_SCALE").is_ok_and(|scale| scale == "exhaustive");
    let (first, last) = (0.0_f32.to_bits(), 104.0_f32.to_bits());
    // Every x from 0 to -104 at that scale, otherwise a stretch in each of many places.
    let mut before = f32::INFINITY;
    for bits in first..=last {
        if exhaustive || bits % (1 << 20) < 1 << 11 {
            let e = expf(-f32::from_bits(bits));
            assert!(e <= before, "{bits:x}");
            before = e;
        }
    }
}
