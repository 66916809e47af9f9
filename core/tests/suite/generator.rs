//! The generator seen through draws: `std::mt19937`'s words, two to a draw, the low half first.

use crate::common;

use common::for_each_level;
use common::oracle::Mt19937;
use common::scale;
use s2sampler_core::{Sampler, SamplerParams};

const SEEDS: [u32; 6] = [0, 1, 42, 5489, 0x8000_0000, u32::MAX];
const EVERYTHING: SamplerParams = SamplerParams { temperature: 1.0, top_p: 1.0, top_k: 0 };

/// The value the C++ standard gives for `std::mt19937`: what the tests compare with is that generator.
#[test]
fn the_oracle_is_the_standards_generator() {
    let mut mt = Mt19937::new(5489);
    assert_eq!((0..10_000).map(|_| mt.next_u32()).last(), Some(4_123_659_995));
}

/// Two equal candidates: the running sums are 1/2 and 1, so the token is whether u lies above 1/2.
#[test]
fn two_equal_candidates_show_the_highest_bit() {
    let draws = scale::cases(100_000);
    for_each_level(|level, make| {
        for seed in SEEDS {
            let mut sampler = make(seed);
            let mut mt = Mt19937::new(seed);
            for draw in 0..draws {
                let want = u32::from(mt.uniform() > 0.5);
                let got = sampler.sample(&[0.0, 0.0], &EVERYTHING);
                assert_eq!(got, Ok(want), "{level}, seed {seed}, draw {draw}");
            }
            assert_eq!(sampler.rng_words(), 2 * draws as u64);
        }
    });
}

/// 4096 equal candidates have exact sums, so the token is u cut into 4096 pieces, closed above.
#[test]
fn many_equal_candidates_show_twelve_bits() {
    let row = [7.25_f32; 4096];
    for_each_level(|level, make| {
        for seed in SEEDS {
            let mut sampler = make(seed);
            let mut mt = Mt19937::new(seed);
            for draw in 0..scale::cases(500) {
                let piece = (mt.uniform() * 4096.0).ceil() - 1.0;
                let want = piece.max(0.0) as u32;
                let got = sampler.sample(&row, &EVERYTHING);
                assert_eq!(got, Ok(want), "{level}, seed {seed}, draw {draw}");
            }
        }
    });
}

#[test]
fn seed_and_words_can_be_read() {
    for_each_level(|level, make| {
        for seed in SEEDS {
            let mut sampler = make(seed);
            assert_eq!((sampler.seed(), sampler.rng_words()), (seed, 0), "{level}");
            let greedy = SamplerParams { temperature: 0.0, ..EVERYTHING };
            let calls = [(EVERYTHING, 2), (greedy, 2), (EVERYTHING, 4)];
            for (params, words) in calls {
                sampler.sample(&[0.0, 0.0], &params).expect("a token");
                assert_eq!((sampler.seed(), sampler.rng_words()), (seed, words), "{level}");
            }
        }
    });
}

#[test]
fn a_sampler_seeded_by_the_system_can_be_replayed() {
    let mut first = Sampler::from_system().expect("the system has randomness");
    let mut again = Sampler::new(first.seed());
    for _ in 0..1000 {
        let row = [0.0_f32; 1024];
        assert_eq!(first.sample(&row, &EVERYTHING), again.sample(&row, &EVERYTHING));
    }
}
