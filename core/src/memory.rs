//! Growing the working buffers without ever aborting.

use crate::Error;

/// Makes room for `more` further elements.
pub fn reserve<T>(buffer: &mut Vec<T>, more: usize) -> Result<(), Error> {
    buffer.try_reserve(more).map_err(|_| Error::OutOfMemory)
}

/// Sets the length, filling new places with `value`.
pub(crate) fn resize<T: Copy>(buffer: &mut Vec<T>, len: usize, value: T) -> Result<(), Error> {
    reserve(buffer, len.saturating_sub(buffer.len()))?;
    buffer.resize(len, value);
    Ok(())
}

/// A copy, if there is memory for it.
pub(crate) fn copy<T: Copy>(items: &[T]) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(items.len()).map_err(|_| Error::OutOfMemory)?;
    copy.extend_from_slice(items);
    Ok(copy)
}

/// An error where not even a few bytes can be had.
pub(crate) fn probe() -> Result<(), Error> {
    const FEW: usize = 256;
    let mut bytes: Vec<u8> = Vec::new();
    reserve(&mut bytes, FEW)?;
    core::hint::black_box(&bytes);
    Ok(())
}
