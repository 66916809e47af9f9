//! The best of an array of tokens, found where they lie: block maxima, a threshold from them, and the tokens that reach
//! it. No logit is copied.

use super::threshold::bisect;
use crate::memory::{reserve, resize};
use crate::rules::rank::nan_to_neg_inf;
use crate::rules::temperature::Scale;
use crate::simd::{BLOCK_LEN, Kernels};
use crate::{Error, TokenData};
use core::ops::Range;

/// The block maxima of the array that was read last, and working memory.
#[derive(Debug)]
pub(crate) struct TokenScan {
    parts: Parts,
    /// The maxima of the parts' tiles, in order; ends are padded to tiles.
    maxima: Vec<f32>,
    coarse_maxima: Vec<f32>,
    /// A padded copy of an end of the array.
    end: Vec<TokenData>,
}

/// How an array falls into tiles: the tokens before the first cache line, whole tiles, and the rest.
#[derive(Debug, Clone, Copy)]
struct Parts {
    lead: usize,
    body: usize,
    rest: usize,
}

/// What scaling did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scaled {
    /// All logits are scaled, and the array counts as read if this says so.
    Each { is_read: bool },
    /// The best alone is to stay. It is the best of the tokens from this place on, whose logits are as they were.
    Best { from: usize },
}

/// The fewest tiles of an array whose tiles begin with a cache line. Loads that straddle cache lines are slow, but
/// shorter arrays end before that outweighs one more tile.
const ALIGN_MIN_TILES: usize = 32;
const CACHE_LINE: usize = 64;

/// It reaches no finite threshold.
const PADDING: TokenData = TokenData { id: 0, logit: f32::NEG_INFINITY, p: 0.0 };

impl Parts {
    fn of(tile_len: usize, tokens: &[TokenData]) -> Self {
        let is_aligned = |lead: &usize| {
            let address = tokens.as_ptr() as usize + lead * size_of::<TokenData>();
            address.is_multiple_of(CACHE_LINE)
        };
        let is_long = tokens.len() >= ALIGN_MIN_TILES * tile_len;
        // Tokens are aligned to 4 bytes and have 12, so one of the first 16 begins with a line.
        let lead = if is_long { (0..16).find(is_aligned).unwrap_or(0) } else { 0 };
        let rest = (tokens.len() - lead) % tile_len;
        Self { lead, body: tokens.len() - lead - rest, rest }
    }

    /// The numbers of their tiles.
    fn tiles(self, tile_len: usize) -> [usize; 3] {
        [self.lead, self.body, self.rest].map(|len| len.div_ceil(tile_len))
    }
}

impl TokenScan {
    pub(crate) const fn new() -> Self {
        Self {
            parts: Parts { lead: 0, body: 0, rest: 0 },
            maxima: Vec::new(),
            coarse_maxima: Vec::new(),
            end: Vec::new(),
        }
    }

    /// Reads the array. Returns whether it has a NaN.
    pub(crate) fn read(&mut self, kernels: &Kernels, tokens: &[TokenData]) -> Result<bool, Error> {
        self.begin(kernels, tokens)?;
        let Parts { lead, body, .. } = self.parts;
        let (lead, others) = tokens.split_at(lead);
        let (body, rest) = others.split_at(body);
        let has_nan = [self.read_end(kernels, lead, 0), self.read_end(kernels, rest, 2)];
        let of_body = self.maxima_of(kernels, 1);
        Ok(kernels.write_token_maxima(body, of_body) || has_nan.contains(&true))
    }

    /// Reads the first or the last part.
    fn read_end(&mut self, kernels: &Kernels, end: &[TokenData], part: usize) -> bool {
        if end.is_empty() {
            return false;
        }
        let (copy, padding) = self.end.split_at_mut(end.len());
        copy.copy_from_slice(end);
        padding.fill(PADDING);
        let range = self.places_of(kernels, part);
        kernels.write_token_maxima(&self.end, &mut self.maxima[range])
    }

    /// Where the maxima of a part are.
    fn places_of(&self, kernels: &Kernels, part: usize) -> Range<usize> {
        let tile_len = kernels.tile_len();
        let tiles = self.parts.tiles(tile_len);
        let before: usize = tiles[..part].iter().sum();
        let width = tile_len / BLOCK_LEN;
        width * before..width * (before + tiles[part])
    }

