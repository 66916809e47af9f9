//! Every dereference of a caller's pointer.
//!
//! The contract of each function is the header's: a pointer is NULL or points to what its type and its
//! count say, readable or writable as the direction needs, until the call ends. NULL and alignment are
//! checked here.
#![allow(unsafe_code)]

use crate::guard::Call;
use core::alloc::Layout;
use core::ffi::c_char;
use core::ptr;
use s2sampler_core::{Error, SamplerParams};
use std::alloc;

/// Whether `count` items are no longer than an object can be. Always, if pointers have 8 bytes.
const fn fits<T>(count: usize) -> bool {
    match size_of::<T>().checked_mul(count) {
        Some(size) => size <= isize::MAX as usize,
        None => false,
    }
}

/// `count` items; none if `count` is zero or less, whatever the pointer.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn slice<T>(_: &Call, first: *const T, count: i32) -> Result<&[T], Error> {
    match usize::try_from(count) {
        Ok(count) if count > 0 => {
            if first.is_null() {
                return Err(Error::NullPointer);
            }
            if !first.is_aligned() || !fits::<T>(count) {
                return Err(Error::BadArgument);
            }
            // SAFETY: not NULL, aligned, no longer than an object can be, and `count` items are readable by
            // the contract. Nobody writes them during the call, and the slice ends with the call, whose
            // lifetime it has.
            Ok(unsafe { core::slice::from_raw_parts(first, count) })
        }
        _ => Ok(&[]),
    }
}

/// As [`slice`], where a negative count is an error.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn counted<T>(call: &Call, first: *const T, count: i32) -> Result<&[T], Error> {
    if count < 0 {
        return Err(Error::BadArgument);
    }
    // SAFETY: the contract is the same.
    unsafe { slice(call, first, count) }
}

/// `count` items to change; none if `count` is zero, whatever the pointer.
///
/// # Safety
/// See the top of this file; no other pointer of the call leads to these items.
// The lifetime is that of the call; a caller's memory is not the library's to hold longer.
#[expect(
    clippy::mut_from_ref,
    reason = "the reference bounds the lifetime, the memory is the caller's"
)]
pub(crate) unsafe fn slice_mut<T>(
    _: &Call,
    first: *mut T,
    count: usize,
) -> Result<&mut [T], Error> {
    if count == 0 {
        return Ok(&mut []);
    }
    if first.is_null() {
        return Err(Error::NullPointer);
    }
    if !first.is_aligned() || i32::try_from(count).is_err() || !fits::<T>(count) {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL, aligned, no longer than an object can be, writable and unshared by the contract.
    Ok(unsafe { core::slice::from_raw_parts_mut(first, count) })
}

/// `size` bytes.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn bytes(_: &Call, from: *const u8, size: usize) -> Result<&[u8], Error> {
    if from.is_null() {
        return Err(Error::NullPointer);
    }
    if isize::try_from(size).is_err() {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL, no longer than an object can be, readable by the contract; bytes need no alignment.
    Ok(unsafe { core::slice::from_raw_parts(from, size) })
}

/// The value at `from`, which need not be aligned.
///
/// # Safety
/// See the top of this file; every bit pattern there is a `T`.
pub(crate) unsafe fn read<T: Copy>(from: *const T) -> Result<T, Error> {
    if from.is_null() {
        return Err(Error::NullPointer);
    }
    // SAFETY: not NULL, readable by the contract; an unaligned read asks for no alignment.
    Ok(unsafe { from.read_unaligned() })
}

/// Writes a value to `to`, which need not be aligned.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn write<T: Copy>(to: *mut T, value: T) -> Result<(), Error> {
    if to.is_null() {
        return Err(Error::NullPointer);
    }
    // SAFETY: not NULL, writable by the contract; an unaligned write asks for no alignment.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// The parameters at `params`; the defaults if that is NULL.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn params(params: *const SamplerParams) -> SamplerParams {
    // SAFETY: the contract is the same, and all fields are numbers. The only error is NULL.
    unsafe { params_or(params, SamplerParams::DEFAULT) }
}

/// The parameters of a draw, or `defaults` for NULL.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn params_or(
    params: *const SamplerParams,
    defaults: SamplerParams,
) -> SamplerParams {
    // SAFETY: the contract is the same, and all fields are numbers. The only error is NULL.
    unsafe { read(params) }.unwrap_or(defaults)
}

/// A struct that begins with its size and may grow.
///
/// # Safety
/// The type is `repr(C)`, begins with a `u32` that is its size, every bit pattern is a value of it,
/// and it has no padding if it is written to a caller.
pub(crate) unsafe trait Versioned: Copy {
    /// The size in the first release. No smaller one was ever compiled into a program.
    const FIRST_SIZE: usize;
}

