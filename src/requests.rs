//! Chapter "Requests".
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::guard::{Call, count};
use crate::pointers::Versioned;
use crate::samplers::S2Sampler;
use crate::{guard, pointers};
use core::mem::offset_of;
use core::ptr;
use s2sampler_core::{
    Error, SampleRequest, SampledToken, SamplerParams, TokenProbability, TokenRange,
};

/// Flag: draw with S2SampleRequest.uniform; the generator is not used. Samplers only.
pub const S2_REQUEST_UNIFORM: u32 = 1;
/// Flag: the request's keep_id stays a candidate.
pub const S2_REQUEST_KEEP_ID: u32 = 2;
/// Flag: the result states the probabilities of the request's watched_id.
pub const S2_REQUEST_WATCH_ID: u32 = 4;
/// Flag: the result has only the fields before nans. Those from nans on are 0, which saves a pass
/// over the row. A chain then writes no best tokens either.
pub const S2_REQUEST_NO_STATS: u32 = 8;
/// Flag: draw by the rule of "The first generations" instead of steps c to f. keep_id is then that
/// rule's, and a min_p above 0 is S2_ERROR_BAD_ARGUMENT. Samplers only.
pub const S2_REQUEST_S2_FIRST: u32 = 16;

const FLAGS: u32 = S2_REQUEST_UNIFORM
    | S2_REQUEST_KEEP_ID
    | S2_REQUEST_WATCH_ID
    | S2_REQUEST_NO_STATS
    | S2_REQUEST_S2_FIRST;

/// A draw with options. If all bytes but those of struct_size, logits and vocab_size are zero, it
/// is the draw of s2_sampler_sample() with the default parameters.
///
/// Ids are the index in `logits` plus `id_offset`. An id outside the row is ignored in every field.
/// The arrays are only read, and only during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2SampleRequest {
    /// sizeof(S2SampleRequest): see "Structs that may grow".
    pub struct_size: u32,
    /// S2_REQUEST_* flags, joined by |. 0: none. Unknown bits and flags of chains only are
    /// S2_ERROR_BAD_ARGUMENT.
    pub flags: u32,
    /// The row, as for s2_sample_token().
    pub logits: *const f32,
    /// The number of logits. <= 0 is S2_ERROR_EMPTY_ROW.
    pub vocab_size: i32,
    /// The id of the first logit, for a row that holds a part of the vocabulary. >= 0, and the last
    /// id is <= 2147483647.
    pub id_offset: i32,
    /// Temperature, top_p and top_k. NULL: 0.8, 0.8, 30, or with S2_REQUEST_S2_FIRST 0.7, 0.7,
    /// 30.
    pub params: *const SamplerParams,
    /// The allowed ids, as for s2_sampler_sample_ranges(). n_ranges 0: all are allowed.
    pub ranges: *const TokenRange,
    /// The allowed ids, in any order. n_allowed 0: all are allowed.
    pub allowed_ids: *const i32,
    /// The allowed ids: bit i % 32 of word i / 32 is 1 if id i is allowed; ids beyond the words are
    /// not. n_bitmask 0: all are allowed.
    pub bitmask: *const i32,
    /// Ids that count as -inf, in any order.
    pub banned: *const i32,
    /// The latest tokens, oldest first, for the three penalties.
    pub history: *const i32,
    /// The number of ranges. >= 0, like the four counts after it.
    pub n_ranges: i32,
    /// The number of allowed ids.
    pub n_allowed: i32,
    /// The number of words of the bitmask.
    pub n_bitmask: i32,
    /// The number of banned ids.
    pub n_banned: i32,
    /// The number of tokens in `history`.
    pub n_history: i32,
    /// How many of the latest tokens of `history` the penalties look at. 0: none, which turns the
    /// penalties off. -1: all. Below -1 is S2_ERROR_BAD_ARGUMENT.
    pub penalty_window: i32,
    /// Divides the logit of a token in the window if it is > 0, otherwise multiplies it; once,
    /// however often the token occurs. So the result depends on the offset of the row. > 0 and
    /// finite. Off: 0, 1.
    pub repetition_penalty: f32,
    /// Subtracted from the logit of a token in the window, once for each occurrence. Finite; < 0
    /// favours such tokens. Off: 0.
    pub frequency_penalty: f32,
    /// Subtracted once from the logit of a token in the window. Finite; < 0 favours such tokens.
    /// Off: 0.
    pub presence_penalty: f32,
    /// Drops candidates whose probability at temperature 1 is below this share of the best one's.
    /// Off: <= 0, NaN.
    pub min_p: f32,
    /// With S2_REQUEST_KEEP_ID: the id that stays a candidate whatever its rank, if its logit is >
    /// -inf.
    pub keep_id: i32,
    /// With S2_REQUEST_WATCH_ID: the id whose probabilities the result states.
    pub watched_id: i32,
    /// With S2_REQUEST_UNIFORM: the u of step 7, for callers that have their own generator. 0 <=
    /// uniform < 1; -0.0 is 0. Anything else is S2_ERROR_BAD_ARGUMENT.
    pub uniform: f64,
}

// SAFETY: `repr(C)`, begins with its size, numbers and pointers only. Without padding where pointers have 8
// bytes; it is never written, so padding elsewhere would only be copied.
unsafe impl Versioned for S2SampleRequest {
    const FIRST_SIZE: usize = offset_of!(Self, uniform) + 8;
}

