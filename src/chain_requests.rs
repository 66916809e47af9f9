//! Chapter "Chains": requests for chains.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::{S2Chain, S2TokenDataArray};
use crate::guard::{Call, count};
use crate::pointers::Versioned;
use crate::requests::{
    S2_REQUEST_KEEP_ID, S2_REQUEST_NO_STATS, S2_REQUEST_S2_FIRST, S2_REQUEST_UNIFORM,
    S2_REQUEST_WATCH_ID,
};
use crate::{guard, pointers};
use core::mem::offset_of;
use core::ptr;
use s2sampler_core::{
    Chain, ChainProbability, ChainRequest, ChainToken, Error, TokenLogProb, TokenRange,
};

/// Flag: the stages do not accept the token. Chains only.
pub const S2_REQUEST_NO_ACCEPT: u32 = 32;
/// Flag: the result states the probability of the ids from S2ChainRequest.group_first to
/// group_last. Chains only.
pub const S2_REQUEST_GROUP: u32 = 64;

const FLAGS: u32 = S2_REQUEST_KEEP_ID
    | S2_REQUEST_WATCH_ID
    | S2_REQUEST_NO_STATS
    | S2_REQUEST_NO_ACCEPT
    | S2_REQUEST_GROUP;
const _: () = assert!(FLAGS & (S2_REQUEST_UNIFORM | S2_REQUEST_S2_FIRST) == 0, "of samplers only");

/// A draw of a chain with options. If all bytes but those of struct_size, logits and vocab_size are
/// zero, it is the draw of s2_chain_sample().
///
/// An id that no candidate has is ignored in every field. The arrays are only read, except
/// best_before and best_after, and only during the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2ChainRequest {
    /// sizeof(S2ChainRequest): see "Structs that may grow".
    pub struct_size: u32,
    /// S2_REQUEST_* flags, joined by |. 0: none. Unknown bits and flags of samplers only are
    /// S2_ERROR_BAD_ARGUMENT.
    pub flags: u32,
    /// The row, as for s2_sample_token(). Not read if there is an array.
    pub logits: *const f32,
    /// The candidates in place of a row, as for s2_chain_apply(); only read, and never changed.
    /// NULL: the row. With an array, `vocab_size` must be 0.
    pub array: *const S2TokenDataArray,
    /// Random numbers for the stages that draw, 0 <= u <= 1, in the order in which they need them.
    /// Those left over are not used.
    pub uniforms: *const f64,
    /// The allowed ids, as for s2_sampler_sample_ranges(). n_ranges 0: all are allowed.
    pub ranges: *const TokenRange,
    /// The allowed ids, in any order. n_allowed 0: all are allowed.
    pub allowed_ids: *const i32,
    /// The allowed ids, as `bitmask` of S2SampleRequest. n_bitmask 0: all are allowed.
    pub bitmask: *const i32,
    /// Ids that count as -inf, in any order.
    pub banned: *const i32,
    /// Where to write the best tokens of the row by rank, with raw probabilities: at most
    /// n_best_before, none at -inf.
    pub best_before: *mut TokenLogProb,
    /// Where to write the best candidates that the selecting stage saw, with final probabilities: at
    /// most n_best_after, none at -inf.
    pub best_after: *mut TokenLogProb,
    /// The number of logits. <= 0 is S2_ERROR_EMPTY_ROW, unless there is an array.
    pub vocab_size: i32,
    /// The number of uniforms. 0: the stages use their generators. >= 0, like all counts after it.
    pub n_uniforms: i32,
    /// The number of ranges.
    pub n_ranges: i32,
    /// The number of allowed ids.
    pub n_allowed: i32,
    /// The number of words of the bitmask.
    pub n_bitmask: i32,
    /// The number of banned ids.
    pub n_banned: i32,
    /// The room at `best_before`.
    pub n_best_before: i32,
    /// The room at `best_after`.
    pub n_best_after: i32,
    /// With S2_REQUEST_KEEP_ID: the id that stays a candidate whatever the stages drop.
    pub keep_id: i32,
    /// With S2_REQUEST_WATCH_ID: the id whose probabilities the result states.
    pub watched_id: i32,
    /// With S2_REQUEST_GROUP: the first id of the group.
    pub group_first: i32,
    /// The last id of the group.
    pub group_last: i32,
}

// SAFETY: `repr(C)`, begins with its size, numbers and pointers only. It is never written but by its init,
// with all bytes.
unsafe impl Versioned for S2ChainRequest {
    const FIRST_SIZE: usize = offset_of!(Self, group_last) + 4;
}

