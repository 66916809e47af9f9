//! Time that this thread ran: what other processes take of the machine is left out.

/// Nanoseconds of this thread so far.
pub fn thread_ns() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    assert_eq!(failed, 0, "the clock of the thread");
    1e9 * now.tv_sec as f64 + now.tv_nsec as f64
}
