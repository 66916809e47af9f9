//! Random stages: usual values, values at which they are off, extremes, and cuts that fall on a candidate.

use super::custom::Thinner;
use super::spec::Spec;
use crate::common::oracle::Mt19937;
use crate::common::rows::SplitMix;
use s2sampler_core::{DistMethod, DistOptions, DistOrder, DistSums, SamplerParams};

/// What the parameters are chosen for.
pub struct Aim {
    /// Tokens in the row.
    pub n: usize,
    /// Running sums of the row's probabilities, near which a top_p cuts: those of the S2 rule and those of
    /// chains.
    pub sums: Vec<f32>,
    /// Probabilities of ranks, near which thresholds are.
    pub probabilities: Vec<f32>,
    /// Shares of the largest probability that candidates have, near which a min_p cuts.
    pub shares: Vec<f32>,
    /// Tokens that the history is made of.
    pub history: Vec<i32>,
}

impl Aim {
    pub fn at(row: &[f32], random: &mut SplitMix) -> Self {
        let ranked = crate::common::oracle::rank(row);
        let n = row.len();
        let ranks = [0, 1, 2, random.below(n.min(50)), random.below(n)].map(|rank| rank.min(n - 1));
        let share = |rank: usize| (ranked.logits[rank] - ranked.logits[0]).exp();
        let total: f32 = (0..n).map(share).sum();
        let mut sums: Vec<f32> = ranks.iter().map(|rank| ranked.running[*rank]).collect();
        let e: Vec<f64> = (0..n).map(|rank| f64::from(share(rank))).collect();
        let s: f64 = e.iter().sum();
        sums.extend(ranks.iter().map(|rank| (e[..=*rank].iter().sum::<f64>() / s) as f32));
        let likely = (0..4).map(|_| ranked.ids[random.below(n.min(8))] as i32);
        Self {
            n,
            sums,
            probabilities: ranks.iter().map(|rank| share(*rank) / total).collect(),
            shares: ranks.iter().map(|rank| share(*rank)).collect(),
            history: likely.collect(),
        }
    }

    /// Stages, the last of which mostly selects.
    pub fn chain(&self, random: &mut SplitMix) -> Vec<Spec> {
        let count = random.below(8);
        let mut specs: Vec<Spec> = (0..count).map(|_| self.stage(random)).collect();
        if specs.is_empty() || random.below(8) > 0 {
            specs.push(self.selecting(random));
        }
        if random.below(24) == 0 {
            // What comes after only listens.
            specs.push(self.stage(random));
        }
        specs
    }

    fn selecting(&self, random: &mut SplitMix) -> Spec {
        let seed = random.next() as u32;
        match random.below(10) {
            0 => Spec::Greedy,
            1 => Spec::MirostatV2 {
                seed,
                tau: random.pick(&[0.0, 0.1, 1.0, 3.0, 5.0, 12.0]),
                eta: random.pick(&[0.0, 0.1, 1.0, 5.0]),
            },
            2 => Spec::Mirostat {
                seed,
                tau: random.pick(&[-3.0, 0.0, 0.1, 1.0, 3.0, 5.0, 12.0, 1e30]),
                eta: random.pick(&[0.0, 0.1, 1.0, 5.0]),
                m: random.pick(&[2, 3, 40, 100, i32::MAX]),
            },
            3 => Spec::AdaptiveP {
                target: any_of(&[-1.0, -0.0, 0.0, 0.1, 0.3, 0.7, 1.0], random.unit(), random),
                decay: random.pick(&[0.0, 0.5, 0.9, 0.99, 1.0, f32::INFINITY]),
                seed,
            },
            4..=6 => Spec::DistWith(dist(seed, random)),
            _ => Spec::Dist(seed),
        }
    }

