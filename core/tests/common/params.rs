//! Every corner of the three parameters, alone and combined.

use super::oracle::Ranked;
use super::rows::SplitMix;
use s2sampler_core::SamplerParams;

const TEMPERATURES: [f32; 15] = [
    -1.0,
    -0.0,
    0.0,
    1e-45,
    1e-42,
    f32::MIN_POSITIVE,
    1e-6,
    0.05,
    0.8,
    1.0,
    1.3,
    1e30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

const NUCLEI: [f32; 15] = [
    f32::NEG_INFINITY,
    -1.0,
    0.0,
    1e-45,
    1e-30,
    0.1,
    0.5,
    0.8,
    0.95,
    0.999,
    1.0 - f32::EPSILON / 2.0,
    1.0,
    1.5,
    f32::INFINITY,
    f32::NAN,
];

fn limits(n: usize) -> [i32; 14] {
    let n = n as i32;
    [i32::MIN, -1, 0, 1, 2, 3, 5, 30, 50, 1000, n - 1, n, n + 1, i32::MAX]
}

/// A running sum of the row, or the float right below or above it.
pub fn near_running_sum(row: &Ranked, rank: usize) -> [f32; 3] {
    let c = row.running[rank];
    [c.next_down(), c, c.next_up()]
}

/// Every corner of each parameter, the other two at common values.
pub fn one_at_a_time(n: usize) -> Vec<SamplerParams> {
    let mut all = Vec::new();
    for top_k in limits(n) {
        all.push(SamplerParams { temperature: 0.8, top_p: 0.8, top_k });
        all.push(SamplerParams { temperature: 1.0, top_p: 1.0, top_k });
    }
    for top_p in NUCLEI {
        all.push(SamplerParams { temperature: 0.8, top_p, top_k: 30 });
        all.push(SamplerParams { temperature: 1.0, top_p, top_k: 0 });
    }
    for temperature in TEMPERATURES {
        all.push(SamplerParams { temperature, top_p: 0.9, top_k: 30 });
        all.push(SamplerParams { temperature, top_p: f32::NAN, top_k: 0 });
    }
    all
}

/// Corners of all three at once, chosen by `random`; a third of the nuclei lie at a running sum.
pub fn combined(row: &Ranked, random: &mut SplitMix) -> SamplerParams {
    let n = row.ids.len();
    let top_p = match random.below(3) {
        // The early ranks are where a sum still moves.
        0 => {
            let rank = match random.below(2) {
                0 => random.below(n.min(64)),
                _ => random.below(n),
            };
            random.pick(&near_running_sum(row, rank))
        }
        _ => random.pick(&NUCLEI),
    };
    SamplerParams { temperature: random.pick(&TEMPERATURES), top_p, top_k: random.pick(&limits(n)) }
}
