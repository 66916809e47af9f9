//! The best token alone, in one pass.

use crate::simd::lanes::Simd;

/// Vectors that are looked at together.
const ABREAST: usize = 16;

/// The index of the largest value, the lowest of several; none if all are -inf or NaN.
///
/// Every lane keeps its largest value so far and the number of the stretch it came from; the index is
/// looked up in that stretch at the end, so the pass itself does little more than load.
#[inline(always)]
pub(crate) fn argmax<S: Simd>(simd: S, row: &[f32]) -> Option<u32> {
    let stretch_len = ABREAST * S::LANES;
    let bottom = simd.splat(f32::NEG_INFINITY);
    let (mut best, mut place) = (bottom, simd.splat(0.0));
    for (number, stretch) in row.chunks(stretch_len).enumerate() {
        let mut tops = [bottom; 4];
        for vectors in stretch.chunks(4 * S::LANES) {
            for (top, vector) in tops.iter_mut().zip(vectors.chunks_exact(S::LANES)) {
                *top = simd.max(simd.load(vector), *top);
            }
        }
        let top = simd.max(simd.max(tops[0], tops[1]), simd.max(tops[2], tops[3]));
        // Numbers of stretches are exact in binary32: a row has fewer than 2^24 of them.
        let newer = simd.keep(simd.lt(best, top), simd.splat(number as f32));
        place = simd.max(newer, place);
        best = simd.max(top, best);
    }
    let (mut values, mut places) = ([f32::NEG_INFINITY; 16], [0.0; 16]);
    simd.store(best, &mut values);
    simd.store(place, &mut places);
    // What no whole vector covers.
    let tail = row.len() - row.len() % S::LANES;
    let highest = |top: f32, value: &f32| top.max(*value);
    let top = values.iter().chain(&row[tail..]).fold(f32::NEG_INFINITY, highest);
    if top == f32::NEG_INFINITY {
        return None;
    }
    let lanes = values.iter().zip(places).filter(|(value, _)| **value == top);
    let start = lanes.map(|(_, place)| place as usize * stretch_len).min().unwrap_or(tail);
    let tops = simd.splat(top);
    let mut at = start;
    for vector in row[start..].chunks_exact(S::LANES) {
        let hits = simd.bits(simd.ge(simd.load(vector), tops));
        if hits != 0 {
            return Some(at as u32 + hits.trailing_zeros());
        }
        at += S::LANES;
    }
    row[at..].iter().position(|value| *value == top).map(|index| (at + index) as u32)
}
