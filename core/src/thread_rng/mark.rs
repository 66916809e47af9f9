//! A number for each thread, in a slot of the system without a destructor.
#![allow(unsafe_code, reason = "the system's thread-local slots")]

use core::sync::atomic::{AtomicUsize, Ordering};

/// The thread has not drawn.
pub(super) const NONE: usize = 0;
/// The thread has drawn. Larger numbers are tickets.
pub(super) const ALIVE: usize = 1;

pub(super) fn get() -> usize {
    slot().map_or(NONE, system::get)
}

pub(super) fn set(mark: usize) {
    if let Some(slot) = slot() {
        system::set(slot, mark);
    }
}

/// The process's slot, made at the first use; none if the system has no more.
fn slot() -> Option<usize> {
    // The slot plus one.
    static SLOT: AtomicUsize = AtomicUsize::new(0);
    if let Some(slot) = SLOT.load(Ordering::Relaxed).checked_sub(1) {
        return Some(slot);
    }
    let made = system::make()?;
    match SLOT.compare_exchange(0, made + 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Some(made),
        Err(first) => {
            system::free(made);
            first.checked_sub(1)
        }
    }
}

#[cfg(unix)]
mod system {
    use core::ptr::without_provenance;
    use libc::pthread_key_t;

    pub(super) fn make() -> Option<usize> {
        let mut key = 0;
        // SAFETY: `key` is a variable; there is no destructor.
        let failed = unsafe { libc::pthread_key_create(&raw mut key, None) };
        (failed == 0).then_some(key as usize)
    }

    pub(super) fn free(slot: usize) {
        // SAFETY: a key of `make`, which no thread has used.
        unsafe { libc::pthread_key_delete(slot as pthread_key_t) };
    }

    pub(super) fn get(slot: usize) -> usize {
        // SAFETY: a key of `make`.
        unsafe { libc::pthread_getspecific(slot as pthread_key_t) }.addr()
    }

    pub(super) fn set(slot: usize, mark: usize) {
        // SAFETY: a key of `make`; nothing reads the number as an address.
        unsafe { libc::pthread_setspecific(slot as pthread_key_t, without_provenance(mark)) };
    }
}

#[cfg(windows)]
mod system {
    use core::ffi::c_void;
    use core::ptr::without_provenance;

    const TLS_OUT_OF_INDEXES: u32 = u32::MAX;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn TlsAlloc() -> u32;
        fn TlsFree(index: u32) -> i32;
        fn TlsGetValue(index: u32) -> *const c_void;
        fn TlsSetValue(index: u32, value: *const c_void) -> i32;
    }

    pub(super) fn make() -> Option<usize> {
        // SAFETY: it has no preconditions.
        let index = unsafe { TlsAlloc() };
        (index != TLS_OUT_OF_INDEXES).then_some(index as usize)
    }

    pub(super) fn free(slot: usize) {
        // SAFETY: an index of `make`, which no thread has used.
        unsafe { TlsFree(slot as u32) };
    }

    pub(super) fn get(slot: usize) -> usize {
        // SAFETY: an index of `make`.
        unsafe { TlsGetValue(slot as u32) }.addr()
    }

    pub(super) fn set(slot: usize, mark: usize) {
        // SAFETY: an index of `make`; nothing reads the number as an address.
        unsafe { TlsSetValue(slot as u32, without_provenance(mark)) };
    }
}
