//! Chapter "Chains": the stages.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::S2Chain;
use crate::guard::{self, Call};
use crate::pointers;
use s2sampler_core::{Error, SamplerParams, Stage, reserve};

/// Adds the stage that `stage` makes; returns its index.
///
/// # Safety
/// `chain` keeps to the contract of `pointers`.
pub(crate) unsafe fn add(
    chain: *mut S2Chain,
    stage: impl FnOnce(&Call) -> Result<Stage, Error>,
) -> i32 {
    guard::change(chain, |chain, call| {
        let index = chain.add(stage(call)?)?;
        u32::try_from(index).map_err(|_| Error::Internal)
    })
}

/// `count` lists of tokens, which follow one another.
///
/// # Safety
/// `tokens` and `lengths` keep to the contract of `pointers`.
unsafe fn lists(
    call: &Call,
    tokens: *const i32,
    lengths: *const i32,
    count: i32,
) -> Result<Vec<&[i32]>, Error> {
    let lengths = pointers::counted(call, lengths, count)?;
    let total = lengths.iter().try_fold(0_i32, |sum, length| match length {
        0.. => sum.checked_add(*length),
        _ => None,
    });
    let mut tokens = pointers::counted(call, tokens, total.ok_or(Error::BadArgument)?)?;
    let mut lists = Vec::new();
    reserve(&mut lists, lengths.len())?;
    for length in lengths {
        // The lengths add up to `tokens.len()`, so no split goes beyond the end.
        let (list, rest) = tokens.split_at(*length as usize);
        lists.push(list);
        tokens = rest;
    }
    Ok(lists)
}

/// A number that is added to the logit of a token.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2LogitBias {
    /// The token's id, >= 0.
    pub id: i32,
    /// What is added: any number but NaN. -inf bans the token; +inf does not revive a token at
    /// -inf.
    pub bias: f32,
}

/// Adds stage dist: selects a token by its probability.
///
/// `seed`: of the stage's generator, which begins in the state of `std::mt19937(seed)`.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_dist(chain: *mut S2Chain, seed: u32) -> i32 {
    add(chain, |_| Ok(Stage::dist(seed)))
}

/// Adds stage greedy: selects the candidate with the highest logit.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_greedy(chain: *mut S2Chain) -> i32 {
    add(chain, |_| Ok(Stage::greedy()))
}

/// Adds stage temperature: divides the logits.
///
/// `t`: the divisor. <= 0 keeps the best candidate alone. Off: 1.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_temperature(chain: *mut S2Chain, t: f32) -> i32 {
    add(chain, |_| Stage::temperature(t))
}

/// Adds stage top_k: keeps the best candidates.
///
/// `k`: how many. Off: <= 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_k(chain: *mut S2Chain, k: i32) -> i32 {
    add(chain, |_| Ok(Stage::top_k(k)))
}

/// Adds stage top_p: keeps a nucleus, the token that reaches `p` included.
///
/// `p`: the least total probability of the candidates left. <= 0 keeps `min_keep`. Off: >= 1.
/// `min_keep`: see "min_keep" above the table.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_p(chain: *mut S2Chain, p: f32, min_keep: usize) -> i32 {
    add(chain, |_| Stage::top_p(p, min_keep))
}

/// Adds stage min_p: keeps candidates that are probable in comparison with the best.
///
/// `p`: the least share of the best candidate's probability. Off: <= 0. `min_keep`: as for top_p.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_min_p(chain: *mut S2Chain, p: f32, min_keep: usize) -> i32 {
    add(chain, |_| Stage::min_p(p, min_keep))
}

/// Adds stage penalties: penalises tokens that were accepted lately.
///
/// `last_n`: how many of the latest accepted tokens count, up to 1048576. -1: all. Off: 0.
/// `repeat`: > 0 and finite. `frequency`, `presence`: finite. Off: `repeat` 1 with the other two 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_penalties(
    chain: *mut S2Chain,
    last_n: i32,
    repeat: f32,
    frequency: f32,
    presence: f32,
) -> i32 {
    add(chain, |_| Stage::penalties(last_n, repeat, frequency, presence))
}

