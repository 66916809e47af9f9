//! The first ranks of a row in groups: which values a group has is known, their order only where it is asked for.

use super::radix;
use super::scan::BlockedRow;
use crate::Error;
use crate::memory::{reserve, resize};
use crate::simd::{Buckets, Kernels, MAX_BUCKETS};
use core::mem::replace;

/// The fewest values of a group, but for the last of a slab: so few that sorting a group costs little, and so many
/// that a sum over a group costs little more than its values.
const MIN_GROUP_LEN: usize = 32;
/// The most slabs. A slab is what the groups grow by at a time.
pub(crate) const MAX_SLABS: usize = 8;
/// The values that a bucket has on average.
const BUCKET_LEN: usize = 16;
/// More values than these are sorted by their digits.
const RADIX_MIN_LEN: usize = 512;
/// More than the values of any vector: room that the kernels write beyond the last value.
const SLACK: usize = 16;

/// The logits of the first ranks, in groups: those of a group rank before those of the next. Equal logits are in one
/// group.
///
/// Beside each logit stands a number that falls or stays from rank to rank, such as its exp or its weight. So a group
/// is ranked by sorting both on their own, and equal logits need no ids.
#[derive(Debug, Default)]
pub(crate) struct RankGroups {
    logits: Vec<f32>,
    numbers: Vec<f32>,
    /// Where each group ends.
    ends: Vec<u32>,
    /// What is in rank order in each group.
    ranked: Vec<Ranked>,
    /// The number of logits, and of times they were added to.
    len: usize,
    slabs: usize,
    /// The least logit that is wanted so far.
    low: f32,
    /// Working memory: logits in the order of the row; for the sorts; of the buckets.
    unsorted: Vec<f32>,
    spare: Vec<f32>,
    counts: Vec<u32>,
}

/// Whether the logits and the numbers of a group are in rank order.
#[derive(Debug, Clone, Copy, Default)]
struct Ranked {
    logits: bool,
    numbers: bool,
}

