//! Chapter "A generator of one's own".
#![allow(unsafe_code)]

use crate::{guard, pointers};
use core::ffi::c_void;
use core::ptr;
use s2sampler_core::{Sampler, SamplerParams, TokenRange};

/// A generator with the working memory of its draws: for a request or an utterance, not for a thread.
///
/// Its tokens depend on nothing but its seed and the calls made with it, in order. So requests that
/// take turns on a thread, or move from thread to thread, do not disturb each other. Opaque: made by
/// s2_sampler_new() and its like, ended by s2_sampler_free(). About 2.5 KB, and what draws need.
///
/// One thread at a time: calls with the same handle must not overlap, as with a std::mt19937; which
/// thread makes them does not matter. Different handles have nothing in common. Since: 0.1.0
pub struct S2Sampler(pub(crate) Sampler);

/// Makes a generator in the state of `std::mt19937(seed)`.
///
/// Parameters:
///
/// - `seed`: any value; none is special.
///
/// Returns: the handle, which the caller frees with s2_sampler_free(); NULL if memory lacks.
///
/// Randomness: none. Threads: any, at any time. Memory: one allocation; the working memory comes
/// with the draws.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_new(seed: u32) -> *mut S2Sampler {
    guard::value(ptr::null_mut(), || pointers::give(Ok(S2Sampler(Sampler::new(seed)))))
}

/// Makes a generator that is seeded by the operating system.
///
/// s2_sampler_get_seed() tells the seed: with s2_sampler_new() and that seed the same tokens come
/// again. In the child of a fork the handle seeds itself anew, see "The generator, threads and fork".
///
/// Parameters: none.
///
/// Returns: the handle, which the caller frees with s2_sampler_free(); NULL if memory lacks or the
/// operating system gives no randomness.
///
/// Randomness: one word of the operating system, none of a generator. Threads: any, at any time.
/// Memory: one allocation; the working memory comes with the draws.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_new_random() -> *mut S2Sampler {
    guard::value(ptr::null_mut(), || pointers::give(Sampler::from_system().map(S2Sampler)))
}

/// Makes a second generator in the same state: both continue alike.
///
/// Parameters:
///
/// - `sampler`: the one to copy; it does not change. NULL gives NULL.
///
/// Returns: the handle, which the caller frees with s2_sampler_free(); NULL if memory lacks.
///
/// Randomness: none. Threads: no call that changes `sampler` at the same time. Memory: one
/// allocation; working memory is not copied.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_clone(sampler: *const S2Sampler) -> *mut S2Sampler {
    guard::value(ptr::null_mut(), || {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        let sampler = unsafe { pointers::view(sampler) };
        pointers::give(sampler.map(|sampler| S2Sampler(sampler.0.clone())))
    })
}

/// Ends a generator and releases its memory.
///
/// Parameters:
///
/// - `sampler`: the handle, which is not valid any more after the call. NULL is fine and does
///   nothing.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: none. Threads: no other call with `sampler` at the same time or later. Memory:
/// released.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_free(sampler: *mut S2Sampler) {
    // SAFETY: the caller keeps the header's promise about `sampler`.
    guard::value((), || unsafe { pointers::free(sampler) });
}

/// Puts a generator in the state of `std::mt19937(seed)`.
///
/// Parameters:
///
/// - `sampler`: the handle. NULL does nothing.
/// - `seed`: any value; none is special.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: uses no word; it replaces the state. Threads: one at a time with `sampler`. Memory:
/// none.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_seed(sampler: *mut S2Sampler, seed: u32) {
    guard::value((), || {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        if let Ok(sampler) = unsafe { pointers::handle(sampler) } {
            sampler.0.reseed(seed);
        }
    });
}

/// Tells the seed of a generator, to log it and to replay.
///
/// Parameters:
///
/// - `sampler`: the handle. NULL gives 0.
///
/// Returns: the seed that was given, or that the operating system gave, or that came with the state
/// that was restored. In the child of a fork an old handle of s2_sampler_new_random() has its new
/// seed from its first draw on.
///
/// Randomness: none. Threads: no call that changes `sampler` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_get_seed(sampler: *const S2Sampler) -> u32 {
    guard::value(0, || {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        unsafe { pointers::view(sampler) }.map_or(0, |sampler| sampler.0.seed())
    })
}

/// Draws one token from a row of logits with a generator of one's own.
///
/// The draw is that of s2_sample_token(), step by step; only the generator is another, and a row
/// without tokens is an error.
///
/// Parameters:
///
/// - `sampler`: the handle.
/// - `logits`: as for s2_sample_token(). NULL is an error unless `vocab_size` is zero or less.
/// - `vocab_size`: the number of logits, at most 2147483647.
/// - `params`: as for s2_sample_token(); NULL means the defaults.
///
/// Returns: the id of the token, from 0 to `vocab_size` - 1. If the value is negative it is a
/// status, no random word was used and nothing changed:
///
/// - S2_ERROR_NULL_POINTER: `sampler` is NULL, or `logits` is and `vocab_size` is positive.
/// - S2_ERROR_BAD_ARGUMENT: `logits` is not aligned like a `float`.
/// - S2_ERROR_EMPTY_ROW: `vocab_size` is zero or less.
/// - S2_ERROR_OUT_OF_MEMORY: the working memory could not be had; a later call may succeed.
/// - S2_ERROR_NO_ENTROPY: this is the child of a fork, the handle is to be seeded anew, and the
///   operating system gave no seed.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: two words of this generator, or none; see "Random words used per call". Threads: one
/// at a time with `sampler`; any number with handles of their own. Memory: working memory of the
/// handle, kept until it is freed; see "Memory".
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_sample(
    sampler: *mut S2Sampler,
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        let sampler = unsafe { pointers::handle(sampler) }?;
        // SAFETY: the caller keeps the header's promise about `logits` and `vocab_size`.
        let row = unsafe { pointers::row(logits, vocab_size) }?;
        // SAFETY: the caller keeps the header's promise about `params`.
        let params = unsafe { pointers::params(params) };
        sampler.0.sample(row, &params)
    })
}

