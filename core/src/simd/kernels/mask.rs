//! A copy of a row with -inf in place of the tokens that a bitmask does not allow.

use super::BLOCK_LEN;
use crate::simd::lanes::Simd;

/// The bits of a word.
const BITS: usize = u32::BITS as usize;

/// Copies `row` to `out`, which is as long. Bit i % 32 of word i / 32 allows value i; there is a word for each
/// 32 values begun.
#[inline(always)]
pub(crate) fn mask<S: Simd>(simd: S, row: &[f32], words: &[u32], out: &mut [f32]) {
    let neg_inf = simd.splat(f32::NEG_INFINITY);
    let (rows, outs) = (row.chunks_exact(BITS), out.chunks_exact_mut(BITS));
    let rest = rows.remainder();
    for ((row, out), word) in rows.zip(outs).zip(words) {
        let vectors = row.chunks_exact(S::LANES).zip(out.chunks_exact_mut(S::LANES));
        for (i, (values, out)) in vectors.enumerate() {
            let allowed = simd.mask_of(word >> (i * S::LANES));
            simd.store(simd.select(allowed, simd.load(values), neg_inf), out);
        }
    }
    let whole = row.len() - rest.len();
    let last = words.get(whole / BITS).copied().unwrap_or(0);
    for (i, (value, out)) in rest.iter().zip(&mut out[whole..]).enumerate() {
        *out = if last >> i & 1 == 1 { *value } else { f32::NEG_INFINITY };
    }
}

/// As [`mask`], for whole tiles, and writes the block maxima of the copy in the same pass. A tile of which
/// nothing is allowed is not read.
#[inline(always)]
pub(crate) fn mask_tiles<S: Simd>(
    simd: S,
    row: &[f32],
    words: &[u32],
    out: &mut [f32],
    maxima: &mut [f32],
) {
    debug_assert_eq!(row.len(), BLOCK_LEN * maxima.len());
    let tile_len = BLOCK_LEN * S::LANES;
    let neg_inf = simd.splat(f32::NEG_INFINITY);
    let tiles = row.chunks_exact(tile_len).zip(out.chunks_exact_mut(tile_len));
    let words = words.chunks_exact(tile_len / BITS);
    for (((row, out), words), maxima) in tiles.zip(words).zip(maxima.chunks_exact_mut(S::LANES)) {
        if words.iter().fold(0, |any, word| any | word) == 0 {
            out.fill(f32::NEG_INFINITY);
            maxima.fill(f32::NEG_INFINITY);
            continue;
        }
        // Two chains, so that a maximum need not wait for the one before.
        let mut best = [neg_inf; 2];
        for ((row, out), word) in row.chunks_exact(BITS).zip(out.chunks_exact_mut(BITS)).zip(words)
        {
            let vectors = row.chunks_exact(S::LANES).zip(out.chunks_exact_mut(S::LANES));
            for (i, (values, out)) in vectors.enumerate() {
                let allowed = simd.mask_of(word >> (i * S::LANES));
                let values = simd.select(allowed, simd.load(values), neg_inf);
                simd.store(values, out);
                best[i % 2] = simd.max(values, best[i % 2]);
            }
        }
        simd.store(simd.max(best[0], best[1]), maxima);
    }
}
