//! Chapter "One utterance".
#![allow(unsafe_code)]

use crate::stream_config::S2StreamConfig;
use crate::{guard, pointers};
use core::ptr;
use s2sampler_core::{Error, Sampler, SamplerParams, Stream};

/// One utterance of an engine that draws a main token and then codebook tokens, frame by frame.
///
/// It owns a generator, the window of main tokens that RAS looks at, and the rules of the loop: see
/// "One utterance of a speech engine" at the top of this file. Two streams with the same seed and
/// the same rows give the same tokens, whatever else runs, on any threads. Opaque: made by
/// s2_stream_new() and its like, ended by s2_stream_free(). One thread at a time, as S2Sampler.
/// Since: 0.1.0
pub struct S2Stream(Stream);

/// A stream that draws with `sampler`, as a handle.
///
/// # Safety
/// That of [`pointers::sized`] for `config`.
unsafe fn start(
    sampler: impl FnOnce() -> Result<Sampler, Error>,
    config: *const S2StreamConfig,
) -> *mut S2Stream {
    guard::value(ptr::null_mut(), || {
        // SAFETY: all fields are numbers; the rest is this function's contract.
        let config = unsafe { pointers::sized(config, S2StreamConfig::init()) };
        let config = config.and_then(S2StreamConfig::checked);
        pointers::give(config.and_then(|config| Stream::new(sampler()?, &config).map(S2Stream)))
    })
}

/// Begins an utterance whose generator is in the state of `std::mt19937(seed)`.
///
/// Parameters:
///
/// - `seed`: any value; none is special.
/// - `config`: what the stream must know of its engine; copied.
///
/// Returns: the handle, which the caller frees with s2_stream_free(). NULL if `config` is NULL, its
/// struct_size or a field of it is out of range, or memory lacks.
///
/// Randomness: none. Threads: any, at any time. Memory: the handle and its window; the working memory
/// comes with the draws.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_new(seed: u32, config: *const S2StreamConfig) -> *mut S2Stream {
    // SAFETY: the caller keeps the header's promise about `config`.
    unsafe { start(|| Ok(Sampler::new(seed)), config) }
}

/// Begins an utterance whose generator is seeded by the operating system.
///
/// s2_stream_get_seed() tells the seed: with s2_stream_new() and that seed the same tokens come
/// again. In the child of a fork the handle seeds itself anew, see "The generator, threads and fork".
///
/// Parameters:
///
/// - `config`: as for s2_stream_new().
///
/// Returns: as s2_stream_new(); NULL also if the operating system gives no randomness.
///
/// Randomness: one word of the operating system, none of a generator. Threads: any, at any time.
/// Memory: as s2_stream_new().
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_new_random(config: *const S2StreamConfig) -> *mut S2Stream {
    let sampler = || Sampler::from_system();
    // SAFETY: the caller keeps the header's promise about `config`.
    unsafe { start(sampler, config) }
}

/// Makes a second stream in the same state, window and all: both continue alike.
///
/// Parameters:
///
/// - `stream`: the one to copy; it does not change. NULL gives NULL.
///
/// Returns: the handle, which the caller frees with s2_stream_free(); NULL if memory lacks.
///
/// Randomness: none. Threads: no call that changes `stream` at the same time. Memory: as
/// s2_stream_new(); working memory is not copied.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_clone(stream: *const S2Stream) -> *mut S2Stream {
    guard::value(ptr::null_mut(), || {
        // SAFETY: the caller keeps the header's promise about `stream`.
        let stream = unsafe { pointers::view(stream) };
        pointers::give(stream.and_then(|stream| stream.0.try_clone().map(S2Stream)))
    })
}

/// Ends a stream and releases its memory.
///
/// Parameters:
///
/// - `stream`: the handle, which is not valid any more after the call. NULL is fine and does nothing.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: none. Threads: no other call with `stream` at the same time or later. Memory: released.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_free(stream: *mut S2Stream) {
    // SAFETY: the caller keeps the header's promise about `stream`.
    guard::value((), || unsafe { pointers::free(stream) });
}

/// Begins another utterance with the same configuration and memory: the generator in the state of
/// `std::mt19937(seed)`, the window empty, not ended.
///
/// Parameters:
///
/// - `stream`: the handle. NULL does nothing.
/// - `seed`: any value; none is special.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: uses no word; it replaces the state. Threads: one at a time with `stream`. Memory:
/// none.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_reset(stream: *mut S2Stream, seed: u32) {
    guard::value((), || {
        // SAFETY: the caller keeps the header's promise about `stream`.
        if let Ok(stream) = unsafe { pointers::handle(stream) } {
            stream.0.reset(seed);
        }
    });
}

/// Tells the seed of a stream, to log it and to replay.
///
/// Parameters:
///
/// - `stream`: the handle. NULL gives 0.
///
/// Returns: the seed that was given, or that the operating system gave. In the child of a fork an old
/// handle of s2_stream_new_random() has its new seed from its first draw on.
///
/// Randomness: none. Threads: no call that changes `stream` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_get_seed(stream: *const S2Stream) -> u32 {
    guard::value(0, || {
        // SAFETY: the caller keeps the header's promise about `stream`.
        unsafe { pointers::view(stream) }.map_or(0, |stream| stream.0.sampler().seed())
    })
}