/// Draws one token from those of a row that are allowed, without a masked copy of the row.
///
/// The token, and the random words used, are those of s2_sampler_sample() for the row with -inf at
/// every id that is in no range. The cost follows the number of ids allowed, not the length of the
/// row: nothing outside the ranges is read.
///
/// Parameters:
///
/// - `sampler`: the handle.
/// - `logits`: the whole row, as for s2_sample_token(). NULL is an error unless `vocab_size` is zero
///   or less.
/// - `vocab_size`: the number of logits, at most 2147483647.
/// - `ranges`: the ids allowed, both ends of each range included. They may come in any order and
///   overlap; ids that are not in the row are ignored. Aligned like an `int32_t`. NULL is an error
///   unless `n_ranges` is zero or less.
/// - `n_ranges`: the number of ranges. Zero or less allows no id.
/// - `params`: as for s2_sample_token(); NULL means the defaults.
///
/// Returns: the id of the token in the whole row. It is allowed, with one exception, the masked row's
/// own: if all allowed logits are -inf or NaN, it is 0. If the value is negative it is a status, no
/// random word was used and nothing changed:
///
/// - S2_ERROR_NULL_POINTER: `sampler` is NULL, or `logits` is and `vocab_size` is positive, or
///   `ranges` is and `n_ranges` is positive.
/// - S2_ERROR_BAD_ARGUMENT: `logits` or `ranges` is not aligned.
/// - S2_ERROR_EMPTY_ROW: no id of the row is allowed, or the row has none.
/// - S2_ERROR_OUT_OF_MEMORY, S2_ERROR_NO_ENTROPY, S2_ERROR_INTERNAL: as for s2_sampler_sample().
///
/// Randomness: two words of this generator, or none; see "Random words used per call". Threads: one
/// at a time with `sampler`. Memory: as s2_sampler_sample(); if the allowed ids are not in one
/// stretch, that includes a copy of their logits.
///
/// Since: 0.1.0
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
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        let sampler = unsafe { pointers::handle(sampler) }?;
        // SAFETY: the caller keeps the header's promise about `logits` and `vocab_size`.
        let row = unsafe { pointers::row(logits, vocab_size) }?;
        // SAFETY: the caller keeps the header's promise about `ranges` and `n_ranges`.
        let ranges = unsafe { pointers::items(ranges, n_ranges) }?;
        // SAFETY: the caller keeps the header's promise about `params`.
        let params = unsafe { pointers::params(params) };
        sampler.0.sample_ranges(row, ranges, &params)
    })
}

/// Tells how many bytes s2_sampler_save() writes.
///
/// Parameters: none.
///
/// Returns: the size of a saved state, the same for every handle of one release; about 2.5 KB.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_sampler_state_size() -> usize {
    guard::value(0, || Sampler::STATE_LEN)
}

/// Writes the state of a generator as bytes, to continue from it later, elsewhere, or twice.
///
/// The bytes carry the seed, the place in the stream, the number of their own version and a check
/// sum. They are the same on every machine. What is between is nobody's business. They are no secret
/// and hold none: whoever has them knows all later words.
///
/// Parameters:
///
/// - `sampler`: the handle; it does not change.
/// - `state`: where to write; any alignment.
/// - `size`: the bytes there are at `state`, s2_sampler_state_size() or more; only the first
///   s2_sampler_state_size() are written.
///
/// Returns: 0, or a status, and then nothing was written:
///
/// - S2_ERROR_NULL_POINTER: `sampler` or `state` is NULL.
/// - S2_ERROR_BAD_ARGUMENT: `size` is too small.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: none. Threads: no call that changes `sampler` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_save(
    sampler: *const S2Sampler,
    state: *mut c_void,
    size: usize,
) -> i32 {
    guard::status(|| {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        let sampler = unsafe { pointers::view(sampler) }?;
        // SAFETY: the caller keeps the header's promise about `state` and `size`.
        unsafe { pointers::fill(state.cast(), size, &sampler.0.save()) }
    })
}

/// Puts a generator in a saved state: it continues where s2_sampler_save() was called.
///
/// A restored generator counts as explicitly seeded, even if the saved one was seeded by the
/// operating system: a fork does not change it.
///
/// Parameters:
///
/// - `sampler`: the handle.
/// - `state`: what s2_sampler_save() wrote; any alignment.
/// - `size`: the number of bytes: exactly the s2_sampler_state_size() of the library that saved.
///
/// Returns: 0, or a status, and then nothing changed:
///
/// - S2_ERROR_NULL_POINTER: `sampler` or `state` is NULL.
/// - S2_ERROR_BAD_ARGUMENT: the bytes are not a saved state, or one of a version that this library
///   does not know, or some of them were changed.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: uses no word; it replaces the state. Threads: one at a time with `sampler`. Memory:
/// none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_restore(
    sampler: *mut S2Sampler,
    state: *const c_void,
    size: usize,
) -> i32 {
    guard::status(|| {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        let sampler = unsafe { pointers::handle(sampler) }?;
        // SAFETY: the caller keeps the header's promise about `state` and `size`.
        sampler.0.restore(unsafe { pointers::bytes(state.cast(), size) }?)
    })
}
