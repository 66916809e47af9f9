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
        104..152 => 1 + random.below(12),
        152..168 => random.pick(&[1000, 5000]),
        _ => 1 + random.below(700),
    }
}

fn part_of_a_real_row(random: &mut SplitMix) -> Vec<f32> {
    static ROWS: OnceLock<Vec<Vec<f32>>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| ["18", "27"].map(golden::row).to_vec());
    let row = &rows[random.below(rows.len())];
    let n = if random.below(16) == 0 { row.len() } else { 3000 };
    let from = random.below(row.len() - n + 1);
    row[from..from + n].to_vec()
}
