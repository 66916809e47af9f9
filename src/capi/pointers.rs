//! Every dereference of a caller's pointer.
#![allow(unsafe_code)]

use crate::{Error, SamplerParams};
use core::alloc::Layout;
use core::ptr;
use std::alloc;

/// The row of `count` logits at `logits`; an empty one for `count <= 0`, whatever the pointer.
///
/// # Safety
/// `logits` is NULL or points to `count` floats that nobody writes while the slice lives.
pub(super) unsafe fn row<'a>(logits: *const f32, count: i32) -> Result<&'a [f32], Error> {
    // SAFETY: this function's contract is that one's.
    unsafe { items(logits, count) }
}

/// The `count` items at `first`; none for `count <= 0`, whatever the pointer.
///
/// # Safety
/// `first` is NULL or points to `count` items that nobody writes while the slice lives.
pub(super) unsafe fn items<'a, T>(first: *const T, count: i32) -> Result<&'a [T], Error> {
    match usize::try_from(count) {
        Ok(count) if count > 0 => {
            if first.is_null() {
                return Err(Error::NullPointer);
            }
            if !first.is_aligned() {
                return Err(Error::BadArgument);
            }
            // SAFETY: not NULL and aligned by the checks above, readable by this function's contract.
            Ok(unsafe { core::slice::from_raw_parts(first, count) })
        }
        _ => Ok(&[]),
    }
}

/// The parameters at `params`, or the defaults for NULL.
///
/// # Safety
/// `params` is NULL or points to a `SamplerParams` of any bit pattern and any alignment.
pub(super) unsafe fn params(params: *const SamplerParams) -> SamplerParams {
    if params.is_null() {
        return SamplerParams::default();
    }
    // SAFETY: not NULL, readable by this function's contract; read without asking for alignment.
    unsafe { params.read_unaligned() }
}

/// The struct at `given`, of whatever version: what it is too short for is taken from `init`, and what
/// it has beyond `T` must be zero.
///
/// # Safety
/// `T` has no padding that matters, begins with a u32 `struct_size`, and takes every bit pattern.
/// `given` is NULL or points to at least 4 bytes and to as many as these say, of any alignment.
pub(super) unsafe fn sized<T: Copy>(given: *const T, init: T) -> Result<T, Error> {
    const LARGEST: usize = 4096;
    if given.is_null() {
        return Err(Error::NullPointer);
    }
    // SAFETY: not NULL, and 4 bytes are readable by this function's contract.
    let size = unsafe { given.cast::<u32>().read_unaligned() } as usize;
    if !(size_of::<u32>()..=LARGEST).contains(&size) {
        return Err(Error::BadArgument);
    }
    // SAFETY: `size` bytes are readable by this function's contract; bytes have no alignment.
    let bytes = unsafe { core::slice::from_raw_parts(given.cast::<u8>(), size) };
    let (known, beyond) = bytes.split_at(size.min(size_of::<T>()));
    if beyond.iter().any(|byte| *byte != 0) {
        return Err(Error::BadArgument);
    }
    let mut read = init;
    // SAFETY: `known` is no longer than a `T`, `read` is apart from it, and every bit pattern is a `T`.
    unsafe { ptr::copy_nonoverlapping(known.as_ptr(), (&raw mut read).cast(), known.len()) };
    Ok(read)
}

/// The value behind a handle.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and was not freed; nobody else uses it meanwhile.
pub(super) unsafe fn handle<'a, T>(handle: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: NULL or valid and not shared by this function's contract.
    unsafe { handle.as_mut() }.ok_or(Error::NullPointer)
}

/// The value behind a handle that is only read.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and was not freed; nobody changes it meanwhile.
pub(super) unsafe fn view<'a, T>(handle: *const T) -> Result<&'a T, Error> {
    // SAFETY: NULL or valid and not changed by this function's contract.
    unsafe { handle.as_ref() }.ok_or(Error::NullPointer)
}

/// A handle for `value`, which is the caller's to free; NULL where memory lacks, or there is no value.
///
/// Not a `Box`, which ends the process where memory lacks.
pub(super) fn give<T>(value: Result<T, Error>) -> *mut T {
    let layout = Layout::new::<T>();
    let Ok(value) = value else { return ptr::null_mut() };
    if layout.size() == 0 {
        return ptr::null_mut();
    }
    // SAFETY: the size is not zero.
    let place = unsafe { alloc::alloc(layout) }.cast::<T>();
    if !place.is_null() {
        // SAFETY: not NULL, and allocated for a `T`.
        unsafe { place.write(value) };
    }
    place
}

/// Frees what [`give`] gave.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and was not freed.
pub(super) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: allocated for a `T` by the global allocator, as a box is, and freed once.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// Copies `bytes` to a caller's `size` bytes at `to`.
///
/// # Safety
/// `to` is NULL or points to `size` bytes that may be written.
pub(super) unsafe fn fill(to: *mut u8, size: usize, bytes: &[u8]) -> Result<(), Error> {
    if to.is_null() {
        return Err(Error::NullPointer);
    }
    if size < bytes.len() {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL and long enough by the checks above, and a caller's memory is not the library's.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(())
}

/// The `size` bytes at `from`.
///
/// # Safety
/// `from` is NULL or points to `size` bytes that nobody writes while the slice lives.
pub(super) unsafe fn bytes<'a>(from: *const u8, size: usize) -> Result<&'a [u8], Error> {
    if from.is_null() {
        return Err(Error::NullPointer);
    }
    if isize::try_from(size).is_err() {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL and no longer than memory can be, readable by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts(from, size) })
}

/// The handle at `from`.
///
/// # Safety
/// `from` points to a handle, of any alignment.
pub(super) unsafe fn get<T>(from: *const *mut T) -> *mut T {
    // SAFETY: readable by this function's contract.
    unsafe { from.read_unaligned() }
}

/// Writes `value` to `to`.
///
/// # Safety
/// `to` points to a `T` that may be written, of any alignment.
pub(super) unsafe fn put<T: Copy>(to: *mut T, value: T) {
    // SAFETY: writable by this function's contract.
    unsafe { to.write_unaligned(value) };
}
