//! Texts that grow without ever aborting.

use crate::{Error, memory};
use core::fmt::{self, Arguments, Write};

/// A text that refuses to grow where memory lacks.
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
    // Nothing that is written here fails by itself.
    write(&mut text).map_err(|fmt::Error| Error::OutOfMemory)?;
    Ok(text.into_string())
}

/// Adds a line to `lines`.
pub(super) fn say(lines: &mut Vec<String>, line: Arguments<'_>) -> Result<(), Error> {
    let line = written(|text| text.write_fmt(line))?;
    memory::reserve(lines, 1)?;
    lines.push(line);
    Ok(())
}