impl RankGroups {
    pub(crate) const fn new() -> Self {
        Self {
            logits: Vec::new(),
            numbers: Vec::new(),
            ends: Vec::new(),
            ranked: Vec::new(),
            len: 0,
            slabs: 0,
            low: f32::INFINITY,
            unsorted: Vec::new(),
            spare: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Empties the groups and makes room for any ranks of the row.
    pub(crate) fn clear(&mut self, blocked: &BlockedRow<'_>) -> Result<(), Error> {
        (self.len, self.slabs, self.low) = (0, 0, f32::INFINITY);
        self.ends.clear();
        self.ranked.clear();
        // The most that a row of this length can take, wherever it begins and whatever is in it: no later draw of
        // this length allocates.
        let most = blocked.len + 2 * blocked.kernels.tile_len();
        for values in [&mut self.unsorted, &mut self.logits, &mut self.numbers] {
            let room = values.len().max(most + SLACK);
            resize(values, room, 0.0)?;
        }
        // All groups but the last of each slab have the least length.
        let groups = most / MIN_GROUP_LEN + MAX_SLABS;
        reserve(&mut self.ends, groups)?;
        reserve(&mut self.ranked, groups)?;
        cleared(&mut self.counts)?;
        self.spare.clear();
        reserve(&mut self.spare, most)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Every token whose logit reaches this is in a group.
    pub(crate) fn low(&self) -> f32 {
        self.low
    }

    /// The number of groups.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn start(&self, group: usize) -> usize {
        group.checked_sub(1).map_or(0, |before| self.end(before))
    }

    pub(crate) fn end(&self, group: usize) -> usize {
        self.ends[group] as usize
    }

    pub(crate) fn logits(&self) -> &[f32] {
        &self.logits[..self.len]
    }

    /// The number beside each logit.
    pub(crate) fn numbers(&self) -> &[f32] {
        &self.numbers[..self.len]
    }

    pub(crate) fn numbers_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[..self.len]
    }

    /// Adds the tokens with `low <= logit < high` to the counts of their buckets, every `step`-th tile as a sample.
    /// Returns the number of tokens looked at. The groups are empty.
    pub(crate) fn sample(
        &mut self,
        blocked: &BlockedRow<'_>,
        step: usize,
        (low, high): (f32, f32),
        buckets: usize,
    ) -> Result<(usize, &[u32]), Error> {
        debug_assert_eq!(self.len, 0);
        let (kernels, body) = (blocked.kernels, blocked.body());
        let tile_len = kernels.tile_len();
        let (mut sampled, mut len) = (0, 0);
        for number in (0..body.logits.len() / tile_len).step_by(step) {
            let tile = body.tile(number, tile_len);
            len += kernels.copy_between(tile, low, high, &mut self.unsorted[len..]);
            sampled += tile_len;
        }
        let counts = cleared(&mut self.counts)?;
        let by = Buckets::new(high, low, buckets);
        kernels.count_in_buckets(&self.unsorted[..len], by, counts);
        Ok((sampled, &counts[..buckets]))
    }

    /// Appends the tokens that reach `low`, which is finite, and are not there. False, and nothing changes, if their
    /// range is too large for buckets.
    pub(crate) fn grow(&mut self, blocked: &BlockedRow<'_>, low: f32) -> Result<bool, Error> {
        let kernels = blocked.kernels;
        if self.slabs == MAX_SLABS {
            return Err(Error::Internal);
        }
        self.slabs += 1;
        let mut added = 0;
        for segment in &blocked.segments {
            let out = &mut self.unsorted[added..];
            added += kernels.copy_between(*segment, low, self.low, out);
        }
        let unsorted = &self.unsorted[..added];
        let (smallest, largest) = kernels.extent(unsorted);
        let origin = if self.len == 0 { blocked.top } else { self.low };
        if added > 0 {
            if !(origin - smallest).is_finite() {
                return Ok(false);
            }
            if smallest == largest {
                self.append_equal(added)?;
            } else {
                let count = (added / BUCKET_LEN).next_power_of_two().clamp(64, MAX_BUCKETS);
                let by = Buckets::new(origin, smallest, count);
                self.append(kernels, by, added, count)?;
            }
        }
        self.low = low;
        Ok(true)
    }

    /// Appends equal logits, which need no buckets, as a group.
    fn append_equal(&mut self, added: usize) -> Result<(), Error> {
        let Self { logits, ends, ranked, len, unsorted, .. } = self;
        logits[*len..][..added].copy_from_slice(&unsorted[..added]);
        *len += added;
        ends.push(*len as u32);
        ranked.push(Ranked { logits: true, numbers: true });
        Ok(())
    }

    fn append(
        &mut self,
        kernels: &Kernels,
        by: Buckets,
        added: usize,
        count: usize,
    ) -> Result<(), Error> {
        let Self { logits, ends, ranked, len, unsorted, counts, .. } = self;
        let counts = cleared(counts)?;
        let unsorted = &unsorted[..added];
        kernels.count_in_buckets(unsorted, by, counts);
        let (mut place, mut start) = (*len as u32, *len as u32);
        for count in &mut counts[..count] {
            (place, *count) = (place + *count, place);
            if (place - start) as usize >= MIN_GROUP_LEN {
                ends.push(place);
                start = place;
            }
        }
        if start < place {
            ends.push(place);
        }
        ranked.resize(ends.len(), Ranked::default());
        kernels.scatter(unsorted, by, counts, logits);
        *len += added;
        Ok(())
    }

    /// Puts the numbers of a group in rank order.
    pub(crate) fn rank_numbers(&mut self, group: usize) -> Result<(), Error> {
        let range = self.start(group)..self.end(group);
        if !replace(&mut self.ranked[group].numbers, true) {
            sort_falling(&mut self.numbers[range], &mut self.spare)?;
        }
        Ok(())
    }

    /// Puts a group in rank order.
    pub(crate) fn rank(&mut self, group: usize) -> Result<(), Error> {
        let range = self.start(group)..self.end(group);
        if !replace(&mut self.ranked[group].logits, true) {
            sort_falling(&mut self.logits[range], &mut self.spare)?;
        }
        self.rank_numbers(group)
    }

    /// Puts a number beside each logit from the group `first` on: `write` gets the logits and the numbers.
    pub(crate) fn write_numbers(&mut self, first: usize, write: impl FnOnce(&[f32], &mut [f32])) {
        let range = self.start(first)..self.len;
        write(&self.logits[range.clone()], &mut self.numbers[range]);
        self.ranked[first..].iter_mut().for_each(|ranked| ranked.numbers = ranked.logits);
    }

    /// The group that has a rank.
    pub(crate) fn group_of(&self, rank: usize) -> usize {
        self.ends.partition_point(|end| *end as usize <= rank)
    }

    /// Keeps the first `len` ranks, at least one.
    pub(crate) fn truncate(&mut self, len: usize) -> Result<(), Error> {
        if len >= self.len {
            return Ok(());
        }
        let last = self.group_of(len - 1);
        if self.end(last) > len {
            self.rank(last)?;
        }
        self.ends.truncate(last + 1);
        self.ranked.truncate(last + 1);
        self.ends[last] = len as u32;
        self.len = len;
        Ok(())
    }
}

/// A count of 0 for each bucket.
fn cleared(counts: &mut Vec<u32>) -> Result<&mut [u32; MAX_BUCKETS], Error> {
    counts.clear();
    resize(counts, MAX_BUCKETS, 0)?;
    (&mut counts[..]).try_into().map_err(|_| Error::Internal)
}

/// Sorts values, none NaN, the largest first. `spare` is working memory.
fn sort_falling(values: &mut [f32], spare: &mut Vec<f32>) -> Result<(), Error> {
    if values.is_sorted_by(|a, b| a >= b) {
        return Ok(());
    }
    if values.len() < RADIX_MIN_LEN {
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        return Ok(());
    }
    radix::sort_falling(values, spare)
}

#[cfg(test)]
mod tests {
    use super::{MIN_GROUP_LEN, RankGroups};
    use crate::select::RowScan;
    use crate::simd::{Kernels, SimdLevel};

