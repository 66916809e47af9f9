//! Page one and the last chapter: the statuses.

use crate::guard;
use core::cell::Cell;
use core::ffi::{CStr, c_char};
use s2sampler_core::Error;

/// A pointer that must not be NULL is NULL. Nothing changed.
pub const S2_ERROR_NULL_POINTER: i32 = -1;
/// An argument is outside the range that its function states. Nothing changed.
pub const S2_ERROR_BAD_ARGUMENT: i32 = -2;
/// The row has no tokens, or none that is allowed. Never from s2_sample_token(): an empty row is
/// token 0 there.
pub const S2_ERROR_EMPTY_ROW: i32 = -3;
/// An allocation failed. A later call may succeed.
pub const S2_ERROR_OUT_OF_MEMORY: i32 = -4;
/// A defect of the library, caught at its boundary; please report it. It spoils the handle: every
/// later call with it returns this status, until it is freed.
pub const S2_ERROR_INTERNAL: i32 = -5;
/// The operating system gave no randomness for a seed. Give a seed to go on.
pub const S2_ERROR_NO_ENTROPY: i32 = -6;
/// No stage of the chain selects a token. Nothing changed.
pub const S2_ERROR_NO_SELECTION: i32 = -7;
/// No allowed token has a logit above -inf. No random word was used and nothing changed, except for
/// the array of s2_chain_apply(). Never from s2_sample_token(): such a row is token 0 there.
pub const S2_ERROR_NO_CANDIDATE: i32 = -8;
/// Another call, of another thread or interrupted by this signal handler, is using the handle.
/// Nothing changed.
pub const S2_ERROR_BUSY: i32 = -9;

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

// The numbers above are the header's, those of `Error` the library's. They agree, by name and value.
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

thread_local! {
    // No destructor: usable while the thread ends, and nothing to register.
    static NEW_STATUS: Cell<i32> = const { Cell::new(0) };
}

/// Records why a call made a handle, or did not.
pub(crate) fn set_new(error: Option<Error>) {
    NEW_STATUS.set(error.map_or(0, Error::status));
}

/// Returns a short English text for `status`, for a log.
///
/// A `status` of zero or more gives "success", an unknown negative number "unknown status". The
/// text is static and never NULL. Compare the number, not the text: the wording may change in any
/// release.
#[must_use]
#[expect(unsafe_code, reason = "an export")]
#[unsafe(no_mangle)]
pub extern "C" fn s2_status_string(status: i32) -> *const c_char {
    guard::value(UNKNOWN, |_| text(status)).as_ptr()
}

/// Returns why the calling thread's last s2_*_new*() or s2_*_clone() returned NULL.
///
/// 0 if it returned a handle, or if the thread made none yet; otherwise the status:
/// S2_ERROR_NULL_POINTER, S2_ERROR_BAD_ARGUMENT, S2_ERROR_OUT_OF_MEMORY, S2_ERROR_NO_ENTROPY,
/// S2_ERROR_BUSY, S2_ERROR_INTERNAL. Every such call sets it; no other call does.
#[must_use]
#[expect(unsafe_code, reason = "an export")]
#[unsafe(no_mangle)]
pub extern "C" fn s2_new_status() -> i32 {
    NEW_STATUS.get()
}

const UNKNOWN: &CStr = c"unknown status";

fn text(status: i32) -> &'static CStr {
    match Error::ALL.iter().find(|error| error.status() == status) {
        Some(error) => error.c_message(),
        None if status >= 0 => c"success",
        None => UNKNOWN,
    }
}
