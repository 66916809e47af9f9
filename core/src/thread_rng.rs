//! The state of each thread: its generator and its working memory.

use crate::draw::Scratch;
use crate::rng::Generator;
use crate::{Error, memory};
use std::cell::{Cell, RefCell};

thread_local! {
    // Apart from the memory: the generator needs no destructor, so a thread that already runs its
    // destructors still continues its stream.
    static GENERATOR: RefCell<Option<Generator>> = const { RefCell::new(None) };
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
    // Whether the destructor of SCRATCH is registered with the C library.
    static DESTRUCTOR_REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `draw` once with this thread's generator; the system seeds it if nothing did before.
pub(crate) fn with<T>(
    draw: impl Fn(&mut Generator, &mut Scratch) -> Result<T, Error>,
) -> Result<T, Error> {
    // Registering a destructor aborts the process if glibc cannot allocate. Try a small allocation first,
    // so that an error can be returned.
    if !DESTRUCTOR_REGISTERED.get() {
        memory::probe()?;
        DESTRUCTOR_REGISTERED.set(true);
    }
    GENERATOR.with(|slot| {
        // Only a signal handler that interrupts a draw can find the cell borrowed.
        let mut slot = slot.try_borrow_mut().map_err(|_| Error::Internal)?;
        let generator = match &mut *slot {
            Some(generator) => generator,
            empty => empty.insert(Generator::from_system()?),
        };
        generator.after_fork()?;
        let with_scratch = SCRATCH.try_with(|scratch| {
            let mut scratch = scratch.try_borrow_mut().map_err(|_| Error::Internal)?;
            draw(generator, &mut scratch)
        });
        // A thread that runs its destructors has lost its memory: it uses new memory for this draw.
        with_scratch.unwrap_or_else(|_| draw(generator, &mut Scratch::new()))
    })
}

/// Puts this thread's generator in the state of `std::mt19937(seed)`.
pub(crate) fn seed(seed: u32) -> Result<(), Error> {
    GENERATOR.with(|slot| {
        *slot.try_borrow_mut().map_err(|_| Error::Internal)? = Some(Generator::new(seed));
        Ok(())
    })
}
