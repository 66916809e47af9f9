//! llama.cpp's chain, built from the same parameters as this library's.

// Two programs have it, and each uses only a part.
#![allow(dead_code)]

use crate::spec::Spec;
use llama_cpp_sys_2::{
    llama_logit_bias, llama_sampler, llama_sampler_accept, llama_sampler_apply,
    llama_sampler_chain_add, llama_sampler_chain_default_params, llama_sampler_chain_get,
    llama_sampler_chain_init, llama_sampler_clone, llama_sampler_free,
    llama_sampler_init_adaptive_p, llama_sampler_init_dist, llama_sampler_init_dry,
    llama_sampler_init_greedy, llama_sampler_init_logit_bias, llama_sampler_init_min_p,
    llama_sampler_init_mirostat, llama_sampler_init_mirostat_v2, llama_sampler_init_penalties,
    llama_sampler_init_temp, llama_sampler_init_temp_ext, llama_sampler_init_top_k,
    llama_sampler_init_top_n_sigma, llama_sampler_init_top_p, llama_sampler_init_typical,
    llama_sampler_init_xtc, llama_token_data, llama_token_data_array,
};
use s2sampler_core::TokenData;

unsafe extern "C" {
    fn s2_agree_dry(
        multiplier: f32,
        base: f32,
        allowed_length: i32,
        last_n: i32,
        tokens: *const i32,
        lengths: *const usize,
        count: usize,
    ) -> *mut llama_sampler;
}

/// Tokens that "all" stands for: llama.cpp has no such value, and no history here is as long.
const ALL: i32 = 4096;

/// What stages leave.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub tokens: Vec<TokenData>,
    pub selected: Option<usize>,
    pub sorted: bool,
}

pub struct Llama(*mut llama_sampler);

impl Llama {
    pub fn new(specs: &[Spec], tokens: usize) -> Self {
        // SAFETY: the chain owns what is added to it.
        let chain = unsafe { llama_sampler_chain_init(llama_sampler_chain_default_params()) };
        for spec in specs {
            // SAFETY: both are alive, and the stage is not used but through the chain.
            unsafe { llama_sampler_chain_add(chain, stage(spec, tokens as i32)) };
        }
        Self(chain)
    }

    pub fn apply(&self, tokens: &[TokenData], sorted: bool) -> Outcome {
        apply(self.0, tokens, sorted)
    }

    /// As a host does it: what is left begins at the front of the array, or where the stages put it.
    pub fn apply_in_place(&self, tokens: &mut [TokenData], sorted: bool) {
        const { assert!(size_of::<TokenData>() == size_of::<llama_token_data>()) };
        let (data, size) = (tokens.as_mut_ptr().cast(), tokens.len());
        let mut array = llama_token_data_array { data, size, selected: -1, sorted };
        // SAFETY: the chain lives, and both types have one layout, of which the array has `size`.
        unsafe { llama_sampler_apply(self.0, &mut array) };
        std::hint::black_box(array.size);
    }

    /// One stage alone.
    pub fn apply_stage(&self, index: usize, tokens: &[TokenData], sorted: bool) -> Outcome {
        // SAFETY: the chain lives, and it has a stage of this index.
        apply(unsafe { llama_sampler_chain_get(self.0, index as i32) }, tokens, sorted)
    }

    /// A draw as an engine does it: `array` is filled from the row, and the token is accepted.
    pub fn sample(&self, row: &[f32], array: &mut Vec<llama_token_data>) -> i32 {
        let entry = |(id, &logit): (usize, &f32)| llama_token_data { id: id as i32, logit, p: 0.0 };
        array.clear();
        array.extend(row.iter().enumerate().map(entry));
        let (data, size) = (array.as_mut_ptr(), array.len());
        let mut tokens = llama_token_data_array { data, size, selected: -1, sorted: false };
        // SAFETY: the chain lives, and the array has `size` entries, of which one is selected.
        unsafe {
            llama_sampler_apply(self.0, &mut tokens);
            let selected = usize::try_from(tokens.selected).expect("a selected token");
            assert!(selected < tokens.size);
            let token = (*tokens.data.add(selected)).id;
            llama_sampler_accept(self.0, token);
            token
        }
    }

    pub fn accept(&self, token: i32) {
        // SAFETY: the chain lives.
        unsafe { llama_sampler_accept(self.0, token) };
    }
}