/// Above this, a size is a number that was never set.
const MAX_SIZE: usize = 4096;

/// Checks the size that a struct states, and that the bytes beyond the known ones are zero: they
/// are fields of a later version, where zero means "unused".
///
/// # Safety
/// `given` is NULL or leads to as many readable bytes as it states, at least 4.
pub(crate) unsafe fn check_version<T: Versioned>(given: *const T) -> Result<(), Error> {
    // SAFETY: NULL, or 4 bytes are readable by the contract; every bit pattern is a number.
    let size = unsafe { read(given.cast::<u32>()) }? as usize;
    debug_assert!(T::FIRST_SIZE <= size_of::<T>(), "a struct only grows");
    if !(T::FIRST_SIZE..=MAX_SIZE).contains(&size) {
        return Err(Error::BadArgument);
    }
    let beyond = size.saturating_sub(size_of::<T>());
    // SAFETY: if `beyond` is not 0, the bytes from the end of a `T` to `size` are readable by the contract.
    let is_zero = (0..beyond).all(|i| unsafe { *given.add(1).cast::<u8>().add(i) } == 0);
    if is_zero { Ok(()) } else { Err(Error::BadArgument) }
}

/// Reads a struct that states its size; fields that its version lacks are those of `init`.
///
/// # Safety
/// As [`check_version`].
pub(crate) unsafe fn read_versioned<T: Versioned>(given: *const T, init: T) -> Result<T, Error> {
    // SAFETY: the contract is the same.
    let size = unsafe {
        check_version(given)?;
        read(given.cast::<u32>())?
    } as usize;
    let known = size.min(size_of::<T>());
    let mut read = init;
    // SAFETY: `known` bytes are readable by the contract and at most the size of a `T`, `read` is a local,
    // and every bit pattern is a `T`, by the contract of `Versioned`.
    unsafe { ptr::copy_nonoverlapping(given.cast::<u8>(), (&raw mut read).cast(), known) };
    Ok(read)
}

/// Writes all fields that the struct at `to` has, except its size.
///
/// # Safety
/// [`check_version`] accepted `to`, and the bytes that it states are writable.
pub(crate) unsafe fn write_versioned<T: Versioned>(to: *mut T, value: T) {
    let skipped = size_of::<u32>();
    // SAFETY: `to` is not NULL, and its first 4 bytes are readable, as was checked.
    let size = unsafe { to.cast::<u32>().read_unaligned() } as usize;
    let known = size.min(size_of::<T>());
    debug_assert!(known >= skipped, "the size was checked");
    let (from, to) = ((&raw const value).cast::<u8>(), to.cast::<u8>());
    // SAFETY: `known` is at most the size of either struct, and `value` is a local.
    unsafe { ptr::copy_nonoverlapping(from.add(skipped), to.add(skipped), known - skipped) };
}

/// The handle behind a pointer.
///
/// # Safety
/// `handle` is NULL, or was made by [`into_handle`] and not freed.
pub(crate) unsafe fn handle_ref<T>(_: &Call, handle: *const T) -> Result<&T, Error> {
    // SAFETY: NULL or a live allocation by the contract. The reference is shared: what changes lies
    // behind the handle's mark.
    unsafe { handle.as_ref() }.ok_or(Error::NullPointer)
}

