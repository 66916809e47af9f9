//! The best token, found in one pass.

use super::maxima::max_lane;
use crate::simd::lanes::Simd;
use core::array::from_fn;

/// The vectors of a strip.
const STRIP_VECTORS: usize = 32;

/// The index of the largest value, the lowest index if there are several; none if all are -inf or NaN.
///
/// Each lane keeps its largest value so far and the number of the strip it came from. The index is
/// looked up in that strip at the end, so the pass does little more than load.
#[inline(always)]
pub(crate) fn argmax<S: Simd>(simd: S, row: &[f32]) -> Option<u32> {
    let strip_len = STRIP_VECTORS * S::LANES;
    let bottom = simd.splat(f32::NEG_INFINITY);
    let (mut best, mut best_strip) = (bottom, simd.splat(0.0));
    let strips = row.chunks_exact(strip_len);
    let (rest, whole) = (strips.remainder(), strips.len());
    for (number, strip) in strips.enumerate() {
        let mut tops = [bottom; 4];
        for four in strip.chunks_exact(4 * S::LANES) {
            tops = from_fn(|i| simd.max(simd.load(&four[i * S::LANES..][..S::LANES]), tops[i]));
        }
        let top = simd.max(simd.max(tops[0], tops[1]), simd.max(tops[2], tops[3]));
        (best, best_strip) = update_best(simd, (best, best_strip), top, number);
    }
    let mut top = bottom;
    for vector in rest.chunks_exact(S::LANES) {
        top = simd.max(simd.load(vector), top);
    }
    (best, best_strip) = update_best(simd, (best, best_strip), top, whole);
    let (mut values, mut strips) = ([f32::NEG_INFINITY; 16], [0.0; 16]);
    simd.store(best, &mut values);
    simd.store(best_strip, &mut strips);
    // The last values, fewer than a vector.
    let tail = row.len() - row.len() % S::LANES;
    let top = row[tail..].iter().fold(max_lane(values), |top, v| if *v > top { *v } else { top });
    if top == f32::NEG_INFINITY {
        return None;
    }
    let lanes = values[..S::LANES].iter().zip(strips).filter(|(value, _)| **value == top);
    // No lane has it: it is among the last values.
    let start = lanes.map(|(_, strip)| strip as usize * strip_len).min().unwrap_or(tail);
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

/// The lanes' largest values and the strips they came from, after one more strip.
#[inline(always)]
fn update_best<S: Simd>(
    simd: S,
    (best, best_strip): (S::F, S::F),
    top: S::F,
    number: usize,
) -> (S::F, S::F) {
    // Binary32 holds the number of a strip exactly: a row has at most 2^24 strips.
    let newer = simd.keep(simd.lt(best, top), simd.splat(number as f32));
    (simd.max(top, best), simd.max(newer, best_strip))
}
