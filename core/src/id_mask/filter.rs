//! Masks over candidates in any order, whose ids may be any numbers.

use super::{Masks, TokenRange};
use crate::Error;
use crate::memory::reserve;

/// The lists of masks, sorted.
#[derive(Debug, Default)]
pub(crate) struct IdFilter {
    /// Joined, so that none overlaps another.
    ranges: Vec<TokenRange>,
    allowed: Vec<i32>,
    banned: Vec<i32>,
}

impl IdFilter {
    /// Sorts the lists of `masks`.
    pub(crate) fn set(&mut self, masks: &Masks<'_>) -> Result<(), Error> {
        let Self { ranges, allowed, banned } = self;
        ranges.clear();
        reserve(ranges, masks.ranges.len())?;
        ranges.extend(masks.ranges.iter().filter(|range| range.first <= range.last));
        ranges.sort_unstable_by_key(|range| range.first);
        ranges.dedup_by(|next, range| {
            let joins = next.first <= range.last;
            if joins {
                range.last = range.last.max(next.last);
            }
            joins
        });
        for (sorted, ids) in [(allowed, masks.allowed), (banned, masks.banned)] {
            sorted.clear();
            reserve(sorted, ids.len())?;
            sorted.extend_from_slice(ids);
            sorted.sort_unstable();
        }
        Ok(())
    }

    /// Whether `masks`, which were set, allow `id`, bans aside.
    pub(crate) fn allows_but_for_bans(&self, masks: &Masks<'_>, id: i32) -> bool {
        let in_range = || {
            let after = self.ranges.partition_point(|range| range.first <= id);
            self.ranges[..after].last().is_some_and(|range| id <= range.last)
        };
        (masks.ranges.is_empty() || in_range())
            && (self.allowed.is_empty() || self.allowed.binary_search(&id).is_ok())
            && masks.has_bit(id)
    }

    /// Whether `masks`, which were set, allow `id`.
    pub(crate) fn allows(&self, masks: &Masks<'_>, id: i32) -> bool {
        self.allows_but_for_bans(masks, id) && self.banned.binary_search(&id).is_err()
    }
}
