//! A draw by inversion from a row, of which only the tokens near the one drawn need exact sums.
//!
//! The rule: with R_i the double sum of the exps of the first i candidates, added one by one in the order of the
//! candidates, and R that of all, the first i with `R_i >= R u` is drawn (`rules::inverse_cdf`). Let C_i and C be
//! other sums of the same exps, and d such that `|R_i - C_i| <= d` and `|R u - C u| <= d`, each with every rounding.
//!
//! 1. If `C_i < C u - 2d`, then `R_i < R u`: i is not drawn. If `C_i >= C u + 2d`, then `R_i >= R u`.
//! 2. So if some i has the first for all places before it, and the second itself, it is the one drawn. Its weight
//!    is above 0: `C_i` is above the sum before it.
//!
//! In id order C comes from the sums of tiles, and the exps within one tile. With h = 2^-53 and n tokens:
//!
//! 3. Exps below e^-37 are less than h. They may be missing in C: less than n h together, and C is at least 1, since
//!    the exp of the largest logit is.
//! 4. A double sum of n numbers that are not negative is within a factor (1 + h)^n of their real sum, or its
//!    reciprocal: so is R_i, and so are the steps from tile to tile.
//! 5. A vector exp is within `EXP_ERROR` of its own, relatively, and on its way through a lane has `TILE_ROUNDINGS`
//!    roundings of at most 2^-24: so C_i is within the sum of these, but for its square, of the real sum.
//!
//! In rank order the draw is the nucleus of u: both end at the first rank with `E_i >= u S`. If that is far down, C comes
//! from sums of exps over intervals of logits, which are added up from the highest. Only the tokens of the interval that
//! u falls into are sorted. Lemmas 3 and 4 are its errors.

use super::Row;
use crate::Error;
use crate::chain::exps::scaled_into;
use crate::chain::scratch::Scratch;
use crate::draw::nucleus;
use crate::memory::{reserve, resize};
use crate::rules::rank::RankKey;
use crate::select::{BlockedRow, RankedPrefix, RowScan, tied};
use crate::simd::{EXP_ERROR, Kernels, MIN_DOUBLE_ADDEND_LN, TILE_ROUNDINGS, Weighing};

/// d of lemmas 3 and 4 for `n` tokens, as a share of C: a double sum of the rule, the one of C, small exps and the last
/// operations are n h each, and twice that has room for their being shares of R instead of C.
fn double_error(n: usize) -> f64 {
    8.0 * (n + 64) as f64 * (f64::EPSILON / 2.0)
}

/// d of the vector exps: lemma 5, and a hundredth for the products of errors.
fn tile_error(n: usize) -> f64 {
    let lanes = TILE_ROUNDINGS as f64 / f64::from(1 << 24);
    1.01 * (f64::from(EXP_ERROR) + lanes) + double_error(n)
}

/// The ranks that are looked for one by one.
const NEAR_RANKS: usize = 2048;

/// The number of intervals of logits.
const INTERVALS: usize = 2048;

/// An interval with more tokens is divided again.
const MOST_SORTED: usize = 2048;

