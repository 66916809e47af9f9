//! The logits of an array of tokens, which lie three numbers apart.

use super::BLOCK_LEN;
use crate::TokenData;
use crate::rules::temperature::Scale;
use crate::simd::lanes::Simd;

/// Whole tiles of tokens, `maxima` being a number for each [`BLOCK_LEN`] of them: writes the block maxima as those of
/// the row of their logits. Returns whether there is a NaN.
#[inline(always)]
pub(crate) fn write_token_maxima<S: Simd>(
    simd: S,
    tokens: &[TokenData],
    maxima: &mut [f32],
) -> bool {
    debug_assert_eq!(tokens.len(), BLOCK_LEN * maxima.len());
    let bottom = simd.splat(f32::NEG_INFINITY);
    let mut all = simd.ge(bottom, bottom);
    let tiles = tokens.chunks_exact(BLOCK_LEN * S::LANES).zip(maxima.chunks_exact_mut(S::LANES));
    for (tile, maxima) in tiles {
        // Two chains, so that a maximum need not wait for the one before.
        let (mut even, mut odd) = (bottom, bottom);
        for pair in tile.chunks_exact(2 * S::LANES) {
            let (first, second) = pair.split_at(S::LANES);
            let (first, second) = (simd.load_logits(first), simd.load_logits(second));
            all = simd.and(all, simd.and(simd.ge(first, bottom), simd.ge(second, bottom)));
            even = simd.max(first, even);
            odd = simd.max(second, odd);
        }
        simd.store(simd.max(even, odd), maxima);
    }
    simd.bits(all) != u32::MAX >> (32 - S::LANES)
}

/// Copies the logits of the tokens to `out`, which is as long, NaN as -inf. Returns whether there was a NaN.
#[inline(always)]
pub(crate) fn gather<S: Simd>(simd: S, tokens: &[TokenData], out: &mut [f32]) -> bool {
    let bottom = simd.splat(f32::NEG_INFINITY);
    let mut all = simd.ge(bottom, bottom);
    let whole = tokens.len() - tokens.len() % S::LANES;
    let (vectors, rest) = tokens.split_at(whole);
    let (out, out_rest) = out.split_at_mut(whole);
    for (tokens, out) in vectors.chunks_exact(S::LANES).zip(out.chunks_exact_mut(S::LANES)) {
        let logits = simd.load_logits(tokens);
        all = simd.and(all, simd.ge(logits, bottom));
        simd.store(simd.max(logits, bottom), out);
    }
    let mut has_nan = simd.bits(all) != u32::MAX >> (32 - S::LANES);
    for (token, out) in rest.iter().zip(out_rest) {
        has_nan |= token.logit.is_nan();
        *out = if token.logit.is_nan() { f32::NEG_INFINITY } else { token.logit };
    }
    has_nan
}

/// Moves the tokens whose logits are at least `low` to the front, behind the first `kept`, in their order. Only those
/// from `start` on are looked at: whole tiles, with their block maxima. Returns how many then are at the front.
///
/// `kept` is at most `start`, so no token is written over before it was read.
#[inline(always)]
pub(crate) fn keep_reaching<S: Simd>(
    simd: S,
    tokens: &mut [TokenData],
    start: usize,
    maxima: &[f32],
    low: f32,
    mut kept: usize,
) -> usize {
    debug_assert!(kept <= start && start + BLOCK_LEN * maxima.len() <= tokens.len());
    let lows = simd.splat(low);
    let tile_len = BLOCK_LEN * S::LANES;
    for (tile, maxima) in maxima.chunks_exact(S::LANES).enumerate() {
        if !simd.any(simd.ge(simd.load(maxima), lows)) {
            continue;
        }
        let first = start + tile * tile_len;
        for place in (first..first + tile_len).step_by(S::LANES) {
            let mut hits = simd.bits(simd.ge(simd.load_logits(&tokens[place..]), lows));
            if hits == u32::MAX >> (32 - S::LANES) {
                tokens.copy_within(place..place + S::LANES, kept);
                kept += S::LANES;
                continue;
            }
            while hits != 0 {
                tokens[kept] = tokens[place + hits.trailing_zeros() as usize];
                kept += 1;
                hits &= hits - 1;
            }
        }
    }
    kept
}

/// Scales the logits of whole tiles of tokens, NaN to -inf, and writes the block maxima of the result. Returns how many
/// it has done: it stops before the first vector in which a logit above -inf becomes infinite. `fused`: `mul_add` rounds once.
#[inline(always)]
pub(crate) fn scale_tokens<S: Simd>(
    simd: S,
    fused: bool,
    tokens: &mut [TokenData],
    by: Scale,
    maxima: &mut [f32],
) -> usize {
    match by {
        Scale::Multiply(factor) => {
            let factor = simd.splat(factor);
            scale_tiles(simd, tokens, maxima, |x| simd.mul(x, factor), None::<fn(S::F) -> S::F>)
        }
        Scale::Divide(t) => {
            let (divisor, inverse) = (simd.splat(t), simd.splat(1.0 / t));
            let divide = |x| simd.div(x, divisor);
            let quick = |x| quotient(simd, x, divisor, inverse);
            let quick = (fused && has_quick_quotients(t)).then_some(quick);
            scale_tiles(simd, tokens, maxima, divide, quick)
        }
    }
}

