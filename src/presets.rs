//! Chapter "Chains": presets.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::S2Chain;
use crate::pointers::Versioned;
use crate::{guard, pointers};
use s2sampler_core::{Chain, Error, Preset, PresetParams};

/// Preset: the S2 engines' draw, with the tokens of s2_sampler_sample(). s2, dist. Defaults:
/// temperature 0.8, top_p 0.8, top_k 30.
pub const S2_PRESET_S2: i32 = 0;
/// Preset: temperature before the filters, and top_p over the probabilities of the whole row at
/// that temperature. penalties, temperature, softmax, top_k, top_p, min_p, dist. Defaults: repeat
/// 1.1 over the last 64, temperature 0.8, top_k 40, top_p 0.9, min_p 0.
pub const S2_PRESET_TEMPERATURE_FIRST: i32 = 1;
/// Preset: llama.cpp's order. penalties, top_k, top_p, min_p, temperature, dist. Defaults:
/// penalties off (last 64), top_k 40, top_p 0.95, min_p 0.05, temperature 0.8.
pub const S2_PRESET_LLAMA: i32 = 2;
/// Preset: the order of Hugging Face's generate. penalties, temperature, top_k, top_p, min_p, dist.
/// Defaults: penalties off (all tokens), temperature 1, top_k 50, top_p 1, min_p 0.
pub const S2_PRESET_HUGGINGFACE: i32 = 3;
/// Preset: the draw of the S2 engines' first generations, with the tokens of
/// s2_sample_token_first() without a kept id. s2_first, dist. Defaults: temperature 0.7, top_p 0.7,
/// top_k 30.
pub const S2_PRESET_S2_FIRST: i32 = 4;

/// The parameters of a preset. Fill them with s2_preset_params_init(), then change fields. A
/// parameter that the preset has no stage for is ignored.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2PresetParams {
    /// sizeof(S2PresetParams): see "Structs that may grow".
    pub struct_size: u32,
    /// As for s2_chain_add_temperature(); in the presets of the S2 engines as in SamplerParams.
    pub temperature: f32,
    /// As for s2_chain_add_top_p(), with min_keep 1; there likewise.
    pub top_p: f32,
    /// As for s2_chain_add_top_k(); there likewise.
    pub top_k: i32,
    /// As for s2_chain_add_min_p(), with min_keep 1. Off: 0.
    pub min_p: f32,
    /// As `repeat` for s2_chain_add_penalties(). Off: 1.
    pub repeat_penalty: f32,
    /// As `last_n` for s2_chain_add_penalties().
    pub penalty_last_n: i32,
}

// SAFETY: `repr(C)`, begins with its size, 7 words of 4 bytes, numbers only.
unsafe impl Versioned for S2PresetParams {
    const FIRST_SIZE: usize = 28;
}

impl S2PresetParams {
    fn init(preset: Preset) -> Self {
        let PresetParams { temperature, top_p, top_k, min_p, repeat_penalty, penalty_last_n } =
            PresetParams::of(preset);
        Self {
            struct_size: size_of::<Self>() as u32,
            temperature,
            top_p,
            top_k,
            min_p,
            repeat_penalty,
            penalty_last_n,
        }
    }

    fn values(self) -> PresetParams {
        let Self { temperature, top_p, top_k, min_p, repeat_penalty, penalty_last_n, .. } = self;
        PresetParams { temperature, top_p, top_k, min_p, repeat_penalty, penalty_last_n }
    }
}

fn preset(number: i32) -> Result<Preset, Error> {
    Ok(match number {
        S2_PRESET_S2 => Preset::S2,
        S2_PRESET_TEMPERATURE_FIRST => Preset::TemperatureFirst,
        S2_PRESET_LLAMA => Preset::Llama,
        S2_PRESET_HUGGINGFACE => Preset::HuggingFace,
        S2_PRESET_S2_FIRST => Preset::S2First,
        _ => return Err(Error::BadArgument),
    })
}

/// Sets `params` to the defaults of a preset, and struct_size.
///
/// `which`: one of S2_PRESET_*.
///
/// Returns 0 or a status, and then nothing is written: S2_ERROR_NULL_POINTER, S2_ERROR_BAD_ARGUMENT
/// (`which`).
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_preset_params_init(params: *mut S2PresetParams, which: i32) -> i32 {
    guard::status(|_| {
        if params.is_null() {
            return Err(Error::NullPointer);
        }
        pointers::write(params, S2PresetParams::init(preset(which)?))
    })
}

/// Makes a chain with the stages of a preset. It is a chain like any other: stages can be added and
/// removed.
///
/// `which`: one of S2_PRESET_*. `seed`: of the stage dist. `params`: copied. NULL: the preset's
/// defaults. NULL also with S2_ERROR_BAD_ARGUMENT if `which` is no preset or a parameter is out of
/// range.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_new_preset(
    which: i32,
    seed: u32,
    params: *const S2PresetParams,
) -> *mut S2Chain {
    guard::new_handle(|_| {
        let preset = preset(which)?;
        let init = S2PresetParams::init(preset);
        let params = if params.is_null() { init } else { pointers::read_versioned(params, init)? };
        Chain::preset(preset, &params.values(), seed).map(S2Chain::new)
    })
}
