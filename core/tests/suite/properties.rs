//! The library against the oracle: token and words of every call, over shapes, sizes and corners.

use crate::common;

use common::for_each_level;
use common::oracle::{Drawn, Mt19937, Ranked, rank};
use common::params::{combined, near_running_sum, one_at_a_time};
use common::rows::{KINDS, SplitMix};
use common::scale;
use s2sampler_core::{Error, SamplerParams};

/// Successive calls with the same arguments.
const DRAWS: usize = 3;

/// Lanes of every vector width, blocks of powers of two, and codebooks: each size and its neighbours.
const AROUND: [usize; 11] = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];

#[test]
fn tiny_rows() {
    for n in 1..15 {
        over_kinds(n, scale::cases(4) as u64, |ranked, random| {
            let mut params = one_at_a_time(n);
            params.extend((0..scale::cases(200)).map(|_| combined(ranked, random)));
            params
        });
    }
}

#[test]
fn rows_around_powers_of_two() {
    for n in AROUND.iter().flat_map(|n| [n - 1, *n, n + 1]) {
        // About as much work for each size.
        let combinations = scale::cases(200_000 / (n + 500));
        over_kinds(n, 1, |ranked, random| {
            let mut params = if n < 1000 { one_at_a_time(n) } else { Vec::new() };
            params.extend((0..combinations).map(|_| combined(ranked, random)));
            params
        });
    }
}

#[test]
fn rows_of_real_vocabularies() {
    for (n, combinations) in [(32_000, 16), (155_776, 6), (262_144, 4)] {
        over_kinds(n, 1, |ranked, random| {
            (0..scale::cases(combinations)).map(|_| combined(ranked, random)).collect()
        });
    }
}

/// A top_p that equals a running sum keeps the token that reached it; one float less drops it.
#[test]
fn nuclei_at_running_sums() {
    for n in [2, 3, 10, 16, 17, 33, 64, 65, 127, 257, 1000, 4096] {
        over_kinds(n, 1, |ranked, random| {
            let ranks: Vec<usize> = match n {
                0..=65 if !scale::is_quick() => (0..n).collect(),
                0..=10 => (0..n).collect(),
                _ => {
                    let between = (0..scale::cases(24)).map(|_| random.below(n));
                    (0..scale::cases(8)).chain(between).chain(n - 2..n).collect()
                }
            };
            let mut params = Vec::new();
            for rank in ranks {
                for top_p in near_running_sum(ranked, rank) {
                    let k = rank as i32 + random.pick(&[0, 1, 2]);
                    for top_k in [0, k] {
                        params.push(SamplerParams { temperature: 1.0, top_p, top_k });
                    }
                }
            }
            params
        });
    }
}

/// Equal logits lose their last tokens to rounding at top_p = 1, and how many is known.
#[test]
fn equal_logits_at_top_p_one() {
    let all = SamplerParams { temperature: 1.0, top_p: 1.0, top_k: 0 };
    for (n, kept) in [(10, 9), (155_776, 155_620), (128_256, 128_127)] {
        let row = vec![0.5_f32; n];
        let drawn = rank(&row).draw(&all, &mut Mt19937::new(0));
        assert_eq!(drawn.kept, kept);
        compare("all equal", 0, &row, &[all; 4]);
    }
}

/// Any bits in logits and parameters: the id is in range and never a NaN or -inf where a number exists.
#[test]
fn arbitrary_bits() {
    let mut random = SplitMix(0xB175);
    for case in 0..scale::cases(300_000 / DRAWS) as u64 {
        let n = 1 + random.below(300);
        // All bits; below 2; denormals; a few exponents close together, so that many tokens count.
        let mask = random.pick(&[u32::MAX, 0xbfff_ffff, 0x807f_ffff, 0xc0ff_ffff]);
        let row: Vec<f32> = (0..n).map(|_| f32::from_bits(random.next() as u32 & mask)).collect();
        let params = match random.below(2) {
            0 => SamplerParams {
                temperature: f32::from_bits(random.next() as u32),
                top_p: f32::from_bits(random.next() as u32),
                top_k: random.next() as i32,
            },
            _ => combined(&rank(&row), &mut random),
        };
        for drawn in compare("arbitrary bits", case, &row, &[params]) {
            let number_exists = row.iter().any(|&l| l > f32::NEG_INFINITY);
            let above = drawn.token.map(|token| row[token as usize] > f32::NEG_INFINITY);
            assert_eq!(above.is_ok_and(|above| above), number_exists, "case {case}: {drawn:?}");
        }
    }
}