/// The result of a draw with options. Set struct_size before the draw, by hand or by
/// s2_sample_result_init(); the draw writes all other fields.
///
/// "Raw" is the probability in the softmax of the row as it was passed, at temperature 1, to about
/// five digits. If there are +inf logits, they share it equally and the others have 0. "Final" is
/// the probability with which this request draws the token; 1 if the draw had no choice. Logarithms
/// are natural and tell small probabilities apart; that of 0 is -inf.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2SampleResult {
    /// sizeof(S2SampleResult): see "Structs that may grow".
    pub struct_size: u32,
    /// The token, as returned.
    pub token: i32,
    /// The number of candidates, including those with logit -inf. 1 for a temperature <= 0 and for
    /// top_k 1. A u was used if and only if this is >= 2.
    pub candidates: i32,
    /// The words taken from the generator: 0 or 2.
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
    /// The watched id's raw probability; 0 without one, or if it is not in the row.
    pub watched_raw_probability: f64,
    /// Its logarithm.
    pub watched_raw_log_probability: f64,
    /// The watched id's final probability; 0 also if it is no candidate.
    pub watched_final_probability: f64,
    /// Its logarithm.
    pub watched_final_log_probability: f64,
}

// SAFETY: `repr(C)`, begins with its size, 6 words of 4 bytes and 8 of 8 without padding, numbers only.
unsafe impl Versioned for S2SampleResult {
    const FIRST_SIZE: usize = 6 * 4 + 8 * 8;
}

impl S2SampleRequest {
    const ZERO: Self = Self {
        struct_size: size_of::<Self>() as u32,
        flags: 0,
        logits: ptr::null(),
        vocab_size: 0,
        id_offset: 0,
        params: ptr::null(),
        ranges: ptr::null(),
        allowed_ids: ptr::null(),
        bitmask: ptr::null(),
        banned: ptr::null(),
        history: ptr::null(),
        n_ranges: 0,
        n_allowed: 0,
        n_bitmask: 0,
        n_banned: 0,
        n_history: 0,
        penalty_window: 0,
        repetition_penalty: 0.0,
        frequency_penalty: 0.0,
        presence_penalty: 0.0,
        min_p: 0.0,
        keep_id: 0,
        watched_id: 0,
        uniform: 0.0,
    };

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The request as the library knows it.
    ///
    /// # Safety
    /// The pointers keep to the contract of `pointers`.
    unsafe fn checked<'c>(&self, call: &'c Call) -> Result<SampleRequest<'c>, Error> {
        if self.flags & !FLAGS != 0 {
            return Err(Error::BadArgument);
        }
        Ok(SampleRequest {
            logits: pointers::slice(call, self.logits, self.vocab_size)?,
            params: pointers::params_or(
                self.params,
                match self.has(S2_REQUEST_S2_FIRST) {
                    true => SamplerParams::FIRST,
                    false => SamplerParams::DEFAULT,
                },
            ),
            id_offset: self.id_offset,
            ranges: pointers::counted(call, self.ranges, self.n_ranges)?,
            allowed_ids: pointers::counted(call, self.allowed_ids, self.n_allowed)?,
            bitmask: pointers::counted(call, self.bitmask, self.n_bitmask)?,
            banned: pointers::counted(call, self.banned, self.n_banned)?,
            history: pointers::counted(call, self.history, self.n_history)?,
            penalty_window: self.penalty_window,
            repetition_penalty: match self.repetition_penalty {
                0.0 => 1.0,
                penalty => penalty,
            },
            frequency_penalty: self.frequency_penalty,
            presence_penalty: self.presence_penalty,
            min_p: self.min_p,
            keep_id: self.has(S2_REQUEST_KEEP_ID).then_some(self.keep_id),
            watched_id: self.has(S2_REQUEST_WATCH_ID).then_some(self.watched_id),
            uniform: self.has(S2_REQUEST_UNIFORM).then_some(self.uniform),
            first_generations: self.has(S2_REQUEST_S2_FIRST),
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

    fn without_stats(answer: SampledToken) -> Self {
        Self {
            token: answer.token,
            candidates: count(answer.candidates),
            words: answer.rng_words,
            ..Self::ZERO
        }
    }
}

/// Sets `request` to all zero but struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_request_init(request: *mut S2SampleRequest) {
    guard::status(|_| pointers::write(request, S2SampleRequest::ZERO));
}

/// Sets `result` to all zero but struct_size. Once is enough for many draws.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sample_result_init(result: *mut S2SampleResult) {
    guard::status(|_| pointers::write(result, S2SampleResult::ZERO));
}

/// Draws one token as a request says.
///
/// `request`: the row and the options. `result`: where to write the result, with struct_size set.
/// NULL writes nothing, which saves the same pass over the row as S2_REQUEST_NO_STATS. It may not
/// overlap the request.
///
/// Returns the id of the token, allowed and not banned, or a status, and then `result` is not
/// written: S2_ERROR_BAD_ARGUMENT if a field is outside the range it states or a pointer is not
/// aligned, S2_ERROR_NULL_POINTER also for a pointer in the request whose count is positive,
/// S2_ERROR_EMPTY_ROW if no id of the row is allowed, bans aside, S2_ERROR_NO_CANDIDATE if no
/// logit is above -inf after the penalties, bans and masks.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_sampler_sample_ex(
    sampler: *mut S2Sampler,
    request: *const S2SampleRequest,
    result: *mut S2SampleResult,
) -> i32 {
    guard::change(sampler, |sampler, call| {
        let given = pointers::read_versioned(request, S2SampleRequest::ZERO)?;
        if !result.is_null() {
            pointers::check_version(result)?;
        }
        let request = given.checked(call)?;
        let drawn = if result.is_null() || given.has(S2_REQUEST_NO_STATS) {
            S2SampleResult::without_stats(sampler.sample_request_token(&request)?)
        } else {
            let response = sampler.sample_request(&request)?;
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
        if !result.is_null() {
            pointers::write_versioned(result, drawn);
        }
        u32::try_from(drawn.token).map_err(|_| Error::Internal)
    })
}
