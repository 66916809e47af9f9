//! The first ranks of a row, sorted, as far as they have been asked for.

use super::radix;
use super::scan::BlockedRow;
use super::threshold::threshold;
use crate::Error;
use crate::memory::reserve;
use crate::rules::rank::RankKey;
use crate::simd::{DEPTH, Wanted};

/// Exactly the ranks `0..len` of a row, and the exps of their logits.
#[derive(Debug, Default)]
pub(crate) struct RankedPrefix {
    keys: Vec<RankKey>,
    exps: Vec<f32>,
    spare: Vec<RankKey>,
    whole: bool,
}

impl RankedPrefix {
    pub(crate) const fn new() -> Self {
        Self { keys: Vec::new(), exps: Vec::new(), spare: Vec::new(), whole: false }
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.exps.clear();
        self.whole = false;
    }

    pub(crate) fn keys(&self) -> &[RankKey] {
        &self.keys
    }

    /// `expf(logit - top)` of each entry, by the platform's `expf`.
    pub(crate) fn exps(&self) -> &[f32] {
        &self.exps
    }

    /// Whether every token above -inf is in.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Grows to at least `target` ranks, or to all tokens above -inf.
    pub(crate) fn grow(
        &mut self,
        blocked: &mut BlockedRow<'_>,
        target: usize,
    ) -> Result<(), Error> {
        // An estimated threshold may miss; the second time it is a certainty.
        for estimate in [true, false] {
            if self.keys.len() >= target || self.whole {
                break;
            }
            // More tokens than there are now reach it: so it lies at or below the last of them.
            let low =
                if target < blocked.len { threshold(blocked, target, estimate)? } else { f32::MIN };
            if low == f32::MIN {
                // Everything: it costs less to begin again than to leave out what is there.
                self.clear();
            }
            self.append(blocked, low, target - self.keys.len())?;
        }
        if self.keys.len() < target && !self.whole {
            return Err(Error::Internal);
        }
        let known = self.exps.len();
        let new = &self.keys[known..];
        reserve(&mut self.exps, new.len())?;
        self.exps.extend(new.iter().map(|key| key.logit() - blocked.top));
        (blocked.kernels.expf_all)(&mut self.exps[known..]);
        Ok(())
    }

    /// Appends the tokens that come after the last entry and reach `low`: all of them if they are
    /// few, else at least the best `need`.
    fn append(&mut self, blocked: &BlockedRow<'_>, mut low: f32, need: usize) -> Result<(), Error> {
        let old = self.keys.len();
        let edge = self.keys.last().copied();
        let high = edge.map_or(f32::INFINITY, |edge| edge.logit());
        let chunk = blocked.kernels.chunk;
        let many = (2 * need + chunk).min(blocked.len);
        let mut whole = low == f32::MIN;
        // The worst that can be wanted, once that is known.
        let mut worst = None;
        for part in &blocked.segments {
            let mut done = 0;
            while done * chunk < part.logits.len() {
                if self.keys.len() - old > many {
                    // Only the best of those seen can be wanted, and of those to come, which have
                    // higher ids, only what is strictly above the last of the best.
                    if let Some(last) = self.keep_best(old, edge, need) {
                        low = last.logit().next_up();
                        whole = false;
                        worst = Some(last);
                    }
                } else {
                    self.drop_known(old, edge);
                }
                // Never room for more than the row has, so that one draw's memory does for all.
                let len = self.keys.len();
                let room = (len + many).min(blocked.len) + chunk;
                reserve(&mut self.keys, room - len)?;
                let wanted =
                    Wanted { low, high, first_id: part.first_id + (done * chunk) as u32, room };
                let logits = &part.logits[done * chunk..];
                let maxima = &part.maxima[done * chunk / DEPTH..];
                done += (blocked.kernels.collect)(logits, maxima, wanted, &mut self.keys);
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
            // Where the host has the CPU take denormals for zeros, the next float above zero is zero,
            // and tokens have come in that equal the worst and rank after it.
            let wanted = self.keys[old..].partition_point(|key| *key <= worst);
            self.keys.truncate(old + wanted);
        } else {
            radix::sort(&mut self.keys[old..], &mut self.spare)?;
        }
        self.whole = whole || self.keys.len() == blocked.len;
        Ok(())
    }

    /// Takes out of what was appended the tokens that equal the edge and were there before.
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

    /// Cuts what was appended down to its best `need` and returns the last of them; none if there
    /// are no more than that.
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
