//! No panic crosses the boundary.

use crate::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an export; a panic becomes the status of [`Error::Internal`].
pub(super) fn token(body: impl FnOnce() -> Result<u32, Error>) -> i32 {
    // The state a panic may leave behind is buffers that every draw overwrites, hence unwind safe.
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Error::Internal));
    match result {
        // Ids are below the row's length, which came in as an i32.
        Ok(id) => i32::try_from(id).unwrap_or(Error::Internal.status()),
        Err(error) => error.status(),
    }
}