/// Adds stage logit_bias: adds to the logits of single tokens.
///
/// `biases`, `n_biases`: copied. A token that occurs twice gets both. Off: `n_biases` 0. A negative
/// id and a NaN are errors.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_logit_bias(
    chain: *mut S2Chain,
    biases: *const S2LogitBias,
    n_biases: i32,
) -> i32 {
    add(chain, |call| {
        let given = pointers::counted(call, biases, n_biases)?;
        let mut biases = Vec::new();
        reserve(&mut biases, given.len())?;
        biases.extend(given.iter().map(|one| (one.id, one.bias)));
        Stage::logit_bias(&biases)
    })
}

/// Adds stage sequence_bias: adds to the logit of a token that would complete a sequence.
///
/// `tokens`, `lengths`, `n_biases`: the sequences, in the layout of the breakers of dry; a length
/// of 0 is an error. `biases`: the number for each, any but NaN; -inf bans. All are copied. Off:
/// `n_biases` 0. A negative id and a sequence of more than 1048577 tokens are errors.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_sequence_bias(
    chain: *mut S2Chain,
    tokens: *const i32,
    lengths: *const i32,
    biases: *const f32,
    n_biases: i32,
) -> i32 {
    add(chain, |call| {
        let sequences = lists(call, tokens, lengths, n_biases)?;
        let numbers = pointers::counted(call, biases, n_biases)?;
        let mut biases = Vec::new();
        reserve(&mut biases, numbers.len())?;
        biases.extend(sequences.into_iter().zip(numbers.iter().copied()));
        Stage::sequence_bias(&biases)
    })
}

/// Adds stage min_tokens: bans ids until a number of tokens was accepted.
///
/// `count`: that number, >= 0. Off: 0. `ids`, `n_ids`: any ids, copied. Off: `n_ids` 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_min_tokens(
    chain: *mut S2Chain,
    count: i32,
    ids: *const i32,
    n_ids: i32,
) -> i32 {
    add(chain, |call| Stage::min_tokens(count, pointers::counted(call, ids, n_ids)?))
}

/// Adds stage bitmask: bans all ids but those of a mask, as grammar engines give it.
///
/// `words`, `n_words`: bit i % 32 of word i / 32 is 1 if id i is allowed, the layout of xgrammar,
/// llguidance and Outlines. Ids beyond the words are not allowed. Copied; s2_chain_set_bitmask()
/// gives others. Off: `n_words` 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_bitmask(
    chain: *mut S2Chain,
    words: *const i32,
    n_words: i32,
) -> i32 {
    add(chain, |call| Stage::bitmask(pointers::counted(call, words, n_words)?))
}

/// Gives a bitmask stage the mask of the next draw. A mask of the same length takes no memory.
///
/// `index`: of the stage. `words`, `n_words`: as for s2_chain_add_bitmask().
///
/// Returns 0, or a status: S2_ERROR_BAD_ARGUMENT if there is no bitmask stage at `index`. The mask
/// is then as before.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_set_bitmask(
    chain: *mut S2Chain,
    index: i32,
    words: *const i32,
    n_words: i32,
) -> i32 {
    guard::change(chain, |chain, call| {
        let index = usize::try_from(index).map_err(|_| Error::BadArgument)?;
        chain.set_bitmask(index, pointers::counted(call, words, n_words)?)?;
        Ok(0)
    })
}

/// Adds stage s2_first: the rule of s2_sample_token_first().
///
/// `params`: copied. NULL: 0.7, 0.7, 30. `keep_id`: the id that stays a candidate; < 0: none.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_s2_first(
    chain: *mut S2Chain,
    params: *const SamplerParams,
    keep_id: i32,
) -> i32 {
    add(chain, |_| Ok(Stage::s2_first(pointers::params_or(params, SamplerParams::FIRST), keep_id)))
}

/// Adds stage s2: steps 1 to 6 of "One draw", the rule of s2_sample_token().
///
/// `params`: copied. NULL: the defaults.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_s2(chain: *mut S2Chain, params: *const SamplerParams) -> i32 {
    add(chain, |_| Ok(Stage::s2(pointers::params(params))))
}

