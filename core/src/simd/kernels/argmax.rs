//! The best token alone, in one pass.

use super::maxima::highest;
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// Vectors that are looked at together.
const ABREAST: usize = 32;

/// The index of the largest value, the lowest of several; none if all are -inf or NaN.
///
/// Every lane keeps its largest value so far and the number of the stretch it came from; the index is
/// looked up in that stretch at the end, so the pass itself does little more than load.
#[inline(always)]
pub(crate) fn argmax<S: Simd>(simd: S, row: &[f32]) -> Option<u32> {
    let stretch_len = ABREAST * S::LANES;
    let bottom = simd.splat(f32::NEG_INFINITY);
    let (mut best, mut place) = (bottom, simd.splat(0.0));
    let runs = row.chunks_exact(stretch_len);
    let (rest, whole) = (runs.remainder(), runs.len());
    for (number, stretch) in runs.enumerate() {
        let mut tops = [bottom; 4];
        for four in stretch.chunks_exact(4 * S::LANES) {
            tops = from_fn(|i| simd.max(simd.load(&four[i * S::LANES..][..S::LANES]), tops[i]));
        }
        let top = simd.max(simd.max(tops[0], tops[1]), simd.max(tops[2], tops[3]));
        (best, place) = later(simd, (best, place), top, number);
    }
    let mut top = bottom;
    for vector in rest.chunks_exact(S::LANES) {
        top = simd.max(simd.load(vector), top);
    }
    (best, place) = later(simd, (best, place), top, whole);
    let (mut values, mut places) = ([f32::NEG_INFINITY; 16], [0.0; 16]);
    simd.store(best, &mut values);
    simd.store(place, &mut places);
    // What no whole vector covers.
    let tail = row.len() - row.len() % S::LANES;
    let top = row[tail..].iter().fold(highest(values), |top, v| if *v > top { *v } else { top });
    if top == f32::NEG_INFINITY {
        return None;
    }
    let lanes = values[..S::LANES].iter().zip(places).filter(|(value, _)| **value == top);
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

/// The lanes' largest values and where they came from, after another stretch.
#[inline(always)]
fn later<S: Simd>(simd: S, (best, place): (S::F, S::F), top: S::F, number: usize) -> (S::F, S::F) {
    // Numbers of stretches are exact in binary32: a row has no more than 2^24 of them.
    let newer = simd.keep(simd.lt(best, top), simd.splat(number as f32));
    (simd.max(top, best), simd.max(newer, place))
}
