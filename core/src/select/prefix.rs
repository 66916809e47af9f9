//! The first ranks of a row, sorted, as far as they have been asked for.

use super::radix;
use super::survey::View;
use super::threshold::threshold;
use crate::Error;
use crate::entry::Entry;
use crate::memory::reserve;
use crate::simd::{DEPTH, Wanted};

/// Exactly the ranks `0..len` of a row, and the exps of their logits.
#[derive(Debug, Default)]
pub(crate) struct Prefix {
    entries: Vec<Entry>,
    exps: Vec<f32>,
    spare: Vec<Entry>,
    whole: bool,
}

impl Prefix {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), exps: Vec::new(), spare: Vec::new(), whole: false }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.exps.clear();
        self.whole = false;
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
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
    pub(crate) fn grow(&mut self, view: &mut View<'_>, target: usize) -> Result<(), Error> {
        // An estimated threshold may miss; the second time it is a certainty.
        for estimate in [true, false] {
            if self.entries.len() >= target || self.whole {
                break;
            }
            // More tokens than there are now reach it: so it lies at or below the last of them.
            let low = if target < view.len { threshold(view, target, estimate)? } else { f32::MIN };
            if low == f32::MIN {
                // Everything: it costs less to begin again than to leave out what is there.
                self.clear();
            }
            self.append(view, low, target - self.entries.len())?;
        }
        if self.entries.len() < target && !self.whole {
            return Err(Error::Internal);
        }
        let known = self.exps.len();
        let new = &self.entries[known..];
        reserve(&mut self.exps, new.len())?;
        self.exps.extend(new.iter().map(|entry| entry.logit() - view.top));
        (view.kernels.expf_all)(&mut self.exps[known..]);
        Ok(())
    }

    /// Appends the tokens that come after the last entry and reach `low`: all of them if they are
    /// few, else at least the best `need`.
    fn append(&mut self, view: &View<'_>, mut low: f32, need: usize) -> Result<(), Error> {
        let old = self.entries.len();
        let edge = self.entries.last().copied();
        let high = edge.map_or(f32::INFINITY, |edge| edge.logit());
        let chunk = view.kernels.chunk;
        let many = (2 * need + chunk).min(view.len);
        let mut whole = low == f32::MIN;
        // The worst that can be wanted, once that is known.
        let mut worst = None;
        for part in &view.parts {
            let mut done = 0;
            while done * chunk < part.logits.len() {
                if self.entries.len() - old > many {
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
                let len = self.entries.len();
                let room = (len + many).min(view.len) + chunk;
                reserve(&mut self.entries, room - len)?;
                let wanted =
                    Wanted { low, high, first_id: part.first_id + (done * chunk) as u32, room };
                let logits = &part.logits[done * chunk..];
                let maxima = &part.maxima[done * chunk / DEPTH..];
                done += (view.kernels.collect)(logits, maxima, wanted, &mut self.entries);
            }
        }
        if self.entries.len() - old > many {
            let last = self.keep_best(old, edge, need);
            whole &= last.is_none();
            worst = last.or(worst);
        } else {
            self.drop_known(old, edge);
        }
        if let Some(worst) = worst {
            self.entries[old..].sort_unstable();
            // Where the host has the CPU take denormals for zeros, the next float above zero is zero,
            // and tokens have come in that equal the worst and rank after it.
            let wanted = self.entries[old..].partition_point(|entry| *entry <= worst);
            self.entries.truncate(old + wanted);
        } else {
            radix::sort(&mut self.entries[old..], &mut self.spare)?;
        }
        self.whole = whole || self.entries.len() == view.len;
        Ok(())
    }

    /// Takes out of what was appended the tokens that equal the edge and were there before.
    fn drop_known(&mut self, old: usize, edge: Option<Entry>) {
        let Some(edge) = edge else { return };
        let mut kept = old;
        for i in old..self.entries.len() {
            if self.entries[i] > edge {
                self.entries[kept] = self.entries[i];
                kept += 1;
            }
        }
        self.entries.truncate(kept);
    }

    /// Cuts what was appended down to its best `need` and returns the last of them; none if there
    /// are no more than that.
    fn keep_best(&mut self, old: usize, edge: Option<Entry>, need: usize) -> Option<Entry> {
        self.drop_known(old, edge);
        if self.entries.len() - old <= need {
            return None;
        }
        let (_, last, _) = self.entries[old..].select_nth_unstable(need - 1);
        let last = *last;
        self.entries.truncate(old + need);
        Some(last)
    }
}