    fn maxima_of(&mut self, kernels: &Kernels, part: usize) -> &mut [f32] {
        let range = self.places_of(kernels, part);
        &mut self.maxima[range]
    }

    /// Makes room for the maxima of an array.
    fn begin(&mut self, kernels: &Kernels, tokens: &[TokenData]) -> Result<(), Error> {
        let tile_len = kernels.tile_len();
        self.parts = Parts::of(tile_len, tokens);
        // The most that an array of this length can have, wherever it lies. So no later pass allocates.
        let most = (tokens.len() / tile_len + 2) * tile_len / BLOCK_LEN;
        self.maxima.clear();
        reserve(&mut self.maxima, most)?;
        let tiles: usize = self.parts.tiles(tile_len).iter().sum();
        self.maxima.resize(tiles * tile_len / BLOCK_LEN, f32::NEG_INFINITY);
        self.coarse_maxima.clear();
        reserve(&mut self.coarse_maxima, most)?;
        resize(&mut self.end, tile_len, PADDING)
    }

    /// The largest logit; -inf if all are -inf or NaN.
    pub(crate) fn top(&self, kernels: &Kernels) -> f32 {
        kernels.largest(&self.maxima)
    }

    /// A logit that at least `k` tokens reach, and not many more; none if the maxima do not tell, or the largest logit is
    /// not finite.
    ///
    /// A maximum is the logit of some token, and different maxima are different tokens, so `k` maxima that reach a
    /// logit are as many tokens that do.
    pub(crate) fn threshold(&mut self, kernels: &Kernels, k: usize) -> Option<f32> {
        let top = self.top(kernels);
        // Below, most blocks would have a token among the `k`.
        if !top.is_finite() || k > self.maxima.len() / 2 {
            return None;
        }
        let enough = k + k / 8 + 2;
        let low = |maxima: &[f32]| {
            bisect(f32::MIN, top, k, enough, |t| kernels.count_reaching(maxima, t))
        };
        let coarse_len = (4 * k).next_power_of_two().max(128);
        if coarse_len < self.maxima.len() {
            // Memory is reserved.
            self.coarse_maxima.resize(coarse_len, f32::NEG_INFINITY);
            kernels.coarsen(&[&self.maxima], &mut self.coarse_maxima);
            let low = low(&self.coarse_maxima);
            // If several of the best share a group, the coarse maxima say little: use the finer ones.
            if kernels.count_reaching(&self.maxima, low) <= 2 * enough {
                return Some(low);
            }
        }
        Some(low(&self.maxima))
    }

    /// Whether at least `count` tokens are known to reach `low`.
    pub(crate) fn is_reached_by(&self, kernels: &Kernels, low: f32, count: usize) -> bool {
        kernels.count_reaching(&self.maxima, low) >= count
    }

    /// Moves the tokens whose logits are at least `low`, which is finite, to the front, in their order. Returns how many
    /// these are. The array must be the one that was read last, unchanged.
    pub(crate) fn keep_reaching(
        &mut self,
        kernels: &Kernels,
        tokens: &mut [TokenData],
        low: f32,
    ) -> usize {
        let Parts { lead, body, .. } = self.parts;
        let mut kept = 0;
        if self.part_top(kernels, 0) >= low {
            kept = keep_each(tokens, 0..lead, low, kept);
        }
        kept = kernels.keep_reaching(tokens, lead, self.maxima_of(kernels, 1), low, kept);
        if self.part_top(kernels, 2) >= low {
            kept = keep_each(tokens, lead + body..tokens.len(), low, kept);
        }
        kept
    }

    /// The largest logit of a part.
    fn part_top(&self, kernels: &Kernels, part: usize) -> f32 {
        kernels.largest(&self.maxima[self.places_of(kernels, part)])
    }

