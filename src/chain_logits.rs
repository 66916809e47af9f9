//! Chapter "Stages that change logits".
#![allow(unsafe_code)]

use crate::chain::S2Chain;
use crate::chain_stages::add;
use crate::pointers;
use s2sampler_core::{Error, Stage, reserve};

/// A number that is added to the logit of a token. Since: 0.1.0
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2LogitBias {
    /// The token's id, 0 or more.
    pub id: i32,
    /// What is added: any number but NaN. -inf bans the token.
    pub bias: f32,
}

/// Adds a stage that adds to the logits of single tokens: logit_bias in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `biases`: the tokens and what to add, in any order; copied. A token that stands there twice is added to
///   twice. Aligned like an `int32_t`. NULL is an error unless `n_biases` is 0.
/// - `n_biases`: how many there are. 0 is "off".
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_NULL_POINTER: `biases` is NULL and `n_biases` is positive.
/// - S2_ERROR_BAD_ARGUMENT: `n_biases` is negative, `biases` is not aligned, an id is negative, or a bias is
///   NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage and a copy of the biases.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_logit_bias(
    chain: *mut S2Chain,
    biases: *const S2LogitBias,
    n_biases: i32,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe {
        add(chain, || {
            // SAFETY: and about `biases` and `n_biases`.
            let given = pointers::counted(biases, n_biases)?;
            let mut biases = Vec::new();
            reserve(&mut biases, given.len())?;
            biases.extend(given.iter().map(|one| (one.id, one.bias)));
            Stage::logit_bias(&biases)
        })
    }
}

/// Adds a stage that penalises tokens accepted lately: penalties in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `last_n`: how many of the latest accepted tokens are looked at, from 0, which is "off", to 1048576; -1 for
///   all.
/// - `repeat`: a positive logit is divided by it, another multiplied; above 0 and finite. 1 is "off".
/// - `frequency`: is taken off as often as the token occurs; finite. 0 is "off".
/// - `presence`: is taken off once; finite. 0 is "off".
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: a parameter is out of range.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage and its history.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_penalties(
    chain: *mut S2Chain,
    last_n: i32,
    repeat: f32,
    frequency: f32,
    presence: f32,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::penalties(last_n, repeat, frequency, presence)) }
}

/// Adds a stage that penalises what would go on with a repetition: dry in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `multiplier`: the penalty of a repetition of `allowed_length`; finite. 0 is "off".
/// - `base`: the factor for each token more; finite. Below 1 is "off".
/// - `allowed_length`: the length from which on a repetition is penalised; 0 or more.
/// - `last_n`: how many of the latest accepted tokens are looked at, from 0, which is "off", to 1048576; -1 for
///   all.
/// - `tokens`: the breakers, sequences of tokens that no repetition goes beyond, one after the other; copied.
///   Aligned like an `int32_t`. NULL is an error unless all lengths are 0.
/// - `lengths`: the number of tokens of each breaker, 0 or more; one of length 0 is none. Aligned like an
///   `int32_t`. NULL is an error unless `n_breakers` is 0.
/// - `n_breakers`: the number of breakers. 0 is fine.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_NULL_POINTER: `lengths` is NULL and `n_breakers` is positive, or `tokens` is and a length is.
/// - S2_ERROR_BAD_ARGUMENT: a number is out of range or negative, the lengths add up to more than 2147483647, or
///   a pointer is not aligned.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage, its history and a copy of the breakers.
///
/// Since: 0.1.0
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
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe {
        add(chain, || {
            // SAFETY: and about `lengths` and `n_breakers`.
            let lengths = pointers::counted(lengths, n_breakers)?;
            let total = lengths.iter().try_fold(0_i32, |sum, length| match length {
                0.. => sum.checked_add(*length),
                _ => None,
            });
            // SAFETY: and about `tokens`, which are as many as the lengths say.
            let mut tokens = pointers::counted(tokens, total.ok_or(Error::BadArgument)?)?;
            let mut breakers = Vec::new();
            reserve(&mut breakers, lengths.len())?;
            for length in lengths {
                let length = usize::try_from(*length).map_err(|_| Error::BadArgument)?;
                let (breaker, rest) = tokens.split_at(length);
                breakers.push(breaker);
                tokens = rest;
            }
            Stage::dry(multiplier, base, allowed_length, last_n, &breakers)
        })
    }
}

/// Adds a stage that divides the logits: temperature in the table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `t`: what they are divided by. 1 is "off"; 0 and less keeps the best alone.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `t` is NaN.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_temperature(chain: *mut S2Chain, t: f32) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::temperature(t)) }
}

/// Adds a stage that divides the logits by a temperature that follows the entropy: temperature_ext in the
/// table of stages.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `t`: the middle of the temperatures.
/// - `delta`: how far they go to both sides, but not below 0. 0 and less is s2_chain_add_temperature() of `t`.
/// - `exponent`: how the temperature follows; finite. 1 is straight.
///
/// Returns: the stage's index, or a status as s2_chain_add_greedy(); also:
///
/// - S2_ERROR_BAD_ARGUMENT: `t` or `delta` is NaN, or `exponent` is not finite.
///
/// Randomness: none. Threads: one at a time with `chain`. Memory: the stage.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_temperature_ext(
    chain: *mut S2Chain,
    t: f32,
    delta: f32,
    exponent: f32,
) -> i32 {
    // SAFETY: the caller keeps the header's promise about `chain`.
    unsafe { add(chain, || Stage::temperature_ext(t, delta, exponent)) }
}
