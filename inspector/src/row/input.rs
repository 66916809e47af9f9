//! The bytes of a file or a pipe: read in order, skipped without reading where the source can seek.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};

pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// A reader that can pass over bytes.
pub trait Skip: Read {
    /// Passes over `count` bytes; an error of kind `UnexpectedEof` if there are fewer.
    fn skip(&mut self, count: u64) -> io::Result<()>
    where
        Self: Sized,
    {
        let skipped = io::copy(&mut self.by_ref().take(count), &mut io::sink())?;
        if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

pub struct Input {
    source: Source,
    /// How many bytes it holds from its beginning, if that can be known.
    len: Option<u64>,
}

enum Source {
    Seekable(BufReader<Box<dyn ReadSeek>>),
    Pipe(BufReader<Box<dyn Read>>),
}

impl Input {
    pub fn seekable(mut source: impl ReadSeek + 'static) -> io::Result<Self> {
        let len = source.seek(SeekFrom::End(0))?;
        source.rewind()?;
        Ok(Self { source: Source::Seekable(BufReader::new(Box::new(source))), len: Some(len) })
    }

    pub fn pipe(source: impl Read + 'static) -> Self {
        Self { source: Source::Pipe(BufReader::new(Box::new(source))), len: None }
    }

    pub fn len(&self) -> Option<u64> {
        self.len
    }

    /// How many bytes follow, if that can be known.
    pub fn left(&mut self) -> io::Result<Option<u64>> {
        match (&mut self.source, self.len) {
            (Source::Seekable(file), Some(len)) => {
                Ok(Some(len.saturating_sub(file.stream_position()?)))
            }
            _ => Ok(None),
        }
    }

    /// The next bytes, at most `count`, without taking them.
    pub fn peek(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.by_ref().take(count).read_to_end(&mut head)?;
        match &mut self.source {
            Source::Seekable(file) => {
                let back = i64::try_from(head.len()).map_err(io::Error::other)?;
                file.seek_relative(-back)?;
            }
            Source::Pipe(pipe) => {
                let rest = std::mem::replace(pipe, BufReader::new(Box::new(io::empty())));
                *pipe = BufReader::new(Box::new(Cursor::new(head.clone()).chain(rest)));
            }
        }
        Ok(head)
    }

    /// The whole as a source that can seek; of a pipe at most `limit` bytes are kept in memory.
    pub fn into_seekable(self, limit: u64) -> Result<Box<dyn ReadSeek>, String> {
        match self.source {
            Source::Seekable(file) => Ok(file.into_inner()),
            Source::Pipe(pipe) => {
                let mut bytes = Vec::new();
                pipe.take(limit + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
                if bytes.len() as u64 > limit {
                    return Err(format!(
                        "more than {limit} bytes of an archive in a pipe; save it as a file first"
                    ));
                }
                Ok(Box::new(Cursor::new(bytes)))
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::Seekable(file) => file.read(buffer),
            Source::Pipe(pipe) => pipe.read(buffer),
        }
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.source {
            Source::Seekable(file) => file.fill_buf(),
            Source::Pipe(pipe) => pipe.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.source {
            Source::Seekable(file) => file.consume(amount),
            Source::Pipe(pipe) => pipe.consume(amount),
        }
    }
}

impl Skip for Input {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        // A seek beyond the end would succeed.
        if self.left()?.is_some_and(|left| count > left) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match &mut self.source {
            Source::Seekable(file) => {
                file.seek_relative(i64::try_from(count).map_err(io::Error::other)?)
            }
            Source::Pipe(pipe) => Unseekable(pipe).skip(count),
        }
    }
}

/// A reader that has to read what it passes over.
pub struct Unseekable<R>(pub R);

impl<R: Read> Read for Unseekable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read> Skip for Unseekable<R> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_pipes_peek_and_skip_identically() {
        let bytes: Vec<u8> = (0..200).collect();
        let file = Input::seekable(Cursor::new(bytes.clone())).expect("bytes in memory");
        for mut input in [file, Input::pipe(Cursor::new(bytes.clone()))] {
            assert_eq!(input.peek(3).expect("bytes"), [0, 1, 2]);
            input.skip(2).expect("bytes");
            assert_eq!(input.peek(3).expect("bytes"), [2, 3, 4]);
            let mut rest = Vec::new();
            input.read_to_end(&mut rest).expect("bytes");
            assert_eq!(rest, bytes[2..]);
            assert!(input.skip(1).is_err());
        }
    }

    #[test]
    fn a_pipe_is_kept_in_memory_up_to_the_limit() {
        let pipe = |count| Input::pipe(io::repeat(7).take(count));
        assert!(pipe(10).into_seekable(10).is_ok());
        let why = pipe(11).into_seekable(10).err().expect("too long");
        assert_eq!(why, "more than 10 bytes of an archive in a pipe; save it as a file first");
    }
}
