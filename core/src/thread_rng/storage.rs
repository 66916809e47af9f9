//! The generator of each thread in native thread-local storage.

use crate::rng::Generator;
use crate::{Error, memory};
use std::cell::{Cell, RefCell};

thread_local! {
    // Apart from the memory: the generator needs no destructor, so a thread that already runs its
    // destructors still continues its stream.
    static GENERATOR: RefCell<Option<Generator>> = const { RefCell::new(None) };
    // Whether the destructor of the thread's memory is registered with the C library.
    static DESTRUCTOR_REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Call this before a draw.
pub(super) fn prepare() -> Result<(), Error> {
    // Registering a destructor aborts the process if glibc cannot allocate. Try a small allocation first,
    // so that an error can be returned.
    if !DESTRUCTOR_REGISTERED.get() {
        memory::probe()?;
        DESTRUCTOR_REGISTERED.set(true);
    }
    Ok(())
}

/// Runs `access` with the place of this thread's generator, and whether the thread may still have memory.
pub(super) fn with<T>(
    access: impl FnOnce(&mut Option<Generator>, bool) -> Result<T, Error>,
) -> Result<T, Error> {
    GENERATOR.with(|slot| {
        // Only a signal handler that interrupts a draw can find the cell borrowed.
        let mut slot = slot.try_borrow_mut().map_err(|_| Error::Internal)?;
        access(&mut slot, true)
    })
}