impl Row<'_> {
    /// Whether [`Row::draw`] may know the token: it needs a finite largest logit.
    pub(in crate::chain::candidates) fn can_draw(
        &mut self,
        scratch: &mut Scratch,
    ) -> Result<bool, Error> {
        if self.frozen && self.is_cut() {
            return Ok(false);
        }
        if !self.memory.edits.is_empty() {
            self.copy()?;
        }
        let top = self.scan(scratch.kernels, &mut scratch.scan)?.top;
        self.scanned = true;
        Ok(self.scaled(top).is_finite())
    }

    /// The id of the token drawn with `u`, in the order of the row or in rank order; none if the sums are not
    /// known well enough.
    pub(in crate::chain::candidates) fn draw(
        &mut self,
        scratch: &mut Scratch,
        u: f64,
        by_rank: bool,
    ) -> Result<Option<usize>, Error> {
        if self.is_cut() || by_rank {
            self.draw_by_rank(scratch, u)
        } else {
            self.draw_by_id(scratch, u)
        }
    }

    fn draw_by_id(&self, scratch: &mut Scratch, u: f64) -> Result<Option<usize>, Error> {
        let Scratch { kernels, scan, weights, sums, .. } = scratch;
        let blocked = self.scan(*kernels, scan)?;
        let weighing = Weighing { scale: self.scale, top: self.scaled(blocked.top) };
        sums.clear();
        reserve(sums, blocked.block_maxima.len())?;
        // Another u may need the weights of the whole row: no later draw of this length allocates.
        weights.clear();
        reserve(weights, blocked.len)?;
        for segment in blocked.segments {
            kernels.sum_tile_exps(segment, weighing, sums);
        }
        place(&blocked, weighing, sums, weights, u)
    }

    /// Ranks are those of the source, weights those of the scaled logits.
    ///
    /// Scaling keeps the order but for ties, and tied tokens weigh the same: so the sums over the ranks are those of
    /// the scaled row in its own rank order, and the same rank is drawn. Only the order within its ties is another.
    fn draw_by_rank(&mut self, scratch: &mut Scratch, u: f64) -> Result<Option<usize>, Error> {
        if !self.is_cut() {
            // The order is that of the logits as they are.
            self.materialize()?;
        }
        let source = if self.copied { &self.memory.copy } else { self.logits };
        let Scratch { kernels, scan, prefix, weights, keys, ordered, sums, order, .. } = scratch;
        // Another u may need these: no later draw of this length allocates.
        ordered.clear();
        reserve(ordered, source.len())?;
        order.clear();
        reserve(order, INTERVALS)?;
        sums.clear();
        reserve(sums, INTERVALS)?;
        let far = Far { exps: ordered, sums, counts: order, keys };
        let Some(by) = self.scale else {
            let mut blocked = self.scan(*kernels, scan)?;
            let near = near_rank(&mut blocked, prefix, u)?;
            let drawn = match near {
                Some(drawn) => Some(drawn),
                None => far_rank(*kernels, source, blocked.top, u, far)?,
            };
            return Ok(drawn.map(|(key, _)| key.id() as usize));
        };
        scaled_into(*kernels, source, by, weights)?;
        self.scanned = false;
        let mut blocked = RowScan::read(scan, *kernels, weights)?;
        let near = near_rank(&mut blocked, prefix, u)?;
        let drawn = match near {
            Some(drawn) => Some(drawn),
            None => far_rank(*kernels, weights, blocked.top, u, far)?,
        };
        let Some((drawn, place)) = drawn else { return Ok(None) };
        tied(&blocked, drawn.logit(), keys)?;
        keys.iter_mut().for_each(|key| *key = RankKey::new(source[key.id() as usize], key.id()));
        let id =
            if place < keys.len() { Some(keys.select_nth_unstable(place).1.id()) } else { None };
        Ok(id.map(|id| id as usize))
    }
}

/// The rank that `u` draws and its place among those with its logit, if it is one of the first.
fn near_rank(
    blocked: &mut BlockedRow<'_>,
    prefix: &mut RankedPrefix,
    u: f64,
) -> Result<Option<(RankKey, usize)>, Error> {
    let limit = NEAR_RANKS.min(blocked.len);
    let (kept, _) = nucleus::double::cut(blocked, prefix, limit, u)?;
    // All ranks up to the limit may fall short of u.
    let is_found = kept < limit || limit == blocked.len;
    let keys = prefix.keys();
    Ok(keys
        .get(kept.wrapping_sub(1))
        .filter(|_| is_found)
        .map(|key| (*key, place_in_ties(keys, kept - 1))))
}

/// The place of a rank among those with its logit; `keys` are in rank order.
fn place_in_ties(keys: &[RankKey], rank: usize) -> usize {
    rank - keys.partition_point(|key| key.logit() > keys[rank].logit())
}

/// Working memory of [`far_rank`].
struct Far<'m> {
    exps: &'m mut Vec<f32>,
    sums: &'m mut Vec<f64>,
    counts: &'m mut Vec<u32>,
    keys: &'m mut Vec<RankKey>,
}

