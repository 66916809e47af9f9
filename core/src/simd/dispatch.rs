//! A set of kernels for each instruction set, and the choice of one.

use super::kernels::collect::Wanted;
use super::kernels::draw_sums::{AS_IS, DIVIDE, MULTIPLY, Weighing, sum_tile_exps};
use super::kernels::entropy::{Division, EntropySums, ExpsOfRow};
use super::kernels::exp_sums::{Cap, ExpRange, ExpSum, MaximaExpSums};
use super::kernels::expf_sums::{ExpfRange, ExpfSums};
use super::kernels::few::Few;
use super::kernels::groups::{self, Buckets, MAX_BUCKETS};
use super::kernels::ids::RowIds;
use super::kernels::tail::{Tail, TailSum};
use super::kernels::threshold::Reached;
use super::kernels::{self, BLOCK_LEN, Segment};
use super::lanes::Isa;
use super::{SimdLevel, levels};
use crate::row_counts::RowCounts;
use crate::rules::rank::RankKey;
use crate::rules::temperature::Scale;
use crate::{TokenData, TokenRange};
use core::ffi::CStr;
use core::fmt::Debug;
use core::panic::RefUnwindSafe;
use core::sync::atomic::{AtomicU8, Ordering};

/// The kernels of one instruction set. A reference exists only if this CPU has the instructions.
pub(crate) type Kernels = dyn KernelSet;

