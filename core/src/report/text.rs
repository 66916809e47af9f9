//! Texts whose growth fails instead of aborting.

use crate::{Error, memory};
use core::fmt::{self, Arguments, Write};

/// A text whose growth returns an error if allocation fails.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Write for Text {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.0.try_reserve(more.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(more);
        Ok(())
    }
}

impl Text {
    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// The text that `write` writes.
pub(super) fn written(write: impl FnOnce(&mut Text) -> fmt::Result) -> Result<String, Error> {
    let mut text = Text::default();
    // Only growth can fail.
    write(&mut text).map_err(|fmt::Error| Error::OutOfMemory)?;
    Ok(text.into_string())
}

/// Adds a warning.
pub(super) fn push_warning(warnings: &mut Vec<String>, line: Arguments<'_>) -> Result<(), Error> {
    let line = written(|text| text.write_fmt(line))?;
    memory::reserve(warnings, 1)?;
    warnings.push(line);
    Ok(())
}
