//! Rows for chains: their lengths are boundaries of the vector kernels, their shapes those of the other
//! tests.

use crate::common::golden;
use crate::common::rows::{KINDS, SplitMix};
use std::sync::OnceLock;

/// A row with the name of its shape.
pub fn row(random: &mut SplitMix) -> (&'static str, Vec<f32>) {
    if random.below(40) == 0 {
        return ("real", part_of_a_real_row(random));
    }
    let n = length(random);
    match random.below(12) {
        0 => return ("neighbours", neighbours(n, random)),
        1 => return ("extremes", extremes(n, random)),
        _ => {}
    }
    let (kind, make) = match random.below(2) {
        // Chains are for rows like these; the others are there to strain single rules.
        0 => random.pick(&KINDS[..4]),
        _ => random.pick(KINDS),
    };
    (kind, make(n, random.next()))
}

/// Seldom a long one: the oracle sorts it several times.
fn length(random: &mut SplitMix) -> usize {
    match random.below(256) {
        0 => 155_776,
        1..8 => random.pick(&[4096, 8192, 16_384]) + random.below(3) - 1,
        8..72 => random.pick(&[128, 256, 512, 1024]) + random.below(3) - 1,
        72..104 => random.pick(&[8, 16, 31, 32, 33, 64]) + random.below(3) - 1,
        104..128 => 1 + random.below(3),
        128..152 => 1 + random.below(12),
        152..168 => random.pick(&[1000, 5000]),
        _ => 1 + random.below(700),
    }
}

/// Few floats that lie side by side, in any order: a division makes some of them equal.
fn neighbours(n: usize, random: &mut SplitMix) -> Vec<f32> {
    let first = random.pick(&[1.7_f32, -1.7, 3.9, 20.0, -0.3, 1e-40, 3e38]) * (1.0 + random.unit());
    let last = 1 + random.below(8);
    let mut logit = || {
        let steps = random.below(last + 1) as u32;
        let near = f32::from_bits(first.to_bits().wrapping_add(steps));
        if random.below(8) == 0 { near - 1.0 } else { near }
    };
    (0..n).map(|_| logit()).collect()
}

/// The ends of binary32, and usual logits between them.
fn extremes(n: usize, random: &mut SplitMix) -> Vec<f32> {
    let mut values = vec![
        f32::NAN,
        f32::NEG_INFINITY,
        f32::MIN,
        -3e38,
        -1e38,
        -88.0,
        -1.0,
        -f32::MIN_POSITIVE,
        -1e-45,
        -0.0,
        0.0,
        1e-45,
        f32::MIN_POSITIVE,
        0.5,
        20.0,
        1e38,
        3e38,
        f32::MAX,
        f32::INFINITY,
    ];
    // Without the largest ones, the next are.
    values.truncate(values.len() - random.pick(&[0, 1, 1, 1, 4, 5, 5, 9, 12, 17]));
    (0..n)
        .map(
            |_| {
                if random.below(4) == 0 {
                    10.0 * random.unit() - 20.0
                } else {
                    random.pick(&values)
                }
            },
        )
        .collect()
}

fn part_of_a_real_row(random: &mut SplitMix) -> Vec<f32> {
    static ROWS: OnceLock<Vec<Vec<f32>>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| ["18", "27"].map(golden::row).to_vec());
    let row = &rows[random.below(rows.len())];
    let n = if random.below(16) == 0 { row.len() } else { 3000 };
    let from = random.below(row.len() - n + 1);
    row[from..from + n].to_vec()
}
