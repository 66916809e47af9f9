//! Chapter "Samplers".
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::guard::Opaque;
use crate::handle::Handle;
use crate::pointers::Rows;
use crate::{guard, pointers};
use core::ffi::c_void;
use s2sampler_core::{Error, Sampler, SamplerParams, TokenRange};

/// A generator with the working memory of its draws, for a request or an utterance instead of a
/// thread.
///
/// Its tokens depend on its seed and on the calls made with it, in order. So requests that take
/// turns on a thread, or move between threads, do not disturb each other. It takes about 2.5 KB and
/// the working memory of its draws.
pub struct S2Sampler(Handle<Sampler>);

impl S2Sampler {
    fn new(sampler: Sampler) -> Self {
        Self(Handle::new(sampler))
    }
}

impl Opaque for S2Sampler {
    type Content = Sampler;
    fn handle(&self) -> &Handle<Sampler> {
        &self.0
    }
}

/// Makes a generator in the state of `std::mt19937(seed)`. No value of `seed` is special.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_new(seed: u32) -> *mut S2Sampler {
    guard::new_handle(|_| Ok(S2Sampler::new(Sampler::new(seed))))
}

/// Makes a generator that the operating system seeds; s2_sampler_get_seed() returns the seed.
///
/// NULL also with S2_ERROR_NO_ENTROPY. In the child of a fork the handle gets a new seed: see
/// "Fork".
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_new_random() -> *mut S2Sampler {
    guard::new_handle(|_| Sampler::from_system().map(S2Sampler::new))
}

/// Makes a second generator in the same state: both continue identically. Working memory is not
/// copied.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_clone(sampler: *const S2Sampler) -> *mut S2Sampler {
    guard::new_handle(|call| {
        guard::read(call, sampler, |sampler| Ok(S2Sampler::new(sampler.clone())))
    })
}

/// Frees a generator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_free(sampler: *mut S2Sampler) {
    guard::free(sampler);
}

/// Puts a generator in the state of `std::mt19937(seed)`, for any `seed`. Does nothing where a
/// status would be returned: see "Errors".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_seed(sampler: *mut S2Sampler, seed: u32) {
    guard::change(sampler, |sampler, _| {
        sampler.reseed(seed);
        Ok(0)
    });
}

/// Returns the seed of a generator, for the log and for a replay.
///
/// It is the seed that the caller gave, that the operating system gave, or that a restored state
/// contains. In the child of a fork a handle of s2_sampler_new_random() has its new seed from its
/// first draw on. 0 where a status would be returned.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_get_seed(sampler: *const S2Sampler) -> u32 {
    guard::value(0, |call| guard::read(call, sampler, |s| Ok(s.seed())).unwrap_or(0))
}

/// Draws one token, as s2_sample_token() does, with this generator.
///
/// Two differences: `vocab_size` <= 0 is S2_ERROR_EMPTY_ROW, and a row without a logit above -inf
/// is S2_ERROR_NO_CANDIDATE. S2_ERROR_NO_ENTROPY is possible only in the child of a fork.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_sample(
    sampler: *mut S2Sampler,
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::change(sampler, |sampler, call| {
        let row = pointers::slice(call, logits, vocab_size)?;
        sampler.sample(row, &pointers::params(params))
    })
}

/// Draws one token from the allowed ids of a row, without a masked copy of the row.
///
/// Token and random words are those of s2_sampler_sample() for the row with -inf at every other id.
/// Nothing outside the ranges is read; the cost follows the number of allowed ids. If they are not
/// consecutive, their logits are copied to working memory.
///
/// `ranges`, `n_ranges`: the allowed ids, in any order, overlaps allowed. `n_ranges` <= 0 allows
/// none.
///
/// Returns the id in the whole row, or a status: S2_ERROR_EMPTY_ROW if no id of the row is allowed,
/// S2_ERROR_NO_CANDIDATE if no allowed logit is above -inf.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_sample_ranges(
    sampler: *mut S2Sampler,
    logits: *const f32,
    vocab_size: i32,
    ranges: *const TokenRange,
    n_ranges: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::change(sampler, |sampler, call| {
        let row = pointers::slice(call, logits, vocab_size)?;
        let ranges = pointers::slice(call, ranges, n_ranges)?;
        sampler.sample_ranges(row, ranges, &pointers::params(params))
    })
}

