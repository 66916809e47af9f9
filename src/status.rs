//! Chapter "Status codes".
#![allow(unsafe_code)]

use crate::guard;
use core::ffi::{CStr, c_char};
use s2sampler_core::Error;

/// Status: a pointer that must not be NULL was NULL. Nothing was done. Since: 0.1.0
pub const S2_ERROR_NULL_POINTER: i32 = -1;
/// Status: an argument is outside the range its function states. Nothing was done. Since: 0.1.0
pub const S2_ERROR_BAD_ARGUMENT: i32 = -2;
/// Status: the row has no tokens, or none that is allowed. s2_sample_token() never returns it, since
/// an empty row is token 0 there. Since: 0.1.0
pub const S2_ERROR_EMPTY_ROW: i32 = -3;
/// Status: working memory could not be had. No random word was used and nothing changed, unless the
/// function says otherwise; a later call may succeed. Since: 0.1.0
pub const S2_ERROR_OUT_OF_MEMORY: i32 = -4;
/// Status: a defect of the library, caught at its boundary; please report it. Since: 0.1.0
pub const S2_ERROR_INTERNAL: i32 = -5;
/// Status: the operating system gave no randomness for a seed. Seed explicitly to go on.
/// Since: 0.1.0
pub const S2_ERROR_NO_ENTROPY: i32 = -6;
/// Status: no stage of the chain selects a token, so none can be drawn; nothing changed. Since: 0.1.0
pub const S2_ERROR_NO_SELECTION: i32 = -7;
/// No candidate is above -inf.
pub const S2_ERROR_NO_CANDIDATE: i32 = -8;
/// Another call is using the handle.
pub const S2_ERROR_BUSY: i32 = -9;

/// The numbers above in the order of [`Error::ALL`]: the header's macros are literals, the errors an
/// enum, and neither may move without the other.
const IN_ORDER: [i32; Error::ALL.len()] = [
    S2_ERROR_NULL_POINTER,
    S2_ERROR_BAD_ARGUMENT,
    S2_ERROR_EMPTY_ROW,
    S2_ERROR_OUT_OF_MEMORY,
    S2_ERROR_INTERNAL,
    S2_ERROR_NO_ENTROPY,
    S2_ERROR_NO_SELECTION,
    S2_ERROR_NO_CANDIDATE,
    S2_ERROR_BUSY,
];

const _: () = {
    assert!(matches!(Error::ALL[0], Error::NullPointer));
    assert!(matches!(Error::ALL[1], Error::BadArgument));
    assert!(matches!(Error::ALL[2], Error::EmptyRow));
    assert!(matches!(Error::ALL[3], Error::OutOfMemory));
    assert!(matches!(Error::ALL[4], Error::Internal));
    assert!(matches!(Error::ALL[5], Error::NoEntropy));
    assert!(matches!(Error::ALL[6], Error::NoSelection));
    assert!(matches!(Error::ALL[7], Error::NoCandidate));
    assert!(matches!(Error::ALL[8], Error::Busy));
    let mut i = 0;
    while i < IN_ORDER.len() {
        assert!(IN_ORDER[i] == Error::ALL[i].status());
        i += 1;
    }
};

/// Says in English what a status means, for a log.
///
/// Parameters:
///
/// - `status`: what a function of this library returned. Every value is allowed: zero or more (a
///   token, no error) gives "success", a negative number that is no status of this library gives
///   "unknown status".
///
/// Returns: a static text that ends with NUL; never NULL, never to be freed or written. Compare the
/// number, not the text: the wording may change in any release.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_status_string(status: i32) -> *const c_char {
    guard::value(UNKNOWN, || text(status)).as_ptr()
}

const UNKNOWN: &CStr = c"unknown status";

fn text(status: i32) -> &'static CStr {
    match Error::ALL.iter().find(|error| error.status() == status) {
        Some(error) => error.c_message(),
        None if status >= 0 => c"success",
        None => UNKNOWN,
    }
}
