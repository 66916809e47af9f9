//! Has the system tell the generators of a fork.
#![allow(unsafe_code)]

/// Arranges once for the children of this process to count the fork. Called before a seed may be taken
/// from the system; where there is no fork it does nothing.
pub(super) fn watch() {
    #[cfg(unix)]
    {
        use crate::rng::fork::forked;
        use core::sync::atomic::{AtomicBool, Ordering};

        extern "C" fn child() {
            forked();
        }
        // Not a lock: a fork that comes upon it held would leave the child waiting for ever. What two
        // threads, or a thread and the child, arrange twice is counted twice, which is as good.
        static WATCHED: AtomicBool = AtomicBool::new(false);
        if !WATCHED.load(Ordering::Acquire) {
            // If memory for it is lacking, children go on with their parent's stream as if seeded.
            // SAFETY: `child` does no more than add to an atomic number, which is allowed after a fork.
            let failed = unsafe { libc::pthread_atfork(None, None, Some(child)) };
            WATCHED.store(failed == 0, Ordering::Release);
        }
    }
}
