//! Chapter "A draw with options".
#![allow(unsafe_code)]

use crate::sampler::S2Sampler;
use crate::{guard, pointers};
use core::mem::offset_of;
use core::ptr;
use s2sampler_core::{
    Error, SampleRequest, SampledToken, SamplerParams, TokenProbability, TokenRange,
};

/// Everything that may be asked of a draw: filled by s2_sample_request_init(), then changed by field.
///
/// Ids are the caller's: the index in `logits` plus `id_offset`. An id that is not in the row is
/// ignored wherever it stands. For the order in which the options work see "A draw with options".
///
/// A struct that may grow: struct_size tells the version. Fields that a smaller size lacks are off; a
/// size beyond the fields known here is accepted if the bytes beyond are zero. Copied at the call;
/// what the pointers lead to is only read, and not kept. Since: 0.1.0
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2SampleRequest {
    /// sizeof(S2SampleRequest), as s2_sample_request_init() sets it. From 4 to 4096.
    pub struct_size: u32,
    /// The number of logits. Zero or less is S2_ERROR_EMPTY_ROW.
    pub vocab_size: i32,
    /// The row, as for s2_sample_token().
    pub logits: *const f32,
    /// Temperature, top_p and top_k; every bit pattern is allowed. Off: 0.8, 0.8, 30.
    pub params: SamplerParams,
    /// The id of the row's first token, for rows that hold a part of the ids. 0 or more, and the last
    /// id at most 2147483647. Off: 0.
    pub id_offset: i32,
    /// The ids allowed, as for s2_sampler_sample_ranges(). Aligned like an `int32_t`. Off: NULL, with
    /// n_ranges 0; then all are allowed.
    pub ranges: *const TokenRange,
    /// Ids that count as -inf, in any order. Aligned like an `int32_t`. Off: NULL, with n_banned 0.
    pub banned: *const i32,
    /// The latest tokens, oldest first, for the three penalties. Aligned like an `int32_t`. Off: NULL,
    /// with n_history 0.
    pub history: *const i32,
    /// The number of ranges; 0 is "off", not "none allowed". Negative is an error, here and below.
    pub n_ranges: i32,
    /// The number of banned ids.
    pub n_banned: i32,
    /// The number of tokens in the history.
    pub n_history: i32,
    /// How many of the latest tokens in the history the penalties look at. Off: 0, for all.
    pub penalty_window: i32,
    /// The logit of a token in the history is divided by this if it is positive and multiplied if not,
    /// once however often the token occurs. Above 0 and finite. Off: 1.
    pub repetition_penalty: f32,
    /// Is taken off the logit of a token in the history, as often as it occurs there. Finite; negative
    /// favours such tokens. Off: 0.
    pub frequency_penalty: f32,
    /// Is taken off the logit of a token in the history, once. Finite; negative favours such tokens.
    /// Off: 0.
    pub presence_penalty: f32,
    /// Drops candidates whose probability at temperature 1 is below this share of the best one's; the
    /// best stays. Off: 0, as less and NaN are.
    pub min_p: f32,
    /// The id that stays a candidate whatever its rank, if its logit is above -inf. Off: -1, as all
    /// negative ids.
    pub keep_id: i32,
    /// The id whose probabilities the result tells. Off: -1, as all negative ids.
    pub watched_id: i32,
    /// A number from 0 to below 1 to draw with; the generator is left alone. For callers with a
    /// generator of their own. 1, more, and NaN are errors. Off: -1, as all below 0.
    pub uniform: f64,
}

/// What came of a draw.
///
/// A struct that may grow: struct_size tells the version, and is set by the caller, by hand or by
/// s2_sample_result_init(). Only as much as the size covers is written, and bytes beyond
/// those known here are set to zero. A size that ends before `nans` makes the draw cheaper: all that
/// follows costs one more pass over the row.
///
/// Probabilities come with natural logarithms, which tell small ones apart; that of zero is -inf.
/// "Raw" is the probability in the softmax of the row as it was passed, at temperature 1, to about five
/// digits; where there are +inf logits each of them has 1 and the others 0, where there is nothing above
/// -inf all have 0. "Final" is the probability with which this request draws the token, 1 where nothing
/// was left to chance; a token of a row without anything above -inf has 0. Since: 0.1.0
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2SampleResult {
    /// sizeof(S2SampleResult), or what that was for the caller's header. From 4 to 4096.
    pub struct_size: u32,
    /// The token, as returned.
    pub token: i32,
    /// The number of candidates drawn from, those at -inf included; 1 where the best token was
    /// certain, as at a temperature of zero. A uniform was used if and only if this is 2 or more.
    pub candidates: i32,
    /// The words taken from the generator: 2 or 0.
    pub words: u32,
    /// The number of NaN in the row, allowed or not.
    pub nans: i32,
    /// The number of +inf in the row, allowed or not.
    pub infinities: i32,
    /// The token's raw probability.
    pub raw_probability: f64,
    /// Its logarithm.
    pub raw_log_probability: f64,
    /// The token's final probability.
    pub final_probability: f64,
    /// Its logarithm.
    pub final_log_probability: f64,
    /// The watched id's raw probability; zero without one, or if it is not in the row.
    pub watched_raw_probability: f64,
    /// Its logarithm.
    pub watched_raw_log_probability: f64,
    /// The watched id's final probability; zero also if it is no candidate.
    pub watched_final_probability: f64,
    /// Its logarithm.
    pub watched_final_log_probability: f64,
}