/// As [`near_rank`], wherever it is; none if lemma 2 does not find it.
fn far_rank(
    kernels: &Kernels,
    logits: &[f32],
    top: f32,
    u: f64,
    Far { exps, sums, counts, keys }: Far<'_>,
) -> Result<Option<(RankKey, usize)>, Error> {
    const FLOOR: f32 = MIN_DOUBLE_ADDEND_LN;
    exps.clear();
    reserve(exps, logits.len())?;
    // NaN and what is too small are computed at the floor, and are in no interval.
    exps.extend(logits.iter().map(|logit| (logit - top).max(FLOOR)));
    kernels.expf_all(exps);
    // The distances from the top that are still in question, and the sum of the exps nearer to it.
    let (mut from, mut to, mut above) = (0.0, -FLOOR, 0.0);
    let mut bounds = None;
    loop {
        let width = INTERVALS as f32 / (to - from);
        // It rises with the distance. The last interval has its end.
        let interval = |distance: f32| (((distance - from) * width) as usize).min(INTERVALS - 1);
        let is_within = |distance: f32| from <= distance && distance <= to;
        sums.clear();
        resize(sums, INTERVALS, 0.0)?;
        counts.clear();
        resize(counts, INTERVALS, 0)?;
        for (logit, e) in logits.iter().zip(&*exps) {
            let distance = top - logit;
            if is_within(distance) {
                let interval = interval(distance);
                sums[interval] += f64::from(*e);
                counts[interval] += 1;
            }
        }
        let (low, high) = *bounds.get_or_insert_with(|| {
            let all: f64 = sums.iter().sum();
            let d = double_error(logits.len()) * all;
            (all * u - 2.0 * d, all * u + 2.0 * d)
        });
        let mut running = above;
        let reached = sums.iter().position(|sum| {
            above = running;
            running += sum;
            running >= low
        });
        let Some(reached) = reached else { return Ok(None) };
        let count = counts[reached] as usize;
        keys.clear();
        reserve(keys, count)?;
        let (mut nearest, mut farthest) = (to, from);
        for (id, logit) in (0..).zip(logits) {
            let distance = top - logit;
            if is_within(distance) && interval(distance) == reached {
                (nearest, farthest) = (distance.min(nearest), distance.max(farthest));
                keys.push(RankKey::new(*logit, id));
            }
        }
        // Fewer are left each time: not all of them lie in one interval, or it has one distance.
        if count > MOST_SORTED && nearest < farthest && (nearest, farthest) != (from, to) {
            (from, to) = (nearest, farthest);
            continue;
        }
        // By logit: unequal ones can have the same distance.
        keys.sort_unstable();
        let mut running = above;
        for (rank, key) in keys.iter().enumerate() {
            running += f64::from(exps[key.id() as usize]);
            if running >= low {
                return Ok((running >= high).then(|| (*key, place_in_ties(keys, rank))));
            }
        }
        return Ok(None);
    }
}

/// The token drawn, if lemma 2 finds one; `sums` are those of the tiles.
fn place(
    blocked: &BlockedRow<'_>,
    weighing: Weighing,
    sums: &[f64],
    exps: &mut Vec<f32>,
    u: f64,
) -> Result<Option<usize>, Error> {
    let all: f64 = sums.iter().sum();
    let d = tile_error(blocked.len) * all;
    let (low, high) = (all * u - 2.0 * d, all * u + 2.0 * d);
    let mut running = 0.0;
    let mut sums = sums.iter();
    let tile_len = blocked.kernels.tile_len();
    for segment in &blocked.segments {
        for number in 0..segment.logits.len() / tile_len {
            let before = running;
            running += sums.next().copied().unwrap_or(0.0);
            if running < low {
                continue;
            }
            // All tokens before this tile are before the drawn one.
            let tile = segment.tile(number, tile_len);
            weigh(blocked.kernels, tile.logits, weighing, exps)?;
            let mut running = before;
            for (i, e) in exps.iter().enumerate() {
                running += f64::from(*e);
                if running >= low {
                    let id = tile.first_id as usize + i;
                    return Ok((running >= high).then_some(id));
                }
            }
            // The sum of the tile's vector exps was larger than that of its exps.
            return Ok(None);
        }
    }
    Ok(None)
}

/// Puts the exps of a few logits into `exps`.
fn weigh(
    kernels: &Kernels,
    logits: &[f32],
    Weighing { scale, top }: Weighing,
    exps: &mut Vec<f32>,
) -> Result<(), Error> {
    exps.clear();
    reserve(exps, logits.len())?;
    let below = |logit: &f32| scale.map_or(*logit, |by| by.apply(*logit)) - top;
    // NaN counts as -inf.
    exps.extend(logits.iter().map(below).map(|x| if x.is_nan() { f32::NEG_INFINITY } else { x }));
    kernels.expf_all(exps);
    Ok(())
}