/// The absolute values between which [`quotient`] takes dividends and divisors: quotients, and what is left of a
/// division, then are neither infinite nor subnormal.
const LEAST: f32 = 1.0 / (1_u64 << 60) as f32;
const MOST: f32 = (1_u64 << 60) as f32;

/// Whether [`quotient`] is right for this divisor: it is in the range, and not just below a power of two.
pub(crate) fn has_quick_quotients(t: f32) -> bool {
    let fraction = t.to_bits() & 0x7f_ffff;
    (LEAST..=MOST).contains(&t) && fraction < 0x7f_ffff - (1 << 6)
}

/// `x / t`, rounded as a division is, for `inverse` = 1 / t rounded. `LEAST <= |x| <= MOST`. Multiplications and additions
/// are several times as fast as a division.
///
/// Let u = 2^-24, z = x / t, 2^e <= |z| < 2^(e + 1), 2^f <= t < 2^(f + 1), and ulp = 2^(e - 23). The inverse is
/// (1 + a) / t with |a| <= u.
///
/// 1. q0 is z with two roundings, |q0 - z| <= 2.01 u |z|. What is left, r0, is rounded once.
/// 2. q0 + r0 * inverse differs from z by the roundings of r0 and of the inverse: by less than
///    2.01 u * 2.01 u |z| < 2^-21 ulp. So q1, which is it rounded, is at most (1/2 + 2^-21) ulp from z.
/// 3. r1 = x - q1 t is exact: x, or a multiple of 2^(e + f - 46) below it, and |r1| < 0.6 ulp * t < 2^(e + f - 22), which
///    is less than 2^24 of these.
/// 4. q1 + r1 * inverse differs from z = q1 + r1 / t by |r1 / t| |a| <= (1/2 + 2^-21) u ulp = (1 + 2^-20) 2^-25 ulp.
/// 5. Rounding them can only give different numbers if a midpoint m of two neighbours lies between. m t is a multiple of
///    2^(e - 24) 2^(f - 23), and x is too. They are not equal: z would be m, whose 25 bits times those of t do not
///    fit into x. So |z - m| >= 2^(e + f - 47) / t = 2^-25 ulp 2^(f + 1) / t, and t <= 2^(f + 1) (1 - 2^-18), so that
///    is more than (1 + 2^-18) 2^-25 ulp. No midpoint lies between.
#[inline(always)]
pub(crate) fn quotient<S: Simd>(simd: S, x: S::F, t: S::F, inverse: S::F) -> S::F {
    let minus_t = simd.sub(simd.splat(0.0), t);
    let q = simd.mul(x, inverse);
    let q = simd.mul_add(simd.mul_add(q, minus_t, x), inverse, q);
    simd.mul_add(simd.mul_add(q, minus_t, x), inverse, q)
}

/// `quick` scales as `scale` does, but only numbers from [`LEAST`] to [`MOST`].
#[inline(always)]
fn scale_tiles<S: Simd>(
    simd: S,
    tokens: &mut [TokenData],
    maxima: &mut [f32],
    scale: impl Fn(S::F) -> S::F,
    quick: Option<impl Fn(S::F) -> S::F>,
) -> usize {
    debug_assert_eq!(tokens.len(), BLOCK_LEN * maxima.len());
    let bottom = simd.splat(f32::NEG_INFINITY);
    let [least, most] = [LEAST, MOST].map(|x| simd.splat(x));
    let all = |mask: S::M| simd.bits(mask) == u32::MAX >> (32 - S::LANES);
    let tiles = tokens.chunks_exact_mut(BLOCK_LEN * S::LANES);
    let mut done = 0;
    for (tile, maxima) in tiles.zip(maxima.chunks_exact_mut(S::LANES)) {
        let mut best = bottom;
        for tokens in tile.chunks_exact_mut(S::LANES) {
            let logits = simd.load_logits(tokens);
            let size = simd.abs(logits);
            let x = match &quick {
                Some(quick) if all(simd.and(simd.ge(size, least), simd.ge(most, size))) => {
                    quick(logits)
                }
                _ => {
                    let x = scale(logits);
                    if overflows(simd, logits, x) {
                        return done;
                    }
                    simd.max(x, bottom)
                }
            };
            best = simd.max(x, best);
            simd.store_logits(x, tokens);
            done += S::LANES;
        }
        simd.store(best, maxima);
    }
    done
}

/// Whether a number above -inf became infinite.
#[inline(always)]
fn overflows<S: Simd>(simd: S, before: S::F, after: S::F) -> bool {
    let [lowest, infinity] = [f32::MIN, f32::INFINITY].map(|x| simd.splat(x));
    simd.any(simd.and(simd.ge(simd.abs(after), infinity), simd.ge(before, lowest)))
}
