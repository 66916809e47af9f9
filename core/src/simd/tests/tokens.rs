//! Kernels over arrays of tokens, against plain loops.

use super::*;
use crate::TokenData;
use crate::rules::temperature::Scale;
use crate::simd::kernels::tokens::{has_quick_quotients, quotient};

fn tokens_of(row: &[f32]) -> Vec<TokenData> {
    // Ids are bit patterns that are NaN as floats, and that are not.
    let id = |i: u32| (i.wrapping_mul(0x9e37_79b9) | (i % 2 * 0x7fc0_0000)) as i32;
    (0..).zip(row).map(|(i, logit)| TokenData { id: id(i), logit: *logit, p: 0.5 }).collect()
}

fn bits(tokens: &[TokenData]) -> Vec<(i32, u32, u32)> {
    tokens.iter().map(|t| (t.id, t.logit.to_bits(), t.p.to_bits())).collect()
}

fn logit(value: f32) -> f32 {
    if value.is_nan() { f32::NEG_INFINITY } else { value }
}

#[test]
fn maxima_of_tokens_are_those_of_the_row() {
    for kernels in levels() {
        for tiles in [0, 1, 2, 5] {
            let mut row = row(kernels, tiles.max(1), 1);
            row.truncate(tiles * kernels.tile_len());
            for has_nan in [true, false] {
                if !has_nan {
                    row.iter_mut().for_each(|x| *x = logit(*x));
                }
                let mut maxima = vec![7.0; row.len() / BLOCK_LEN];
                let found = kernels.write_token_maxima(&tokens_of(&row), &mut maxima);
                assert_eq!(found, row.iter().any(|x| x.is_nan()), "{:?}", kernels.level());
                assert_eq!(maxima, maxima_of(kernels, &row));
            }
        }
        // A NaN in each place of a tile is seen.
        for place in 0..kernels.tile_len() {
            let mut row = vec![1.0; kernels.tile_len()];
            row[place] = -f32::NAN;
            let mut maxima = vec![0.0; row.len() / BLOCK_LEN];
            assert!(kernels.write_token_maxima(&tokens_of(&row), &mut maxima), "{place}");
        }
    }
}

#[test]
fn gathered_logits_are_those_of_the_tokens() {
    for kernels in levels() {
        let row = row(kernels, 3, 8);
        for len in (0..70).chain([row.len() - 1, row.len()]) {
            for start in [0, 1, 3] {
                let row = &row[start.min(len)..len];
                let mut out = vec![7.0; row.len()];
                let has_nan = kernels.gather(&tokens_of(row), &mut out);
                assert_eq!(has_nan, row.iter().any(|x| x.is_nan()));
                assert!(out.iter().zip(row).all(|(a, b)| a.to_bits() == logit(*b).to_bits()));
            }
        }
    }
}

#[test]
fn tokens_that_reach_a_threshold_move_to_the_front() {
    for kernels in levels() {
        let row = row(kernels, 4, 9);
        let tokens = tokens_of(&row);
        for low in [f32::MIN, -45.0, -20.0, 0.0, 4.75, 5.0, f32::MAX] {
            for (start, kept) in [(0, 0), (1, 0), (1, 1), (13, 5)] {
                let tiles = 3;
                let end = start + tiles * kernels.tile_len();
                let maxima = maxima_of(kernels, &row[start..end]);
                let mut want: Vec<TokenData> = tokens[..kept].to_vec();
                want.extend(tokens[start..end].iter().filter(|token| token.logit >= low));
                let mut got = tokens.clone();
                let count = kernels.keep_reaching(&mut got, start, &maxima, low, kept);
                assert_eq!(bits(&got[..count]), bits(&want), "{low} {start}");
                assert_eq!(bits(&got[end..]), bits(&tokens[end..]), "{low} {start}");
            }
        }
    }
}

/// Usual rows; zeros, denormals, numbers too large and small for quick quotients; an overflow in each of some places.
#[test]
fn scaled_tokens_are_those_of_single_divisions() {
    let by = [0.8, 1.25, 3.0, 0.999_999_94, 1e-30, 1e30, 0.1, 7.7e-20].map(Scale::Divide);
    let factors = [0.8, 1e30, 1e-30].map(Scale::Multiply);
    for kernels in levels() {
        let tile_len = kernels.tile_len();
        for (case, by) in by.into_iter().chain(factors).enumerate() {
            let usual = row(kernels, 3, case as u64).iter().map(|x| x + 0.125).collect::<Vec<_>>();
            let mut rows = vec![usual.clone()];
            for special in [0.0, -0.0, 1e-40, 1e-20, -1e25, f32::MAX, f32::INFINITY] {
                for place in [0, 17, tile_len + 5, 3 * tile_len - 1] {
                    let mut row = usual.clone();
                    row[place] = special;
                    rows.push(row);
                }
            }
            for row in rows {
                let lanes = tile_len / BLOCK_LEN;
                let overflow = |x: &f32| *x > f32::NEG_INFINITY && by.apply(*x).is_infinite();
                let stop = row.iter().position(overflow).map_or(row.len(), |at| at / lanes * lanes);
                let tokens = tokens_of(&row);
                let mut want = tokens.clone();
                want[..stop].iter_mut().for_each(|t| t.logit = logit(by.apply(t.logit)));
                let (mut got, mut maxima) = (tokens, vec![7.0; row.len() / BLOCK_LEN]);
                assert_eq!(kernels.scale_tokens(&mut got, by, &mut maxima), stop, "{by:?}");
                assert_eq!(bits(&got), bits(&want), "{:?} {by:?}", kernels.level());
                if stop == row.len() {
                    let scaled: Vec<f32> = want.iter().map(|token| token.logit).collect();
                    assert_eq!(maxima, maxima_of(kernels, &scaled), "{by:?}");
                }
            }
        }
    }
}

