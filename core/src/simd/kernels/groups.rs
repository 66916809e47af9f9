//! The loops over the values of wide nuclei: copying, sorting into buckets, and sums.
//!
//! Kernels that do not name lanes are plain loops over small arrays, which the compiler vectorises.

use super::Segment;
use super::expf::expf_all;
use crate::simd::lanes::Simd;

/// The most buckets of a [`Buckets`].
pub(crate) const MAX_BUCKETS: usize = 2048;

/// The values of which something is computed together.
const BATCH_LEN: usize = 64;

/// Copies the values with `low <= value < high` to the start of `out`, in order, and returns their number. `out`
/// has room for the segment and one vector more.
#[inline(always)]
pub(crate) fn copy_between<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    low: f32,
    high: f32,
    out: &mut [f32],
) -> usize {
    let (lows, highs) = (simd.splat(low), simd.splat(high));
    let mut len = 0;
    for (tile, maxima) in segment.tiles(S::LANES) {
        if !simd.any(simd.ge(simd.load(maxima), lows)) {
            continue;
        }
        for vector in tile.chunks_exact(S::LANES) {
            let x = simd.load(vector);
            let wanted = simd.and(simd.ge(x, lows), simd.lt(x, highs));
            len += simd.compress(wanted, x, &mut out[len..]);
        }
    }
    len
}

/// A partition of values into buckets: those of a bucket are larger than those of the next.
///
/// `origin - value`, the product, the sum with `SHIFT` and the minimum each fall or stay as the value rises, rounded
/// or not. So the number of the bucket does, too. Adding 2^23 leaves the integer nearest to the product in the low bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buckets {
    origin: f32,
    per_unit: f32,
    last: u32,
}

impl Buckets {
    /// 2^23.
    const SHIFT: f32 = (1 << 23) as f32;

    /// `count` buckets, a power of two up to [`MAX_BUCKETS`], of equal width for the values from `origin` down to `low`.
    /// Both and their distance are finite.
    pub(crate) fn new(origin: f32, low: f32, count: usize) -> Self {
        debug_assert!(count.is_power_of_two() && count <= MAX_BUCKETS);
        let width = origin - low;
        debug_assert!(width >= 0.0 && width.is_finite());
        let last = count as u32 - 1;
        // For the smallest widths the quotient is infinite; all values are in the first bucket then if the width is 0.
        Self { origin, per_unit: (last as f32 / width).min(f32::MAX), last }
    }

    #[inline(always)]
    fn number(self, value: f32) -> usize {
        let shifted = (self.origin - value) * self.per_unit + Self::SHIFT;
        let number = shifted.to_bits().wrapping_sub(Self::SHIFT.to_bits()).min(self.last);
        number as usize % MAX_BUCKETS
    }

    #[inline(always)]
    fn for_each(self, values: &[f32], mut visit: impl FnMut(usize, f32)) {
        let mut batches = values.chunks_exact(BATCH_LEN);
        let mut numbers = [0_u32; BATCH_LEN];
        for batch in &mut batches {
            for i in 0..BATCH_LEN {
                numbers[i] = self.number(batch[i]) as u32;
            }
            for i in 0..BATCH_LEN {
                visit(numbers[i] as usize % MAX_BUCKETS, batch[i]);
            }
        }
        batches.remainder().iter().for_each(|value| visit(self.number(*value), *value));
    }

    /// Adds the number of values in each bucket to `counts`.
    #[inline(always)]
    pub(crate) fn count(self, values: &[f32], counts: &mut [u32; MAX_BUCKETS]) {
        self.for_each(values, |number, _| counts[number] += 1);
    }

    /// Moves each value to the place of its bucket in `out`, and the place to the next.
    #[inline(always)]
    pub(crate) fn scatter(self, values: &[f32], places: &mut [u32; MAX_BUCKETS], out: &mut [f32]) {
        self.for_each(values, |number, value| {
            let place = &mut places[number];
            out[*place as usize] = value;
            *place += 1;
        });
    }
}

/// `expf((value - top) / t)` of each value; `t` is finite and above 0. `fused` as in [`expf_all`].
#[inline(always)]
pub(crate) fn tempered_exps(fused: bool, values: &[f32], top: f32, t: f32, out: &mut [f32]) {
    for (values, out) in values.chunks(BATCH_LEN * 16).zip(out.chunks_mut(BATCH_LEN * 16)) {
        if t == 1.0 {
            out.iter_mut().zip(values).for_each(|(out, value)| *out = value - top);
        } else {
            out.iter_mut().zip(values).for_each(|(out, value)| *out = (value - top) / t);
        }
        expf_all(fused, out);
    }
}

