//! What each thread owns: its generator and its working memory.

use crate::draw::Scratch;
use crate::rng::Generator;
use crate::{Error, memory};
use std::cell::{Cell, RefCell};

thread_local! {
    // Two variables: the generator needs no destructor, so a thread that is already running its
    // destructors still continues its stream.
    static GENERATOR: RefCell<Option<Generator>> = const { RefCell::new(None) };
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
    // Whether the C library has been asked to run the destructor of the second.
    static NOTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `draw` with this thread's generator, which is seeded by the system if it was not yet.
pub(crate) fn with<T>(
    draw: impl FnOnce(&mut Generator, &mut Scratch) -> Result<T, Error>,
) -> Result<T, Error> {
    // glibc ends the process where it lacks the few bytes in which it notes a destructor. So they are
    // asked for first, and given back for it to find.
    if !NOTED.get() {
        memory::probe()?;
        NOTED.set(true);
    }
    GENERATOR.with(|slot| {
        // Only a signal handler that interrupts a draw can find the cell borrowed.
        let mut slot = slot.try_borrow_mut().map_err(|_| Error::Internal)?;
        let generator = match &mut *slot {
            Some(generator) => generator,
            empty => empty.insert(Generator::from_system()?),
        };
        generator.after_fork()?;
        let mut draw = Some(draw);
        let mut run = |scratch: &mut Scratch| {
            draw.take().map_or(Err(Error::Internal), |d| d(generator, scratch))
        };
        match SCRATCH.try_with(|scratch| scratch.try_borrow_mut().map(|mut s| run(&mut s))) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Error::Internal),
            // The thread is ending and its memory is gone: borrow some for this one draw.
            Err(_) => run(&mut Scratch::new()),
        }
    })
}

/// Puts this thread's generator in the state of `std::mt19937(seed)`.
pub(crate) fn seed(seed: u32) -> Result<(), Error> {
    GENERATOR.with(|slot| {
        *slot.try_borrow_mut().map_err(|_| Error::Internal)? = Some(Generator::new(seed));
        Ok(())
    })
}
