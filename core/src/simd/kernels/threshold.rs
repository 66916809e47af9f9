//! A threshold that a wanted number of values reach.

use super::count::count_reaching;
use crate::float_order::halfway;
use crate::simd::lanes::Simd;

/// What a threshold is to be reached by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    /// By at least so many values.
    pub least: usize,
    /// A threshold that at most so many values reach is close enough.
    pub enough: usize,
}

/// The steps that halve the distance. On most rows fewer are made; the steps after them halve the number of floats.
const HALVINGS: usize = 12;

/// A threshold that at least `reached.least` of `values` reach: whole vectors without NaN, whose largest, `highest`,
/// is finite. `f32::MIN` if fewer are finite. No more than `enough` reach it, unless several values equal it or, if
/// `highest` itself is reached by `least` values, it is the number below.
///
/// The number of values that reach t falls as t rises. `low` is reached by at least `least` values at every step, so
/// what is returned is right. The end: each step moves `low` or `high` strictly towards the other, and after
/// `HALVINGS` steps each halves the number of floats between them, so there are at most 32 more. `high` is reached by
/// fewer than `least` values from the first step that lowers it on, and if no step does, by those of `highest`.
#[inline(always)]
pub(crate) fn threshold<S: Simd>(simd: S, values: &[f32], highest: f32, reached: Reached) -> f32 {
    let (mut low, finite) = lowest_finite(simd, values, highest);
    if finite < reached.least {
        return f32::MIN;
    }
    let (mut high, mut count) = (highest, finite);
    let mut step = 0;
    while count > reached.enough {
        if step == HALVINGS && count_reaching(simd, values, highest) >= reached.least {
            return highest;
        }
        let half = low + (high - low) / 2.0;
        let by_distance = step < HALVINGS && low < half && half < high;
        let middle = if by_distance { half } else { halfway(low, high) };
        if middle == low {
            break;
        }
        let counted = count_reaching(simd, values, middle);
        let is_low = counted >= reached.least;
        (low, high) = if is_low { (middle, high) } else { (low, middle) };
        count = if is_low { counted } else { count };
        step += 1;
    }
    low
}

/// The lowest value above -inf, and how many there are; `highest` if there is none.
#[inline(always)]
fn lowest_finite<S: Simd>(simd: S, values: &[f32], highest: f32) -> (f32, usize) {
    let (bottom, highest) = (simd.splat(f32::MIN), simd.splat(highest));
    let (mut low, mut finite) = (highest, simd.none_counted());
    for vector in values.chunks_exact(S::LANES) {
        let values = simd.load(vector);
        let is_finite = simd.ge(values, bottom);
        low = simd.min(simd.select(is_finite, values, highest), low);
        finite = simd.count(finite, is_finite);
    }
    let mut lanes = [f32::MAX; 16];
    simd.store(low, &mut lanes);
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            let (a, b) = (lanes[i], lanes[i + half]);
            lanes[i] = if a < b { a } else { b };
        }
    }
    (lanes[0], simd.total(finite))
}
