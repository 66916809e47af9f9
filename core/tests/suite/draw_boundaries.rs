//! Draws at the edge between two tokens, where one wrong rounding of one weight changes the token.
//!
//! With seeds taken as they come, a uniform falls within rounding of a running sum about once in a
//! million draws, so that a slightly wrong weight passes nearly every other test. Here the
//! temperature is searched at which the oracle's token for a given seed changes from one float to
//! the next: there the uniform lies between the running sums of two neighbouring temperatures.

use crate::common;

use common::for_each_level;
use common::oracle::{Drawn, Mt19937, Ranked, rank};
use common::rows::{KINDS, SplitMix};
use s2sampler_core::SamplerParams;

const SIZES: [usize; 8] = [2, 3, 10, 17, 64, 257, 1000, 4096];
const SEEDS: u32 = 12;

#[test]
fn the_token_changes_where_the_oracles_does() {
    let mut edges = 0;
    let mut random = SplitMix(1);
    for (kind, make_row) in KINDS {
        for n in SIZES {
            let row = make_row(n, n as u64);
            let ranked = rank(&row);
            for seed in 0..SEEDS {
                let top_k = random.pick(&[0, 2, 30]);
                let top_p = random.pick(&[0.8, 1.0, f32::NAN]);
                let at = |bits| SamplerParams { temperature: f32::from_bits(bits), top_p, top_k };
                let Some(edge) = edge(&ranked, seed, at) else { continue };
                edges += 1;
                for params in (edge - 3..edge + 3).map(at) {
                    let want = draw(&ranked, seed, &params);
                    for_each_level(|level, make| {
                        let mut sampler = make(seed);
                        let got = sampler.sample(&row, &params);
                        assert_eq!(
                            (got, sampler.rng_words()),
                            (want.token, want.words),
                            "{level}, {kind} n {n} row_seed {n}, seed {seed}, {params:?}"
                        );
                    });
                }
            }
        }
    }
    assert!(edges > 500, "only {edges} edges were found");
}

fn draw(ranked: &Ranked, seed: u32, params: &SamplerParams) -> Drawn {
    ranked.draw(params, &mut Mt19937::new(seed))
}

/// The bits of the first temperature of a pair of neighbours at which the oracle's token changes.
fn edge(ranked: &Ranked, seed: u32, at: impl Fn(u32) -> SamplerParams) -> Option<u32> {
    let token = |bits| draw(ranked, seed, &at(bits)).token;
    // Positive floats are in the order of their bits, so this is a bisection over floats.
    let (mut low, mut high) = (0.05_f32.to_bits(), 20.0_f32.to_bits());
    let first = token(low);
    if first == token(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if token(middle) == first {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}
