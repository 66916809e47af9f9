//! Chapter "Chains": the stages that single engines have.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::S2Chain;
use crate::pointers;
use crate::stages::add;
use s2sampler_core::Stage;

/// Adds stage scale: multiplies the logits. For engines that compute l * (1 / T), which can differ
/// from l / T in the last bit.
///
/// `factor`: > 0 and finite. Off: 1.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_scale(chain: *mut S2Chain, factor: f32) -> i32 {
    add(chain, |_| Stage::scale(factor))
}

/// Adds stage smoothing: lowers logits by the square of their distance from the highest.
///
/// `factor`: how much; finite. Off: <= 0. `curve`: 1 is the square alone, above it part of the third
/// power; finite. Outside 1 to 3 an improbable token can become the best.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_smoothing(
    chain: *mut S2Chain,
    factor: f32,
    curve: f32,
) -> i32 {
    add(chain, |_| Stage::smoothing(factor, curve))
}

/// Adds stage top_k_ties: keeps the best candidates, and all whose logits equal the last of these.
///
/// `k`: how many without the equal ones. Off: <= 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_k_ties(chain: *mut S2Chain, k: i32) -> i32 {
    add(chain, |_| Ok(Stage::top_k_ties(k)))
}

/// Adds stage top_p_exclusive: keeps a nucleus without the token that passes `p`.
///
/// `p`: the most total probability of the candidates left; the best stays in any case. 1 is not
/// off, since rounding can carry the sum past it. Off: > 1.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_p_exclusive(chain: *mut S2Chain, p: f32) -> i32 {
    add(chain, |_| Stage::top_p_exclusive(p))
}

/// Adds stage top_a: drops tokens that are improbable in comparison with the best.
///
/// `a`: the least probability of a token that stays, as a share of the square of the largest. Off:
/// <= 0. `min_keep`: as for top_p.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_a(chain: *mut S2Chain, a: f32, min_keep: usize) -> i32 {
    add(chain, |_| Stage::top_a(a, min_keep))
}

/// Adds stage eta_cutoff: drops improbable tokens, fewer if the entropy is high.
///
/// `eta`: the limit, from which the least probability of a token that stays follows. Off: <= 0.
/// `min_keep`: as for top_p.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_eta_cutoff(
    chain: *mut S2Chain,
    eta: f32,
    min_keep: usize,
) -> i32 {
    add(chain, |_| Stage::eta_cutoff(eta, min_keep))
}

/// Adds stage penalty_each: penalises a token once for each time that it was accepted lately.
///
/// `last_n`: as for penalties. `repeat`: > 0 and finite. Off: 1.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_penalty_each(
    chain: *mut S2Chain,
    last_n: i32,
    repeat: f32,
) -> i32 {
    add(chain, |_| Stage::penalty_each(last_n, repeat))
}

/// Adds stage penalty_run: penalises the last accepted token, by how often it came in a row.
///
/// `repeat`: > 0 and finite. Off: 1.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_penalty_run(chain: *mut S2Chain, repeat: f32) -> i32 {
    add(chain, |_| Stage::penalty_run(repeat))
}

/// Adds stage penalty_decay: penalises tokens that were accepted lately, older ones less.
///
/// `sustain`: for how many of the latest tokens the penalty is full, >= 0. -1: for all. `decay`:
/// over how many further tokens it fades, >= 0; both together up to 1048576. `repeat`: > 0 and
/// finite. Off: `repeat` 1, or `sustain` and `decay` 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_penalty_decay(
    chain: *mut S2Chain,
    sustain: i32,
    decay: i32,
    repeat: f32,
) -> i32 {
    add(chain, |_| Stage::penalty_decay(sustain, decay, repeat))
}

/// Adds stage no_repeat_ngram: bans tokens that would repeat a sequence of accepted tokens.
///
/// `n`: the length of the sequences, >= 0. 1 bans every token of the history. Off: 0. `last_n`: as
/// for penalties.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_no_repeat_ngram(
    chain: *mut S2Chain,
    n: i32,
    last_n: i32,
) -> i32 {
    add(chain, |_| Stage::no_repeat_ngram(n, last_n))
}

/// Adds stage mirostat: selects a token and steers the surprise of the text (Mirostat 1).
///
/// `seed`, `tau`, `eta`: as for mirostat_v2. `m`: how many ranks the exponent of the distribution is
/// estimated from, >= 2; llama.cpp: 100.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_mirostat(
    chain: *mut S2Chain,
    seed: u32,
    tau: f32,
    eta: f32,
    m: i32,
) -> i32 {
    add(chain, |_| Stage::mirostat(seed, tau, eta, m))
}

/// Adds stage adaptive_p: selects a token and prefers those with a probability near a target.
///
/// `target`: the probability to aim at, <= 1. < 0: draws by the probabilities as they are. `decay`:
/// how much a token still counts one token later, >= 0; above 0.99 it is 0.99. `seed`: of the
/// stage's generator.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_adaptive_p(
    chain: *mut S2Chain,
    target: f32,
    decay: f32,
    seed: u32,
) -> i32 {
    add(chain, |_| Stage::adaptive_p(target, decay, seed))
}

/// Adds stage xtc_protected: as xtc, but never drops some ids, nor those that equal the least
/// probable top choice. A top choice is above the threshold here.
///
/// `probability`, `threshold`, `min_keep`, `seed`: as for xtc. `ids`, `n_ids`: what is protected,
/// such as the end and the line break; any ids, copied.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_xtc_protected(
    chain: *mut S2Chain,
    probability: f32,
    threshold: f32,
    min_keep: usize,
    seed: u32,
    ids: *const i32,
    n_ids: i32,
) -> i32 {
    add(chain, |call| {
        let ids = pointers::counted(call, ids, n_ids)?;
        Stage::xtc_protected(probability, threshold, min_keep, seed, ids)
    })
}
