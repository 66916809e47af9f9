//! Chapter "Version and diagnostics".
#![allow(unsafe_code)]

use crate::guard;
use core::ffi::{CStr, c_char};
use s2sampler_core::SimdLevel;

/// Major part of the version of this header.
pub const S2_VERSION_MAJOR: i32 = 0;
/// Minor part of the version of this header.
pub const S2_VERSION_MINOR: i32 = 1;
/// Patch part of the version of this header.
pub const S2_VERSION_PATCH: i32 = 0;
/// The version of this header as one number that grows with every release and can be compared in
/// an #if: major * 10000 + minor * 100 + patch.
pub const S2_VERSION_NUMBER: i32 = 100;
/// The ABI this header describes; s2_abi_version() tells the library's.
pub const S2_ABI_VERSION: u32 = 1;

/// The package's version, which cannot differ from Cargo.toml's.
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

// The header needs literals; these lines tie them to Cargo.toml. (S2_VERSION_STRING is text of
// cbindgen.toml and is compared by tests/repository/header.rs and c_tests/versions.c.)
const _: () = {
    assert!(S2_VERSION_MAJOR == number(env!("CARGO_PKG_VERSION_MAJOR")));
    assert!(S2_VERSION_MINOR == number(env!("CARGO_PKG_VERSION_MINOR")));
    assert!(S2_VERSION_PATCH == number(env!("CARGO_PKG_VERSION_PATCH")));
    assert!(
        S2_VERSION_NUMBER == S2_VERSION_MAJOR * 10_000 + S2_VERSION_MINOR * 100 + S2_VERSION_PATCH
    );
    assert!(S2_VERSION_MINOR < 100 && S2_VERSION_PATCH < 100);
};

const fn number(text: &str) -> i32 {
    match i32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => -1,
    }
}

/// Tells the version of the library that is loaded, which may be newer than this header.
///
/// Parameters: none.
///
/// Returns: a static text such as "0.1.0", equal to S2_VERSION_STRING if header and library are of
/// one release; never NULL, never to be freed or written.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_version() -> *const c_char {
    guard::value(VERSION, || VERSION).as_ptr()
}

/// Tells which ABI the loaded library has.
///
/// A program that loads the library at run time compares the result with S2_ABI_VERSION once and
/// goes on only if the two are equal. A program that is linked against the SONAME need not: another
/// ABI has another SONAME.
///
/// Parameters: none.
///
/// Returns: the number of the ABI, 1 or more. It grows only when callers must recompile.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_abi_version() -> u32 {
    guard::value(S2_ABI_VERSION, || S2_ABI_VERSION)
}

/// Tells which vector unit the draws of this process use, for a log.
///
/// The tokens are the same with each of them; only the time differs. The library takes the best it
/// has for this CPU. The environment variable S2SAMPLER_SIMD may name another: it is read once, at
/// the first draw of the process or at the first call of this function, whichever comes first, and
/// what was chosen then stays. A text that is none of the names below, letter for letter, or names
/// what this CPU or this build lacks, is ignored as if the variable were not set; compare the
/// result to know.
///
/// Parameters: none.
///
/// Returns: a static text, never NULL, never to be freed or written. The names so far; later
/// versions may add some:
///
/// - "baseline": the minimum of the platform that the library was built for, on x86-64 SSE2.
/// - "avx2": AVX2 and FMA, on x86-64.
/// - "avx512": AVX-512F, on x86-64.
/// - "neon": NEON, on 64-bit ARM.
///
/// Randomness: none. Threads: any, at any time; for the environment see "The generator, threads
/// and fork". Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_simd_level() -> *const c_char {
    guard::value(SimdLevel::Baseline, SimdLevel::in_use).c_name().as_ptr()
}