/// Draws one token from each of several rows, each with its own generator, from the first row to
/// the last: for the heads of several codebooks, requests that are served together, the rows of a
/// draft.
///
/// `samplers`: a handle for each row. A handle may be given for several rows: they use it in turn.
///
/// `logits`, `rows`, `row_stride`, `vocab_size`: row i begins at `logits` + i * `row_stride`,
/// counted in floats, and has `vocab_size` of them. Any stride: padded, 0 for one shared row,
/// negative. With `rows` <= 0 the call does nothing and looks at no other argument.
///
/// `params`, `n_params`: one for all rows (`n_params` 1) or one for each (`n_params` == `rows`).
/// NULL: the defaults, whatever `n_params` is.
///
/// `tokens`: for each row its token, or its status as of s2_sampler_sample().
///
/// Returns the number of rows that have a token, 0 to `rows`: below `rows`, look for the statuses
/// in `tokens`. Or a status, and then nothing was drawn or written: S2_ERROR_NULL_POINTER
/// (`samplers`, `logits` or `tokens`), S2_ERROR_BAD_ARGUMENT (`n_params`, or the last row begins
/// outside the address space). A NULL among the samplers is S2_ERROR_NULL_POINTER in `tokens`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_sample_rows(
    samplers: *const *mut S2Sampler,
    logits: *const f32,
    rows: i32,
    row_stride: isize,
    vocab_size: i32,
    params: *const SamplerParams,
    n_params: i32,
    tokens: *mut i32,
) -> i32 {
    guard::number(|_| {
        let one_each = n_params == rows && !params.is_null();
        let rows = Rows { handles: samplers, logits, rows, row_stride, tokens };
        let count = rows.count()?;
        if count > 0 && !params.is_null() && n_params != 1 && !one_each {
            return Err(Error::BadArgument);
        }
        Ok(rows.sample(count, |i, sampler, row| {
            let params = if one_each { params.wrapping_add(i) } else { params };
            s2_sampler_sample(sampler, row, vocab_size, params)
        }))
    })
}

/// Returns the size of a saved state in bytes, about 2.5 KB: the same for every handle of one
/// release.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_state_size() -> usize {
    Sampler::STATE_LEN
}

/// Writes the state of a generator as bytes, to continue from it later, elsewhere, or twice.
///
/// The bytes carry a version, the seed, the position in the stream and a checksum, and are the same
/// on every machine; the rest of the format is unspecified. Anyone who has them can predict all
/// later words.
///
/// `state`, `size`: a buffer for s2_sampler_state_size() bytes, at any alignment, and its size.
/// Returns 0, or S2_ERROR_BAD_ARGUMENT if `size` is too small, and then nothing is written.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_save(
    sampler: *const S2Sampler,
    state: *mut c_void,
    size: usize,
) -> i32 {
    guard::status(|call| {
        let saved = guard::read(call, sampler, |sampler| Ok(sampler.save()))?;
        pointers::copy_out(state.cast(), size, &saved)
    })
}

/// Puts a generator in a saved state. It then counts as explicitly seeded: a fork does not change
/// it.
///
/// `state`, `size`: what s2_sampler_save() wrote, at any alignment, and exactly the number of bytes
/// that s2_sampler_state_size() returned there. Returns 0, or S2_ERROR_BAD_ARGUMENT if the bytes
/// are not a saved state, were changed, or have a version that this library does not know; then
/// nothing changes.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_restore(
    sampler: *mut S2Sampler,
    state: *const c_void,
    size: usize,
) -> i32 {
    guard::change(sampler, |sampler, call| {
        sampler.restore(pointers::bytes(call, state.cast(), size)?)?;
        Ok(0)
    })
}
