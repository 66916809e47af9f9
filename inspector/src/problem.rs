//! What stops the program, with the exit code for it.

use s2sampler_core::Error;
use std::fmt;
use std::process::ExitCode;

#[derive(Debug, PartialEq)]
pub enum Problem {
    /// The command line asks for what there is not.
    Usage(String),
    /// A file cannot be read, or not as a row; or the picture cannot be written.
    File(String),
}

impl Problem {
    /// 2, as clap itself exits, for the command line and 1 for a file.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::File(_) => ExitCode::from(1),
        }
    }

    /// The problem with the name of the file that has it.
    pub fn of(self, file: &str) -> Self {
        match self {
            Self::Usage(text) => Self::Usage(format!("{file}: {text}")),
            Self::File(text) => Self::File(format!("{file}: {text}")),
        }
    }

    /// Of an error of the library while it worked on a row with a `setting` that it had taken.
    pub fn at_work(setting: &str, error: Error) -> Self {
        match error {
            Error::EmptyRow => Self::File("the row has no logits".to_owned()),
            _ => Self::Usage(format!("{setting}: {error}")),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::File(text)) = self;
        f.write_str(text)
    }
}
