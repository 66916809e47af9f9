//! Chapter "Streams".
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::guard::Opaque;
use crate::handle::Handle;
use crate::pointers::Versioned;
use crate::{guard, pointers};
use core::ffi::c_void;
use s2sampler_core::{Error, RasMode, Sampler, SamplerParams, Stream, StreamConfig};

/// RAS mode: no second draw.
pub const S2_RAS_OFF: i32 = 0;
/// RAS mode of the S2 engines, the default: a semantic token that occurs in the window is drawn
/// again.
pub const S2_RAS_ANY_HIT: i32 = 1;
/// RAS mode of CosyVoice: a semantic token that occurs in the window at least ras_window * ras_tau
/// times is drawn again.
pub const S2_RAS_SHARE: i32 = 2;
/// An end token from the second draw ends the utterance, the default.
pub const S2_RAS_END_STOPS: i32 = 0;
/// An end token from the second draw does not end the utterance: the loop goes on, with code 0, as
/// that of the original S2 engine does.
pub const S2_RAS_END_CONTINUES: i32 = 1;

/// The configuration of a stream. Fill it with s2_stream_config_init(), then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2StreamConfig {
    /// sizeof(S2StreamConfig): see "Structs that may grow".
    pub struct_size: u32,
    /// The id of the first semantic token, >= 0. Default 0.
    pub semantic_first: i32,
    /// The id of the last semantic token (inclusive), >= semantic_first. Default -1, which is not
    /// valid: the range must be given.
    pub semantic_last: i32,
    /// The id of the token that ends the utterance. Default -1: none, as every negative id. An end
    /// token in the semantic range is a semantic token, too.
    pub end_id: i32,
    /// How many of the latest main tokens RAS looks at, 0 to 1048576. Default 10. Off: 0.
    pub ras_window: i32,
    /// The temperature of the second draw, as in SamplerParams. Default 1. The second draw has this
    /// temperature even if the first was greedy.
    pub ras_temperature: f32,
    /// The top_p of the second draw in mode S2_RAS_ANY_HIT, as in SamplerParams. Default 0.9.
    pub ras_top_p: f32,
    /// S2_RAS_OFF, S2_RAS_ANY_HIT or S2_RAS_SHARE. Default S2_RAS_ANY_HIT.
    pub ras_mode: i32,
    /// In mode S2_RAS_SHARE: the share of the window at which a token is drawn again. <= 0: every
    /// semantic token; NaN: none. Default 0.1.
    pub ras_tau: f32,
    /// S2_RAS_END_STOPS or S2_RAS_END_CONTINUES. Default S2_RAS_END_STOPS.
    pub ras_end: i32,
    /// 1: the second draw is made for every main token, as audio.cpp does, and its token is used
    /// only where ras_mode says so; a main token then takes the words of two draws. 0: it is made
    /// only where its token is used. Default 0. Without effect in mode S2_RAS_OFF and with
    /// ras_window 0.
    pub ras_always: i32,
    /// 1: the second draw leaves out the token of the first, as CrispASR does. If no other allowed
    /// logit is above -inf, there is no second draw. 0: it may give the same token again. Default
    /// 0.
    pub ras_bans: i32,
}

// SAFETY: `repr(C)`, begins with its size, 12 words of 4 bytes, numbers only.
unsafe impl Versioned for S2StreamConfig {
    const FIRST_SIZE: usize = 48;
}

impl S2StreamConfig {
    fn init() -> Self {
        let StreamConfig {
            semantic_first,
            semantic_last,
            end_id,
            ras_mode: _,
            ras_window,
            ras_temperature,
            ras_top_p,
            ras_tau,
            continues_after_redrawn_end: _,
            ras_always: _,
            ras_bans: _,
        } = StreamConfig::default();
        Self {
            struct_size: size_of::<Self>() as u32,
            semantic_first,
            semantic_last,
            end_id,
            ras_window,
            ras_temperature,
            ras_top_p,
            ras_mode: S2_RAS_ANY_HIT,
            ras_tau,
            ras_end: S2_RAS_END_STOPS,
            ras_always: 0,
            ras_bans: 0,
        }
    }