/// The result of a draw of a chain with options. Set struct_size before the draw, by hand or by
/// s2_chain_result_init(); the draw writes all other fields.
///
/// "Raw" is the probability in the softmax of the row, or array, as it was passed. "Penalised" is
/// that after the masks and the first stages of the chain, up to the first that is not off and none
/// of logit_bias, sequence_bias, min_tokens, bitmask, no_repeat_ngram, dry and the penalties.
/// "Final" is the probability with which the selecting stage selects the token; for greedy and
/// custom, that in the softmax of the candidates. All to about five digits; tokens at +inf share
/// theirs equally. Logarithms are natural; that of 0 is -inf.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2ChainResult {
    /// sizeof(S2ChainResult): see "Structs that may grow".
    pub struct_size: u32,
    /// The token, as returned, or in an array as it is: any number.
    pub token: i32,
    /// The number of candidates that the selecting stage saw, including those with logit -inf; for
    /// mirostat, mirostat_v2 and custom, that it left.
    pub candidates: i32,
    /// The words taken from the generators of the stages.
    pub words: u32,
    /// The number of the request's uniforms that were used.
    pub uniforms: i32,
    /// The number of NaN in the row or array, allowed or not.
    pub nans: i32,
    /// The number of +inf in the row or array, allowed or not.
    pub infinities: i32,
    /// The number of tokens written to `best_before`.
    pub n_best_before: i32,
    /// The number of tokens written to `best_after`.
    pub n_best_after: i32,
    /// The most probable id of the group, of equal logits the lower id. -1 if none is a candidate
    /// with a logit > -inf.
    pub group_best_id: i32,
    /// The token's raw probability.
    pub raw_probability: f64,
    /// Its logarithm.
    pub raw_log_probability: f64,
    /// The token's penalised probability.
    pub penalised_probability: f64,
    /// Its logarithm.
    pub penalised_log_probability: f64,
    /// The token's final probability.
    pub final_probability: f64,
    /// Its logarithm.
    pub final_log_probability: f64,
    /// The watched id's raw probability; this and the next five are 0, or -inf, without one.
    pub watched_raw_probability: f64,
    /// Its logarithm.
    pub watched_raw_log_probability: f64,
    /// The watched id's penalised probability.
    pub watched_penalised_probability: f64,
    /// Its logarithm.
    pub watched_penalised_log_probability: f64,
    /// The watched id's final probability; 0 also if it is no candidate.
    pub watched_final_probability: f64,
    /// Its logarithm.
    pub watched_final_log_probability: f64,
    /// The sum of the final probabilities of the group; 0 without one.
    pub group_probability: f64,
    /// The final probability of `group_best_id`.
    pub group_best_probability: f64,
}

// SAFETY: `repr(C)`, begins with its size, 10 words of 4 bytes and 14 of 8 without padding, numbers only.
unsafe impl Versioned for S2ChainResult {
    const FIRST_SIZE: usize = 10 * 4 + 14 * 8;
}

impl S2ChainRequest {
    const ZERO: Self = Self {
        struct_size: size_of::<Self>() as u32,
        flags: 0,
        logits: ptr::null(),
        array: ptr::null(),
        uniforms: ptr::null(),
        ranges: ptr::null(),
        allowed_ids: ptr::null(),
        bitmask: ptr::null(),
        banned: ptr::null(),
        best_before: ptr::null_mut(),
        best_after: ptr::null_mut(),
        vocab_size: 0,
        n_uniforms: 0,
        n_ranges: 0,
        n_allowed: 0,
        n_bitmask: 0,
        n_banned: 0,
        n_best_before: 0,
        n_best_after: 0,
        keep_id: 0,
        watched_id: 0,
        group_first: 0,
        group_last: 0,
    };

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The request as the library knows it.
    ///
    /// # Safety
    /// The pointers keep to the contract of `pointers`.
    unsafe fn checked<'c>(&self, call: &'c Call) -> Result<ChainRequest<'c>, Error> {
        if self.flags & !FLAGS != 0 {
            return Err(Error::BadArgument);
        }
        let of = if self.array.is_null() {
            ChainRequest::new(pointers::slice(call, self.logits, self.vocab_size)?)
        } else if self.vocab_size != 0 {
            return Err(Error::BadArgument);
        } else {
            let (tokens, sorted) = crate::chains::candidates(call, self.array)?;
            ChainRequest::of_tokens(tokens, sorted)
        };
        let group = TokenRange { first: self.group_first, last: self.group_last };
        Ok(ChainRequest {
            uniforms: pointers::counted(call, self.uniforms, self.n_uniforms)?,
            ranges: pointers::counted(call, self.ranges, self.n_ranges)?,
            allowed_ids: pointers::counted(call, self.allowed_ids, self.n_allowed)?,
            bitmask: pointers::counted(call, self.bitmask, self.n_bitmask)?,
            banned: pointers::counted(call, self.banned, self.n_banned)?,
            best_before: pointers::counted(call, self.best_before, self.n_best_before)?.len(),
            best_after: pointers::counted(call, self.best_after, self.n_best_after)?.len(),
            keep_id: self.has(S2_REQUEST_KEEP_ID).then_some(self.keep_id),
            watched_id: self.has(S2_REQUEST_WATCH_ID).then_some(self.watched_id),
            group: self.has(S2_REQUEST_GROUP).then_some(group),
            accept: !self.has(S2_REQUEST_NO_ACCEPT),
            ..of
        })
    }

    /// Draws, and writes the best tokens.
    ///
    /// # Safety
    /// As [`S2ChainRequest::checked`].
    unsafe fn draw(
        &self,
        chain: &mut Chain,
        request: &ChainRequest<'_>,
    ) -> Result<S2ChainResult, Error> {
        let all = chain.sample_request(request)?;
        pointers::write_all(self.best_before, chain.best_before());
        pointers::write_all(self.best_after, chain.best_after());
        let (token, watched) = (all.probability, all.watched);
        Ok(S2ChainResult {
            nans: count(all.nans),
            infinities: count(all.infinities),
            n_best_before: count(chain.best_before().len()),
            n_best_after: count(chain.best_after().len()),
            group_best_id: all.group.best.unwrap_or(-1),
            group_probability: all.group.p,
            group_best_probability: all.group.best_p,
            ..S2ChainResult::of(all.drawn, &token, &watched)
        })
    }
}

