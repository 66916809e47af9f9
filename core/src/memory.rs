//! Growing buffers with an error instead of an abort if allocation fails.

use crate::Error;

/// Makes room for `more` elements beyond the length.
pub fn reserve<T>(buffer: &mut Vec<T>, more: usize) -> Result<(), Error> {
    buffer.try_reserve(more).map_err(|_| Error::OutOfMemory)
}

/// Sets the length; new elements are `value`.
pub(crate) fn resize<T: Copy>(buffer: &mut Vec<T>, len: usize, value: T) -> Result<(), Error> {
    reserve(buffer, len.saturating_sub(buffer.len()))?;
    buffer.resize(len, value);
    Ok(())
}

/// A copy of `items`.
pub(crate) fn copy<T: Copy>(items: &[T]) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(items.len()).map_err(|_| Error::OutOfMemory)?;
    copy.extend_from_slice(items);
    Ok(copy)
}

/// An error if not even a small allocation succeeds.
pub(crate) fn probe() -> Result<(), Error> {
    const PROBE_LEN: usize = 256;
    let mut bytes: Vec<u8> = Vec::new();
    reserve(&mut bytes, PROBE_LEN)?;
    core::hint::black_box(&bytes);
    Ok(())
}