/// One method for each kernel; `kernels` documents them.
pub(crate) trait KernelSet: Debug + Send + Sync + RefUnwindSafe {
    fn level(&self) -> SimdLevel;
    /// The elements of a tile. The row's segments and all values passed in are whole tiles, unless the
    /// method says otherwise.
    fn tile_len(&self) -> usize;
    /// Takes a row of any length.
    fn argmax(&self, row: &[f32]) -> Option<u32>;
    fn write_block_maxima(&self, row: &[f32], out: &mut [f32]);
    fn coarsen(&self, parts: &[&[f32]], coarse: &mut [f32]);
    fn threshold(&self, values: &[f32], highest: f32, reached: Reached) -> f32;
    fn first_ranks(
        &self,
        segments: &[Segment<'_>; 3],
        low: f32,
        few: &mut Few,
        out: &mut [RankKey],
    ) -> Option<usize>;
    fn largest(&self, values: &[f32]) -> f32;
    fn count_reaching(&self, values: &[f32], threshold: f32) -> usize;
    /// Takes a row of any length.
    fn count_special(&self, row: &[f32]) -> RowCounts;
    fn collect(&self, segment: Segment<'_>, wanted: Wanted, out: &mut Vec<RankKey>) -> usize;
    fn sum_maxima_exps(&self, maxima: &[f32], cap: Cap) -> MaximaExpSums;
    fn sum_exps(&self, segment: Segment<'_>, range: ExpRange) -> ExpSum;
    fn sum_most_exps(&self, segment: Segment<'_>, range: ExpRange) -> ExpSum;
    fn sum_expf(&self, segment: Segment<'_>, range: ExpfRange) -> ExpfSums;
    /// Appends a sum for each tile; `sums` has room for them.
    fn sum_tile_exps(&self, segment: Segment<'_>, weighing: Weighing, sums: &mut Vec<f64>);
    fn write_expf(
        &self,
        segment: Segment<'_>,
        range: ExpfRange,
        highest: f32,
        out: &mut [f32],
    ) -> ExpsOfRow;
    fn sum_entropy(&self, segment: Segment<'_>, exps: &[f32], division: Division) -> EntropySums;
    fn tail_sum(&self, segment: Segment<'_>, tail: Tail) -> TailSum;
    /// Takes a row of any length.
    fn mask(&self, row: &[f32], words: &[u32], out: &mut [f32]);
    fn mask_tiles(&self, row: &[f32], words: &[u32], out: &mut [f32], maxima: &mut [f32]);
    fn write_token_maxima(&self, tokens: &[TokenData], maxima: &mut [f32]) -> bool;
    /// Takes any number of tokens.
    fn gather(&self, tokens: &[TokenData], out: &mut [f32]) -> bool;
    fn keep_reaching(
        &self,
        tokens: &mut [TokenData],
        start: usize,
        maxima: &[f32],
        low: f32,
        kept: usize,
    ) -> usize;
    fn scale_tokens(&self, tokens: &mut [TokenData], by: Scale, maxima: &mut [f32]) -> usize;
    /// The number of bits that are 1, of fewer than 2^27 words.
    fn count_bits(&self, words: &[u32]) -> usize;
    /// Sets the bits of `ids`.
    fn set_ids(&self, ids: &[i32], row: RowIds, words: &mut [u32]);
    /// Clears the bits of `ids`.
    fn clear_ids(&self, ids: &[i32], row: RowIds, words: &mut [u32]);
    fn set_range_starts(
        &self,
        ranges: &[TokenRange],
        row: RowIds,
        words: &mut [u32],
        long: &mut [TokenRange],
    ) -> usize;
    /// Takes any number of values.
    fn expf_all(&self, values: &mut [f32]);
    fn copy_between(&self, segment: Segment<'_>, low: f32, high: f32, out: &mut [f32]) -> usize;
    fn find_equal(&self, segment: Segment<'_>, value: f32, before: usize) -> Result<usize, usize>;
    /// This and the next take any number of values.
    fn count_in_buckets(&self, values: &[f32], by: Buckets, counts: &mut [u32; MAX_BUCKETS]);
    fn scatter(
        &self,
        values: &[f32],
        by: Buckets,
        places: &mut [u32; MAX_BUCKETS],
        out: &mut [f32],
    );
    fn tempered_exps(&self, values: &[f32], top: f32, t: f32, out: &mut [f32]);
    fn add_in_any_order(&self, sum: f32, values: &[f32], divisor: Option<f32>) -> Option<f32>;
    fn sum_in_double(&self, values: &[f32]) -> f64;
    fn divide_all(&self, values: &mut [f32], divisor: f32);
    fn extent(&self, values: &[f32]) -> (f32, f32);
    /// Takes any number of values.
    fn scale_all(&self, values: &mut [f32], by: Scale);
    #[cfg(test)]
    fn exp_all(&self, values: &mut [f32]);
}

impl<I: Isa + Debug + Send + Sync + RefUnwindSafe> KernelSet for I {
    fn level(&self) -> SimdLevel {
        I::LEVEL
    }

    fn tile_len(&self) -> usize {
        BLOCK_LEN * I::LANES
    }

    fn argmax(&self, row: &[f32]) -> Option<u32> {
        self.run(|isa| kernels::argmax::argmax(isa.load_isa(), row))
    }

    fn write_block_maxima(&self, row: &[f32], out: &mut [f32]) {
        self.run(|isa| kernels::maxima::write_block_maxima(isa.load_isa(), I::LANES, row, out));
    }

    fn coarsen(&self, parts: &[&[f32]], coarse: &mut [f32]) {
        self.run(|isa| kernels::maxima::coarsen(isa, parts, coarse));
    }

    fn threshold(&self, values: &[f32], highest: f32, reached: Reached) -> f32 {
        self.run(|isa| kernels::threshold::threshold(isa, values, highest, reached))
    }

    fn first_ranks(
        &self,
        segments: &[Segment<'_>; 3],
        low: f32,
        few: &mut Few,
        out: &mut [RankKey],
    ) -> Option<usize> {
        self.run(|isa| kernels::few::first_ranks(isa, segments, low, few, out))
    }

    fn largest(&self, values: &[f32]) -> f32 {
        self.run(|isa| kernels::maxima::largest(isa, values))
    }

    fn count_reaching(&self, values: &[f32], threshold: f32) -> usize {
        self.run(|isa| kernels::count::count_reaching(isa, values, threshold))
    }

    fn count_special(&self, row: &[f32]) -> RowCounts {
        self.run(|isa| kernels::count::count_special(isa.load_isa(), row))
    }

    fn collect(&self, segment: Segment<'_>, wanted: Wanted, out: &mut Vec<RankKey>) -> usize {
        self.run(|isa| kernels::collect::collect(isa, segment, wanted, out))
    }

    fn sum_maxima_exps(&self, maxima: &[f32], cap: Cap) -> MaximaExpSums {
        self.run(|isa| kernels::exp_sums::sum_maxima_exps(isa, maxima, cap))
    }

    fn sum_most_exps(&self, segment: Segment<'_>, range: ExpRange) -> ExpSum {
        self.run(|isa| kernels::exp_sums::sum_most_exps(isa, segment, range))
    }

    fn sum_exps(&self, segment: Segment<'_>, range: ExpRange) -> ExpSum {
        self.run(|isa| kernels::exp_sums::sum_exps(isa, segment, range))
    }

    fn sum_expf(&self, segment: Segment<'_>, range: ExpfRange) -> ExpfSums {
        self.run(|isa| kernels::expf_sums::sum_expf(isa, I::FUSED, segment, range))
    }

    fn sum_tile_exps(&self, segment: Segment<'_>, weighing: Weighing, sums: &mut Vec<f64>) {
        let Weighing { scale, top } = weighing;
        // One kernel for each call of `run`: a choice inside would not be inlined there.
        match scale {
            None => self.run(|isa| sum_tile_exps::<I, AS_IS>(isa, segment, top, 1.0, sums)),
            Some(Scale::Divide(by)) => {
                self.run(|isa| sum_tile_exps::<I, DIVIDE>(isa, segment, top, by, sums));
            }
            Some(Scale::Multiply(by)) => {
                self.run(|isa| sum_tile_exps::<I, MULTIPLY>(isa, segment, top, by, sums));
            }
        }
    }

    fn write_expf(
        &self,
        segment: Segment<'_>,
        range: ExpfRange,
        highest: f32,
        out: &mut [f32],
    ) -> ExpsOfRow {
        self.run(|isa| kernels::entropy::write_expf(isa, I::FUSED, segment, range, highest, out))
    }

    fn sum_entropy(&self, segment: Segment<'_>, exps: &[f32], division: Division) -> EntropySums {
        self.run(|isa| kernels::entropy::sum_entropy(isa, segment, exps, division))
    }

    fn tail_sum(&self, segment: Segment<'_>, tail: Tail) -> TailSum {
        self.run(|isa| kernels::tail::tail_sum(isa, segment, tail))
    }

    fn mask(&self, row: &[f32], words: &[u32], out: &mut [f32]) {
        self.run(|isa| kernels::mask::mask(isa.load_isa(), row, words, out));
    }

    fn mask_tiles(&self, row: &[f32], words: &[u32], out: &mut [f32], maxima: &mut [f32]) {
        self.run(|isa| kernels::mask::mask_tiles(isa, row, words, out, maxima));
    }

    fn write_token_maxima(&self, tokens: &[TokenData], maxima: &mut [f32]) -> bool {
        self.run(|isa| kernels::tokens::write_token_maxima(isa, tokens, maxima))
    }

    fn gather(&self, tokens: &[TokenData], out: &mut [f32]) -> bool {
        self.run(|isa| kernels::tokens::gather(isa, tokens, out))
    }

    fn keep_reaching(
        &self,
        tokens: &mut [TokenData],
        start: usize,
        maxima: &[f32],
        low: f32,
        kept: usize,
    ) -> usize {
        self.run(|isa| kernels::tokens::keep_reaching(isa, tokens, start, maxima, low, kept))
    }

    fn scale_tokens(&self, tokens: &mut [TokenData], by: Scale, maxima: &mut [f32]) -> usize {
        self.run(|isa| kernels::tokens::scale_tokens(isa, I::FUSED, tokens, by, maxima))
    }

    fn count_bits(&self, words: &[u32]) -> usize {
        self.run(|_| words.iter().map(|word| word.count_ones()).sum::<u32>() as usize)
    }

    fn set_ids(&self, ids: &[i32], row: RowIds, words: &mut [u32]) {
        self.run(|_| kernels::ids::change_words(ids, row, words, |word, bits| *word |= bits));
    }

    fn clear_ids(&self, ids: &[i32], row: RowIds, words: &mut [u32]) {
        self.run(|_| kernels::ids::change_words(ids, row, words, |word, bits| *word &= !bits));
    }

    fn set_range_starts(
        &self,
        ranges: &[TokenRange],
        row: RowIds,
        words: &mut [u32],
        long: &mut [TokenRange],
    ) -> usize {
        self.run(|_| kernels::ids::set_range_starts(ranges, row, words, long))
    }

    fn expf_all(&self, values: &mut [f32]) {
        self.run(|_| kernels::expf::expf_all(I::FUSED, values));
    }

    fn copy_between(&self, segment: Segment<'_>, low: f32, high: f32, out: &mut [f32]) -> usize {
        self.run(|isa| groups::copy_between(isa, segment, low, high, out))
    }

    fn find_equal(&self, segment: Segment<'_>, value: f32, before: usize) -> Result<usize, usize> {
        self.run(|isa| groups::find_equal(isa, segment, value, before))
    }

    fn count_in_buckets(&self, values: &[f32], by: Buckets, counts: &mut [u32; MAX_BUCKETS]) {
        self.run(|_| by.count(values, counts));
    }

    fn scatter(
        &self,
        values: &[f32],
        by: Buckets,
        places: &mut [u32; MAX_BUCKETS],
        out: &mut [f32],
    ) {
        self.run(|_| by.scatter(values, places, out));
    }

    fn tempered_exps(&self, values: &[f32], top: f32, t: f32, out: &mut [f32]) {
        self.run(|_| groups::tempered_exps(I::FUSED, values, top, t, out));
    }

    fn add_in_any_order(&self, sum: f32, values: &[f32], divisor: Option<f32>) -> Option<f32> {
        self.run(|_| groups::add_in_any_order(sum, values, divisor))
    }

    fn sum_in_double(&self, values: &[f32]) -> f64 {
        self.run(|_| groups::sum_in_double(values))
    }

    fn extent(&self, values: &[f32]) -> (f32, f32) {
        self.run(|_| groups::extent(values))
    }

    fn divide_all(&self, values: &mut [f32], divisor: f32) {
        self.run(|_| values.iter_mut().for_each(|value| *value /= divisor));
    }

    fn scale_all(&self, values: &mut [f32], by: Scale) {
        self.run(|_| match by {
            Scale::Divide(t) => values.iter_mut().for_each(|value| *value /= t),
            Scale::Multiply(factor) => values.iter_mut().for_each(|value| *value *= factor),
        });
    }

    #[cfg(test)]
    fn exp_all(&self, values: &mut [f32]) {
        self.run(|isa| kernels::exp::exp_all(isa, values));
    }
}

/// The kernels of an instruction set, if this CPU has it.
fn detected<I: Isa + Debug + Send + Sync + RefUnwindSafe>() -> Option<&'static Kernels> {
    I::detect().map(|isa| isa as &Kernels)
}

impl dyn KernelSet {
    /// The kernels of a level, if this CPU has it.
    pub(crate) fn at(level: SimdLevel) -> Option<&'static Self> {
        match level {
            SimdLevel::Baseline => Some(&levels::baseline::Baseline),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => detected::<levels::avx2::Avx2>(),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => detected::<levels::avx512::Avx512>(),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => detected::<levels::neon::Neon>(),
            #[allow(unreachable_patterns)]
            _ => None,
        }
    }

    /// The kernels in use, chosen once for the process.
    pub(crate) fn chosen() -> &'static Self {
        const UNCHOSEN: u8 = u8::MAX;
        // Not a `Once`: forking while it is held would deadlock the child. Threads that choose at the
        // same time choose the same level.
        static CHOSEN: AtomicU8 = AtomicU8::new(UNCHOSEN);
        // `ALL` has the levels in the order of their discriminants.
        let chosen = SimdLevel::ALL.get(usize::from(CHOSEN.load(Ordering::Relaxed)));
        chosen.and_then(|level| Self::at(*level)).unwrap_or_else(|| {
            let best = Self::forced_or_best();
            CHOSEN.store(best.level() as u8, Ordering::Relaxed);
            best
        })
    }

    #[cold]
    fn forced_or_best() -> &'static Self {
        let best = SimdLevel::ALL.into_iter().rev();
        let found = forced_level().into_iter().chain(best).find_map(Self::at);
        found.unwrap_or(&levels::baseline::Baseline)
    }
}

/// The level that the environment names. Reads it with `getenv`: `std::env` allocates, and aborts if it
/// cannot.
#[allow(unsafe_code, reason = "getenv")]
fn forced_level() -> Option<SimdLevel> {
    // SAFETY: the name is a C string. The manual forbids changing the environment during the first draw.
    let text = unsafe { libc::getenv(c"S2SAMPLER_SIMD".as_ptr()) };
    if text.is_null() {
        return None;
    }
    // SAFETY: not NULL, hence a C string of the environment, which does not change meanwhile.
    let name = unsafe { CStr::from_ptr(text) };
    SimdLevel::ALL.into_iter().find(|level| level.c_name() == name)
}
