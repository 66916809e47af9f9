//! Every dereference of a caller's pointer.
#![allow(unsafe_code)]

use core::alloc::Layout;
use core::ptr;
use s2sampler_core::{Error, SamplerParams};
use std::alloc;

/// The row of `count` logits at `logits`; an empty one for `count <= 0`, whatever the pointer.
///
/// # Safety
/// `logits` is NULL or points to `count` floats that nobody writes while the slice lives.
pub(crate) unsafe fn row<'a>(logits: *const f32, count: i32) -> Result<&'a [f32], Error> {
    // SAFETY: this function's contract is that one's.
    unsafe { items(logits, count) }
}

/// The `count` items at `first`; none for `count <= 0`, whatever the pointer.
///
/// # Safety
/// `first` is NULL or points to `count` items that nobody writes while the slice lives.
pub(crate) unsafe fn items<'a, T>(first: *const T, count: i32) -> Result<&'a [T], Error> {
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

/// The `count` items at `first`, to be changed; at most `i32::MAX`. None for no count, whatever the
/// pointer.
///
/// # Safety
/// `first` is NULL or points to `count` items that nobody else uses while the slice lives.
pub(crate) unsafe fn changed<'a, T>(first: *mut T, count: usize) -> Result<&'a mut [T], Error> {
    if count == 0 {
        return Ok(&mut []);
    }
    if first.is_null() {
        return Err(Error::NullPointer);
    }
    let size = size_of::<T>().checked_mul(count).and_then(|size| isize::try_from(size).ok());
    if !first.is_aligned() || i32::try_from(count).is_err() || size.is_none() {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL, aligned and no longer than memory can be by the checks above, and the caller's to
    // lend by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts_mut(first, count) })
}

/// The value at `from`.
///
/// # Safety
/// `from` is NULL or points to a `T`, of any alignment.
pub(crate) unsafe fn taken<T: Copy>(from: *const T) -> Result<T, Error> {
    if from.is_null() {
        return Err(Error::NullPointer);
    }
    // SAFETY: not NULL, readable by this function's contract.
    Ok(unsafe { from.read_unaligned() })
}

/// As [`items`], for counts that must not be negative.
///
/// # Safety
/// As [`items`].
pub(crate) unsafe fn counted<'a, T>(first: *const T, count: i32) -> Result<&'a [T], Error> {
    if count < 0 {
        return Err(Error::BadArgument);
    }
    // SAFETY: this function's contract is that one's.
    unsafe { items(first, count) }
}

/// The parameters at `params`, or the defaults for NULL.
///
/// # Safety
/// `params` is NULL or points to a `SamplerParams` of any bit pattern and any alignment.
pub(crate) unsafe fn params(params: *const SamplerParams) -> SamplerParams {
    if params.is_null() {
        return SamplerParams::default();
    }
    // SAFETY: not NULL, readable by this function's contract; read without asking for alignment.
    unsafe { params.read_unaligned() }
}

/// The size that the struct at `given` states: from 4 to 4096.
///
/// # Safety
/// `given` is NULL or points to at least 4 readable bytes, of any alignment.
pub(crate) unsafe fn stated_size<T>(given: *const T) -> Result<usize, Error> {
    const LARGEST: usize = 4096;
    if given.is_null() {
        return Err(Error::NullPointer);
    }
    // SAFETY: not NULL, and 4 bytes are readable by this function's contract.
    let size = unsafe { given.cast::<u32>().read_unaligned() } as usize;
    if (size_of::<u32>()..=LARGEST).contains(&size) { Ok(size) } else { Err(Error::BadArgument) }
}

/// The struct at `given`, of whatever version: what it is too short for is taken from `init`, and what
/// it has beyond `T` must be zero.
///
/// # Safety
/// `T` has no padding that matters, begins with a u32 `struct_size`, and takes every bit pattern.
/// `given` is NULL or points to at least 4 bytes and to as many as these say, of any alignment.
pub(crate) unsafe fn sized<T: Copy>(given: *const T, init: T) -> Result<T, Error> {
    // SAFETY: this function's contract is that one's.
    let size = unsafe { stated_size(given) }?;
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

/// Writes `value` to the struct at `to`, of whatever version, which has `size` bytes: what it is too
/// short for is left out, what it has beyond `T` becomes zero, and its `struct_size` stays.
///
/// # Safety
/// `T` has no padding and begins with a u32 `struct_size`. `size` bytes at `to` are writable, of any
/// alignment.
pub(crate) unsafe fn tell<T: Copy>(to: *mut T, value: T, size: usize) {
    let skipped = size_of::<u32>();
    let known = size.min(size_of::<T>());
    let (from, to) = ((&raw const value).cast::<u8>(), to.cast::<u8>());
    // SAFETY: `known` is no longer than `value` nor than `size`, and `value` is apart from `to`.
    unsafe { ptr::copy_nonoverlapping(from.add(skipped), to.add(skipped), known - skipped) };
    // SAFETY: from `known` to `size` all is writable by this function's contract.
    unsafe { to.add(known).write_bytes(0, size - known) };
}

/// The value behind a handle.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and was not freed; nobody else uses it meanwhile.
pub(crate) unsafe fn handle<'a, T>(handle: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: NULL or valid and not shared by this function's contract.
    unsafe { handle.as_mut() }.ok_or(Error::NullPointer)
}

/// The value behind a handle that is only read.
///
/// # Safety
/// `handle` is NULL or came from [`give`] and was not freed; nobody changes it meanwhile.
pub(crate) unsafe fn view<'a, T>(handle: *const T) -> Result<&'a T, Error> {
    // SAFETY: NULL or valid and not changed by this function's contract.
    unsafe { handle.as_ref() }.ok_or(Error::NullPointer)
}

/// A handle for `value`, which is the caller's to free; NULL where memory lacks, or there is no value.
///
/// Not a `Box`, which ends the process where memory lacks.
pub(crate) fn give<T>(value: Result<T, Error>) -> *mut T {
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
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: allocated for a `T` by the global allocator, as a box is, and freed once.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// Copies `bytes` to a caller's `size` bytes at `to`.
///
/// # Safety
/// `to` is NULL or points to `size` bytes that may be written.
pub(crate) unsafe fn fill(to: *mut u8, size: usize, bytes: &[u8]) -> Result<(), Error> {
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
pub(crate) unsafe fn bytes<'a>(from: *const u8, size: usize) -> Result<&'a [u8], Error> {
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
pub(crate) unsafe fn get<T>(from: *const *mut T) -> *mut T {
    // SAFETY: readable by this function's contract.
    unsafe { from.read_unaligned() }
}

/// Writes `value` to `to`.
///
/// # Safety
/// `to` points to a `T` that may be written, of any alignment.
pub(crate) unsafe fn put<T: Copy>(to: *mut T, value: T) {
    // SAFETY: writable by this function's contract.
    unsafe { to.write_unaligned(value) };
}