/// Adds stage softmax: computes the probabilities here, for a later top_p, top_p_exclusive or dist
/// with a mass.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_softmax(chain: *mut S2Chain) -> i32 {
    add(chain, |_| Ok(Stage::softmax()))
}

/// Adds stage typical: keeps candidates whose surprise is near the entropy.
///
/// `p`: the total probability that the candidates left exceed. Off: >= 1. `min_keep`: as for top_p.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_typical(chain: *mut S2Chain, p: f32, min_keep: usize) -> i32 {
    add(chain, |_| Stage::typical(p, min_keep))
}

/// Adds stage epsilon_cutoff: drops improbable tokens.
///
/// `epsilon`: the least probability of a token that stays. Off: <= 0. `min_keep`: as for top_p.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_epsilon_cutoff(
    chain: *mut S2Chain,
    epsilon: f32,
    min_keep: usize,
) -> i32 {
    add(chain, |_| Stage::epsilon_cutoff(epsilon, min_keep))
}

/// Adds stage top_n_sigma: keeps logits near the largest.
///
/// `n`: how many standard deviations below the largest a logit may be. Off: <= 0.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_top_n_sigma(chain: *mut S2Chain, n: f32) -> i32 {
    add(chain, |_| Stage::top_n_sigma(n))
}

/// Adds stage xtc: at random, drops all top choices but the least probable.
///
/// `probability`: how often it acts, 0 to 1. Off: <= 0. `threshold`: the least probability of a top
/// choice. Off: > 0.5; <= 0 is an error. `min_keep`: if fewer candidates would be left, it drops
/// none. `seed`: of the stage's generator.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_xtc(
    chain: *mut S2Chain,
    probability: f32,
    threshold: f32,
    min_keep: usize,
    seed: u32,
) -> i32 {
    add(chain, |_| Stage::xtc(probability, threshold, min_keep, seed))
}

/// Adds stage dry: penalises tokens that would continue a repetition. See "dry" below the table.
///
/// `multiplier`: the penalty of a repetition of `allowed_length` tokens; finite. Off: 0. `base`:
/// the factor for each further token; finite. Off: < 1. `allowed_length`: the shortest repetition
/// that is penalised, >= 0. `last_n`: as for penalties.
///
/// `tokens`, `lengths`, `n_breakers`: the breakers, sequences that no repetition crosses. Breaker i
/// has `lengths`[i] (>= 0) of the `tokens`, which follow one another; a length of 0 is ignored.
/// Copied. `tokens` may be NULL if all lengths are 0. The lengths add up to <= 2147483647.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_dry(
    chain: *mut S2Chain,
    multiplier: f32,
    base: f32,
    allowed_length: i32,
    last_n: i32,
    tokens: *const i32,
    lengths: *const i32,
    n_breakers: i32,
) -> i32 {
    add(chain, |call| {
        let breakers = lists(call, tokens, lengths, n_breakers)?;
        Stage::dry(multiplier, base, allowed_length, last_n, &breakers)
    })
}

/// Adds stage temperature_ext: divides the logits by a temperature that follows the entropy
/// (llama.cpp's dynamic temperature).
///
/// `t`: the middle of the temperatures. `delta`: how far they reach to both sides, but not below 0;
/// <= 0 is s2_chain_add_temperature() with `t`. `exponent`: how the temperature follows the
/// entropy; finite, 1 is linear.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_temperature_ext(
    chain: *mut S2Chain,
    t: f32,
    delta: f32,
    exponent: f32,
) -> i32 {
    add(chain, |_| Stage::temperature_ext(t, delta, exponent))
}

/// Adds stage mirostat_v2: selects a token and steers the surprise of the text.
///
/// `seed`: of the stage's generator. `tau`: the surprise to aim at, in bits; finite. `eta`: how
/// fast mu follows; finite.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_mirostat_v2(
    chain: *mut S2Chain,
    seed: u32,
    tau: f32,
    eta: f32,
) -> i32 {
    add(chain, |_| Stage::mirostat_v2(seed, tau, eta))
}
