//! Chapter "A report": how to get one.
#![allow(unsafe_code)]

use crate::chain::S2Chain;
use crate::report_structs::{Owned, S2Report};
use crate::{guard, pointers};
use core::ptr;
use s2sampler_core::{Error, Report, SamplerParams, report_draw};

/// How many tokens a report tells of where nothing else is said.
const FIRST: i32 = 64;

/// Tells what the stages of a chain would do to a row: nothing is drawn, and the chain does not change.
///
/// For eyes and not for every token: it sorts the row some times. The state told of is the present
/// one, with what was accepted so far; xtc acts or not as it would in the next s2_chain_sample().
///
/// Parameters:
///
/// - `chain`: the handle. NULL is S2_ERROR_NULL_POINTER.
/// - `logits`: the row, as for s2_sample_token(). NULL is S2_ERROR_NULL_POINTER unless `n` is zero or less,
///   one not aligned like a `float` S2_ERROR_BAD_ARGUMENT.
/// - `n`: the number of logits. Zero or less is S2_ERROR_EMPTY_ROW.
/// - `report`: where to put the report, which the caller frees with s2_report_free(); NULL is put
///   there if there is none. NULL is S2_ERROR_NULL_POINTER. The first 64 tokens by rank are told of.
///
/// Returns: 0, or the status of an error: those above, S2_ERROR_OUT_OF_MEMORY, and S2_ERROR_INTERNAL. A
/// chain that does not select is none.
///
/// Randomness: none. Threads: no call that changes `chain` at the same time. Memory: a few copies of the
/// row until it returns, and the report.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_report(
    chain: *const S2Chain,
    logits: *const f32,
    n: i32,
    report: *mut *mut S2Report,
) -> i32 {
    // SAFETY: the contract is the same.
    unsafe { s2_chain_report_first(chain, logits, n, FIRST, report) }
}

/// As s2_chain_report(), for as many tokens as the caller says.
///
/// Parameters:
///
/// - `chain`: as for s2_chain_report().
/// - `logits`: as for s2_chain_report().
/// - `n`: as for s2_chain_report().
/// - `first`: how many tokens to tell of, the first by rank; all if there are fewer. Below 0 is
///   S2_ERROR_BAD_ARGUMENT.
/// - `report`: as for s2_chain_report().
///
/// Returns: 0 or a status, as s2_chain_report().
///
/// Randomness: none. Threads: as s2_chain_report(). Memory: as s2_chain_report().
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_report_first(
    chain: *const S2Chain,
    logits: *const f32,
    n: i32,
    first: i32,
    report: *mut *mut S2Report,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `report`.
    unsafe {
        give(report, first, |first| {
            // SAFETY: the caller keeps the header's promise about `chain`.
            let chain = pointers::view(chain)?;
            // SAFETY: the caller keeps the header's promise about `logits`.
            chain.0.report(pointers::row(logits, n)?, first)
        })
    }
}

/// Tells what s2_sample_token() and s2_sampler_sample() would do to a row: nothing is drawn, and no
/// generator is used.
///
/// The report is that of a chain with the stage s2, and dist after it, whose `parameters` are "".
///
/// Parameters:
///
/// - `logits`: as for s2_chain_report().
/// - `n`: as for s2_chain_report().
/// - `params`: temperature, top_p and top_k, every bit pattern allowed; NULL for the defaults.
/// - `report`: as for s2_chain_report().
///
/// Returns: 0 or a status, as s2_chain_report().
///
/// Randomness: none. Threads: any, at any time. Memory: as s2_chain_report().
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_draw_report(
    logits: *const f32,
    n: i32,
    params: *const SamplerParams,
    report: *mut *mut S2Report,
) -> i32 {
    // SAFETY: the contract is the same.
    unsafe { s2_draw_report_first(logits, n, params, FIRST, report) }
}

/// As s2_draw_report(), for as many tokens as the caller says.
///
/// Parameters:
///
/// - `logits`: as for s2_chain_report().
/// - `n`: as for s2_chain_report().
/// - `params`: as for s2_draw_report().
/// - `first`: as for s2_chain_report_first().
/// - `report`: as for s2_chain_report().
///
/// Returns: 0 or a status, as s2_chain_report().
///
/// Randomness: none. Threads: any, at any time. Memory: as s2_chain_report().
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_draw_report_first(
    logits: *const f32,
    n: i32,
    params: *const SamplerParams,
    first: i32,
    report: *mut *mut S2Report,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `report`.
    unsafe {
        give(report, first, |first| {
            // SAFETY: the caller keeps the header's promise about `params`.
            let params = pointers::params(params);
            // SAFETY: the caller keeps the header's promise about `logits`.
            report_draw(pointers::row(logits, n)?, &params, first)
        })
    }
}

/// Ends a report, with all that it leads to.
///
/// Parameters:
///
/// - `report`: the report, which is not valid any more after the call. NULL is fine and does nothing.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: none. Threads: nobody may read `report` at the same time or later. Memory: released.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_report_free(report: *mut S2Report) {
    // SAFETY: the caller keeps the header's promise about `report`, which `give` made of an `Owned`.
    guard::value((), || unsafe { pointers::free(report.cast::<Owned>()) });
}

/// Puts a report to `to`, or NULL.
///
/// # Safety
/// `to` is NULL or points to a pointer that may be written.
unsafe fn give(
    to: *mut *mut S2Report,
    first: i32,
    make: impl FnOnce(usize) -> Result<Report, Error>,
) -> i32 {
    guard::status(|| {
        if to.is_null() {
            return Err(Error::NullPointer);
        }
        // SAFETY: not NULL, writable by this function's contract.
        unsafe { pointers::put(to, ptr::null_mut()) };
        let first = usize::try_from(first).map_err(|_| Error::BadArgument)?;
        let made = pointers::give(Ok(Owned::new(&make(first)?)?));
        if made.is_null() {
            return Err(Error::OutOfMemory);
        }
        // SAFETY: as above. The report is the first field of what was made.
        unsafe { pointers::put(to, made.cast::<S2Report>()) };
        Ok(())
    })
}
