//! Chapter "Version".
#![allow(unsafe_code)]

use core::ffi::c_char;

/// Major version of the header.
pub const S2_VERSION_MAJOR: i32 = 0;
/// Minor version of the header.
pub const S2_VERSION_MINOR: i32 = 1;
/// Patch version of the header.
pub const S2_VERSION_PATCH: i32 = 0;
/// The version as one number: major * 10000 + minor * 100 + patch.
pub const S2_VERSION_NUMBER: i32 = 100;
/// The ABI of the header.
pub const S2_ABI_VERSION: u32 = 1;

/// The library's version.
#[unsafe(no_mangle)]
pub extern "C" fn s2_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The library's ABI version.
#[unsafe(no_mangle)]
pub extern "C" fn s2_abi_version() -> u32 {
    S2_ABI_VERSION
}
