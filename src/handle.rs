//! The content of a handle behind a mark: one writer or several readers at a time, and no access after a
//! panic.
//!
//! C has no borrow checker, so two threads can come with the same handle. The mark turns that into
//! [`Error::Busy`] instead of a data race, by one atomic exchange for each call and without waiting.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use s2sampler_core::Error;

/// Values of the mark; all others are the number of readers.
const FREE: u32 = 0;
const POISONED: u32 = u32::MAX - 1;
const WRITER: u32 = u32::MAX;

pub struct Handle<T> {
    mark: AtomicU32,
    content: UnsafeCell<T>,
}

// SAFETY: the mark gives `&mut T` to one thread at a time (hence `Send`) or `&T` to several (hence `Sync`).
unsafe impl<T: Send + Sync> Sync for Handle<T> {}

impl<T> Handle<T> {
    pub const fn new(content: T) -> Self {
        Self { mark: AtomicU32::new(FREE), content: UnsafeCell::new(content) }
    }

    /// Runs `body` alone with the content. A panic in it may leave the content half changed, so it
    /// poisons the handle: from then on every call is [`Error::Internal`].
    pub fn change<R>(&self, body: impl FnOnce(&mut T) -> Result<R, Error>) -> Result<R, Error> {
        let mut claim = self.claim()?;
        // SAFETY: the claim excludes writers and readers until it is dropped.
        let result = body(unsafe { &mut *self.content.get() });
        claim.after = FREE;
        result
    }

    /// Runs `body` with the content, perhaps beside other readers. A panic in it changed nothing.
    pub fn read<R>(&self, body: impl FnOnce(&T) -> Result<R, Error>) -> Result<R, Error> {
        let mut readers = self.mark.load(Ordering::Relaxed);
        loop {
            match readers {
                WRITER => return Err(Error::Busy),
                POISONED => return Err(Error::Internal),
                _ => {}
            }
            debug_assert!(readers + 1 < POISONED, "more readers than threads");
            let more = readers + 1;
            match self.mark.compare_exchange_weak(
                readers,
                more,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(now) => readers = now,
            }
        }
        let _reading = Reading(&self.mark);
        // SAFETY: no writer can claim a mark that counts this reader.
        body(unsafe { &*self.content.get() })
    }

    /// Claims the handle for good, before it is freed; false if another call is using it.
    pub fn retire(&self) -> bool {
        match self.claim() {
            Ok(mut claim) => {
                claim.after = WRITER;
                true
            }
            Err(error) => error == Error::Internal,
        }
    }

    fn claim(&self) -> Result<Claim<'_>, Error> {
        match self.mark.compare_exchange(FREE, WRITER, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Claim { mark: &self.mark, after: POISONED }),
            Err(POISONED) => Err(Error::Internal),
            Err(_) => Err(Error::Busy),
        }
    }
}

/// The writer's claim. If a panic drops it, the mark stays at `POISONED`.
struct Claim<'a> {
    mark: &'a AtomicU32,
    after: u32,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.mark.store(self.after, Ordering::Release);
    }
}

struct Reading<'a>(&'a AtomicU32);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
