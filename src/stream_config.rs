//! Chapter "What a stream knows of its engine".
#![allow(unsafe_code)]

use crate::{guard, pointers};
use s2sampler_core::{Error, RasMode, StreamConfig};

/// RAS mode: a main token is never drawn once more. Since: 0.1.0
pub const S2_RAS_OFF: i32 = 0;
/// RAS mode of the S2 engines, the default: a semantic token that is in the window is drawn once
/// more, from the same tokens, with ras_temperature, ras_top_p and the caller's top_k. Since: 0.1.0
pub const S2_RAS_ANY_HIT: i32 = 1;
/// RAS mode of CosyVoice: a semantic token that is in the window at least ras_window * ras_tau times
/// is drawn once more, from all allowed tokens with ras_temperature, without top_k and top_p.
/// Since: 0.1.0
pub const S2_RAS_SHARE: i32 = 2;

/// What a stream must know of its engine: filled by s2_stream_config_init(), then changed by field.
///
/// A struct that may grow: struct_size tells the version. A size that lacks fields means their
/// defaults; one that goes beyond those known here is accepted if the bytes beyond are zero.
/// Since: 0.1.0
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2StreamConfig {
    /// sizeof(S2StreamConfig), as s2_stream_config_init() sets it. From 4 to 4096.
    pub struct_size: u32,
    /// The id of the first semantic token, 0 or more. Default 0.
    pub semantic_first: i32,
    /// The id of the last semantic token, which is one of them; semantic_first or more. Default -1,
    /// which is not valid: the range must be given.
    pub semantic_last: i32,
    /// The id of the token that ends the utterance. Default -1: none, as for all negative ids.
    pub end_id: i32,
    /// How many of the latest main tokens RAS looks at, from 0, which is "off", to 1048576.
    /// Default 10.
    pub ras_window: i32,
    /// The temperature of the second draw; every bit pattern, as in SamplerParams. Default 1.
    pub ras_temperature: f32,
    /// The top_p of the second draw in mode S2_RAS_ANY_HIT; every bit pattern, as in SamplerParams.
    /// Default 0.9.
    pub ras_top_p: f32,
    /// S2_RAS_OFF, S2_RAS_ANY_HIT or S2_RAS_SHARE. Default S2_RAS_ANY_HIT.
    pub ras_mode: i32,
    /// In mode S2_RAS_SHARE the share of the window that a token must have for a second draw. Zero or
    /// less: each semantic token is drawn once more; NaN: none is. Default 0.1.
    pub ras_tau: f32,
}

impl S2StreamConfig {
    pub(crate) fn init() -> Self {
        let StreamConfig {
            semantic_first,
            semantic_last,
            end_id,
            ras_mode: _,
            ras_window,
            ras_temperature,
            ras_top_p,
            ras_tau,
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
        }
    }

    pub(crate) fn checked(self) -> Result<StreamConfig, Error> {
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
        })
    }
}

/// Sets all fields of a stream's configuration to their defaults, and struct_size.
///
/// Parameters:
///
/// - `config`: where to write the 36 bytes of the struct in this version. Later versions of the
///   library write no more than these, since older programs have no room for more; fields that they
///   add are beyond struct_size then, which means their defaults. NULL does nothing.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_stream_config_init(config: *mut S2StreamConfig) {
    guard::value((), || {
        if !config.is_null() {
            // SAFETY: not NULL; the caller keeps the header's promise about `config`.
            unsafe { pointers::put(config, S2StreamConfig::init()) };
        }
    });
}
