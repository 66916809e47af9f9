//! Stages whose rules rank the whole row, on rows long enough for the library not to rank them: against the oracle, and
//! with decisions at an edge, which are computed here from the sorted row.

use crate::common;

use common::chain::Oracle;
use common::chain::spec::{Spec, fill};
use common::levels;
use common::rows::{KINDS, SplitMix};
use common::scale;
use s2sampler_core::{Chain, ChainRequest, DistMethod, DistOptions, DistOrder, DistSums};

/// Around a vector, the first ranks, a tile, and what is divided, sorted or ranked in steps.
const LENGTHS: &[usize] = &[15, 63, 65, 66, 129, 511, 513, 1025, 2047, 2050, 4097, 9001];

fn chains(random: &mut SplitMix) -> Vec<Vec<Spec>> {
    let seed = random.next() as u32;
    let p = random.pick(&[0.05, 0.3, 0.7, 0.9, 0.99, 0.999_99]);
    let small = random.pick(&[0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-9]);
    let min_keep = random.pick(&[0, 1, 1, 5, 100, 3000]);
    let t = random.pick(&[0.3, 0.8, 1.7]);
    let ext = Spec::TemperatureExt { t, delta: t / 2.0, exponent: random.pick(&[1.0, 0.7, -1.0]) };
    let xtc = Spec::Xtc { probability: 1.0, threshold: small, min_keep, seed };
    let rank = DistOptions {
        seed,
        method: DistMethod::Inversion,
        order: DistOrder::Rank,
        sums: DistSums::Double,
        mass: 1.0,
    };
    let dist = Spec::Dist(seed);
    let then = |specs: &[Spec]| [specs, std::slice::from_ref(&dist)].concat();
    let scaled = Spec::Scale(random.pick(&[0.7, 1.3]));
    vec![
        then(&[]),
        then(&[Spec::Temperature(t)]),
        then(std::slice::from_ref(&scaled)),
        vec![Spec::Temperature(t), Spec::DistWith(rank)],
        then(std::slice::from_ref(&ext)),
        then(&[ext.clone(), ext.clone(), ext.clone()]),
        then(&[ext.clone(), Spec::Temperature(t)]),
        then(&[ext.clone(), Spec::MinP { p: small, min_keep: 1 }]),
        then(&[ext.clone(), Spec::TopP { p, min_keep }]),
        then(&[ext.clone(), Spec::TopK(20)]),
        then(&[ext.clone(), Spec::TopKTies(20)]),
        then(&[ext.clone(), Spec::TopNSigma(1.5)]),
        then(&[ext.clone(), Spec::Smoothing { factor: 0.2, curve: 1.5 }]),
        vec![ext.clone(), Spec::Greedy],
        then(std::slice::from_ref(&xtc)),
        then(&[xtc.clone(), Spec::Temperature(t)]),
        then(&[xtc.clone(), scaled, Spec::TopP { p, min_keep }]),
        then(&[xtc.clone(), xtc.clone(), ext.clone()]),
        then(&[Spec::Softmax, xtc, Spec::TopP { p, min_keep }]),
        then(&[Spec::Typical { p, min_keep }]),
        then(&[Spec::Softmax, Spec::Typical { p, min_keep }, Spec::Temperature(t)]),
        then(&[ext, Spec::Typical { p, min_keep }]),
        then(&[Spec::EpsilonCutoff { epsilon: small, min_keep }]),
        then(&[Spec::EtaCutoff { eta: small, min_keep }]),
        then(&[Spec::TopA { a: small, min_keep }]),
        then(&[Spec::TopPExclusive(p)]),
        vec![Spec::MirostatV2 { seed, tau: random.pick(&[1.0, 3.0, 5.0, 9.0]), eta: 0.3 }],
        vec![Spec::Mirostat { seed, tau: random.pick(&[1.0, 3.0, 6.0]), eta: 0.3, m: 100 }],
    ]
}

#[test]
fn rows_are_drawn_from_as_by_the_oracle() {
    let mut random = SplitMix(20);
    for round in 0..scale::cases(20) {
        for (kind, make) in KINDS {
            let n = random.pick(LENGTHS) + random.below(3) - 1;
            let row = make(n, random.next());
            let all = chains(&mut random);
            let specs = random.pick(&all.iter().collect::<Vec<_>>());
            check(&format!("round {round}, {kind}, {n}"), specs, &row);
        }
        // Each chain on a usual row.
        for specs in chains(&mut random) {
            let (kind, make) = random.pick(&KINDS[..5]);
            let n = random.pick(LENGTHS);
            check(&format!("round {round}, {kind}, {n}"), &specs, &make(n, random.next()));
        }
    }
}

fn check(what: &str, specs: &[Spec], row: &[f32]) {
    const DRAWS: usize = 3;
    let mut oracle = Oracle::new(specs);
    let want: Vec<_> = (0..DRAWS).map(|_| oracle.sample(row)).collect();
    for level in levels::all() {
        let chain = Chain::new().with_simd_level(level).expect("it is available");
        let mut chain = fill(chain, specs);
        let got: Vec<_> = (0..DRAWS).map(|_| chain.sample(row)).collect();
        assert_eq!(got, want, "{what}, {}, {specs:?}", level.name());
    }
}

/// Tokens in an order, with their exps and the running sums of these.
struct Sums {
    tokens: Vec<(u32, f32)>,
    running: Vec<f64>,
}

