//! The frame of every export: errors become statuses, and no panic crosses the boundary.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::fp_env::DefaultFpEnv;
use crate::handle::Handle;
use crate::{pointers, status};
use core::ptr;
use s2sampler_core::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One call of an export. References through the caller's pointers have its lifetime, so none
/// outlives the call.
pub(crate) struct Call(());

/// An opaque type of the header.
pub(crate) trait Opaque {
    type Content;
    fn handle(&self) -> &Handle<Self::Content>;
}

/// Runs `body`; a panic gives `fallback`.
pub(crate) fn value<T>(fallback: T, body: impl FnOnce(&Call) -> T) -> T {
    let _host = DefaultFpEnv::enter();
    // Unwind safe: a panic poisons the handle that it interrupts, and a thread's scratch memory is
    // overwritten by the next draw.
    catch_unwind(AssertUnwindSafe(|| body(&Call(())))).unwrap_or(fallback)
}

/// Runs `body`; the result is a number or a status.
pub(crate) fn number(body: impl FnOnce(&Call) -> Result<u32, Error>) -> i32 {
    match value(Err(Error::Internal), body) {
        // Ids and counts are below the length of a row, which came in as an i32.
        Ok(number) => i32::try_from(number).unwrap_or(Error::Internal.status()),
        Err(error) => error.status(),
    }
}

/// A count as the header's type. No row and no report has more items than an i32 can count.
pub(crate) fn count(items: usize) -> i32 {
    debug_assert!(i32::try_from(items).is_ok(), "{items} items");
    items as i32
}

/// Runs `body`; the result is 0 or a status.
pub(crate) fn status(body: impl FnOnce(&Call) -> Result<(), Error>) -> i32 {
    number(|call| body(call).map(|()| 0))
}

/// Makes a handle; NULL if there is an error, which s2_new_status() then returns.
pub(crate) fn new_handle<T>(body: impl FnOnce(&Call) -> Result<T, Error>) -> *mut T {
    let made = value(Err(Error::Internal), |call| body(call).and_then(pointers::into_handle));
    status::set_new(made.err());
    made.unwrap_or(ptr::null_mut())
}

/// Changes the content of a handle; the result is a number or a status.
///
/// # Safety
/// `handle` is NULL or a handle that was made and not freed.
pub(crate) unsafe fn change<H: Opaque>(
    handle: *const H,
    body: impl FnOnce(&mut H::Content, &Call) -> Result<u32, Error>,
) -> i32 {
    number(|call| {
        let handle = pointers::handle_ref(call, handle)?.handle();
        handle.change(|content| body(content, call))
    })
}

/// Reads the content of a handle.
///
/// # Safety
/// As [`change`].
pub(crate) unsafe fn read<H: Opaque, R>(
    call: &Call,
    handle: *const H,
    body: impl FnOnce(&H::Content) -> Result<R, Error>,
) -> Result<R, Error> {
    pointers::handle_ref(call, handle)?.handle().read(body)
}

/// Frees a handle, unless NULL or in use by another call: then its memory is not released.
///
/// # Safety
/// As [`change`]; it is not used after this call.
pub(crate) unsafe fn free<H: Opaque>(handle: *mut H) {
    value((), |call| {
        let unused = pointers::handle_ref(call, handle).is_ok_and(|h| h.handle().retire());
        if unused {
            pointers::drop_handle(handle);
        }
    });
}
