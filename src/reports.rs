//! Chapter "Reports": how to get one.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::S2Chain;
use crate::guard::{self, Call};
use crate::pointers;
use crate::report_layout::{Owned, S2Report};
use core::ptr;
use s2sampler_core::{Error, Report, SamplerParams, report_draw};

/// The default number of tokens of a report.
const DEFAULT_TOKENS: i32 = 64;

/// Reports what the stages of a chain would do to a row. Nothing is drawn, and the chain does not
/// change.
///
/// For diagnostics: it sorts the row several times and needs a few copies of it. It reports the
/// current state: tokens accepted so far count, and xtc acts if it would act in the next
/// s2_chain_sample(). A chain without a selecting stage is not an error here.
///
/// `logits`, `n`: the row; `n` <= 0 is S2_ERROR_EMPTY_ROW. `report`: receives the report of the
/// first 64 tokens by rank, which the caller frees with s2_report_free(); NULL if the call fails.
///
/// Returns 0 or a status.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_report(
    chain: *const S2Chain,
    logits: *const f32,
    n: i32,
    report: *mut *mut S2Report,
) -> i32 {
    s2_chain_report_first(chain, logits, n, DEFAULT_TOKENS, report)
}

/// As s2_chain_report() with `logits`, `n` and `report`, for another number of tokens.
///
/// `first`: the number of tokens, best ranks first; all if it is more than `n`. < 0 is
/// S2_ERROR_BAD_ARGUMENT.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_report_first(
    chain: *const S2Chain,
    logits: *const f32,
    n: i32,
    first: i32,
    report: *mut *mut S2Report,
) -> i32 {
    make(report, first, |call, first| {
        guard::read(call, chain, |chain| chain.report(pointers::slice(call, logits, n)?, first))
    })
}

/// Reports what s2_sample_token() and s2_sampler_sample() would do to a row. Nothing is drawn, and
/// no generator is used.
///
/// `logits`, `n`, `report`: as for s2_chain_report(). `params`: NULL means the defaults. The stages
/// of the report are s2, and dist with `parameters` "".
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_draw_report(
    logits: *const f32,
    n: i32,
    params: *const SamplerParams,
    report: *mut *mut S2Report,
) -> i32 {
    s2_draw_report_first(logits, n, params, DEFAULT_TOKENS, report)
}

/// As s2_draw_report() with `logits`, `n`, `params` and `report`, for `first` tokens as
/// s2_chain_report_first().
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_draw_report_first(
    logits: *const f32,
    n: i32,
    params: *const SamplerParams,
    first: i32,
    report: *mut *mut S2Report,
) -> i32 {
    make(report, first, |call, first| {
        report_draw(pointers::slice(call, logits, n)?, &pointers::params(params), first)
    })
}

/// Frees a report with everything that its pointers lead to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_report_free(report: *mut S2Report) {
    // Every report is the first field of an `Owned`, which `make` allocated.
    guard::value((), |_| pointers::drop_handle(report.cast::<Owned>()));
}

/// Puts a report at `to`, or NULL.
///
/// # Safety
/// `to` keeps to the contract of `pointers`.
unsafe fn make(
    to: *mut *mut S2Report,
    first: i32,
    report: impl FnOnce(&Call, usize) -> Result<Report, Error>,
) -> i32 {
    guard::status(|call| {
        pointers::write(to, ptr::null_mut())?;
        let first = usize::try_from(first).map_err(|_| Error::BadArgument)?;
        let owned = Owned::new(&report(call, first)?)?;
        pointers::write(to, pointers::into_handle(owned)?.cast::<S2Report>())
    })
}