impl Clone for Llama {
    fn clone(&self) -> Self {
        // SAFETY: the chain lives.
        Self(unsafe { llama_sampler_clone(self.0) })
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        // SAFETY: it is not used after this.
        unsafe { llama_sampler_free(self.0) };
    }
}

fn apply(sampler: *mut llama_sampler, tokens: &[TokenData], sorted: bool) -> Outcome {
    let theirs = |t: &TokenData| llama_token_data { id: t.id, logit: t.logit, p: t.p };
    let mut data: Vec<_> = tokens.iter().map(theirs).collect();
    let mut array =
        llama_token_data_array { data: data.as_mut_ptr(), size: data.len(), selected: -1, sorted };
    // SAFETY: the sampler lives, and the array leads to `size` entries.
    unsafe { llama_sampler_apply(sampler, &mut array) };
    // SAFETY: stages leave part of the entries, wherever it begins.
    let left = unsafe { std::slice::from_raw_parts(array.data, array.size) };
    Outcome {
        tokens: left.iter().map(|t| TokenData { id: t.id, logit: t.logit, p: t.p }).collect(),
        selected: usize::try_from(array.selected).ok(),
        sorted: array.sorted,
    }
}

fn all(last_n: i32) -> i32 {
    if last_n < 0 { ALL } else { last_n.min(ALL) }
}

fn stage(spec: &Spec, vocabulary: i32) -> *mut llama_sampler {
    // SAFETY: everything that is pointed to outlives the call that reads it.
    unsafe {
        match spec {
            Spec::LogitBias(biases) => {
                let bias = |&(token, bias): &(i32, f32)| llama_logit_bias { token, bias };
                let biases: Vec<_> = biases.iter().map(bias).collect();
                llama_sampler_init_logit_bias(vocabulary, biases.len() as i32, biases.as_ptr())
            }
            Spec::Penalties { last_n, repeat, frequency, presence } => {
                llama_sampler_init_penalties(
                    vocabulary,
                    all(*last_n),
                    *repeat,
                    *frequency,
                    *presence,
                )
            }
            Spec::TopK(k) => llama_sampler_init_top_k(*k),
            Spec::TopP { p, min_keep } => llama_sampler_init_top_p(*p, *min_keep),
            Spec::MinP { p, min_keep } => llama_sampler_init_min_p(*p, *min_keep),
            Spec::Typical { p, min_keep } => llama_sampler_init_typical(*p, *min_keep),
            Spec::TopNSigma(n) => llama_sampler_init_top_n_sigma(*n),
            Spec::Xtc { probability, threshold, min_keep, seed } => {
                llama_sampler_init_xtc(*probability, *threshold, *min_keep, *seed)
            }
            Spec::Temperature(t) => llama_sampler_init_temp(*t),
            Spec::TemperatureExt { t, delta, exponent } => {
                llama_sampler_init_temp_ext(*t, *delta, *exponent)
            }
            Spec::Dry { multiplier, base, allowed_length, last_n, breakers } => {
                let lengths: Vec<usize> = breakers.iter().map(Vec::len).collect();
                let tokens = breakers.concat();
                let (m, b, a, n) = (*multiplier, *base, *allowed_length, all(*last_n));
                // The way with breakers is only for a stage that is not off.
                if breakers.is_empty() || m == 0.0 || b < 1.0 || n == 0 {
                    let null = std::ptr::null_mut();
                    llama_sampler_init_dry(null, m, b, a, n, null.cast(), 0)
                } else {
                    s2_agree_dry(m, b, a, n, tokens.as_ptr(), lengths.as_ptr(), lengths.len())
                }
            }
            Spec::MirostatV2 { seed, tau, eta } => {
                llama_sampler_init_mirostat_v2(*seed, *tau, *eta)
            }
            Spec::Mirostat { seed, tau, eta, m } => {
                llama_sampler_init_mirostat(vocabulary, *seed, *tau, *eta, *m)
            }
            Spec::AdaptiveP { target, decay, seed } => {
                llama_sampler_init_adaptive_p(*target, *decay, *seed)
            }
            Spec::Greedy => llama_sampler_init_greedy(),
            Spec::Dist(seed) => llama_sampler_init_dist(*seed),
            other => unreachable!("llama.cpp has no {other:?}"),
        }
    }
}
