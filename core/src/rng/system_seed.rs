//! A seed from the operating system, on a thread that may be about to be cancelled.
//!
//! `getrandom` is a cancellation point of the C library. A thread cancelled there is unwound by force,
//! which Rust's frames answer by ending the process. So cancellation waits while the seed is read; a
//! request that is pending takes effect at the next cancellation point of the caller.

use crate::Error;
use rand::TryRng as _;
use rand::rngs::SysRng;

/// A random 32-bit word.
pub(crate) fn system_seed() -> Result<u32, Error> {
    without_cancellation(|| SysRng.try_next_u32().map_err(|_| Error::NoEntropy))
}

#[cfg(any(
    all(target_os = "linux", any(target_env = "gnu", target_env = "musl")),
    target_vendor = "apple"
))]
#[expect(unsafe_code, reason = "the C library's cancellation state")]
fn without_cancellation<T>(read: impl FnOnce() -> T) -> T {
    use core::ffi::c_int;
    use core::ptr::null_mut;

    const DISABLE: c_int = if cfg!(target_vendor = "apple") { 0 } else { 1 };
    unsafe extern "C" {
        fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
    }
    let mut old = DISABLE;
    // SAFETY: `state` is one of the two values, and `old` points to a variable.
    let failed = unsafe { pthread_setcancelstate(DISABLE, &raw mut old) };
    let result = read();
    if failed == 0 {
        // SAFETY: `old` is the value that the call above wrote; the C library takes NULL for the second
        // parameter.
        unsafe { pthread_setcancelstate(old, null_mut()) };
    }
    result
}

/// Nothing to hold back: these systems have no cancellation, or none that unwinds.
#[cfg(not(any(
    all(target_os = "linux", any(target_env = "gnu", target_env = "musl")),
    target_vendor = "apple"
)))]
fn without_cancellation<T>(read: impl FnOnce() -> T) -> T {
    read()
}