    fn stage(&self, random: &mut SplitMix) -> Spec {
        match random.below(34) {
            0 => Spec::LogitBias(self.biases(random)),
            1 | 2 => Spec::Penalties {
                last_n: random.pick(&[-1, 0, 1, 2, 7, 64, 64, 1 << 20]),
                repeat: random.pick(&[1.0, 1.1, 1.1, 1.5, 0.5, 1e-45, 1e-30, 1e30, f32::MAX]),
                frequency: random.pick(&[0.0, 0.0, 0.3, -0.7, 1e38]),
                presence: random.pick(&[0.0, 0.0, 0.5, -1.0, -3e38]),
            },
            3 | 4 => Spec::TopK(self.limit(random)),
            5 | 6 => Spec::TopP { p: self.nucleus(random), min_keep: self.min_keep(random) },
            7 => Spec::MinP { p: self.share(random), min_keep: self.min_keep(random) },
            8 => Spec::Typical {
                p: any_of(&[0.0, 0.1, 0.5, 0.9, 0.99, 1.0, -1.0], random.unit(), random),
                min_keep: self.min_keep(random),
            },
            9 => Spec::TopNSigma(random.pick(&[
                -1.0,
                0.0,
                1e-45,
                1e-3,
                0.5,
                1.0,
                2.0,
                50.0,
                f32::MAX,
                f32::INFINITY,
            ])),
            10 => {
                let seed = random.next() as u32;
                // At or beside the number that the seed draws first, and others.
                let drawn = Mt19937::new(seed).next_u32() as f32 / 2.0_f32.powi(32);
                let beside = near(drawn, random);
                Spec::Xtc {
                    probability: any_of(&[0.0, 0.5, 0.9, 1.0, 2.0], beside, random),
                    threshold: any_of(
                        &[1e-45, 1e-6, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.51],
                        near(random.pick(&self.probabilities), random).max(1e-45),
                        random,
                    ),
                    min_keep: self.min_keep(random),
                    seed,
                }
            }
            11 => Spec::Temperature(temperature(random)),
            12 => Spec::TemperatureExt {
                t: any_of(&[0.0, 0.5, 0.8, 1.0, 1.5, 3.0], temperature(random), random),
                delta: random.pick(&[
                    -1.0,
                    0.0,
                    0.25,
                    0.5,
                    0.8,
                    2.0,
                    1e-45,
                    1e-30,
                    f32::MAX,
                    f32::INFINITY,
                ]),
                exponent: random.pick(&[0.0, 0.5, 1.0, 1.0, 2.0, -1.0, 1e30, -1e30]),
            },
            13 | 32 => Spec::Dry {
                multiplier: random.pick(&[0.0, 0.8, 0.8, 2.0, -1.0, 1e30]),
                base: random.pick(&[0.5, 1.0, 1.000_001, 1.75, 1.75, 3.0, 1e20, f32::MAX]),
                allowed_length: random.pick(&[0, 1, 1, 2, 3]),
                last_n: random.pick(&[-1, -1, 0, 1, 5, 20, 1 << 20]),
                breakers: self.breakers(random),
            },
            14 => Spec::S2(SamplerParams {
                temperature: any_of(&[0.8, f32::NAN], temperature(random), random),
                top_p: any_of(&[0.8, 1.0, f32::NAN], self.nucleus(random), random),
                top_k: self.limit(random),
            }),
            31 => Spec::S2First {
                params: SamplerParams {
                    temperature: any_of(&[0.7, f32::NAN], temperature(random), random),
                    top_p: any_of(&[0.7, 1.0, f32::NAN], self.nucleus(random), random),
                    top_k: self.limit(random),
                },
                keep_id: match random.below(4) {
                    0 => -1,
                    1 => random.pick(&self.history),
                    _ => random.below(self.n + 1) as i32,
                },
            },
            15 => Spec::EpsilonCutoff {
                epsilon: any_of(
                    &[-1.0, 0.0, 1e-45, 1e-4, 1e-3, 0.02, 0.3, 1.0, 2.0, f32::INFINITY],
                    near(random.pick(&self.probabilities), random),
                    random,
                ),
                min_keep: self.min_keep(random),
            },
            16 => Spec::Scale(any_of(
                &[1e-45, 1e-30, 0.5, 1.0, 1.25, 2.0, 1e30, 1e38, f32::MAX],
                1.0 / (0.1 + random.unit()),
                random,
            )),
            17 => Spec::TopKTies(self.limit(random)),
            18 => Spec::TopPExclusive(self.nucleus(random)),
            19 => Spec::PenaltyEach {
                last_n: random.pick(&[-1, 0, 1, 2, 7, 64, 64, 1 << 20]),
                repeat: random.pick(&[1.0, 1.1, 1.1, 1.5, 0.5, 1e-45, 1e-30, 1e30, f32::MAX]),
            },
            20 => Spec::PenaltyRun(random.pick(&[1.0, 1.1, 1.1, 1.5, 0.5, 1e-45, 1e30, f32::MAX])),
            21 => Spec::NoRepeatNgram {
                n: random.pick(&[0, 1, 1, 2, 2, 3, 4, i32::MAX]),
                last_n: random.pick(&[-1, -1, -1, 0, 1, 3, 20, 1 << 20]),
            },
            22 => Spec::EtaCutoff {
                eta: any_of(
                    &[-1.0, 0.0, 1e-45, 1e-4, 1e-3, 0.02, 0.3, 1.0, 2.0, f32::INFINITY],
                    near(random.pick(&self.probabilities), random),
                    random,
                ),
                min_keep: self.min_keep(random),
            },
            23 => {
                let (sustain, decay) = random.pick(&[
                    (0, 0),
                    (0, 1),
                    (1, 0),
                    (2, 3),
                    (5, 20),
                    (64, 64),
                    (0, 1 << 20),
                    (-1, 0),
                    (-1, 7),
                ]);
                let repeat = random.pick(&[1.0, 1.1, 1.5, 0.5, 1e-45, 1e30, f32::MAX]);
                Spec::PenaltyDecay { sustain, decay, repeat }
            }
            24 => Spec::SequenceBias(self.sequences(random)),
            25 => Spec::MinTokens {
                count: random.pick(&[0, 1, 2, 3, 8, 30, i32::MAX]),
                ids: self.ids(random),
            },
            26 => {
                let words = self.n.div_ceil(32) + random.pick(&[0, 0, 0, 1, 3]);
                let words = words - random.below(2).min(words);
                let any = random.below(3);
                let mut word = || match any {
                    0 => random.pick(&[0, -1, -1, i32::MIN, 1]),
                    1 => (random.next() | random.next()) as i32,
                    _ => random.next() as i32,
                };
                Spec::Bitmask((0..words).map(|_| word()).collect())
            }
            27 => Spec::TopA {
                a: any_of(
                    &[-1.0, 0.0, 1e-45, 1e-4, 0.02, 0.2, 0.5, 1.0, 2.0, f32::INFINITY],
                    near(random.pick(&self.probabilities), random),
                    random,
                ),
                min_keep: self.min_keep(random),
            },
            28 => Spec::Smoothing {
                factor: random.pick(&[-1.0, 0.0, 1e-45, 0.01, 0.2, 0.2, 1.5, 1e30, f32::MAX]),
                curve: random.pick(&[1.0, 1.0, 1.5, 3.0, 4.5, 0.5, -2.0, 1e30]),
            },
            29 => {
                let seed = random.next() as u32;
                let drawn = Mt19937::new(seed).next_u32() as f32 / 2.0_f32.powi(32);
                let beside = near(drawn, random);
                Spec::XtcProtected {
                    probability: any_of(&[0.0, 0.5, 0.9, 1.0, 2.0], beside, random),
                    threshold: any_of(
                        &[1e-45, 1e-6, 1e-4, 0.01, 0.1, 0.3, 0.5, 0.51],
                        near(random.pick(&self.probabilities), random).max(1e-45),
                        random,
                    ),
                    min_keep: self.min_keep(random),
                    seed,
                    protected: self.ids(random),
                }
            }
            30 => Spec::Custom(Thinner::default()),
            _ => Spec::Softmax,
        }
    }