impl S2ChainResult {
    const ZERO: Self = Self {
        struct_size: size_of::<Self>() as u32,
        token: 0,
        candidates: 0,
        words: 0,
        uniforms: 0,
        nans: 0,
        infinities: 0,
        n_best_before: 0,
        n_best_after: 0,
        group_best_id: 0,
        raw_probability: 0.0,
        raw_log_probability: 0.0,
        penalised_probability: 0.0,
        penalised_log_probability: 0.0,
        final_probability: 0.0,
        final_log_probability: 0.0,
        watched_raw_probability: 0.0,
        watched_raw_log_probability: 0.0,
        watched_penalised_probability: 0.0,
        watched_penalised_log_probability: 0.0,
        watched_final_probability: 0.0,
        watched_final_log_probability: 0.0,
        group_probability: 0.0,
        group_best_probability: 0.0,
    };

    fn without_stats(drawn: ChainToken) -> Self {
        Self {
            token: drawn.token,
            candidates: count(drawn.candidates),
            words: drawn.rng_words,
            uniforms: count(drawn.uniforms),
            ..Self::ZERO
        }
    }

    fn of(drawn: ChainToken, token: &ChainProbability, watched: &ChainProbability) -> Self {
        Self {
            raw_probability: token.raw_p,
            raw_log_probability: token.raw_log_p,
            penalised_probability: token.penalised_p,
            penalised_log_probability: token.penalised_log_p,
            final_probability: token.final_p,
            final_log_probability: token.final_log_p,
            watched_raw_probability: watched.raw_p,
            watched_raw_log_probability: watched.raw_log_p,
            watched_penalised_probability: watched.penalised_p,
            watched_penalised_log_probability: watched.penalised_log_p,
            watched_final_probability: watched.final_p,
            watched_final_log_probability: watched.final_log_p,
            ..Self::without_stats(drawn)
        }
    }
}

/// Sets `request` to all zero but struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_request_init(request: *mut S2ChainRequest) {
    guard::status(|_| pointers::write(request, S2ChainRequest::ZERO));
}

/// Sets `result` to all zero but struct_size. Once is enough for many draws.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_result_init(result: *mut S2ChainResult) {
    guard::status(|_| pointers::write(result, S2ChainResult::ZERO));
}

/// Draws one token with a chain as a request says.
///
/// `request`: the row or the array, and the options. `result`: where to write the result, with
/// struct_size set. NULL is as S2_REQUEST_NO_STATS.
///
/// Returns the id of the token, or a status, and then nothing is written and nothing has changed,
/// as for s2_chain_sample(). S2_ERROR_BAD_ARGUMENT if a field is outside the range it states or
/// there are fewer uniforms than the stages need; S2_ERROR_EMPTY_ROW also if the masks allow no id,
/// bans aside; S2_ERROR_NO_CANDIDATE if nothing is above -inf when a stage selects. An id < 0 in an
/// array is returned as 0; `token` has it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_sample_ex(
    chain: *mut S2Chain,
    request: *const S2ChainRequest,
    result: *mut S2ChainResult,
) -> i32 {
    guard::change(chain, |chain, call| {
        let given = pointers::read_versioned(request, S2ChainRequest::ZERO)?;
        if !result.is_null() {
            pointers::check_version(result)?;
        }
        let request = given.checked(call)?;
        let drawn = if result.is_null() || given.has(S2_REQUEST_NO_STATS) {
            S2ChainResult::without_stats(chain.sample_request_token(&request)?)
        } else {
            given.draw(chain, &request)?
        };
        if !result.is_null() {
            pointers::write_versioned(result, drawn);
        }
        Ok(u32::try_from(drawn.token).unwrap_or(0))
    })
}