/// Draws the main token of a frame.
///
/// As s2_sampler_sample_ranges() from the semantic tokens, and from the end token too if it is
/// allowed; then, if RAS says so, once more from the same tokens. The token that is returned enters
/// the window, the oldest leaves it.
///
/// Parameters:
///
/// - `stream`: the handle.
/// - `logits`: the whole row, unmasked, as for s2_sample_token(). NULL is an error unless
///   `vocab_size` is zero or less.
/// - `vocab_size`: the number of logits, at most 2147483647. It need not be the same in each frame.
/// - `params`: as for s2_sample_token(); NULL means the defaults.
/// - `allow_end`: 0 bans the end token, in the second draw too; anything else allows it.
///
/// Returns: the id of the token in the whole row; ask s2_stream_ended() whether it is the end token.
/// It is one of the allowed, with the exception that s2_sampler_sample_ranges() states. If the value
/// is negative it is a status, the window is as it was, and no random word was used, except that the
/// first of two draws may have used its own when memory lacks for the second:
///
/// - S2_ERROR_NULL_POINTER: `stream` is NULL, or `logits` is and `vocab_size` is positive.
/// - S2_ERROR_BAD_ARGUMENT: `logits` is not aligned like a `float`.
/// - S2_ERROR_EMPTY_ROW: no allowed id is in the row.
/// - S2_ERROR_OUT_OF_MEMORY, S2_ERROR_NO_ENTROPY, S2_ERROR_INTERNAL: as for s2_sampler_sample().
///
/// Randomness: two words of this stream, or none, for each of the one or two draws; see "Random words
/// used per call". Threads: one at a time with `stream`. Memory: as s2_sampler_sample_ranges().
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_slow(
    stream: *mut S2Stream,
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
    allow_end: i32,
) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `stream`.
        let stream = unsafe { pointers::handle(stream) }?;
        // SAFETY: the caller keeps the header's promise about `logits` and `vocab_size`.
        let row = unsafe { pointers::row(logits, vocab_size) }?;
        // SAFETY: the caller keeps the header's promise about `params`.
        let params = unsafe { pointers::params(params) };
        stream.0.slow(row, &params, allow_end != 0)
    })
}

/// Draws a codebook token of a frame, from all of a row: s2_sampler_sample() with the stream's
/// generator. Neither RAS nor the window has part in it.
///
/// Parameters:
///
/// - `stream`: the handle.
/// - `logits`: as for s2_sample_token(). NULL is an error unless `n` is zero or less.
/// - `n`: the number of logits, at most 2147483647: the size of the codebook.
/// - `params`: as for s2_sample_token(); NULL means the defaults.
///
/// Returns: the token, from 0 to `n` - 1, which is the code; or a status of s2_sampler_sample(), with
/// `stream` in the place of its `sampler`.
///
/// Randomness: two words of this stream, or none; see "Random words used per call". Threads: one at a
/// time with `stream`. Memory: as s2_sampler_sample().
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_fast(
    stream: *mut S2Stream,
    logits: *const f32,
    n: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `stream`.
        let stream = unsafe { pointers::handle(stream) }?;
        // SAFETY: the caller keeps the header's promise about `logits` and `n`.
        let row = unsafe { pointers::row(logits, n) }?;
        // SAFETY: the caller keeps the header's promise about `params`.
        let params = unsafe { pointers::params(params) };
        stream.0.fast(row, &params)
    })
}

/// Gives the semantic code of a main token: its distance from the first semantic token, moved into
/// the codebook where it lies outside.
///
/// Parameters:
///
/// - `stream`: the handle; it does not change.
/// - `token`: what s2_stream_slow() returned.
/// - `codebook_size`: the number of codes, 1 or more.
///
/// Returns: the code, from 0 to `codebook_size` - 1; or a status:
///
/// - S2_ERROR_NULL_POINTER: `stream` is NULL.
/// - S2_ERROR_BAD_ARGUMENT: `token` is negative, such as a status that nobody looked at, or
///   `codebook_size` is zero or less.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: none. Threads: any, at any time: the configuration never changes. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_code(
    stream: *const S2Stream,
    token: i32,
    codebook_size: i32,
) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `stream`.
        let stream = unsafe { pointers::view(stream) }?;
        let token = u32::try_from(token).map_err(|_| Error::BadArgument)?;
        let codebook_size = u32::try_from(codebook_size).map_err(|_| Error::BadArgument)?;
        stream.0.code(token, codebook_size)
    })
}

/// Tells whether the last main token was the end token, be it drawn at once or by the second draw.
///
/// Parameters:
///
/// - `stream`: the handle; it does not change.
///
/// Returns: 1 if it was, 0 if it was not or there is none yet; S2_ERROR_NULL_POINTER if `stream` is
/// NULL. A call of s2_stream_slow() that returned a status changes nothing here.
///
/// Randomness: none. Threads: no call that changes `stream` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_ended(stream: *const S2Stream) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `stream`.
        Ok(unsafe { pointers::view(stream) }?.0.has_ended().into())
    })
}