#[test]
fn an_empty_row_is_an_error_and_uses_no_words() {
    for_each_level(|level, make| {
        let mut sampler = make(1);
        for params in one_at_a_time(0) {
            assert_eq!(sampler.sample(&[], &params), Err(Error::EmptyRow), "{level}, {params:?}");
        }
        assert_eq!(sampler.rng_words(), 0, "{level}");
    });
}

/// Nothing of a longer row is left in the working memory when a shorter one follows.
#[test]
fn one_sampler_serves_rows_of_any_length_in_turn() {
    let lengths = [1, 5000, 3, 155_776, 64, 2, 4096, 1];
    let params = SamplerParams::default();
    for_each_level(|level, make| {
        let mut sampler = make(9);
        let mut mt = Mt19937::new(9);
        for (i, n) in lengths.into_iter().enumerate() {
            for (kind, make_row) in KINDS {
                let row = make_row(n, i as u64);
                let want = rank(&row).draw(&params, &mut mt);
                assert_eq!(sampler.sample(&row, &params), want.token, "{level} {kind} {n}");
            }
        }
    });
}

/// Compares over `rows` rows of every kind with the parameters that `choose` gives for each.
fn over_kinds(n: usize, rows: u64, choose: impl Fn(&Ranked, &mut SplitMix) -> Vec<SamplerParams>) {
    for (kind, make_row) in KINDS {
        for row_seed in 0..rows {
            let row_seed = row_seed << 32 | n as u64;
            let row = make_row(n, row_seed);
            let params = choose(&rank(&row), &mut SplitMix(row_seed ^ 0x5EED));
            assert!(!params.is_empty());
            compare(kind, row_seed, &row, &params);
        }
    }
}

/// Makes the same calls on every level and on the oracle, one generator through all of them.
fn compare(kind: &str, row_seed: u64, row: &[f32], params: &[SamplerParams]) -> Vec<Drawn> {
    let seed = row_seed as u32 ^ 0x0005_5EED;
    let ranked = rank(row);
    let mut mt = Mt19937::new(seed);
    let calls: Vec<SamplerParams> = params.iter().flat_map(|p| [*p; DRAWS]).collect();
    let want: Vec<Drawn> = calls.iter().map(|params| ranked.draw(params, &mut mt)).collect();

    // A start that no vector load is aligned to, an end that is the allocation's, and a neighbour
    // that would win if it were read.
    let offset = SplitMix(row_seed ^ row.len() as u64).below(16);
    let mut buffer = Vec::with_capacity(offset + row.len());
    buffer.resize(offset, f32::INFINITY);
    buffer.extend_from_slice(row);
    let placed = &buffer[offset..];

    for_each_level(|level, make| {
        let mut sampler = make(seed);
        for (params, want) in calls.iter().zip(&want) {
            let before = sampler.rng_words();
            let got = sampler.sample(placed, params);
            let words = sampler.rng_words() - before;
            if got != want.token || words != want.words {
                panic!(
                    "{got:?} with {words} words instead of {want:?}\n{}",
                    Repro {
                        level,
                        kind,
                        row_seed,
                        offset,
                        row,
                        params,
                        seed,
                        before,
                        ranked: &ranked
                    }
                );
            }
        }
    });
    want
}

/// What it takes to make a failing call again.
struct Repro<'a> {
    level: &'a str,
    kind: &'a str,
    row_seed: u64,
    offset: usize,
    row: &'a [f32],
    params: &'a SamplerParams,
    seed: u32,
    before: u64,
    ranked: &'a Ranked,
}

impl std::fmt::Display for Repro<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { level, kind, row_seed, offset, row, params, seed, before, ranked } = self;
        let bits: Vec<u32> = row.iter().take(300).map(|l| l.to_bits()).collect();
        writeln!(f, "level {level}, row {kind:?} n {} row_seed {row_seed:#x}", row.len())?;
        writeln!(f, "placed {offset} floats into its buffer, first bits {bits:x?}")?;
        writeln!(
            f,
            "{params:?}, bits T {:#x} p {:#x}",
            params.temperature.to_bits(),
            params.top_p.to_bits()
        )?;
        writeln!(f, "sampler seed {seed}, after {before} words")?;
        let top = ranked.ids.len().min(8);
        writeln!(
            f,
            "first ranks {:?} {:?} running {:?}",
            &ranked.ids[..top],
            &ranked.logits[..top],
            &ranked.running[..top]
        )
    }
}
