//! Whether this process is a fork of the one that seeded a generator.
//!
//! The C library runs a hook in the child of every fork, and the hook counts the fork. So the check
//! costs a draw one load; comparing process ids would cost a system call.

use core::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks counted in this process and its ancestors.
pub(super) fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Registers the hook once. Must run before the system gives a seed. Does nothing on systems without fork.
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
            // If registering fails, for lack of memory, children continue their parent's stream.
            #[expect(unsafe_code, reason = "the C library's fork hook")]
            // SAFETY: `count_fork` only adds to an atomic, which is safe in the child of a fork.
            let failed = unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
            WATCHED.store(failed == 0, Ordering::Release);
        }
    }
}