    fn checked(self) -> Result<StreamConfig, Error> {
        Ok(StreamConfig {
            semantic_first: self.semantic_first,
            semantic_last: self.semantic_last,
            end_id: self.end_id,
            ras_mode: match self.ras_mode {
                S2_RAS_OFF => RasMode::Off,
                S2_RAS_ANY_HIT => RasMode::AnyHit,
                S2_RAS_SHARE => RasMode::Share,
                _ => return Err(Error::BadArgument),
            },
            ras_window: self.ras_window,
            ras_temperature: self.ras_temperature,
            ras_top_p: self.ras_top_p,
            ras_tau: self.ras_tau,
            continues_after_redrawn_end: match self.ras_end {
                S2_RAS_END_STOPS => false,
                S2_RAS_END_CONTINUES => true,
                _ => return Err(Error::BadArgument),
            },
            ras_always: switch(self.ras_always)?,
            ras_bans: switch(self.ras_bans)?,
        })
    }
}

/// A field that is 0 or 1.
fn switch(field: i32) -> Result<bool, Error> {
    match field {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::BadArgument),
    }
}

/// One utterance: a generator, the window of main tokens that RAS looks at, and the rules of the
/// loop.
///
/// Two streams with the same seed, configuration and rows give the same tokens, whatever else runs,
/// on any threads.
pub struct S2Stream {
    stream: Handle<Stream>,
    /// A copy beside the mark: s2_stream_code() may run while another thread draws.
    config: StreamConfig,
}

impl S2Stream {
    fn new(stream: Stream, config: StreamConfig) -> Self {
        Self { stream: Handle::new(stream), config }
    }

    /// # Safety
    /// `config` keeps to the contract of `pointers`.
    unsafe fn start(
        config: *const S2StreamConfig,
        sampler: impl FnOnce() -> Result<Sampler, Error>,
    ) -> Result<Self, Error> {
        let config = pointers::read_versioned(config, S2StreamConfig::init())?.checked()?;
        Ok(Self::new(Stream::new(sampler()?, &config)?, config))
    }
}

impl Opaque for S2Stream {
    type Content = Stream;
    fn handle(&self) -> &Handle<Stream> {
        &self.stream
    }
}

/// Sets `config` to the defaults, and struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_config_init(config: *mut S2StreamConfig) {
    guard::status(|_| pointers::write(config, S2StreamConfig::init()));
}

/// Begins an utterance whose generator is in the state of `std::mt19937(seed)`. No value of `seed`
/// is special.
///
/// `config`: copied. NULL also with S2_ERROR_NULL_POINTER if `config` is NULL, and
/// S2_ERROR_BAD_ARGUMENT if a field of it is out of range.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_new(seed: u32, config: *const S2StreamConfig) -> *mut S2Stream {
    guard::new_handle(|_| S2Stream::start(config, || Ok(Sampler::new(seed))))
}

/// As s2_stream_new() with `config`, seeded by the operating system; s2_stream_get_seed() returns
/// the seed.
///
/// NULL also with S2_ERROR_NO_ENTROPY. In the child of a fork the handle gets a new seed: see
/// "Fork".
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_new_random(config: *const S2StreamConfig) -> *mut S2Stream {
    guard::new_handle(|_| S2Stream::start(config, Sampler::from_system))
}

/// Makes a second stream in the same state, window included: both continue identically.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_clone(stream: *const S2Stream) -> *mut S2Stream {
    guard::new_handle(|call| {
        let copy = guard::read(call, stream, Stream::try_clone)?;
        Ok(S2Stream::new(copy, pointers::handle_ref(call, stream)?.config))
    })
}

/// Returns the number of bytes that s2_stream_save() writes for the stream as it is, or 0 where a
/// status would be returned.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_state_size(stream: *const S2Stream) -> usize {
    guard::value(0, |call| {
        guard::read(call, stream, |stream| Ok(stream.save_into(&mut []))).unwrap_or(0)
    })
}

/// Writes the stream as bytes, to continue from it later, elsewhere, or twice: its configuration,
/// generator and window. For the bytes see s2_chain_save().
///
/// `state`, `size`: a buffer for s2_stream_state_size() bytes and its size. Returns 0, or
/// S2_ERROR_BAD_ARGUMENT if `size` is too small, and then nothing is written.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_save(
    stream: *const S2Stream,
    state: *mut c_void,
    size: usize,
) -> i32 {
    guard::status(|call| {
        guard::read(call, stream, |stream| {
            let len = stream.save_into(&mut []);
            stream.save_into(pointers::buffer(call, state.cast(), size, len)?);
            Ok(())
        })
    })
}