/// Moves a value to the heap; gives it back if there is no memory. (`Box::new` would abort.)
pub(crate) fn into_box<T>(value: T) -> Result<Box<T>, T> {
    const { assert!(size_of::<T>() > 0, "an allocation needs a size") };
    // SAFETY: the size is not zero.
    let place = unsafe { alloc::alloc(Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return Err(value);
    }
    // SAFETY: not NULL, and allocated for a `T` by the global allocator, as a box is.
    unsafe {
        place.write(value);
        Ok(Box::from_raw(place))
    }
}

/// Moves a value to the heap.
pub(crate) fn into_handle<T>(value: T) -> Result<*mut T, Error> {
    into_box(value).map(Box::into_raw).map_err(|_| Error::OutOfMemory)
}

/// A caller's name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Name {
    const MOST: usize = 63;

    pub(crate) fn text(&self) -> &str {
        // All are ASCII, as was checked.
        core::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// A name of 1 to 63 printable ASCII characters, ended by a 0 byte.
///
/// # Safety
/// See the top of this file; no byte after the first 0 is read.
pub(crate) unsafe fn name(_: &Call, from: *const c_char) -> Result<Name, Error> {
    if from.is_null() {
        return Err(Error::NullPointer);
    }
    let mut name = Name { bytes: [0; Name::MOST], length: 0 };
    for place in 0..=Name::MOST {
        // SAFETY: not NULL, and there was no 0 byte before this one.
        match unsafe { from.cast::<u8>().add(place).read() } {
            0 if place > 0 => {
                name.length = place;
                return Ok(name);
            }
            byte @ b' '..=b'~' if place < Name::MOST => name.bytes[place] = byte,
            _ => break,
        }
    }
    Err(Error::BadArgument)
}

/// Drops what [`into_handle`] made; NULL does nothing.
///
/// # Safety
/// `handle` is NULL, or was made by [`into_handle`] and is not used after this.
pub(crate) unsafe fn drop_handle<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: allocated by the global allocator with the layout of a `T`, as a box is, and freed once.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// Copies bytes to a caller's buffer of `size` bytes.
///
/// # Safety
/// See the top of this file.
pub(crate) unsafe fn copy_out(to: *mut u8, size: usize, bytes: &[u8]) -> Result<(), Error> {
    if to.is_null() {
        return Err(Error::NullPointer);
    }
    if size < bytes.len() {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL, long enough, writable by the contract, and not memory of the library.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(())
}

/// Copies items to a caller's array, which has room for them.
///
/// # Safety
/// See the top of this file; [`counted`] accepted the array with at least as many items.
pub(crate) unsafe fn write_all<T: Copy>(to: *mut T, items: &[T]) {
    if !items.is_empty() {
        // SAFETY: not NULL and aligned, as was checked; long enough and writable by the contract, and not
        // memory of the library.
        unsafe { ptr::copy_nonoverlapping(items.as_ptr(), to, items.len()) };
    }
}

/// The first `len` bytes of a caller's buffer of `size` bytes, to write to.
///
/// # Safety
/// See the top of this file; no other pointer of the call leads to these bytes.
#[expect(
    clippy::mut_from_ref,
    reason = "the reference bounds the lifetime, the memory is the caller's"
)]
pub(crate) unsafe fn buffer(
    _: &Call,
    to: *mut u8,
    size: usize,
    len: usize,
) -> Result<&mut [u8], Error> {
    if to.is_null() {
        return Err(Error::NullPointer);
    }
    if size < len {
        return Err(Error::BadArgument);
    }
    // SAFETY: not NULL, long enough, writable and unshared by the contract; bytes need no alignment.
    Ok(unsafe { core::slice::from_raw_parts_mut(to, len) })
}

/// Rows of logits at equal distances, with a handle and a place for a token for each.
pub(crate) struct Rows<H> {
    pub handles: *const *mut H,
    pub logits: *const f32,
    pub rows: i32,
    pub row_stride: isize,
    pub tokens: *mut i32,
}

impl<H> Rows<H> {
    /// How many rows there are to draw; an error if they cannot lie where the arguments say.
    pub(crate) fn count(&self) -> Result<usize, Error> {
        let rows = usize::try_from(self.rows).unwrap_or(0);
        if rows == 0 {
            return Ok(0);
        }
        if self.handles.is_null() || self.logits.is_null() || self.tokens.is_null() {
            return Err(Error::NullPointer);
        }
        // The distance of the last row in bytes: if it is in range, all others are.
        let distance = isize::try_from(rows - 1).ok().and_then(|last| {
            self.row_stride.checked_mul(last)?.checked_mul(size_of::<f32>() as isize)
        });
        let start = self.logits.addr();
        match distance.and_then(|distance| start.checked_add_signed(distance)) {
            Some(_) => Ok(rows),
            None => Err(Error::BadArgument),
        }
    }

    /// Draws `count` rows by `sample(row, handle, logits)` and writes a token or a status for each;
    /// returns how many have a token.
    ///
    /// # Safety
    /// `count` is what [`Rows::count`] returned; `handles` and `tokens` have as many items.
    pub(crate) unsafe fn sample(
        &self,
        count: usize,
        sample: impl Fn(usize, *mut H, *const f32) -> i32,
    ) -> u32 {
        let mut drawn = 0;
        for i in 0..count {
            let logits = self.logits.wrapping_offset(self.row_stride.wrapping_mul(i as isize));
            // SAFETY: `i` is below `rows`, and the handles are readable by the contract, at any alignment.
            let handle = unsafe { self.handles.wrapping_add(i).read_unaligned() };
            let token = sample(i, handle, logits);
            // SAFETY: as above, for the tokens, which are writable.
            unsafe { self.tokens.wrapping_add(i).write_unaligned(token) };
            drawn += u32::from(token >= 0);
        }
        drawn
    }
}
