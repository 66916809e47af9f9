//! The state of each thread: its generator and its working memory.

// `storage` is native thread-local storage but for the targets where Rust has none.
#[cfg_attr(
    any(
        target_os = "android",
        target_os = "openbsd",
        all(windows, target_env = "gnu", not(target_abi = "llvm")),
    ),
    path = "thread_rng/keyed.rs"
)]
mod storage;

#[cfg(test)]
mod keyed;

use crate::Error;
use crate::draw::Scratch;
use crate::rng::Generator;
use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// Runs `draw` once with this thread's generator; the system seeds it if nothing did before.
pub(crate) fn with<T>(
    draw: impl Fn(&mut Generator, &mut Scratch) -> Result<T, Error>,
) -> Result<T, Error> {
    storage::prepare()?;
    storage::with(|slot, has_memory| {
        let generator = match slot {
            Some(generator) => generator,
            empty => empty.insert(Generator::from_system()?),
        };
        generator.after_fork()?;
        // A thread that runs its destructors has lost its memory: it uses new memory for this draw.
        if !has_memory {
            return draw(generator, &mut Scratch::new());
        }
        let with_scratch = SCRATCH.try_with(|scratch| {
            let mut scratch = scratch.try_borrow_mut().map_err(|_| Error::Internal)?;
            draw(generator, &mut scratch)
        });
        with_scratch.unwrap_or_else(|_| draw(generator, &mut Scratch::new()))
    })
}

/// Puts this thread's generator in the state of `std::mt19937(seed)`.
pub(crate) fn seed(seed: u32) -> Result<(), Error> {
    storage::with(|slot, _| {
        *slot = Some(Generator::new(seed));
        Ok(())
    })
}
