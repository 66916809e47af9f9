//! Arrays at every place in a cache line, against plain loops.

use super::{ALIGN_MIN_TILES, Scaled, TokenScan};
use crate::TokenData;
use crate::rules::rank::nan_to_neg_inf;
use crate::rules::temperature::{Scale, Scaling, scaling};
use crate::simd::{Kernels, SimdLevel};

fn tokens(len: usize, kind: usize, state: &mut u32) -> Vec<TokenData> {
    let mut next = || {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *state >> 8
    };
    let mut token = |i: usize| {
        let usual = (next() % 4096) as f32 / 64.0 - 32.0;
        let logit = match kind {
            0 => usual,
            1 if i % 5 == 3 => f32::NAN,
            2 if i % 3 == 1 || i % 3 == 2 => f32::NEG_INFINITY,
            3 => 1.5,
            4 => i as f32,
            5 => -(i as f32),
            6 if i % 97 == 96 => f32::INFINITY,
            7 if i == len / 2 => 90.0,
            8 => f32::NEG_INFINITY,
            9 => usual * 1e37,
            10 => usual - 40.0,
            _ => usual,
        };
        TokenData { id: (next() % 50) as i32 - 25, logit, p: i as f32 }
    };
    (0..len).map(&mut token).collect()
}

fn bits(tokens: &[TokenData]) -> Vec<(i32, u32, u32)> {
    tokens.iter().map(|t| (t.id, t.logit.to_bits(), t.p.to_bits())).collect()
}

/// Lengths around tiles and the fewest that are aligned, arrays at every place in a cache line.
fn for_each_array(mut body: impl FnMut(&'static Kernels, &[TokenData], &str)) {
    let mut state = 3;
    for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
        let tile_len = kernels.tile_len();
        let edges = [1, tile_len, 2 * tile_len, ALIGN_MIN_TILES * tile_len];
        for edge in edges {
            for len in [edge - 1, edge, edge + 1, edge + 70] {
                for kind in 0..11 {
                    let start = (state >> 8) as usize % 17;
                    let buffer = tokens(start + len, kind, &mut state);
                    let what = format!("{:?} {len} {start} {kind}", kernels.level());
                    body(kernels, &buffer[start..], &what);
                }
            }
        }
    }
}

#[test]
fn the_best_are_found_where_they_lie() {
    let mut scan = TokenScan::new();
    for_each_array(|kernels, tokens, what| {
        let has_nan = scan.read(kernels, tokens).unwrap();
        assert_eq!(has_nan, tokens.iter().any(|token| token.logit.is_nan()), "{what}");
        let logits = || tokens.iter().map(|token| nan_to_neg_inf(token.logit));
        let top = logits().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(scan.top(kernels), top, "{what}");
        let equal = tokens.iter().enumerate().filter(|(_, token)| token.logit == top);
        let best = equal.min_by_key(|(place, token)| (token.id, *place));
        let best = best.filter(|_| top > f32::NEG_INFINITY).map(|(place, _)| place);
        assert_eq!(scan.best(kernels, tokens), best, "{what}");
        for k in [1, 2, 7, 40, 200] {
            let Some(low) = scan.threshold(kernels, k) else { continue };
            let reached = logits().filter(|logit| *logit >= low).count();
            let above = logits().filter(|logit| *logit > f32::NEG_INFINITY).count();
            assert!(low.is_finite() && reached >= k.min(above), "{what} {k} {low}");
        }
        for low in [f32::MIN, -10.0, 1.5, 31.0, top].into_iter().filter(|low| low.is_finite()) {
            let want: Vec<TokenData> =
                tokens.iter().copied().filter(|token| token.logit >= low).collect();
            let is_known = |count| scan.is_reached_by(kernels, low, count);
            assert!(!is_known(want.len() + 1) && is_known(usize::from(!want.is_empty())));
            // The copy lies elsewhere in its line: it is read again.
            let mut kept = tokens.to_vec();
            let mut scan = TokenScan::new();
            scan.read(kernels, &kept).unwrap();
            let count = scan.keep_reaching(kernels, &mut kept, low);
            assert_eq!(bits(&kept[..count]), bits(&want), "{what} {low}");
        }
    });
}

#[test]
fn few_more_than_k_reach_the_threshold() {
    let mut state = 5;
    for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
        let tokens = tokens(40_000, 4, &mut state);
        let mut scan = TokenScan::new();
        scan.read(kernels, &tokens).unwrap();
        for k in [1, 40, 300] {
            let low = scan.threshold(kernels, k).unwrap();
            // The best of a rising array share few blocks.
            let reached = tokens.iter().filter(|token| token.logit >= low).count();
            assert!(reached <= 40 * k + 32 * 32, "{k}: {reached}");
        }
    }
}

#[test]
fn scaling_is_that_of_the_rule() {
    let mut scan = TokenScan::new();
    let by = [0.8, 1e-37, 1e-38, 3e-39, 1e-45, 1e38].map(Scale::Divide);
    let by = by.into_iter().chain([1.2, 1e38, 1e-38].map(Scale::Multiply));
    for_each_array(|kernels, tokens, what| {
        for by in by.clone() {
            let mut got = tokens.to_vec();
            let logits = || tokens.iter().map(|token| nan_to_neg_inf(token.logit));
            let top = logits().fold(f32::NEG_INFINITY, f32::max);
            match (scan.scale(kernels, &mut got, by).unwrap(), scaling(by, top)) {
                (Scaled::Each { is_read }, Scaling::Each) => {
                    let mut want = tokens.to_vec();
                    want.iter_mut().for_each(|t| t.logit = nan_to_neg_inf(by.apply(t.logit)));
                    assert_eq!(bits(&got), bits(&want), "{what} {by:?}");
                    if is_read {
                        let mut again = TokenScan::new();
                        again.read(kernels, &got).unwrap();
                        assert_eq!(scan.maxima, again.maxima, "{what} {by:?}");
                    }
                }
                (Scaled::Best { from }, Scaling::Best) => {
                    // Those from there on are as they were, and the best is among them.
                    let clean = |t: &TokenData| TokenData { logit: nan_to_neg_inf(t.logit), ..*t };
                    let want: Vec<TokenData> = tokens.iter().map(clean).collect();
                    assert_eq!(bits(&got[from..]), bits(&want[from..]), "{what} {by:?}");
                    let best = want.iter().map(|t| (t.rank(), t.p.to_bits())).min();
                    let left = got[from..].iter().map(|t| (t.rank(), t.p.to_bits())).min();
                    assert_eq!(left, best, "{what} {by:?}");
                }
                (got, want) => panic!("{what} {by:?}: {got:?} {want:?}"),
            }
        }
    });
}