impl S2SampleRequest {
    fn init() -> Self {
        let SampleRequest {
            logits: _,
            params,
            id_offset,
            ranges: _,
            banned: _,
            history: _,
            penalty_window: _,
            repetition_penalty,
            frequency_penalty,
            presence_penalty,
            min_p,
            keep_id: _,
            watched_id: _,
            uniform: _,
        } = SampleRequest::new(&[], SamplerParams::DEFAULT);
        Self {
            struct_size: size_of::<Self>() as u32,
            vocab_size: 0,
            logits: ptr::null(),
            params,
            id_offset,
            ranges: ptr::null(),
            banned: ptr::null(),
            history: ptr::null(),
            n_ranges: 0,
            n_banned: 0,
            n_history: 0,
            penalty_window: 0,
            repetition_penalty,
            frequency_penalty,
            presence_penalty,
            min_p,
            keep_id: -1,
            watched_id: -1,
            uniform: -1.0,
        }
    }

    /// The request in the core's terms.
    ///
    /// # Safety
    /// The pointers are NULL or lead to as many elements as the counts say, which nobody writes while
    /// the request lives.
    unsafe fn checked<'a>(self) -> Result<SampleRequest<'a>, Error> {
        let id = |id: i32| (id >= 0).then_some(id);
        let window = usize::try_from(self.penalty_window).map_err(|_| Error::BadArgument)?;
        // SAFETY: each is this function's contract.
        let (logits, ranges, banned, history) = unsafe {
            (
                pointers::row(self.logits, self.vocab_size)?,
                pointers::counted(self.ranges, self.n_ranges)?,
                pointers::counted(self.banned, self.n_banned)?,
                pointers::counted(self.history, self.n_history)?,
            )
        };
        Ok(SampleRequest {
            logits,
            params: self.params,
            id_offset: self.id_offset,
            ranges,
            banned,
            history,
            penalty_window: window,
            repetition_penalty: self.repetition_penalty,
            frequency_penalty: self.frequency_penalty,
            presence_penalty: self.presence_penalty,
            min_p: self.min_p,
            keep_id: id(self.keep_id),
            watched_id: id(self.watched_id),
            // NaN is the core's to refuse.
            uniform: (self.uniform >= 0.0 || self.uniform.is_nan()).then_some(self.uniform),
        })
    }
}

impl S2SampleResult {
    const ZERO: Self = Self {
        struct_size: size_of::<Self>() as u32,
        token: 0,
        candidates: 0,
        words: 0,
        nans: 0,
        infinities: 0,
        raw_probability: 0.0,
        raw_log_probability: 0.0,
        final_probability: 0.0,
        final_log_probability: 0.0,
        watched_raw_probability: 0.0,
        watched_raw_log_probability: 0.0,
        watched_final_probability: 0.0,
        watched_final_log_probability: 0.0,
    };

    /// Where the fields begin that take a second pass over the row.
    const DEAR: usize = offset_of!(Self, nans);

    fn answer(answer: SampledToken) -> Self {
        Self {
            token: answer.token,
            candidates: count(answer.candidates),
            words: answer.rng_words,
            ..Self::ZERO
        }
    }
}

/// No row has more tokens than an i32 can count.
fn count(of: usize) -> i32 {
    i32::try_from(of).unwrap_or(i32::MAX)
}

