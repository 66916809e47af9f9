//! Chapter "Status codes".
#![allow(unsafe_code)]

use crate::Error;
use core::ffi::c_char;

/// A pointer that must not be NULL was NULL.
pub const S2_ERROR_NULL_POINTER: i32 = -1;
/// An argument is outside its documented range.
pub const S2_ERROR_BAD_ARGUMENT: i32 = -2;
/// The row has no tokens.
pub const S2_ERROR_EMPTY_ROW: i32 = -3;
/// Memory for the working buffers could not be had; the next call may succeed.
pub const S2_ERROR_OUT_OF_MEMORY: i32 = -4;
/// A defect in the library, caught at the boundary.
pub const S2_ERROR_INTERNAL: i32 = -5;
/// The operating system gave no randomness for a seed.
pub const S2_ERROR_NO_ENTROPY: i32 = -6;

/// A short English text for a status.
#[unsafe(no_mangle)]
pub extern "C" fn s2_status_string(status: i32) -> *const c_char {
    let text = match Error::ALL.iter().find(|error| error.status() == status) {
        Some(error) => error.c_message(),
        None if status >= 0 => c"success",
        None => c"unknown status",
    };
    text.as_ptr()
}
