//! The state of a stream as a block of bytes: its configuration, its generator and its window.

use super::{RasMode, Stream, StreamConfig};
use crate::rules::MAX_WINDOW;
use crate::saved::{self, Reader, Writer};
use crate::{Error, Sampler, rng};

const MAGIC: [u8; 4] = *b"S2ST";
const VERSION: u32 = 1;

impl Stream {
    /// The stream as bytes, the same on every machine.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::block(|block| self.save_into(block))
    }

    /// As [`Stream::save`], into a buffer, without an allocation. Returns the length of the block; only if the
    /// buffer is at least as long does it hold the block.
    pub fn save_into(&self, block: &mut [u8]) -> usize {
        let mut out = Writer::new(block, MAGIC, VERSION);
        let StreamConfig {
            semantic_first,
            semantic_last,
            end_id,
            ras_mode,
            ras_window,
            ras_temperature,
            ras_top_p,
            ras_tau,
            continues_after_redrawn_end,
            ras_always,
            ras_bans,
        } = self.config;
        [semantic_first, semantic_last, end_id, ras_window]
            .into_iter()
            .for_each(|number| out.i32(number));
        out.u32(match ras_mode {
            RasMode::Off => 0,
            RasMode::AnyHit => 1,
            RasMode::Share => 2,
        });
        [ras_temperature, ras_top_p, ras_tau].into_iter().for_each(|number| out.f32(number));
        [continues_after_redrawn_end, ras_always, ras_bans]
            .into_iter()
            .for_each(|flag| out.bool(flag));
        [self.ended, self.redrawn].into_iter().for_each(|flag| out.bool(flag));
        out.list(self.window.iter().map(|token| *token as i32));
        rng::put(&self.sampler.generator, &mut out);
        out.finish()
    }

    /// A stream in the state that [`Stream::save`] wrote, which continues identically. Its generator counts as
    /// explicitly seeded.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for bytes that [`Stream::save`] did not return, and for a version that this
    /// library does not know; [`Error::OutOfMemory`].
    pub fn restore(block: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(block, MAGIC, VERSION)?;
        let mut numbers = [0; 4];
        numbers.iter_mut().try_for_each(|number| from.i32().map(|read| *number = read))?;
        let [semantic_first, semantic_last, end_id, ras_window] = numbers;
        let config = StreamConfig {
            semantic_first,
            semantic_last,
            end_id,
            ras_window,
            ras_mode: match from.u32()? {
                0 => RasMode::Off,
                1 => RasMode::AnyHit,
                2 => RasMode::Share,
                _ => return Err(Error::BadArgument),
            },
            ras_temperature: from.f32()?,
            ras_top_p: from.f32()?,
            ras_tau: from.f32()?,
            continues_after_redrawn_end: from.bool()?,
            ras_always: from.bool()?,
            ras_bans: from.bool()?,
        };
        let (ended, redrawn) = (from.bool()?, from.bool()?);
        let window = from.list()?;
        let mut sampler = Sampler::new(0);
        sampler.generator = rng::take(&mut from)?;
        from.finish()?;
        let most = config.ras_window.clamp(0, MAX_WINDOW) as usize;
        if window.len() > most || window.iter().any(|token| *token < 0) {
            return Err(Error::BadArgument);
        }
        let mut stream = Self::new(sampler, &config)?;
        stream.window.extend(window.iter().map(|token| *token as u32));
        (stream.ended, stream.redrawn) = (ended, redrawn);
        Ok(stream)
    }
}