/// The binary32 sum of `sum` and then the values, one by one, if their order does not matter: see
/// [`sequential_sum`](crate::sequential_sum). With a `divisor` the quotients are added. None are negative.
#[inline(always)]
pub(crate) fn add_in_any_order(sum: f32, values: &[f32], divisor: Option<f32>) -> Option<f32> {
    match divisor {
        Some(divisor) => add_rounded(sum, values, |value| value / divisor),
        None => add_rounded(sum, values, |value| value),
    }
}

#[inline(always)]
fn add_rounded(sum: f32, values: &[f32], of: impl Fn(f32) -> f32 + Copy) -> Option<f32> {
    const LANES: usize = 32;
    if sum < f32::MIN_POSITIVE || sum.is_nan() {
        return None;
    }
    let binade = f32::from_bits(sum.to_bits() & f32::INFINITY.to_bits());
    let half_unit = binade * (f32::EPSILON / 2.0);
    // A lane has fewer than 2^24 ties: its binary32 count is exact.
    debug_assert!(values.len() < LANES << 24);
    let (mut steps, mut ties) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    let mut add = |lane: usize, value: f32| {
        // Adding and subtracting the binade rounds to its unit.
        let value = of(value);
        let step = (value + binade) - binade;
        ties[lane] += if (value - step).abs() == half_unit { 1.0 } else { 0.0 };
        steps[lane] += step;
    };
    let mut rows = values.chunks_exact(LANES);
    for row in &mut rows {
        for (lane, value) in row.iter().enumerate() {
            add(lane, *value);
        }
    }
    rows.remainder().iter().enumerate().for_each(|(lane, value)| add(lane, *value));
    let total = steps.iter().fold(sum, |total, step| total + step);
    let ties: f32 = ties.iter().sum();
    // False for NaN.
    (ties == 0.0 && total < 2.0 * binade).then_some(total)
}

/// The double sum of the values, in some order.
#[inline(always)]
pub(crate) fn sum_in_double(values: &[f32]) -> f64 {
    const LANES: usize = 32;
    let mut sums = [0.0_f64; LANES];
    let mut rows = values.chunks_exact(LANES);
    for row in &mut rows {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += f64::from(*value);
        }
    }
    let rest: f64 = rows.remainder().iter().map(|value| f64::from(*value)).sum();
    sums.iter().sum::<f64>() + rest
}

/// The smallest and the largest of values that are not NaN; +inf and -inf if there are none.
#[inline(always)]
pub(crate) fn extent(values: &[f32]) -> (f32, f32) {
    const LANES: usize = 32;
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let (mut least, mut most) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
    let mut rows = values.chunks_exact(LANES);
    for row in &mut rows {
        for i in 0..LANES {
            least[i] = smaller(least[i], row[i]);
            most[i] = larger(most[i], row[i]);
        }
    }
    let rest = rows.remainder();
    (
        rest.iter().chain(&least).fold(f32::INFINITY, |least, value| smaller(least, *value)),
        rest.iter().chain(&most).fold(f32::NEG_INFINITY, |most, value| larger(most, *value)),
    )
}

/// The place in the segment of the value that has `before` equal ones before it; the number of equal ones if there are
/// not as many.
#[inline(always)]
pub(crate) fn find_equal<S: Simd>(
    simd: S,
    segment: Segment<'_>,
    value: f32,
    before: usize,
) -> Result<usize, usize> {
    let wanted = simd.splat(value);
    let mut seen = 0;
    for (number, (tile, maxima)) in segment.tiles(S::LANES).enumerate() {
        if !simd.any(simd.ge(simd.load(maxima), wanted)) {
            continue;
        }
        for (v, vector) in tile.chunks_exact(S::LANES).enumerate() {
            let x = simd.load(vector);
            let mut hits = simd.bits(simd.and(simd.ge(x, wanted), simd.ge(wanted, x)));
            if seen + hits.count_ones() as usize <= before {
                seen += hits.count_ones() as usize;
                continue;
            }
            while hits != 0 {
                if seen == before {
                    let lane = hits.trailing_zeros() as usize;
                    return Ok(number * tile.len() + v * S::LANES + lane);
                }
                seen += 1;
                hits &= hits - 1;
            }
        }
    }
    Err(seen)
}