impl Sums {
    fn of(mut tokens: Vec<(u32, f32)>, scaled: impl Fn(f32) -> f32, by_rank: bool) -> Self {
        if by_rank {
            tokens.sort_by(|a, b| b.1.partial_cmp(&a.1).expect("no NaN").then(a.0.cmp(&b.0)));
        }
        let top = tokens.iter().map(|t| scaled(t.1)).fold(f32::NEG_INFINITY, f32::max);
        tokens.iter_mut().for_each(|t| t.1 = (scaled(t.1) - top).exp());
        let mut sum = 0.0;
        let mut add = |t: &(u32, f32)| {
            sum += f64::from(t.1);
            sum
        };
        let running = tokens.iter().map(&mut add).collect();
        Self { tokens, running }
    }

    fn all(&self) -> f64 {
        self.running[self.running.len() - 1]
    }

    fn drawn(&self, u: f64) -> u32 {
        let target = self.all() * u;
        let mut all = self.tokens.iter().zip(&self.running);
        let first = all.find(|((_, e), sum)| **sum >= target && *e > 0.0);
        first.expect("the last reaches it").0.0
    }
}

/// u at the edges of tokens, and its neighbours, where only the exact sums tell which is drawn.
#[test]
fn a_uniform_at_the_edge_of_a_token() {
    let rounds = scale::cases(30);
    for round in 0..rounds as u64 {
        let mut random = SplitMix(round);
        let (kind, make) = random.pick(&KINDS[..10]);
        let n = random.pick(&[700, 1025, 3000, 4097, 20_000]);
        let row: Vec<f32> = make(n, random.next());
        let t = random.pick(&[1.0, 0.8, 0.37, 3.0]);
        let by_rank = random.below(2) == 0;
        // xtc ranks, and finds no two tokens of this probability.
        let xtc = Spec::Xtc { probability: 1.0, threshold: 0.5, min_keep: n + 1, seed: 0 };
        let tail = [Spec::Temperature(t), Spec::Dist(0)];
        let specs = if by_rank { [&[xtc], &tail[..]].concat() } else { tail.to_vec() };
        let tokens = (0..).zip(row.iter().copied()).filter(|t| !by_rank || t.1 > f32::NEG_INFINITY);
        let sums = Sums::of(tokens.collect(), |l| if t == 1.0 { l } else { l / t }, by_rank);
        let mut chains: Vec<_> = levels::all()
            .into_iter()
            .map(|level| fill(Chain::new().with_simd_level(level).expect("it is there"), &specs))
            .collect();
        for _ in 0..8 {
            let place = match random.below(3) {
                0 => random.below(40).min(sums.running.len() - 1),
                1 => 511.min(sums.running.len() - 1),
                _ => random.below(sums.running.len()),
            };
            let edge = sums.running[place] / sums.all();
            let coarse = edge - 1e-6 * f64::from(random.unit());
            for u in [edge.next_down(), edge, edge.next_up(), coarse] {
                let u = u.clamp(0.0, 1.0_f64.next_down());
                let (want, uniforms) =
                    (sums.drawn(u), if by_rank { vec![0.0, u] } else { vec![u] });
                for (level, chain) in levels::all().into_iter().zip(&mut chains) {
                    let request = ChainRequest { uniforms: &uniforms, ..ChainRequest::new(&row) };
                    let got = chain.sample_request_token(&request).expect("a token").token;
                    let level = level.name();
                    assert_eq!(
                        got as u32, want,
                        "{round} {kind} {n} t {t} u {u} {by_rank} {level}"
                    );
                }
            }
        }
    }
}

/// Limits that are the probability of a rank, and its neighbours.
#[test]
fn a_limit_at_the_probability_of_a_rank() {
    for round in 0..scale::cases(30) as u64 {
        let mut random = SplitMix(round);
        let (kind, make) = random.pick(&KINDS[..4]);
        let n = random.pick(&[700, 1025, 4097, 20_000]);
        let row: Vec<f32> = make(n, random.next());
        let tokens = (0..).zip(row.iter().copied()).filter(|t| t.1 > f32::NEG_INFINITY);
        let sums = Sums::of(tokens.collect(), |l| l, true);
        let near = random.pick(&[3, 70, 500]);
        let rank = random.below(near.min(sums.tokens.len()));
        let p = (f64::from(sums.tokens[rank].1) / sums.all()) as f32;
        let total = (sums.running[rank] / sums.all()) as f32;
        let dist = || Spec::Dist(round as u32);
        for step in [-1, 0, 1] {
            let near = |p: f32| f32::from_bits((p.to_bits() as i32 + step) as u32);
            let xtc = Spec::Xtc { probability: 1.0, threshold: near(p), min_keep: 1, seed: 1 };
            let chains = [
                vec![Spec::EpsilonCutoff { epsilon: near(p), min_keep: 1 }, dist()],
                vec![xtc, dist()],
                vec![Spec::TopPExclusive(near(total)), dist()],
                vec![Spec::Typical { p: near(total), min_keep: 1 }, dist()],
                vec![Spec::MirostatV2 { seed: 3, tau: near(-p.log2()) / 2.0, eta: 0.0 }],
            ];
            for specs in &chains {
                check(&format!("round {round}, {kind}, {n}, rank {rank}"), specs, &row);
            }
        }
    }
}
