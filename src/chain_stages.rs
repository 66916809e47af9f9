//! Chapter "Stages that cut and select".
#![allow(unsafe_code)]

use crate::chain::S2Chain;
use crate::{guard, pointers};
use s2sampler_core::{Error, SamplerParams, Stage};

/// Adds a stage that was made at the end of a chain.
///
/// # Safety
/// That of [`pointers::handle`] for `chain`.
pub(crate) unsafe fn add(chain: *mut S2Chain, stage: impl FnOnce() -> Result<Stage, Error>) -> i32 {
    guard::token(|| {
        // SAFETY: this function's contract is that one's.
        let chain = unsafe { pointers::handle(chain) }?;
        u32::try_from(chain.0.add(stage()?)?).map_err(|_| Error::Internal)
    })
}

/// Adds a stage that keeps the best tokens: top_k in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `k`: how many. 0 and less is "off".
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy().
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_k(chain: *mut S2Chain, k: i32) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Ok(Stage::top_k(k))) }
}

/// Adds a stage that keeps a nucleus, the token that reaches it included: top_p in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `p`: the share of the probability that the candidates left have together at least. 1 and more is "off"; 0
///   and less keeps `min_keep`.
/// - `min_keep`: at least this many candidates stay, all if there are fewer. 0 counts as 1.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `p` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_p(chain: *mut S2Chain, p: f32, min_keep: usize) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::top_p(p, min_keep)) }
}

/// Adds a stage that keeps what is probable beside the best: min_p in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `p`: the share of the best one's probability that a candidate has at least. 0 and less is "off".
/// - `min_keep`: at least this many candidates stay, all if there are fewer. 0 counts as 1.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `p` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_min_p(chain: *mut S2Chain, p: f32, min_keep: usize) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::min_p(p, min_keep)) }
}

/// Adds a stage that keeps what is about as surprising as is to be expected: typical in the table of
/// stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `p`: the share of the probability that the candidates left have together. 1 and more is "off".
/// - `min_keep`: at least this many candidates stay, all if there are fewer. 0 counts as 1.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `p` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_typical(chain: *mut S2Chain, p: f32, min_keep: usize) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::typical(p, min_keep)) }
}

/// Adds a stage that drops improbable tokens: epsilon_cutoff in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `epsilon`: the least probability of a token that stays. 0 and less is "off".
/// - `min_keep`: at least this many candidates stay, all if there are fewer. 0 counts as 1.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `epsilon` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_epsilon_cutoff(
    chain: *mut S2Chain,
    epsilon: f32,
    min_keep: usize,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::epsilon_cutoff(epsilon, min_keep)) }
}

/// Adds a stage that keeps logits near the largest: top_n_sigma in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `n`: how many standard deviations below the largest a logit may be. 0 and less is "off".
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `n` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_n_sigma(chain: *mut S2Chain, n: f32) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::top_n_sigma(n)) }
}

/// Adds a stage that now and then drops the best tokens, but one: xtc in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `probability`: how often it acts, from 0 to 1. 0 and less is "off".
/// - `threshold`: the probability from which on a token is one of the best. Above 0.5 is "off".
/// - `min_keep`: at least this many candidates stay, all if there are fewer. 0 counts as 1.
/// - `seed`: that of its own generator; any value.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `probability` or `threshold` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_xtc(
    chain: *mut S2Chain,
    probability: f32,
    threshold: f32,
    min_keep: usize,
    seed: u32,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::xtc(probability, threshold, min_keep, seed)) }
}

/// Adds a stage that selects a token and steers its surprise: mirostat_v2 in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `seed`: that of its own generator; any value.
/// - `tau`: the surprise to aim at, in bits; finite.
/// - `eta`: how fast the limit follows; finite.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `tau` or `eta` is not finite.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_mirostat_v2(
    chain: *mut S2Chain,
    seed: u32,
    tau: f32,
    eta: f32,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::mirostat_v2(seed, tau, eta)) }
}

/// Adds a stage with steps 1 to 6 of "One draw, step by step": s2 in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `params`: as for s2_sample_token(); copied. NULL means the defaults. Any alignment.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy().
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_s2(chain: *mut S2Chain, params: *const SamplerParams) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe {
        // SAFETY: and about `params`.
        add(chain, || Ok(Stage::s2(pointers::params(params))))
    }
}

/// Adds a stage that computes the probabilities here, for a top_p that comes later: softmax in the table of
/// stages.
///
/// Parameters:
///
/// - `chain`: the handle.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy().
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_softmax(chain: *mut S2Chain) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Ok(Stage::softmax())) }
}

/// Adds a stage that selects the best token: greedy in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
///
/// Returns: the stage's index, which is the number of stages before. If the value is negative it is a
/// status, and the chain is as before:
///
/// - S2_ERROR_NULL_POINTER: `chain` is NULL.
/// - S2_ERROR_OUT_OF_MEMORY: memory could not be had; a later call may succeed.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_greedy(chain: *mut S2Chain) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Ok(Stage::greedy())) }
}

/// Adds a stage that selects a token by its probability: dist in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `seed`: that of its own generator, which begins in the state of `std::mt19937(seed)`; any value.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy().
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_dist(chain: *mut S2Chain, seed: u32) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Ok(Stage::dist(seed))) }
}
