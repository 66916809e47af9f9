//! The first ranks of a row, sorted, as many as were asked for so far.

use super::radix;
use super::scan::BlockedRow;
use super::threshold::{MAX_FEW_RANKS, finer_threshold, threshold};
use crate::Error;
use crate::memory::{reserve, resize};
use crate::rules::rank::RankKey;
use crate::simd::{Few, Wanted};

/// Exactly the ranks `0..len` of a row, and the exps of their logits.
#[derive(Debug)]
pub(crate) struct RankedPrefix {
    keys: Vec<RankKey>,
    exps: Vec<f32>,
    /// Working memory of the sort.
    spare: Vec<RankKey>,
    /// Working memory for the first ranks, if they are few: one, or none before the prefix grows. On the heap, so
    /// that moving a handle takes little stack.
    few: Vec<Few>,
    whole: bool,
}

impl RankedPrefix {
    pub(crate) const fn new() -> Self {
        Self {
            keys: Vec::new(),
            exps: Vec::new(),
            spare: Vec::new(),
            few: Vec::new(),
            whole: false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.exps.clear();
        self.whole = false;
    }

    pub(crate) fn keys(&self) -> &[RankKey] {
        &self.keys
    }

    /// `expf(logit - top)` of each key, bit for bit the platform's `expf`.
    pub(crate) fn exps(&self) -> &[f32] {
        &self.exps
    }

    /// The last rank and its exp. The prefix must not be empty.
    pub(crate) fn last(&self) -> (RankKey, f32) {
        let last = self.keys.len() - 1;
        (self.keys[last], self.exps[last])
    }

    /// Whether the prefix holds every token above -inf.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Makes room for all ranks of the row.
    pub(crate) fn reserve(&mut self, blocked: &BlockedRow<'_>) -> Result<(), Error> {
        let Self { keys, exps, spare, .. } = self;
        let more_keys = (blocked.len + blocked.kernels.tile_len()).saturating_sub(keys.len());
        reserve(keys, more_keys)?;
        let more_exps = blocked.len.saturating_sub(exps.len());
        reserve(exps, more_exps)?;
        spare.clear();
        reserve(spare, blocked.len)
    }

    /// Grows to at least `target` ranks, or to all tokens above -inf.
    pub(crate) fn grow(
        &mut self,
        blocked: &mut BlockedRow<'_>,
        target: usize,
    ) -> Result<(), Error> {
        if self.few.is_empty() {
            add_few(&mut self.few)?;
        }
        // An estimated threshold may miss; the second one is exact.
        for estimate in [true, false] {
            if self.keys.len() >= target || self.whole {
                break;
            }
            // At least `target` tokens reach the threshold, more than the prefix has: so it is at or below
            // the logit of the last key.
            let mut low =
                if target < blocked.len { threshold(blocked, target, estimate)? } else { f32::MIN };
            if low == f32::MIN {
                // All tokens are wanted: starting again costs less than skipping the known ones.
                self.clear();
            }
            if self.keys.is_empty() && target <= MAX_FEW_RANKS && low > f32::MIN {
                if self.first_ranks(blocked, low, target)? {
                    break;
                }
                low = finer_threshold(blocked, target, low);
                if self.first_ranks(blocked, low, target)? {
                    break;
                }
            }
            self.append(blocked, low, target - self.keys.len())?;
        }
        let complete = self.keys.len() >= target || self.whole;
        debug_assert!(complete, "{} of {target} ranks", self.keys.len());
        if !complete {
            return Err(Error::Internal);
        }
        let known = self.exps.len();
        let new = &self.keys[known..];
        reserve(&mut self.exps, new.len())?;
        self.exps.extend(new.iter().map(|key| key.logit() - blocked.top));
        blocked.kernels.expf_all(&mut self.exps[known..]);
        Ok(())
    }

    /// Makes the prefix the first `target` ranks, if few tokens reach `low` and at least `target` do.
    #[inline]
    fn first_ranks(
        &mut self,
        blocked: &BlockedRow<'_>,
        low: f32,
        target: usize,
    ) -> Result<bool, Error> {
        let Self { keys, few, .. } = self;
        let few = few.first_mut().ok_or(Error::Internal)?;
        resize(keys, target, RankKey::new(low, 0))?;
        let reaching = blocked.kernels.first_ranks(&blocked.segments, low, few, keys);
        let found = reaching.is_some_and(|reaching| reaching >= target);
        if !found {
            keys.clear();
        }
        Ok(found)
    }

    /// Appends tokens that rank after the last key and reach `low`: all of them if they are few, else at
    /// least the best `need`.
    fn append(&mut self, blocked: &BlockedRow<'_>, mut low: f32, need: usize) -> Result<(), Error> {
        let old = self.keys.len();
        let edge = self.keys.last().copied();
        let high = edge.map_or(f32::INFINITY, |edge| edge.logit());
        let tile_len = blocked.kernels.tile_len();
        let many = (2 * need + tile_len).min(blocked.len);
        let mut whole = low == f32::MIN;
        // The worst of the best `need` seen, once there were many.
        let mut worst = None;
        for segment in &blocked.segments {
            let mut done = 0;
            while done * tile_len < segment.logits.len() {
                if self.keys.len() - old > many {
                    // Keep the best `need`. Later tokens have higher ids, so ties with the worst of them
                    // lose: raise the threshold to strictly above it.
                    if let Some(last) = self.keep_best(old, edge, need) {
                        low = last.logit().next_up();
                        whole = false;
                        worst = Some(last);
                    }
                } else {
                    self.drop_known(old, edge);
                }
                // Never reserve more than the row needs, so that the memory of one draw is enough for all
                // draws from rows of this length.
                let len = self.keys.len();
                let room = (len + many).min(blocked.len) + tile_len;
                reserve(&mut self.keys, room - len)?;
                let wanted = Wanted { low, high, room };
                let rest = segment.skip_tiles(done, tile_len);
                done += blocked.kernels.collect(rest, wanted, &mut self.keys);
            }
        }
        if self.keys.len() - old > many {
            let last = self.keep_best(old, edge, need);
            whole &= last.is_none();
            worst = last.or(worst);
        } else {
            self.drop_known(old, edge);
        }
        if let Some(worst) = worst {
            self.keys[old..].sort_unstable();
            // If the host has set flush-to-zero or denormals-are-zero, `0.0.next_up()` compares equal to
            // 0.0: then ties with the worst were collected, which rank after it. Drop them.
            let wanted = self.keys[old..].partition_point(|key| *key <= worst);
            self.keys.truncate(old + wanted);
        } else {
            radix::sort(&mut self.keys[old..], &mut self.spare)?;
        }
        self.whole = whole || self.keys.len() == blocked.len;
        Ok(())
    }

    /// Removes appended keys that the prefix already had: ties with the edge, which is the last old key.
    fn drop_known(&mut self, old: usize, edge: Option<RankKey>) {
        let Some(edge) = edge else { return };
        let mut kept = old;
        for i in old..self.keys.len() {
            if self.keys[i] > edge {
                self.keys[kept] = self.keys[i];
                kept += 1;
            }
        }
        self.keys.truncate(kept);
    }

    /// Cuts the appended keys down to the best `need` and returns the last of them; none if nothing is cut.
    fn keep_best(&mut self, old: usize, edge: Option<RankKey>, need: usize) -> Option<RankKey> {
        self.drop_known(old, edge);
        if self.keys.len() - old <= need {
            return None;
        }
        let (_, last, _) = self.keys[old..].select_nth_unstable(need - 1);
        let last = *last;
        self.keys.truncate(old + need);
        Some(last)
    }
}

#[cold]
#[inline(never)]
fn add_few(few: &mut Vec<Few>) -> Result<(), Error> {
    reserve(few, 1)?;
    few.push(Few::new());
    Ok(())
}
