//! Chapter "Chains that others are known for".
#![allow(unsafe_code)]

use crate::chain::S2Chain;
use crate::{guard, pointers};
use core::ptr;
use s2sampler_core::{Chain, Error, Preset, PresetParams};

/// Preset: the S2 engines' draw, with the tokens of s2_sampler_sample(). Stages: s2, dist. Defaults: 0.8,
/// 0.8, 30. Since: 0.1.0
pub const S2_PRESET_S2: i32 = 0;
/// Preset: penalties, temperature, softmax, top_k, top_p, min_p, dist. So top_p adds up the whole row's
/// probabilities at that temperature. Defaults: temperature 0.8, top_p 0.9, top_k 40, penalty 1.1 for the
/// last 64. Since: 0.1.0
pub const S2_PRESET_ARTICLE: i32 = 1;
/// Preset: llama.cpp's order: penalties, top_k, top_p, min_p, temperature, dist. Defaults: temperature
/// 0.8, top_p 0.95, top_k 40, min_p 0.05. Since: 0.1.0
pub const S2_PRESET_LLAMA: i32 = 2;
/// Preset: the order of Hugging Face's generate: penalties, temperature, top_k, top_p, min_p, dist.
/// Defaults: temperature 1, top_p 1, top_k 50. Since: 0.1.0
pub const S2_PRESET_HUGGINGFACE: i32 = 3;

/// The parameters of a preset: filled by s2_preset_params_init(), then changed by field.
///
/// A parameter that the preset has no stage for is ignored. A struct that may grow: struct_size tells the
/// version. A size that lacks fields means the preset's defaults; one that goes beyond those known here is
/// accepted if the bytes beyond are zero. Since: 0.1.0
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2PresetParams {
    /// sizeof(S2PresetParams), as s2_preset_params_init() sets it. From 4 to 4096.
    pub struct_size: u32,
    /// As for s2_chain_add_temperature(); in S2_PRESET_S2 as in SamplerParams.
    pub temperature: f32,
    /// As for s2_chain_add_top_p(), with min_keep 1; in S2_PRESET_S2 as in SamplerParams.
    pub top_p: f32,
    /// As for s2_chain_add_top_k(); in S2_PRESET_S2 as in SamplerParams.
    pub top_k: i32,
    /// As for s2_chain_add_min_p(), with min_keep 1. Default 0, which is "off", but for S2_PRESET_LLAMA.
    pub min_p: f32,
    /// As `repeat` for s2_chain_add_penalties(). Default 1, which is "off", but for S2_PRESET_ARTICLE.
    pub repeat_penalty: f32,
    /// As `last_n` for s2_chain_add_penalties(). Default 64, and -1 for S2_PRESET_HUGGINGFACE.
    pub penalty_last_n: i32,
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
        S2_PRESET_ARTICLE => Preset::TemperatureFirst,
        S2_PRESET_LLAMA => Preset::Llama,
        S2_PRESET_HUGGINGFACE => Preset::HuggingFace,
        _ => return Err(Error::BadArgument),
    })
}

/// Sets all fields of a preset's parameters to the preset's defaults, and struct_size.
///
/// Parameters:
///
/// - `params`: where to write the 28 bytes of the struct in this version. Later versions of the library
///   write no more than these, since older programs have no room for more; fields that they add are beyond
///   struct_size then, which means their defaults.
/// - `which`: one of S2_PRESET_*.
///
/// Returns: 0, or a status, and then nothing was written:
///
/// - S2_ERROR_NULL_POINTER: `params` is NULL.
/// - S2_ERROR_BAD_ARGUMENT: `which` is no preset.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: none. Threads: any, at any time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_preset_params_init(params: *mut S2PresetParams, which: i32) -> i32 {
    guard::status(|| {
        if params.is_null() {
            return Err(Error::NullPointer);
        }
        let init = S2PresetParams::init(preset(which)?);
        // SAFETY: not NULL; the caller keeps the header's promise about `params`.
        unsafe { pointers::put(params, init) };
        Ok(())
    })
}

/// Makes a chain with the stages of a preset.
///
/// Parameters:
///
/// - `which`: one of S2_PRESET_*.
/// - `seed`: that of the stage that draws; any value.
/// - `params`: the parameters; copied. NULL means the preset's defaults.
///
/// Returns: the handle, which the caller frees with s2_chain_free(). It is a chain like any other: stages
/// can be added and removed. NULL if `which` is no preset, struct_size or a parameter is out of range, or
/// memory lacks.
///
/// Randomness: none. Threads: any, at any time. Memory: the handle, its stages and their history.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_new_preset(
    which: i32,
    seed: u32,
    params: *const S2PresetParams,
) -> *mut S2Chain {
    guard::value(ptr::null_mut(), || {
        let chain = preset(which).and_then(|preset| {
            let init = S2PresetParams::init(preset);
            let params = if params.is_null() {
                init
            } else {
                // SAFETY: all fields are numbers; the caller keeps the header's promise about `params`.
                unsafe { pointers::sized(params, init) }?
            };
            Chain::preset(preset, &params.values(), seed)
        });
        pointers::give(chain.map(|chain| S2Chain(chain, seed)))
    })
}
