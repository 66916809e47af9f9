//! Chapter "Draws with a chain".
#![allow(unsafe_code)]

use crate::chain::S2Chain;
use crate::{guard, pointers};
use core::mem::offset_of;
use s2sampler_core::{Error, TokenData};

/// Candidates in memory of the caller's, for s2_chain_apply().
///
/// The layout of llama.cpp's `llama_token_data_array`: a pointer to one can be passed as a pointer to
/// the other. Since: 0.1.0
#[repr(C)]
pub struct S2TokenDataArray {
    /// The candidates, aligned like an `int32_t`. Ids may be any numbers, and stand there twice.
    pub data: *mut TokenData,
    /// How many there are, from 1 to 2147483647; after the call, how many are left.
    pub size: usize,
    /// Written: the index of the one that was selected, -1 if no stage of the chain selects.
    pub selected: i64,
    /// Whether they are sorted: logit falling, equal logits by rising id. That is checked, so a wrong
    /// true does no harm. Written too.
    pub sorted: bool,
}

/// As [`S2TokenDataArray`], for callers that have something else than 0 or 1 in a bool.
#[repr(C)]
#[derive(Clone, Copy)]
struct Array {
    data: *mut TokenData,
    size: usize,
    selected: i64,
    sorted: u8,
}

const _: () = {
    assert!(size_of::<Array>() == size_of::<S2TokenDataArray>());
    assert!(offset_of!(Array, selected) == offset_of!(S2TokenDataArray, selected));
    assert!(offset_of!(Array, sorted) == offset_of!(S2TokenDataArray, sorted));
};

/// Draws one token from a row of logits: applies the stages to it, and accepts the token selected.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `logits`: as for s2_sample_token(). NULL is an error unless `n` is zero or less.
/// - `n`: the number of logits, at most 2147483647.
///
/// Returns: the id of the token, from 0 to `n` - 1. If the value is negative it is a status, and nothing
/// changed:
///
/// - S2_ERROR_NULL_POINTER: `chain` is NULL, or `logits` is and `n` is positive.
/// - S2_ERROR_BAD_ARGUMENT: `logits` is not aligned like a `float`.
/// - S2_ERROR_EMPTY_ROW: `n` is zero or less.
/// - S2_ERROR_NO_SELECTION: no stage of the chain selects.
/// - S2_ERROR_OUT_OF_MEMORY: memory could not be had; a later call may succeed.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: what the stages use, each of its own generator; see "A chain of stages". Threads: one at
/// a time with `chain`; any number with handles of their own. Memory: working memory of the handle, kept
/// until it is freed; see "Memory". Histories without a limit grow with each token.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_sample(chain: *mut S2Chain, logits: *const f32, n: i32) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `chain`.
        let chain = unsafe { pointers::handle(chain) }?;
        // SAFETY: the caller keeps the header's promise about `logits` and `n`.
        chain.0.sample(unsafe { pointers::row(logits, n) }?)
    })
}

/// Draws one token from each of several rows, each with its own chain.
///
/// Each row's token is the one that s2_chain_sample() would give alone; the rows are drawn one after the
/// other, from the first to the last.
///
/// Parameters:
///
/// - `chains`: a handle for each row. The same handle may stand there several times: its rows are then
///   drawn in their order, each with the tokens before accepted. A NULL among them is the status of that
///   row.
/// - `logits`: where the first row begins; as for s2_sample_token().
/// - `rows`: the number of rows. Zero or less is nothing to do: the result is 0, and nothing is
///   looked at.
/// - `row_stride`: from the beginning of a row to the next one's, counted in floats, not bytes. Any
///   value, as for s2_sampler_sample_rows().
/// - `n`: the number of logits in each row.
/// - `tokens`: where to write, for each row, its token or its status.
///
/// Returns: 0 if every row has a token. Otherwise a status:
///
/// - S2_ERROR_NULL_POINTER: `chains`, `logits` or `tokens` is NULL; nothing was written.
/// - that of the first row that has none, see s2_chain_sample(); the other rows were drawn all the same.
///   The status above can be such a row's too.
///
/// Randomness: as s2_chain_sample(), for each row. Threads: one at a time with each of the handles.
/// Memory: as s2_chain_sample(), for each handle.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_batch_sample(
    chains: *const *mut S2Chain,
    logits: *const f32,
    rows: i32,
    row_stride: isize,
    n: i32,
    tokens: *mut i32,
) -> i32 {
    guard::value(Error::Internal.status(), || {
        let count = match usize::try_from(rows) {
            Ok(count) if count > 0 => count,
            _ => return 0,
        };
        if chains.is_null() || logits.is_null() || tokens.is_null() {
            return Error::NullPointer.status();
        }
        (0..count).fold(0, |status, i| {
            let row = logits.wrapping_offset(row_stride.wrapping_mul(i as isize));
            // SAFETY: the caller keeps the header's promise about all of these, for each row.
            let token = unsafe {
                let token = s2_chain_sample(pointers::get(chains.wrapping_add(i)), row, n);
                pointers::put(tokens.wrapping_add(i), token);
                token
            };
            if status == 0 { token.min(0) } else { status }
        })
    })
}

