//! Whether this process is a fork of the one that seeded a generator.
//!
//! The C library runs a hook in the child of every fork, which counts; so a draw costs one load, where
//! asking for the process id would cost a system call.

use core::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the process that counts them first and this one.
pub(super) fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Arranges once for the children of this process to count their fork. Must run before a seed is taken
/// from the system; where there is no fork it does nothing.
pub(super) fn watch() {
    #[cfg(unix)]
    {
        use core::sync::atomic::AtomicBool;

        extern "C" fn count_fork() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        // Not a `Once`: forking while it is held would deadlock the child. Registering twice is harmless:
        // the fork is counted twice.
        static WATCHED: AtomicBool = AtomicBool::new(false);
        if !WATCHED.load(Ordering::Acquire) {
            // If registering fails for lack of memory, children continue their parent's stream.
            #[expect(unsafe_code, reason = "the hook of the C library")]
            // SAFETY: `count_fork` only adds to an atomic number, which is allowed after a fork.
            let failed = unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
            WATCHED.store(failed == 0, Ordering::Release);
        }
    }
}
