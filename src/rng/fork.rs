//! Whether this process is a fork of the one that seeded a generator.
//!
//! The C boundary has the system call [`forked`] in every child; here it is only counted, so that a
//! draw costs one load.

use core::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the process that counts them first and this one.
pub(crate) fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// To be called in the child of a fork.
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}
