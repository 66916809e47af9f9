//! Chapter "Several rows".
#![allow(unsafe_code)]

use crate::sampler::{S2Sampler, s2_sampler_sample};
use crate::{guard, pointers};
use s2sampler_core::{Error, SamplerParams};

/// Draws one token from each of several rows, each with its own generator.
///
/// For the heads of several codebooks, for requests that are served together, and for the rows of a
/// draft. Each row's token is the one that s2_sampler_sample() would give alone; the rows are drawn
/// one after the other, from the first to the last.
///
/// Parameters:
///
/// - `samplers`: a handle for each row. The same handle may stand there several times: its rows
///   then use its stream in their order. A NULL among them is the status of that row.
/// - `logits`: where the first row begins; as for s2_sample_token().
/// - `rows`: the number of rows. Zero or less is nothing to do: the result is 0, and nothing is
///   looked at.
/// - `row_stride`: from the beginning of a row to the next one's, counted in floats, not bytes. Any
///   value: `vocab_size` for rows without a gap, more where they are padded, 0 where all draw from
///   the same row, negative where they lie backwards.
/// - `vocab_size`: the number of logits in each row.
/// - `params`: one for all rows, or one for each; as for s2_sample_token(). NULL means the defaults
///   for all, whatever `n_params` is.
/// - `n_params`: how many there are at `params`: 1, or as many as `rows`.
/// - `tokens`: where to write, for each row, its token or its status.
///
/// Returns: 0 if every row has a token. Otherwise a status:
///
/// - S2_ERROR_NULL_POINTER: `samplers`, `logits` or `tokens` is NULL; nothing was written.
/// - S2_ERROR_BAD_ARGUMENT: `n_params` is neither 1 nor `rows`; nothing was written.
/// - that of the first row that has none, see s2_sampler_sample(); the other rows were drawn all the
///   same. The first two statuses can be such a row's too.
///
/// Randomness: two words, or none, of a row's generator for each row; see "Random words used per
/// call". Threads: one at a time with each of the handles. Memory: as s2_sampler_sample(), for each
/// handle.
///
/// Since: 0.1.0
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
    guard::value(Error::Internal.status(), || {
        let count = match usize::try_from(rows) {
            Ok(count) if count > 0 => count,
            _ => return 0,
        };
        if samplers.is_null() || logits.is_null() || tokens.is_null() {
            return Error::NullPointer.status();
        }
        let one_each = !params.is_null() && n_params == rows;
        if !params.is_null() && n_params != 1 && !one_each {
            return Error::BadArgument.status();
        }
        let mut status = 0;
        for i in 0..count {
            let row = logits.wrapping_offset(row_stride.wrapping_mul(i as isize));
            let params = if one_each { params.wrapping_add(i) } else { params };
            // SAFETY: the caller keeps the header's promise about all of these, for each row.
            let token = unsafe {
                let sampler = pointers::get(samplers.wrapping_add(i));
                let token = s2_sampler_sample(sampler, row, vocab_size, params);
                pointers::put(tokens.wrapping_add(i), token);
                token
            };
            if status == 0 {
                status = token.min(0);
            }
        }
        status
    })
}
