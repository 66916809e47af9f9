//! The generator of each thread where Rust has no native thread-local storage: Windows with the GNU ABI,
//! Android, OpenBSD.
//!
//! There the system frees a thread-local value while other destructors of the thread still run, and the next
//! access makes a new value. A draw in such a destructor must continue the thread's stream all the same. So a
//! generator that is freed goes to a table of the process, under a ticket. The ticket is a number in a slot of
//! the system that has no destructor, so the thread can read it until it is gone.
//!
//! The table has 64 places, and its users never wait. If 64 other threads end between a thread's end and its
//! last draw, or two use one place at the same moment, the late draw gets a generator with a seed from the
//! system. The table is what a program keeps: 64 generators, however many threads end.

use crate::rng::Generator;
use crate::{Error, memory};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, TryLockError};

#[path = "mark.rs"]
mod mark;

/// The place of a living thread's generator. Behind a pointer, so that the value itself is small: Rust ends
/// the process if the system cannot allocate it.
struct Living(Vec<Option<Generator>>);

thread_local! {
    static LIVING: RefCell<Living> = const { RefCell::new(Living(Vec::new())) };
}

impl Drop for Living {
    fn drop(&mut self) {
        if let Some(Some(generator)) = self.0.pop() {
            let ticket = next_ticket();
            mark::set(ticket);
            park(ticket, generator);
        }
    }
}

/// Call this before a draw.
pub(super) fn prepare() -> Result<(), Error> {
    // The system's keys need memory at a thread's first access, and Rust aborts the process without it. Try a
    // small allocation first, so that an error can be returned.
    if mark::get() == mark::NONE {
        memory::probe()?;
        mark::set(mark::ALIVE);
    }
    Ok(())
}

/// Runs `access` with the place of this thread's generator, and whether the thread may still have memory.
pub(super) fn with<T>(
    access: impl FnOnce(&mut Option<Generator>, bool) -> Result<T, Error>,
) -> Result<T, Error> {
    let ticket = mark::get();
    if ticket > mark::ALIVE {
        let mut slot = unpark(ticket);
        let result = access(&mut slot, false);
        if let Some(generator) = slot {
            park(ticket, generator);
        }
        return result;
    }
    let mut access = Some(access);
    let living = LIVING.try_with(|living| {
        // Only a signal handler that interrupts a draw can find the cell borrowed.
        let mut living = living.try_borrow_mut().map_err(|_| Error::Internal)?;
        if living.0.is_empty() {
            memory::reserve(&mut living.0, 1)?;
            living.0.push(None);
        }
        let slot = living.0.first_mut().ok_or(Error::Internal)?;
        access.take().ok_or(Error::Internal)?(slot, true)
    });
    // Without a value only while the value is being dropped, where nothing draws.
    living.unwrap_or(Err(Error::Internal))
}

/// A generator and the ticket of its thread.
type Parked = Option<(usize, Generator)>;

const PLACES: usize = 64;
static PARKED: [Mutex<Parked>; PLACES] = [const { Mutex::new(None) }; PLACES];
static TICKETS: AtomicUsize = AtomicUsize::new(mark::ALIVE + 1);

fn next_ticket() -> usize {
    TICKETS.fetch_add(1, Ordering::Relaxed).max(mark::ALIVE + 1)
}

/// The place of a ticket, unless another thread uses it at this moment.
fn place(ticket: usize) -> Option<MutexGuard<'static, Parked>> {
    match PARKED.get(ticket % PLACES)?.try_lock() {
        Ok(place) => Some(place),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn park(ticket: usize, generator: Generator) {
    if let Some(mut place) = place(ticket) {
        *place = Some((ticket, generator));
    }
}

fn unpark(ticket: usize) -> Option<Generator> {
    let mut place = place(ticket)?;
    let (_, generator) = place.take_if(|parked| parked.0 == ticket)?;
    Some(generator)
}

#[cfg(test)]
mod tests {
    use super::{PLACES, mark, next_ticket, park, prepare, unpark, with};
    use crate::rng::Generator;
    use std::cell::RefCell;
    use std::sync::mpsc::{Sender, channel};

    /// A number of this thread's generator, seeded with 1 if there is none, and whether it has memory.
    fn number() -> (f64, bool) {
        prepare().unwrap();
        with(|slot, has_memory| {
            Ok((slot.get_or_insert_with(|| Generator::new(1)).uniform(), has_memory))
        })
        .unwrap()
    }

    /// Draws twice when the thread drops it.
    struct DrawsLate(Sender<(f64, bool)>);

    impl Drop for DrawsLate {
        fn drop(&mut self) {
            self.0.send(number()).unwrap();
            self.0.send(number()).unwrap();
        }
    }

    thread_local! {
        static LATE: RefCell<Option<DrawsLate>> = const { RefCell::new(None) };
    }

    /// The generator is dropped before or after the value that draws, by which was used first.
    #[test]
    fn a_late_draw_continues_the_stream() {
        for late_first in [false, true] {
            let (sender, drawn) = channel();
            std::thread::spawn(move || {
                let keep =
                    || LATE.with(|late| *late.borrow_mut() = Some(DrawsLate(sender.clone())));
                if late_first {
                    keep();
                }
                with(|slot, _| {
                    *slot = Some(Generator::new(7));
                    Ok(())
                })
                .unwrap();
                sender.send(number()).unwrap();
                if !late_first {
                    keep();
                }
            })
            .join()
            .unwrap();
            let mut mirror = Generator::new(7);
            let drawn: Vec<_> = drawn.iter().collect();
            let numbers: Vec<_> = drawn.iter().map(|drawn| drawn.0).collect();
            assert_eq!(numbers, [mirror.uniform(), mirror.uniform(), mirror.uniform()]);
            assert!(drawn[0].1);
        }
    }

    #[test]
    fn a_place_keeps_the_last_that_was_parked() {
        let ticket = next_ticket();
        assert!(ticket > mark::ALIVE);
        park(ticket, Generator::new(3));
        assert!(unpark(ticket + PLACES).is_none());
        assert_eq!(unpark(ticket).map(|generator| generator.seed()), Some(3));
        assert!(unpark(ticket).is_none());
        park(ticket, Generator::new(3));
        park(ticket + PLACES, Generator::new(4));
        assert!(unpark(ticket).is_none());
        assert_eq!(unpark(ticket + PLACES).map(|generator| generator.seed()), Some(4));
    }
}
