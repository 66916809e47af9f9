//! The errors, with the status number that the C interface returns for each.

use core::ffi::CStr;
use core::fmt;

/// Why a call failed.
///
/// The discriminants are the C status codes. They are pinned: no number is ever changed or reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Error {
    /// A pointer that must not be NULL was NULL (C interface only).
    NullPointer = -1,
    /// An argument is outside its documented range.
    BadArgument = -2,
    /// The row has no tokens.
    EmptyRow = -3,
    /// Allocation failed; nothing changed.
    OutOfMemory = -4,
    /// A defect in the library.
    Internal = -5,
    /// The operating system gave no random bytes for a seed.
    NoEntropy = -6,
    /// No stage of the chain selects a token.
    NoSelection = -7,
    /// No allowed token has a logit above -inf.
    NoCandidate = -8,
    /// Another call is using the handle (C interface only).
    Busy = -9,
}

impl Error {
    /// All errors, in the order of their status numbers.
    pub const ALL: [Self; 9] = [
        Self::NullPointer,
        Self::BadArgument,
        Self::EmptyRow,
        Self::OutOfMemory,
        Self::Internal,
        Self::NoEntropy,
        Self::NoSelection,
        Self::NoCandidate,
        Self::Busy,
    ];

    /// The negative status number of the C interface.
    #[must_use]
    pub const fn status(self) -> i32 {
        self as i32
    }

    /// A short description, the text that `s2_status_string` returns.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self.c_message().to_str() {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    /// The same text as a C string.
    #[must_use]
    pub const fn c_message(self) -> &'static CStr {
        match self {
            Self::NullPointer => c"a required pointer is NULL",
            Self::BadArgument => c"an argument is out of range",
            Self::EmptyRow => c"the row has no tokens",
            Self::OutOfMemory => c"out of memory",
            Self::Internal => c"internal error",
            Self::NoEntropy => c"the system gave no randomness",
            Self::NoSelection => c"no stage of the chain selects a token",
            Self::NoCandidate => c"no allowed token has a logit above -inf",
            Self::Busy => c"another call is using the handle",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for Error {}