    fn falling(mut values: Vec<f32>) -> Vec<f32> {
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    /// The groups hold the tokens that reach the threshold, in order from group to group, and grow downwards.
    #[test]
    fn groups_have_the_first_ranks() {
        for kernels in SimdLevel::ALL.into_iter().filter_map(Kernels::at) {
            let (mut scan, mut groups) = (RowScan::new(), RankGroups::new());
            for len in [1, 31, 64, 700, 5000, 20_001] {
                for grid in [4.0, 1e6] {
                    let logit = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e6 - 5.0;
                    let row: Vec<f32> =
                        (0..len).map(|i| (logit(i) * grid).round() / grid).collect();
                    let blocked = scan.read(kernels, &row).expect("memory");
                    groups.clear(&blocked).expect("memory");
                    for low in [9.0, 8.75, 3.0, f32::MIN] {
                        assert!(groups.grow(&blocked, low).expect("memory"));
                        let known = groups.count();
                        groups.write_numbers(0, |logits, numbers| numbers.copy_from_slice(logits));
                        let wanted = falling(row.iter().copied().filter(|l| *l >= low).collect());
                        assert_eq!(falling(groups.logits().to_vec()), wanted);
                        for group in (0..known).rev() {
                            groups.rank(group).expect("memory");
                        }
                        assert_eq!(groups.logits(), wanted);
                        assert_eq!(groups.numbers(), wanted);
                        let lens = (0..known).map(|group| groups.end(group) - groups.start(group));
                        let short = lens.filter(|len| *len < MIN_GROUP_LEN).count();
                        assert!(short <= 4, "{short} groups are short: one of each slab may be");
                        for rank in 0..groups.len() {
                            let group = groups.group_of(rank);
                            assert!((groups.start(group)..groups.end(group)).contains(&rank));
                        }
                    }
                    let wanted = falling(row);
                    for kept in [len as usize, (len as usize).div_ceil(2), 1] {
                        groups.truncate(kept).expect("memory");
                        assert_eq!(groups.len(), kept);
                        assert_eq!(groups.end(groups.count() - 1), kept);
                        assert_eq!(falling(groups.logits().to_vec()), wanted[..kept]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_truncated_group_keeps_its_first_ranks() {
        let row: Vec<f32> = (0..1000).map(|i| ((i * 37) % 101) as f32).collect();
        let mut scan = RowScan::new();
        let blocked = scan.read(Kernels::chosen(), &row).expect("memory");
        let mut groups = RankGroups::new();
        for kept in 1..=row.len() {
            groups.clear(&blocked).expect("memory");
            assert!(groups.grow(&blocked, f32::MIN).expect("memory"));
            groups.write_numbers(0, |logits, numbers| numbers.copy_from_slice(logits));
            groups.truncate(kept).expect("memory");
            assert_eq!(falling(groups.logits().to_vec()), falling(row.clone())[..kept]);
        }
    }

    #[test]
    fn a_range_beyond_binary32_has_no_buckets() {
        let row = [f32::MAX, f32::MIN, 0.0];
        let mut scan = RowScan::new();
        let blocked = scan.read(Kernels::chosen(), &row).expect("memory");
        let mut groups = RankGroups::new();
        groups.clear(&blocked).expect("memory");
        assert!(!groups.grow(&blocked, f32::MIN).expect("memory"));
        assert_eq!((groups.len(), groups.count()), (0, 0));
    }
}