    fn limit(&self, random: &mut SplitMix) -> i32 {
        let n = self.n as i32;
        let any = random.below(self.n) as i32;
        random.pick(&[
            i32::MIN,
            0,
            1,
            2,
            3,
            5,
            40,
            40,
            any,
            127,
            129,
            256,
            n - 1,
            n,
            n + 1,
            i32::MAX,
        ])
    }

    fn min_keep(&self, random: &mut SplitMix) -> usize {
        random.pick(&[0, 0, 1, 1, 1, 2, 5, 40, self.n - 1, self.n, self.n + 1, usize::MAX])
    }

    fn nucleus(&self, random: &mut SplitMix) -> f32 {
        match random.below(3) {
            0 => near(random.pick(&self.sums), random),
            _ => random.pick(&[-1.0, 0.0, 1e-30, 0.1, 0.5, 0.9, 0.95, 0.999, 1.0, 1.5]),
        }
    }

    fn share(&self, random: &mut SplitMix) -> f32 {
        match random.below(3) {
            0 => near(random.pick(&self.shares), random),
            _ => random.pick(&[
                -1.0,
                0.0,
                1e-45,
                1e-6,
                0.05,
                0.05,
                0.3,
                0.9,
                1.0,
                1.05,
                f32::INFINITY,
            ]),
        }
    }