/// Makes a stream in a saved state, which continues identically. Its generator counts as explicitly
/// seeded: a fork does not change it.
///
/// `state`, `size`: as for s2_chain_new_restored(), of s2_stream_save(). NULL also with
/// S2_ERROR_BAD_ARGUMENT if the bytes are not a saved stream, were changed, or have a version that
/// this library does not know.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_new_restored(
    state: *const c_void,
    size: usize,
) -> *mut S2Stream {
    guard::new_handle(|call| {
        let stream = Stream::restore(pointers::bytes(call, state.cast(), size)?)?;
        let config = *stream.config();
        Ok(S2Stream::new(stream, config))
    })
}

/// Frees a stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_free(stream: *mut S2Stream) {
    guard::free(stream);
}

/// Begins another utterance with the same configuration and memory: the generator in the state of
/// `std::mt19937(seed)` for any `seed`, the window empty, not ended. Returns 0 or a status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_reset(stream: *mut S2Stream, seed: u32) -> i32 {
    guard::change(stream, |stream, _| {
        stream.reset(seed);
        Ok(0)
    })
}

/// Returns the seed of a stream, as s2_sampler_get_seed().
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_get_seed(stream: *const S2Stream) -> u32 {
    guard::value(0, |call| guard::read(call, stream, |s| Ok(s.sampler().seed())).unwrap_or(0))
}

/// The Slow-AR draw: the main token of a frame.
///
/// Draws as s2_sampler_sample_ranges() from the semantic tokens, and from the end token if it is
/// allowed; then, if RAS says so, once more from the same tokens. The token returned enters the
/// window.
///
/// `logits`, `vocab_size`: the whole row, unmasked. Its length may differ from frame to frame.
///
/// `allow_end`: 0 bans the end token, in both draws and also from the semantic range; otherwise it
/// is allowed.
///
/// Returns the id in the whole row; ask s2_stream_ended() whether the utterance has ended. Or a
/// status, and then window and end are as before: S2_ERROR_EMPTY_ROW if no allowed id is in the
/// row, S2_ERROR_NO_CANDIDATE if no allowed logit is above -inf. Only with S2_ERROR_OUT_OF_MEMORY
/// may the first of two draws have used its words.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_slow(
    stream: *mut S2Stream,
    logits: *const f32,
    vocab_size: i32,
    params: *const SamplerParams,
    allow_end: i32,
) -> i32 {
    guard::change(stream, |stream, call| {
        let row = pointers::slice(call, logits, vocab_size)?;
        stream.slow(row, &pointers::params(params), allow_end != 0)
    })
}

/// The Fast-AR draw: a further codebook token of a frame, by s2_sampler_sample() with the stream's
/// generator. RAS and the window have no part in it.
///
/// `logits`, `n`: the row; `n` is the size of the codebook, and the token returned is the code.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_fast(
    stream: *mut S2Stream,
    logits: *const f32,
    n: i32,
    params: *const SamplerParams,
) -> i32 {
    guard::change(stream, |stream, call| {
        let row = pointers::slice(call, logits, n)?;
        stream.fast(row, &pointers::params(params))
    })
}

/// Returns the semantic code of a main token: `token` - semantic_first, clamped to 0 ...
/// `codebook_size` - 1.
///
/// S2_ERROR_BAD_ARGUMENT if `token` < 0, such as an unchecked status, or `codebook_size` <= 0. The
/// configuration never changes, so this call may overlap any other.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_code(
    stream: *const S2Stream,
    token: i32,
    codebook_size: i32,
) -> i32 {
    guard::number(|call| {
        let stream = pointers::handle_ref(call, stream)?;
        let token = u32::try_from(token).map_err(|_| Error::BadArgument)?;
        let codebook_size = u32::try_from(codebook_size).map_err(|_| Error::BadArgument)?;
        stream.config.code(token, codebook_size)
    })
}

/// Returns 1 if the last main token ended the utterance, 0 if it did not or there is none, or a
/// status. With S2_RAS_END_CONTINUES only an end token of the first draw ends it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_ended(stream: *const S2Stream) -> i32 {
    guard::number(|call| guard::read(call, stream, |stream| Ok(stream.has_ended().into())))
}

/// Returns 1 if the last main token is that of the second draw, 0 if it is that of the first or
/// there is none, or a status.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_redrawn(stream: *const S2Stream) -> i32 {
    guard::number(|call| guard::read(call, stream, |stream| Ok(stream.was_redrawn().into())))
}
