//! No panic crosses the boundary.

use crate::fp_env::DefaultFpEnv;
use s2sampler_core::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an export that returns a token; a panic becomes the status of
/// [`Error::Internal`].
pub(crate) fn token(body: impl FnOnce() -> Result<u32, Error>) -> i32 {
    match value(Err(Error::Internal), body) {
        // Ids are below the row's length, which came in as an i32.
        Ok(id) => i32::try_from(id).unwrap_or(Error::Internal.status()),
        Err(error) => error.status(),
    }
}

/// Runs the body of an export that returns 0 or a status.
pub(crate) fn status(body: impl FnOnce() -> Result<(), Error>) -> i32 {
    token(|| body().map(|()| 0))
}

/// Runs the body of an export that cannot fail; `fallback` is what a panic would leave.
pub(crate) fn value<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    let _host = DefaultFpEnv::enter();
    // The state a panic may leave behind is buffers that every draw overwrites, hence unwind safe.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}
