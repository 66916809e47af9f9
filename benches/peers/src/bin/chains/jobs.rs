//! The stages and chains that are timed.

use crate::spec::Spec;

pub const SEED: u32 = 42;

/// Tokens that are accepted before the first draw, as many as the penalties look back.
pub const HISTORY: i32 = 64;

/// A stage or a chain by the name that the results carry.
#[derive(Clone)]
pub struct Job {
    pub name: &'static str,
    /// What is applied to an array.
    pub array: Vec<Spec>,
    /// What draws from a row: the same, and dist if none of the stages selects a token.
    pub row: Vec<Spec>,
    /// The array is in rank order, and says so. Rows are not drawn from.
    pub sorted: bool,
    /// llama.cpp adds up in another order, so a candidate at the cut may differ: docs/chain.md.
    pub sums: bool,
}

fn job(name: &'static str, specs: &[Spec]) -> Job {
    let selects = specs.iter().any(|spec| spec.stage().expect("a stage").selects());
    let mut row = specs.to_vec();
    if !selects {
        row.push(Spec::Dist(SEED));
    }
    let sums = specs.iter().any(|spec| {
        matches!(
            spec,
            Spec::TopP { .. }
                | Spec::Typical { .. }
                | Spec::Xtc { .. }
                | Spec::TemperatureExt { .. }
                | Spec::Mirostat { .. }
                | Spec::MirostatV2 { .. }
                | Spec::AdaptiveP { .. }
                | Spec::TopNSigma(_)
        )
    });
    Job { name, array: specs.to_vec(), row, sorted: false, sums }
}

fn top_p(p: f32) -> Spec {
    Spec::TopP { p, min_keep: 1 }
}

fn min_p(p: f32) -> Spec {
    Spec::MinP { p, min_keep: 1 }
}

fn typical(p: f32) -> Spec {
    Spec::Typical { p, min_keep: 1 }
}

fn xtc() -> Spec {
    Spec::Xtc { probability: 1.0, threshold: 0.1, min_keep: 1, seed: SEED }
}

fn penalties() -> Spec {
    Spec::Penalties { last_n: HISTORY, repeat: 1.1, frequency: 0.0, presence: 0.0 }
}

fn mirostat_v2() -> Spec {
    Spec::MirostatV2 { seed: SEED, tau: 5.0, eta: 0.1 }
}

/// Every stage that llama.cpp has, alone.
pub fn stages() -> Vec<Job> {
    let biases = (0..HISTORY).map(|i| (i * 61, 0.5)).collect();
    let dry = Spec::Dry {
        multiplier: 0.8,
        base: 1.75,
        allowed_length: 2,
        last_n: -1,
        breakers: Vec::new(),
    };
    let sorted = Job { sorted: true, ..job("top_k 40", &[Spec::TopK(40)]) };
    vec![
        job("top_k 40", &[Spec::TopK(40)]),
        sorted,
        job("top_p .8", &[top_p(0.8)]),
        job("top_p .9", &[top_p(0.9)]),
        job("min_p .05", &[min_p(0.05)]),
        job("min_p .2", &[min_p(0.2)]),
        job("typical .5", &[typical(0.5)]),
        job("typical .9", &[typical(0.9)]),
        job("xtc 1 .1", &[xtc()]),
        job("temperature .8", &[Spec::Temperature(0.8)]),
        job("temperature_ext", &[Spec::TemperatureExt { t: 0.8, delta: 0.5, exponent: 1.0 }]),
        job("top_n_sigma 1", &[Spec::TopNSigma(1.0)]),
        job("dist", &[Spec::Dist(SEED)]),
        job("greedy", &[Spec::Greedy]),
        job("mirostat", &[Spec::Mirostat { seed: SEED, tau: 5.0, eta: 0.1, m: 100 }]),
        job("mirostat_v2", &[mirostat_v2()]),
        job("penalties", &[penalties()]),
        job("dry", &[dry]),
        job("logit_bias", &[Spec::LogitBias(biases)]),
        job("adaptive_p", &[Spec::AdaptiveP { target: 0.5, decay: 0.9, seed: SEED }]),
    ]
}

/// Chains as engines set them up. `greedy` and `mirostat_v2` are among the stages.
pub fn chains() -> Vec<Job> {
    let (k, t, dist) = (Spec::TopK(40), Spec::Temperature(0.8), Spec::Dist(SEED));
    let head = [k.clone(), top_p(0.95), min_p(0.05), t.clone(), dist.clone()];
    let end = [t.clone(), dist.clone()];
    vec![
        job("k 40 + p .95 + min_p .05 + T .8 + dist", &head),
        job(
            "penalties + k 40 + p .95 + min_p .05 + T .8 + dist",
            &[&[penalties()], &head[..]].concat(),
        ),
        job("p .9 + T .8 + dist", &[&[top_p(0.9)], &end[..]].concat()),
        job("min_p .05 + T .8 + dist", &[&[min_p(0.05)], &end[..]].concat()),
        job("T .8 + dist", &end),
        job("typical .9 + T .8 + dist", &[&[typical(0.9)], &end[..]].concat()),
        job("sigma 1 + T .8 + dist", &[&[Spec::TopNSigma(1.0)], &end[..]].concat()),
        job("k 40 + xtc + T .8 + dist", &[&[k.clone(), xtc()], &end[..]].concat()),
        job("T .8 + k 40 + p .95 + dist", &[t, k, top_p(0.95), dist]),
        job(
            "penalties + T .8 + k 50 + p .9 + min_p .05 + dist",
            &[
                penalties(),
                Spec::Temperature(0.8),
                Spec::TopK(50),
                top_p(0.9),
                min_p(0.05),
                Spec::Dist(SEED),
            ],
        ),
    ]
}