    fn biases(&self, random: &mut SplitMix) -> Vec<(i32, f32)> {
        let count = random.pick(&[0, 1, 3, 40]);
        let mut id = || match random.below(4) {
            0 => random.below(2 * self.n) as i32,
            1 => random.below(self.n.min(4)) as i32,
            _ => random.pick(&self.history),
        };
        let ids: Vec<i32> = (0..count).map(|_| id()).collect();
        let values = [0.0, 1.0, -2.5, 30.0, f32::NEG_INFINITY, f32::INFINITY, f32::MAX];
        let usual = random.below(4) > 0;
        let bias = |random: &mut SplitMix| match usual {
            true => 10.0 * random.unit() - 5.0,
            false => random.pick(&values),
        };
        ids.into_iter().map(|id| (id, bias(random))).collect()
    }

    fn ids(&self, random: &mut SplitMix) -> Vec<i32> {
        let count = random.pick(&[0, 1, 3, 3, 40]);
        let mut id = || match random.below(4) {
            0 => random.below(2 * self.n) as i32 - 1,
            1 => random.below(self.n.min(4)) as i32,
            _ => random.pick(&self.history),
        };
        (0..count).map(|_| id()).collect()
    }

    fn sequences(&self, random: &mut SplitMix) -> Vec<(Vec<i32>, f32)> {
        let count = random.pick(&[0, 1, 3, 12]);
        let values = [0.0, 1.0, -2.5, 30.0, f32::NEG_INFINITY, f32::INFINITY, f32::MAX];
        let mut one = || {
            let len = 1 + random.below(3);
            let tokens = (0..len).map(|_| random.pick(&self.history)).collect();
            let usual = random.below(3) > 0;
            let bias = if usual { 10.0 * random.unit() - 5.0 } else { random.pick(&values) };
            (tokens, bias)
        };
        (0..count).map(|_| one()).collect()
    }

    fn breakers(&self, random: &mut SplitMix) -> Vec<Vec<i32>> {
        let mut breakers: Vec<Vec<i32>> = Vec::new();
        for _ in 0..random.pick(&[0, 0, 1, 3, 9]) {
            // Every other one begins as one before it, or is the beginning or the end of it.
            let mut breaker = Vec::new();
            if random.below(2) == 0 && !breakers.is_empty() {
                breaker.clone_from(&breakers[random.below(breakers.len())]);
                let cut = random.below(breaker.len());
                match random.below(3) {
                    0 => breaker.truncate(cut + 1),
                    1 => drop(breaker.drain(..cut)),
                    _ => {}
                }
            }
            let more = usize::from(breaker.is_empty()) + random.below(3);
            breaker.extend((0..more).map(|_| random.pick(&self.history)));
            breakers.push(breaker);
        }
        breakers
    }
}

/// Options of dist, those that do not go together left out.
fn dist(seed: u32, random: &mut SplitMix) -> DistOptions {
    let mut options = DistOptions::new(seed);
    options.method = random.pick(&[
        DistMethod::Inversion,
        DistMethod::Inversion,
        DistMethod::Discrete,
        DistMethod::ExponentialRace,
        DistMethod::GumbelRace,
    ]);
    options.order = random.pick(&[DistOrder::List, DistOrder::Id, DistOrder::Rank]);
    if options.method == DistMethod::Inversion {
        options.sums = random.pick(&[DistSums::Double, DistSums::Float]);
        options.mass = random.pick(&[1.0, 1.0, 2.0, 0.0, 1e-45, 0.3, 0.9, 1.0_f32.next_down()]);
    }
    options
}

fn temperature(random: &mut SplitMix) -> f32 {
    let usual = any_of(&[1.0, 0.8, 0.2, 1.2], random.unit(), random);
    match random.below(6) {
        0 => random.pick(&[
            f32::NEG_INFINITY,
            -1.0,
            0.0,
            -0.0,
            1e-45,
            1e-40,
            1e-38,
            1e-37,
            1e-30,
            30.0,
            1e30,
            f32::MAX,
            f32::INFINITY,
        ]),
        _ => usual,
    }
}

/// As likely one of the values as the other one.
fn any_of(values: &[f32], other: f32, random: &mut SplitMix) -> f32 {
    if random.below(2) == 0 { random.pick(values) } else { other }
}

/// The value, or one of the floats beside it.
fn near(value: f32, random: &mut SplitMix) -> f32 {
    let value = if value.is_nan() { 0.7 } else { value };
    random.pick(&[value, value.next_up(), value.next_down()])
}
