//! The words of Python's JSON that are no JSON: `NaN`, `Infinity` and `-Infinity`.

use std::io::{self, BufRead, Read};

/// Passes JSON on, with these words in quotation marks.
pub struct Quoting<R> {
    inner: R,
    state: State,
    ready: Vec<u8>,
    taken: usize,
    /// Whether a word was put in quotation marks.
    pub quoted: bool,
}

#[derive(Clone, Copy)]
enum State {
    Between,
    /// After a minus, which is a number's or an infinity's.
    Minus,
    /// In a word: the bytes that must follow.
    Word(&'static [u8]),
    /// In a string of so many bytes.
    Text(u64),
    Escaped(u64),
}

/// A longer string is no key and no number. They are held in memory.
pub const LONGEST_TEXT: u64 = 1 << 24;

impl<R: BufRead> Quoting<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, state: State::Between, ready: Vec::new(), taken: 0, quoted: false }
    }

    fn byte(&mut self, byte: u8) -> io::Result<()> {
        let wrong = |why: &str| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        self.state = match (self.state, byte) {
            (State::Between, b'"') => State::Text(0),
            (State::Between, b'-') => {
                // Written with what follows.
                self.state = State::Minus;
                return Ok(());
            }
            (State::Between, b'N') => self.word(b"\"N", b"aN"),
            (State::Between, b'I') => self.word(b"\"I", b"nfinity"),
            (State::Minus, b'I') => self.word(b"\"-I", b"nfinity"),
            (State::Minus, _) => {
                self.ready.push(b'-');
                self.state = State::Between;
                return self.byte(byte);
            }
            (State::Word([next, rest @ ..]), _) if *next == byte => {
                if rest.is_empty() {
                    self.ready.extend([byte, b'"']);
                    self.state = State::Between;
                    return Ok(());
                }
                State::Word(rest)
            }
            (State::Word(_), _) => return wrong("a word other than NaN and Infinity"),
            (State::Text(LONGEST_TEXT..), _) => return wrong("a string of more than 16 MiB"),
            (State::Text(_), b'"') => State::Between,
            (State::Text(length), b'\\') => State::Escaped(length + 1),
            (State::Text(length) | State::Escaped(length), _) => State::Text(length + 1),
            (State::Between, _) => State::Between,
        };
        if !matches!((self.state, byte), (State::Word(_), b'N' | b'I')) {
            self.ready.push(byte);
        }
        Ok(())
    }

    fn word(&mut self, begin: &[u8], rest: &'static [u8]) -> State {
        self.quoted = true;
        self.ready.extend(begin);
        State::Word(rest)
    }

    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.is_empty() {
            // Copied, as the states change under it.
            let bytes = self.inner.fill_buf()?.to_vec();
            if bytes.is_empty() {
                if matches!(self.state, State::Minus) {
                    self.state = State::Between;
                    self.ready.push(b'-');
                }
                return Ok(());
            }
            for byte in &bytes {
                self.byte(*byte)?;
            }
            self.inner.consume(bytes.len());
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Quoting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.refill()?;
        }
        let rest = self.ready.get(self.taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(rest) {
            *to = *from;
        }
        self.taken += count;
        Ok(count)
    }
}
