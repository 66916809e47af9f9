//! The state of a chain as a block of bytes: each stage's name, its parameters and what it remembers.

use super::form::StageForm;
use super::{Chain, Stage};
use crate::saved::{self, Reader, Writer};
use crate::{Error, memory};

const MAGIC: [u8; 4] = *b"S2CH";
const VERSION: u32 = 1;

/// The fewest bytes of a saved stage: the length of its name, and a name.
const MIN_STAGE_LEN: usize = 9;

impl Chain {
    /// The chain as bytes, the same on every machine: stages, parameters, histories, generators.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a stage is the caller's own; [`Error::OutOfMemory`].
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.check_savable()?;
        saved::block(|block| self.write(block))
    }

    /// As [`Chain::save`], into a buffer, without an allocation. Returns the length of the block; only if the
    /// buffer is at least as long does it hold the block.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a stage is the caller's own.
    pub fn save_into(&self, block: &mut [u8]) -> Result<usize, Error> {
        self.check_savable()?;
        Ok(self.write(block))
    }

    fn check_savable(&self) -> Result<(), Error> {
        let all = self.stages.iter().all(|stage| stage.ops().is_savable());
        if all { Ok(()) } else { Err(Error::BadArgument) }
    }

    fn write(&self, block: &mut [u8]) -> usize {
        let mut out = Writer::new(block, MAGIC, VERSION);
        out.count(self.stages.len());
        for stage in &self.stages {
            out.count(stage.name().len());
            out.bytes(stage.name().as_bytes());
            stage.ops().save(&mut out);
        }
        out.finish()
    }

    /// A chain in the state that [`Chain::save`] wrote, which continues identically.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for bytes that [`Chain::save`] did not return, and for a version or a stage that
    /// this library does not know; [`Error::OutOfMemory`].
    pub fn restore(block: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(block, MAGIC, VERSION)?;
        let count = from.items(MIN_STAGE_LEN)?;
        let mut chain = Self::new();
        memory::reserve(&mut chain.stages, count)?;
        for _ in 0..count {
            chain.stages.push(restore_stage(&mut from)?);
        }
        from.finish()?;
        Ok(chain)
    }
}

fn restore_stage(from: &mut Reader<'_>) -> Result<Stage, Error> {
    let len = from.items(1)?;
    let name = from.bytes(len)?;
    let form = StageForm::ALL.iter().find(|form| form.name.as_bytes() == name);
    let form = form.ok_or(Error::BadArgument)?;
    let mut values = Vec::new();
    memory::reserve(&mut values, form.parameters.len())?;
    for parameter in form.parameters {
        values.push(parameter.read(from)?);
    }
    let mut stage = (form.build)(&values)?;
    stage.ops_mut().load(from)?;
    Ok(stage)
}