/// Applies the stages to an array of candidates. Nothing is accepted: s2_chain_accept() does that.
///
/// The candidates left are moved to the front of the array, with their logits as the stages made them.
/// Probabilities are written by stages that compute some, and stay what they were otherwise; what was
/// there before is not looked at. A NaN logit becomes -inf.
///
/// Parameters:
///
/// - `chain`: the handle. Without a stage that selects it is fine here.
/// - `array`: the candidates; `size`, `selected` and `sorted` are written. Any alignment.
///
/// Returns: 0, or a status:
///
/// - S2_ERROR_NULL_POINTER: `chain`, `array` or its `data` is NULL. Nothing changed.
/// - S2_ERROR_BAD_ARGUMENT: `size` is above 2147483647, or `data` is not aligned. Nothing changed.
/// - S2_ERROR_EMPTY_ROW: `size` is 0, whatever `data` is. `selected` is -1 now; nothing else changed.
/// - S2_ERROR_OUT_OF_MEMORY: memory could not be had. The candidates are not those of before, if stages
///   had changed some: fill the array anew. No random word was used.
/// - S2_ERROR_INTERNAL: a defect of the library; as S2_ERROR_OUT_OF_MEMORY.
///
/// Randomness: as s2_chain_sample(). Threads: one at a time with `chain`, and with `array`. Memory:
/// working memory of the handle; the array is the caller's.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_apply(chain: *mut S2Chain, array: *mut S2TokenDataArray) -> i32 {
    guard::status(|| {
        // SAFETY: the caller keeps the header's promise about `chain`.
        let chain = unsafe { pointers::handle(chain) }?;
        let place = array.cast::<Array>();
        // SAFETY: the caller keeps the header's promise about `array`; any byte is a `u8`.
        let mut array = unsafe { pointers::taken(place) }?;
        // SAFETY: the caller keeps the header's promise about `data` and `size`.
        let tokens = unsafe { pointers::changed(array.data, array.size) }?;
        let applied = if tokens.is_empty() {
            array.selected = -1;
            Err(Error::EmptyRow)
        } else {
            chain.0.apply(tokens, array.sorted != 0).map(|applied| {
                array.size = applied.len;
                array.selected = applied.selected.map_or(-1, |selected| selected as i64);
                array.sorted = u8::from(applied.sorted);
            })
        };
        // SAFETY: not NULL, as was found above; writable by the header's promise.
        unsafe { pointers::put(place, array) };
        applied
    })
}

/// Tells the stages that a token was drawn, elsewhere or by s2_chain_apply(), or stands in the prompt.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `token`: its id; any number.
///
/// Returns: 0, or a status, and then no stage took the token in:
///
/// - S2_ERROR_NULL_POINTER: `chain` is NULL.
/// - S2_ERROR_OUT_OF_MEMORY: a history could not grow.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: histories without a limit grow.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_accept(chain: *mut S2Chain, token: i32) -> i32 {
    guard::status(|| {
        // SAFETY: the caller keeps the header's promise about `chain`.
        unsafe { pointers::handle(chain) }?.0.accept(token)
    })
}
