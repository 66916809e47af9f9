//! A copy of a row with -inf in place of the tokens that a bitmask does not allow.

use crate::simd::lanes::Simd;

/// Copies `row` to `out`, which is as long. Bit i % 32 of word i / 32 allows value i; there is a word for each
/// 32 values begun.
#[inline(always)]
pub(crate) fn mask<S: Simd>(simd: S, row: &[f32], words: &[u32], out: &mut [f32]) {
    const BITS: usize = u32::BITS as usize;
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
