//! Random rows and chains of the stages that both have, with parameters as users choose them.

use crate::common::{self, SplitMix};
use crate::spec::Spec;

pub struct Case {
    pub row: Vec<f32>,
    pub specs: Vec<Spec>,
    /// Tokens from before the first draw.
    pub history: Vec<i32>,
}

impl Case {
    /// `tied`: rows in which many logits are equal.
    pub fn new(number: u64, tied: bool) -> Self {
        let mut random = SplitMix(number);
        let row = row(&mut random, tied);
        let mut best: Vec<i32> = (0..row.len() as i32).collect();
        best.sort_by(|a, b| row[*b as usize].total_cmp(&row[*a as usize]));
        best.truncate(6);
        let stretch: Vec<i32> = (0..6 + random.below(8)).map(|_| random.pick(&best)).collect();
        let again = random.below(stretch.len());
        let history = [&stretch[..], &stretch[..again]].concat();
        let mut specs: Vec<Spec> =
            (0..1 + random.below(6)).map(|_| stage(&mut random, &best)).collect();
        if random.below(8) > 0 {
            specs.push(selecting(&mut random));
        }
        Self { row, specs, history }
    }
}

fn row(random: &mut SplitMix, tied: bool) -> Vec<f32> {
    let n = match random.below(100) {
        0 => 155_776,
        1 | 2 => 32_000,
        3..20 => 1000 + random.below(8000),
        20..50 => 1 + random.below(40),
        _ => 40 + random.below(1000),
    };
    let seed = random.next() >> 1;
    match random.below(8) {
        _ if tied => common::tied(n, seed),
        0 => common::masked(n, seed),
        1 => common::flat(n, seed),
        2 | 3 => common::peaked(n, seed),
        4 => common::real(n, 1 + seed % 1000),
        _ => common::normal(n, seed),
    }
}

fn selecting(random: &mut SplitMix) -> Spec {
    let seed = random.next() as u32 >> 1;
    match random.below(10) {
        8 => Spec::Mirostat {
            seed,
            tau: random.pick(&[1.0, 3.0, 5.0]),
            eta: random.pick(&[0.1, 0.5]),
            m: random.pick(&[20, 100]),
        },
        9 => Spec::AdaptiveP {
            target: random.pick(&[-1.0, 0.1, 0.4, 0.7]),
            decay: random.pick(&[0.5, 0.9]),
            seed,
        },
        0 => Spec::Greedy,
        1 => Spec::MirostatV2 {
            seed,
            tau: random.pick(&[1.0, 3.0, 5.0]),
            eta: random.pick(&[0.1, 0.5]),
        },
        _ => Spec::Dist(seed),
    }
}

fn stage(random: &mut SplitMix, best: &[i32]) -> Spec {
    let min_keep = random.pick(&[0, 1, 1, 1, 2, 5, 30]);
    match random.below(13) {
        0 => {
            let bias = |random: &mut SplitMix| match random.below(4) {
                0 => f32::NEG_INFINITY,
                _ => 6.0 * random.unit() - 3.0,
            };
            let count = random.below(4);
            Spec::LogitBias((0..count).map(|i| (best[i % best.len()], bias(random))).collect())
        }
        1 | 2 => Spec::Penalties {
            last_n: random.pick(&[-1, 0, 4, 64, 64]),
            repeat: random.pick(&[1.0, 1.1, 1.3]),
            frequency: random.pick(&[0.0, 0.0, 0.2]),
            presence: random.pick(&[0.0, 0.0, 0.4]),
        },
        3 | 4 => Spec::TopK(random.pick(&[0, 1, 5, 40, 40, 100, 300, 5000])),
        5 | 6 => Spec::TopP { p: random.pick(&[0.0, 0.3, 0.8, 0.9, 0.95, 0.99, 1.0]), min_keep },
        7 => Spec::MinP { p: random.pick(&[0.0, 0.01, 0.05, 0.1, 0.5, 1.0, 1.1]), min_keep },
        8 => Spec::Typical { p: random.pick(&[0.2, 0.5, 0.9, 0.95, 1.0]), min_keep },
        9 => Spec::TopNSigma(random.pick(&[-1.0, 0.5, 1.0, 2.0, 3.0])),
        10 => Spec::Xtc {
            probability: random.pick(&[0.0, 0.5, 1.0]),
            threshold: random.pick(&[0.01, 0.05, 0.1, 0.3, 0.6]),
            min_keep,
            seed: random.next() as u32 >> 1,
        },
        11 => match random.below(3) {
            0 => Spec::TemperatureExt {
                t: random.pick(&[0.5, 0.8, 1.0, 1.4]),
                delta: random.pick(&[0.0, 0.3, 0.5]),
                exponent: random.pick(&[0.5, 1.0, 2.0]),
            },
            _ => Spec::Temperature(random.pick(&[0.0, 0.2, 0.8, 1.0, 1.2, 2.0])),
        },
        _ => {
            let breaker = |random: &mut SplitMix| -> Vec<i32> {
                (0..1 + random.below(2)).map(|_| random.pick(best)).collect()
            };
            let count = random.pick(&[0, 1, 1, 2]);
            Spec::Dry {
                multiplier: random.pick(&[0.0, 0.8, 0.8, 1.5]),
                base: random.pick(&[0.5, 1.1, 1.75]),
                allowed_length: random.pick(&[1, 2, 2, 3]),
                last_n: random.pick(&[-1, 0, 5, 20]),
                breakers: (0..count).map(|_| breaker(random)).collect(),
            }
        }
    }
}
