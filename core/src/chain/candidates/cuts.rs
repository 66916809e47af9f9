//! Cuts of the candidates, in whichever form they are.

use super::{Candidates, Cut};
use crate::Error;
use crate::chain::scratch::Scratch;
use crate::select::lowest;

impl Candidates<'_> {
    /// Keeps the first `k` in rank order, without those at -inf unless there are no others.
    pub(in crate::chain) fn keep_top_k(&mut self, k: usize) -> Result<(), Error> {
        self.clear_tail();
        if self.row.is_none() && self.list.sorted {
            // As it is said to be in rank order, only the first are looked at.
            self.list.keep_top_k(k);
            self.touch();
            if self.list.sorted {
                return Ok(());
            }
        }
        if k == usize::MAX {
            self.gather()?;
        }
        if let Some(row) = &mut self.row {
            let cut = row.keep_top_k(self.scratch, &mut self.list, k)?;
            self.end_cut(cut);
            return Ok(());
        }
        if self.scan_list()? {
            let Scratch { kernels, tokens, .. } = &mut *self.scratch;
            if let Some(low) = tokens.threshold(*kernels, k) {
                self.keep_scanned(low);
            }
        }
        self.touch();
        self.list.keep_top_k(k);
        Ok(())
    }

    /// Keeps the candidates whose logits are at least the k-th largest, in their order, without those at -inf
    /// unless there are no others.
    pub(in crate::chain) fn keep_top_k_ties(&mut self, k: usize) -> Result<(), Error> {
        self.list_ordered()?;
        self.gather()?;
        let in_row = match &mut self.row {
            Some(row) => row.kth(self.scratch, k)?,
            None => None,
        };
        let limit = match in_row {
            Some(limit) => Some(limit),
            None => {
                let (list, scratch) = self.as_list()?;
                list.kth(scratch, k)?
            }
        };
        match limit {
            Some(limit) => self.at_least(f64::from(limit), 1),
            None => self.keep_top_k(1),
        }
    }

    /// Keeps the ranks before the first, but rank 0, at which the running double sum of the probabilities
    /// passes `p`.
    pub(in crate::chain) fn exclusive_nucleus(&mut self, p: f32) -> Result<(), Error> {
        self.clear_tail();
        self.gather()?;
        if self.needs_probs {
            self.end_array_row()?;
        }
        if let Some(row) = &mut self.row {
            let cut = row.exclusive_nucleus(self.scratch, &mut self.list, p)?;
            self.end_cut(cut);
            if cut != Cut::Unsupported {
                return Ok(());
            }
        }
        let (list, scratch) = self.as_list()?;
        list.exclusive_nucleus(scratch, p)
    }

    /// Keeps the ranks up to and including the first at which the running sum of the probabilities reaches
    /// `p`, but at least `min_keep`.
    pub(in crate::chain) fn nucleus(&mut self, p: f32, min_keep: usize) -> Result<(), Error> {
        self.clear_tail();
        self.gather()?;
        let needs_probs = self.needs_probs;
        if let Some(row) = &mut self.row {
            let cut = row.nucleus(self.scratch, &mut self.list, p, min_keep)?;
            if cut == Cut::List && needs_probs && row.is_array() {
                row.put_probs(self.scratch, &mut self.list)?;
            }
            self.end_cut(cut);
            if cut != Cut::Unsupported {
                return Ok(());
            }
        }
        let (list, scratch) = self.as_list()?;
        list.nucleus(scratch, p, min_keep)
    }

    /// Keeps the candidates whose logits are at least `limit`, in their order. If these are fewer than
    /// `min_keep`, keeps the first in rank order instead.
    pub(in crate::chain) fn at_least(&mut self, limit: f64, min_keep: usize) -> Result<(), Error> {
        let min_keep = min_keep.max(1);
        if limit == f64::NEG_INFINITY && self.len() >= min_keep {
            // Nothing is dropped, not even a candidate at -inf.
            return Ok(());
        }
        self.clear_tail();
        if limit.is_finite() && self.scan_list()? {
            // The lowest logit that reaches it.
            let low = lowest(|logit| f64::from(logit) >= limit);
            let Scratch { kernels, tokens, .. } = &mut *self.scratch;
            if f64::from(low) >= limit && tokens.is_reached_by(*kernels, low, min_keep) {
                self.keep_scanned(low);
                return Ok(());
            }
        }
        let cut = match &mut self.row {
            Some(row) if row.is_frozen() || limit.is_finite() => {
                row.at_least(self.scratch, &mut self.list, limit, min_keep)?
            }
            _ => {
                let (list, _) = self.as_list()?;
                list.at_least(limit, min_keep)
            }
        };
        self.end_cut(cut);
        if cut == Cut::Unsupported { self.keep_top_k(min_keep) } else { Ok(()) }
    }
}
