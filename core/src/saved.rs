//! Saved states: blocks of bytes, the same on every machine.
//!
//! A block is a magic number, a version, a body and a checksum. Numbers are little-endian, floats are their
//! bits. A reader takes nothing on trust: a block that was cut, changed or made up is an error.

use crate::{Error, memory};

/// The length of what stands around a body: magic number, version, checksum.
pub(crate) const FRAME_LEN: usize = 4 + 4 + 8;

/// Writes a block, or only measures it if there is no room.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    block: &'a mut [u8],
    len: usize,
    sum: u64,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(block: &'a mut [u8], magic: [u8; 4], version: u32) -> Self {
        let mut writer = Self { block, len: 0, sum: CHECKSUM_START };
        writer.bytes(&magic);
        writer.u32(version);
        writer
    }

    /// Ends the block; returns its length. Only if the buffer is as long does it hold the block.
    pub(crate) fn finish(mut self) -> usize {
        self.u64(self.sum);
        self.len
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if let Some(place) = self.block.get_mut(self.len..self.len + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        self.len += bytes.len();
        self.sum = checksum(self.sum, bytes);
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.bytes(&[u8::from(value)]);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn i32(&mut self, value: i32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn f32(&mut self, value: f32) {
        self.u32(value.to_bits());
    }

    /// A number of items or bytes.
    pub(crate) fn count(&mut self, value: usize) {
        self.u64(value as u64);
    }

    /// Numbers with their count.
    pub(crate) fn list(&mut self, items: impl ExactSizeIterator<Item = i32>) {
        self.count(items.len());
        items.for_each(|item| self.i32(item));
    }
}

/// The block that `write` writes, in memory of its own.
pub(crate) fn block(write: impl Fn(&mut [u8]) -> usize) -> Result<Vec<u8>, Error> {
    let mut block = Vec::new();
    memory::resize(&mut block, write(&mut []), 0)?;
    write(&mut block);
    Ok(block)
}

/// Reads the body of a block.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Checks the frame around the body.
    pub(crate) fn new(block: &'a [u8], magic: [u8; 4], version: u32) -> Result<Self, Error> {
        let body = block.len().checked_sub(8).ok_or(Error::BadArgument)?;
        let (framed, sum) = block.split_at(body);
        let mut from = Self(framed);
        let is_known = from.bytes(4)? == magic && from.u32()? == version;
        if is_known && from_le(sum) == checksum(CHECKSUM_START, framed) {
            Ok(from)
        } else {
            Err(Error::BadArgument)
        }
    }

    /// An error if something is left.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::BadArgument) }
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(Error::BadArgument)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn bool(&mut self) -> Result<bool, Error> {
        match self.bytes(1)? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Error::BadArgument),
        }
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        Ok(from_le(self.bytes(4)?) as u32)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        Ok(from_le(self.bytes(8)?))
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        Ok(self.u32()? as i32)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, Error> {
        Ok(f32::from_bits(self.u32()?))
    }

    /// A number of items or bytes. Those that a machine cannot address are cut to the largest it can.
    pub(crate) fn count(&mut self) -> Result<usize, Error> {
        Ok(usize::try_from(self.u64()?).unwrap_or(usize::MAX))
    }

    /// The number of items that follow, each of at least `item_len` bytes. More than the block can hold is an
    /// error, so that a made-up count asks for no memory.
    pub(crate) fn items(&mut self, item_len: usize) -> Result<usize, Error> {
        let count = self.count()?;
        match count.checked_mul(item_len) {
            Some(len) if len <= self.0.len() => Ok(count),
            _ => Err(Error::BadArgument),
        }
    }

    pub(crate) fn list(&mut self) -> Result<Vec<i32>, Error> {
        let count = self.items(4)?;
        let mut list = Vec::new();
        memory::reserve(&mut list, count)?;
        let bytes = self.bytes(4 * count)?;
        list.extend(bytes.chunks_exact(4).map(|bytes| from_le(bytes) as i32));
        Ok(list)
    }
}

/// The bytes as a little-endian number.
fn from_le(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

const CHECKSUM_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over `bytes`, after those that gave `sum`: detects accidents, not manipulation.
fn checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