/// Dividends whose quotients by `t` are nearly halfway between two numbers; none if the last bit of `t` is 0.
///
/// Let T be the 24 bits of t, and M odd with 25 bits: a midpoint. For M = r / T modulo 2^25, M T - r is a multiple of
/// 2^25, so its first 24 bits are all it has. Divided by T it is M, but for r / T.
fn dividends_next_to_midpoints(t: f32) -> impl Iterator<Item = f32> {
    const MODULUS: u64 = 1 << 25;
    let bits = u64::from(t.to_bits() & 0x7f_ffff | 1 << 23);
    let is_odd = bits % 2 == 1;
    // Each step doubles the number of bits that are right.
    let step =
        |inverse: u64, _| inverse.wrapping_mul(2_u64.wrapping_sub(bits.wrapping_mul(inverse)));
    let inverse = (0..6).fold(bits, step);
    let rests = (1..64_u64).step_by(2).flat_map(|r| [r, r.wrapping_neg()]).filter(move |_| is_odd);
    rests.filter_map(move |rest| {
        let midpoint = rest.wrapping_mul(inverse) % MODULUS;
        let product = (midpoint * bits).wrapping_sub(rest);
        let shift = if product >= 1 << 48 { 25 } else { 24 };
        (midpoint >= MODULUS / 2).then(|| (product >> shift) as f32)
    })
}

/// Dividends over all mantissas, every 251st in an ordinary run, for divisors whose inverses round by much and by little,
/// that are next to powers of two, and others. Then those whose quotients are hardest to round.
#[test]
fn quick_quotients_are_quotients() {
    fn check<S: Simd>(simd: S, step: u32) {
        let mut next = uniform(31);
        let mut divisors = vec![0.8, 1.0, 1.5, 0.7, 1.0_f32.next_up(), 1.999_98, 1e-18, 1e18];
        // The largest fractions that are allowed.
        divisors.extend((0..40).map(|i| f32::from_bits(0x3fff_ffff - 65 - i)));
        divisors.extend((0..40).map(|_| 0.05 + 2.0 * next()));
        divisors.extend((0..20).map(|i| f32::from_bits(0x3f80_0000 + i * i)));
        for t in divisors {
            assert!(has_quick_quotients(t), "{t}");
            let (divisor, inverse) = (simd.splat(t), simd.splat(1.0 / t));
            let mut mantissa = (next() * step as f32) as u32;
            while mantissa < 1 << 23 {
                let at = |i: u32| (mantissa + i * step) & 0x7f_ffff;
                // Exponents over the range take turns.
                let x: Vec<f32> = (0..16)
                    .map(|i| f32::from_bits(at(i) | (127 - 60 + at(i) % 120) << 23 | (i & 1) << 31))
                    .collect();
                let mut q = [0.0; 16];
                for (x, q) in x.chunks_exact(S::LANES).zip(q.chunks_exact_mut(S::LANES)) {
                    simd.store(quotient(simd, simd.load(x), divisor, inverse), q);
                }
                for (x, q) in x.iter().zip(q) {
                    assert_eq!(q.to_bits(), (x / t).to_bits(), "{x:e} / {t:e}");
                }
                mantissa += 16 * step;
            }
            for x in dividends_next_to_midpoints(t) {
                let mut q = [0.0; 16];
                simd.store(quotient(simd, simd.splat(x), divisor, inverse), &mut q);
                assert_eq!(q[0].to_bits(), (x / t).to_bits(), "{x:e} / {t:e}");
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = super::super::levels::avx2::Avx2::detect() {
        check(*avx2, step());
    }
    #[cfg(target_arch = "aarch64")]
    check(*super::super::levels::neon::Neon::detect().expect("NEON"), step());
    let refused = [0.0, -0.8, 1e-19, 1e19, f32::NAN, f32::INFINITY, 1.0_f32.next_down()];
    assert!(!refused.into_iter().any(has_quick_quotients));
}
