//! Chapter "Versions and diagnostics".

use crate::guard;
use core::ffi::{CStr, c_char};
use s2sampler_core::SimdLevel;

/// The major part of this header's version.
pub const S2_VERSION_MAJOR: i32 = 0;
/// The minor part.
pub const S2_VERSION_MINOR: i32 = 1;
/// The patch part.
pub const S2_VERSION_PATCH: i32 = 0;
/// The version as a number for #if, which grows with every release: major * 10000 + minor * 100 +
/// patch.
pub const S2_VERSION_NUMBER: i32 = 100;
/// The ABI that this header describes; s2_abi_version() returns the library's.
pub const S2_ABI_VERSION: u32 = 1;

/// The package's version, which cannot differ from Cargo.toml's.
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

// The header needs literals; these lines tie them to Cargo.toml. (S2_VERSION_STRING is text of
// include/manual.txt and is compared by tests/header.rs and c_tests/versions.c.)
const _: () = {
    assert!(S2_VERSION_MAJOR == parsed(env!("CARGO_PKG_VERSION_MAJOR")));
    assert!(S2_VERSION_MINOR == parsed(env!("CARGO_PKG_VERSION_MINOR")));
    assert!(S2_VERSION_PATCH == parsed(env!("CARGO_PKG_VERSION_PATCH")));
    assert!(
        S2_VERSION_NUMBER == S2_VERSION_MAJOR * 10_000 + S2_VERSION_MINOR * 100 + S2_VERSION_PATCH
    );
    assert!(S2_VERSION_MINOR < 100 && S2_VERSION_PATCH < 100);
};

const fn parsed(text: &str) -> i32 {
    match i32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => -1,
    }
}

/// Returns the version of the loaded library, such as "0.1.0", which may be newer than this header.
/// Static text, never NULL.
#[must_use]
#[expect(unsafe_code, reason = "an export")]
#[unsafe(no_mangle)]
pub extern "C" fn s2_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Returns the ABI of the loaded library, >= 1. It grows only when callers must recompile.
///
/// A program that loads the library at run time compares it once with S2_ABI_VERSION, and goes on
/// only if both are equal. A program that is linked against the SONAME need not: another ABI has
/// another SONAME.
#[must_use]
#[expect(unsafe_code, reason = "an export")]
#[unsafe(no_mangle)]
pub extern "C" fn s2_abi_version() -> u32 {
    S2_ABI_VERSION
}

/// Returns the SIMD level of this process's draws, for a log. Tokens are the same at every level;
/// only the time differs.
///
/// "baseline": the minimum of the platform that the library was built for, on x86-64 SSE2. "avx2":
/// AVX2, FMA, BMI1, BMI2 and POPCNT, on x86-64. "avx512": these and AVX-512F, on x86-64. "neon":
/// NEON, on 64-bit ARM. Later versions may add names. Static text, never NULL.
///
/// The library takes the best level of the CPU. The environment variable S2SAMPLER_SIMD may name
/// another; it is read once, at the first draw of the process or at the first call of this
/// function. A text that is not exactly one of the names, or names a level that this CPU or this
/// build does not have, is ignored: compare the result to know.
#[must_use]
#[expect(unsafe_code, reason = "an export")]
#[unsafe(no_mangle)]
pub extern "C" fn s2_simd_level() -> *const c_char {
    guard::value(SimdLevel::Baseline, |_| SimdLevel::in_use()).c_name().as_ptr()
}
