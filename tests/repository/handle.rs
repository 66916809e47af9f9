//! The mark of a handle: one writer or some readers, and nobody after a panic.

#[allow(dead_code, unreachable_pub, reason = "the C layer uses the rest")]
#[path = "../../src/handle.rs"]
mod mark;

use mark::Handle;
use s2sampler_core::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn panic_in_a_change_poisons_the_handle() {
    let handle = Handle::new(vec![1]);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        handle.change(|content| -> Result<(), Error> {
            content.push(2);
            panic!("half changed")
        })
    }));
    assert!(panicked.is_err());
    for _ in 0..3 {
        assert_eq!(handle.change(|_| Ok(())), Err(Error::Internal));
        assert_eq!(handle.read(|_| Ok(())), Err(Error::Internal));
    }
    assert!(handle.retire(), "a poisoned handle can be freed");
}

#[test]
fn panic_in_a_reader_changed_nothing() {
    let handle = Handle::new(7);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        handle.read(|_| -> Result<(), Error> { panic!("only looked") })
    }));
    assert!(panicked.is_err());
    assert_eq!(handle.change(|content| Ok(*content)), Ok(7));
}

#[test]
fn writers_exclude_all_and_readers_exclude_writers() {
    let handle = Handle::new(0);
    let inside = handle.change(|_| {
        assert_eq!(handle.change(|_| Ok(())), Err(Error::Busy));
        assert_eq!(handle.read(|_| Ok(())), Err(Error::Busy));
        assert!(!handle.retire(), "in use");
        Ok(())
    });
    assert_eq!(inside, Ok(()));
    let inside = handle.read(|_| {
        assert_eq!(handle.read(|_| Ok(3)), Ok(3));
        assert_eq!(handle.change(|_| Ok(())), Err(Error::Busy));
        assert!(!handle.retire(), "in use");
        Ok(())
    });
    assert_eq!(inside, Ok(()));
    assert_eq!(handle.change(|content| Ok(*content)), Ok(0));
}

#[test]
fn error_of_a_change_leaves_the_handle_usable() {
    let handle = Handle::new(0);
    assert_eq!(
        handle.change(|_| -> Result<(), Error> { Err(Error::EmptyRow) }),
        Err(Error::EmptyRow)
    );
    assert_eq!(handle.change(|_| Ok(())), Ok(()));
    assert!(handle.retire());
    assert_eq!(handle.change(|_| Ok(())), Err(Error::Busy), "retired for good");
}