    /// The place of the first in rank order; none if no token is above -inf. The array must be the one that was read
    /// last, unchanged.
    pub(crate) fn best(&self, kernels: &Kernels, tokens: &[TokenData]) -> Option<usize> {
        let top = self.top(kernels);
        if top == f32::NEG_INFINITY {
            return None;
        }
        let Parts { lead, body, .. } = self.parts;
        let mut best: Option<(i32, usize)> = None;
        let mut see = |place: usize| {
            let token = &tokens[place];
            if token.logit == top {
                let key = (token.id, place);
                best = Some(best.map_or(key, |best| best.min(key)));
            }
        };
        if self.part_top(kernels, 0) == top {
            (0..lead).for_each(&mut see);
        }
        let tile_len = kernels.tile_len();
        let width = tile_len / BLOCK_LEN;
        let of_body = &self.maxima[self.places_of(kernels, 1)];
        for (block, _) in of_body.iter().enumerate().filter(|(_, max)| **max == top) {
            let first = lead + block / width * tile_len + block % width;
            (first..).step_by(width).take(BLOCK_LEN).for_each(&mut see);
        }
        if self.part_top(kernels, 2) == top {
            (lead + body..tokens.len()).for_each(&mut see);
        }
        best.map(|(_, place)| place)
    }

    /// Scales the first or the last part, fewer tokens than a tile; false, and nothing changed, if a logit above -inf
    /// would become infinite.
    fn scale_end(&mut self, kernels: &Kernels, end: &mut [TokenData], by: Scale) -> bool {
        let Some(last) = end.last() else { return true };
        let (copy, padding) = self.end.split_at_mut(end.len());
        copy.copy_from_slice(end);
        padding.fill(*last);
        let mut maxima = [0.0; 16];
        let width = kernels.tile_len() / BLOCK_LEN;
        let is_done =
            kernels.scale_tokens(&mut self.end, by, &mut maxima[..width]) == self.end.len();
        if is_done {
            end.copy_from_slice(&self.end[..end.len()]);
        }
        is_done
    }

    /// Scales the logits where they lie, NaN to -inf, in one pass. `by` is not one of the special temperatures: those with
    /// another rule whatever the logits are.
    ///
    /// The rule depends on the largest logit, which is known only at the end. Let the pass stop before the first
    /// vector with a logit that is above -inf and becomes infinite. Those before have finite results, and -inf where -inf was.
    /// There are three cases.
    ///
    /// 1. It never stops: the largest becomes finite, so every logit is to be scaled, as was done; or all are at -inf,
    ///    and nothing changed.
    /// 2. It stops, and the largest becomes infinite, so the best alone is to stay. Scaling keeps the order, so the best
    ///    is not among those before: if it becomes +inf, theirs are below that; if it becomes -inf, they are at -inf
    ///    and the vector has one above. So it is the best of the others, which are as they were.
    /// 3. It stops, and the largest becomes finite: the others are scaled too.
    pub(crate) fn scale(
        &mut self,
        kernels: &Kernels,
        tokens: &mut [TokenData],
        by: Scale,
    ) -> Result<Scaled, Error> {
        self.begin(kernels, tokens)?;
        let Parts { lead, body, .. } = self.parts;
        let behind = lead + body;
        let mut done = 0;
        if self.scale_end(kernels, &mut tokens[..lead], by) {
            let of_body = self.maxima_of(kernels, 1);
            done = lead + kernels.scale_tokens(&mut tokens[lead..behind], by, of_body);
            if done == behind && self.scale_end(kernels, &mut tokens[behind..], by) {
                done = tokens.len();
            }
        }
        if done == tokens.len() {
            self.read_end(kernels, &tokens[..lead], 0);
            self.read_end(kernels, &tokens[behind..], 2);
            let is_each = self.top(kernels) > f32::NEG_INFINITY;
            return Ok(if is_each {
                Scaled::Each { is_read: true }
            } else {
                Scaled::Best { from: 0 }
            });
        }
        let (scaled, others) = tokens.split_at_mut(done);
        others.iter_mut().for_each(|token| token.logit = nan_to_neg_inf(token.logit));
        let top = |tokens: &[TokenData]| {
            tokens.iter().map(|token| token.logit).fold(f32::NEG_INFINITY, f32::max)
        };
        if by.apply(top(others)).max(top(scaled)).is_infinite() {
            return Ok(Scaled::Best { from: done });
        }
        others.iter_mut().for_each(|token| token.logit = by.apply(token.logit));
        Ok(Scaled::Each { is_read: false })
    }
}

/// Moves the tokens of `places` that reach `low` behind the first `kept`; returns how many then are at the front.
fn keep_each(tokens: &mut [TokenData], places: Range<usize>, low: f32, mut kept: usize) -> usize {
    for place in places {
        if tokens[place].logit >= low {
            tokens[kept] = tokens[place];
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests;
