//! Has the system tell the generators of a fork.
#![allow(unsafe_code)]

/// Arranges once for the children of this process to count the fork. Called before a seed may be taken
/// from the system; where there is no fork it does nothing.
pub(super) fn watch() {
    #[cfg(unix)]
    {
        use crate::rng::fork::forked;
        use std::sync::Once;

        extern "C" fn child() {
            forked();
        }
        static WATCH: Once = Once::new();
        // If memory for it is lacking, children go on with their parent's stream as if seeded.
        // SAFETY: `child` does no more than add to an atomic number, which is allowed after a fork.
        WATCH.call_once(|| _ = unsafe { libc::pthread_atfork(None, None, Some(child)) });
    }
}
