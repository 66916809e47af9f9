//! Every dereference of a caller's pointer.
#![allow(unsafe_code)]

use crate::{Error, SamplerParams};

/// The row of `count` logits at `logits`; an empty one for `count <= 0`, whatever the pointer.
///
/// # Safety
/// `logits` is NULL or points to `count` floats that nobody writes while the slice lives.
pub(super) unsafe fn row<'a>(logits: *const f32, count: i32) -> Result<&'a [f32], Error> {
    match usize::try_from(count) {
        Ok(count) if count > 0 => {
            if logits.is_null() {
                return Err(Error::NullPointer);
            }
            if !logits.is_aligned() {
                return Err(Error::BadArgument);
            }
            // SAFETY: not NULL and aligned by the checks above, readable by this function's contract.
            Ok(unsafe { core::slice::from_raw_parts(logits, count) })
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