/// Sets all options of a request to "off", and struct_size.
///
/// Parameters:
///
/// - `request`: where to write the struct in this version, 104 bytes where pointers have 8. Later
///   versions of the library write no more than these, since older programs have no room for more;
///   fields that they add are beyond struct_size then, which means "off". NULL does nothing.
///
/// Returns: nothing; there is nothing that could go wrong. What is left to set is `logits` and
/// `vocab_size`; the draw is then that of s2_sampler_sample() with the default parameters.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_request_init(request: *mut S2SampleRequest) {
    guard::value((), || {
        if !request.is_null() {
            // SAFETY: not NULL; the caller keeps the header's promise about `request`.
            unsafe { pointers::put(request, S2SampleRequest::init()) };
        }
    });
}

/// Sets all fields of a result to zero, and struct_size.
///
/// Parameters:
///
/// - `result`: where to write the 88 bytes of the struct in this version. Later versions of the
///   library write no more than these. NULL does nothing.
///
/// Returns: nothing; there is nothing that could go wrong. Once is enough: a draw writes every other
/// field, and leaves struct_size as it is.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_result_init(result: *mut S2SampleResult) {
    guard::value((), || {
        if !result.is_null() {
            // SAFETY: not NULL; the caller keeps the header's promise about `result`.
            unsafe { pointers::put(result, S2SampleResult::ZERO) };
        }
    });
}

/// Draws one token as a request says, and tells what came of it.
///
/// With all options off this is s2_sampler_sample(), token and random words alike. The steps, with
/// their order, are those of "A draw with options" at the top of this file.
///
/// Parameters:
///
/// - `sampler`: the handle.
/// - `request`: what to draw from and how; see S2SampleRequest.
/// - `result`: where to write what came of it, with struct_size set before the call; see
///   S2SampleResult. NULL if the token is all that is wanted, which is cheaper. If the call returns a
///   status, nothing is written.
///
/// Returns: the id of the token. It is allowed and not banned, with one exception: if nothing that may
/// be drawn is above -inf, it is the row's first id. If the value is negative it is a status, no random
/// word was used and nothing changed:
///
/// - S2_ERROR_NULL_POINTER: `sampler` or `request` is NULL, or a pointer in the request is whose
///   count is positive.
/// - S2_ERROR_BAD_ARGUMENT: a field of the request is outside the range it states, a pointer in it
///   is not aligned, a struct_size is below 4 or above 4096, or the request has bytes beyond the
///   fields known here that are not zero.
/// - S2_ERROR_EMPTY_ROW: no id of the row is allowed by the ranges, or the row has none.
/// - S2_ERROR_OUT_OF_MEMORY, S2_ERROR_NO_ENTROPY, S2_ERROR_INTERNAL: as for s2_sampler_sample().
///
/// Randomness: two words of this generator, or none; see "Random words used per call". None if the
/// request brings a uniform. Threads: one at a time with `sampler`. Memory: as s2_sampler_sample(); if
/// penalties or bans change the row, or the allowed ids are not in one stretch, that includes a copy of
/// the allowed logits.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_sample_ex(
    sampler: *mut S2Sampler,
    request: *const S2SampleRequest,
    result: *mut S2SampleResult,
) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `sampler`.
        let sampler = unsafe { pointers::handle(sampler) }?;
        // SAFETY: all fields are numbers and pointers; the caller keeps the header's promise about
        // `request`, what its pointers lead to included.
        let request = unsafe { pointers::sized(request, S2SampleRequest::init())?.checked() }?;
        let size = match result.is_null() {
            true => 0,
            // SAFETY: the caller keeps the header's promise about `result`.
            false => unsafe { pointers::stated_size(result) }?,
        };
        let told = if size <= S2SampleResult::DEAR {
            S2SampleResult::answer(sampler.0.sample_request_token(&request)?)
        } else {
            let response = sampler.0.sample_request(&request)?;
            let TokenProbability { raw_p, raw_log_p, final_p, final_log_p } = response.probability;
            let watched = response.watched;
            S2SampleResult {
                struct_size: 0,
                token: response.token,
                candidates: count(response.candidates),
                words: response.rng_words,
                nans: count(response.nans),
                infinities: count(response.infinities),
                raw_probability: raw_p,
                raw_log_probability: raw_log_p,
                final_probability: final_p,
                final_log_probability: final_log_p,
                watched_raw_probability: watched.raw_p,
                watched_raw_log_probability: watched.raw_log_p,
                watched_final_probability: watched.final_p,
                watched_final_log_probability: watched.final_log_p,
            }
        };
        if size > 0 {
            // SAFETY: not NULL; the caller keeps the header's promise about `result`.
            unsafe { pointers::tell(result, told, size) };
        }
        u32::try_from(told.token).map_err(|_| Error::Internal)
    })
}
