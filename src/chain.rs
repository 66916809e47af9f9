//! Chapter "A chain": its life and its stages.
#![allow(unsafe_code)]

use crate::{guard, pointers};
use core::ffi::c_char;
use core::ptr;
use s2sampler_core::{Chain, Error};

/// Stages in an order of one's own, each applied to what the one before left.
///
/// Its tokens depend on nothing but the stages, their seeds, the rows and the tokens accepted, in
/// order. Opaque: made by s2_chain_new() and its like, ended by s2_chain_free(). See "A chain of
/// stages" at the top of this file. One thread at a time, as S2Sampler. Since: 0.1.0
pub struct S2Chain(pub(crate) Chain, pub(crate) u32);

/// Makes a chain without stages.
///
/// Parameters:
///
/// - `seed`: any value, for s2_chain_get_seed() to tell. The chain itself draws nothing: stages that
///   do have seeds of their own.
///
/// Returns: the handle, which the caller frees with s2_chain_free(); NULL if memory lacks.
///
/// Randomness: none. Threads: any, at any time. Memory: one allocation; more comes with the stages and
/// the draws.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_chain_new(seed: u32) -> *mut S2Chain {
    guard::value(ptr::null_mut(), || pointers::give(Ok(S2Chain(Chain::new(), seed))))
}

/// Makes a second chain in the same state, histories and generators and all: both continue alike.
///
/// Parameters:
///
/// - `chain`: the one to copy; it does not change. NULL gives NULL.
///
/// Returns: the handle, which the caller frees with s2_chain_free(); NULL if memory lacks.
///
/// Randomness: none. Threads: no call that changes `chain` at the same time. Memory: the handle and its
/// stages; working memory is not copied.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_clone(chain: *const S2Chain) -> *mut S2Chain {
    guard::value(ptr::null_mut(), || {
        // SAFETY: the caller keeps the header's promise about `chain`.
        let chain = unsafe { pointers::view(chain) };
        pointers::give(
            chain.and_then(|chain| chain.0.try_clone().map(|copy| S2Chain(copy, chain.1))),
        )
    })
}

/// Ends a chain and releases its memory.
///
/// Parameters:
///
/// - `chain`: the handle, which is not valid any more after the call. NULL is fine and does nothing.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: none. Threads: no other call with `chain` at the same time or later. Memory: released.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_free(chain: *mut S2Chain) {
    // SAFETY: the caller keeps the header's promise about `chain`.
    guard::value((), || unsafe { pointers::free(chain) });
}

/// Puts every stage in the state in which it was added: histories empty, generators in the state of
/// `std::mt19937` of their seeds, Mirostat's limit at twice its tau.
///
/// Parameters:
///
/// - `chain`: the handle. NULL does nothing.
///
/// Returns: nothing; there is nothing that could go wrong.
///
/// Randomness: uses no word; it replaces the states. Threads: one at a time with `chain`. Memory: kept.
///
/// Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_reset(chain: *mut S2Chain) {
    guard::value((), || {
        // SAFETY: the caller keeps the header's promise about `chain`.
        if let Ok(chain) = unsafe { pointers::handle(chain) } {
            chain.0.reset();
        }
    });
}

/// Removes a stage; the indices of those after it become one less.
///
/// Parameters:
///
/// - `chain`: the handle.
/// - `index`: the stage's index, from 0 to s2_chain_count() - 1.
///
/// Returns: 0, or a status, and then nothing changed:
///
/// - S2_ERROR_NULL_POINTER: `chain` is NULL.
/// - S2_ERROR_BAD_ARGUMENT: there is no such stage.
/// - S2_ERROR_INTERNAL: a defect of the library.
///
/// Randomness: none; the other stages' generators go on. Threads: one at a time with `chain`. Memory:
/// that of the stage is released.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_remove(chain: *mut S2Chain, index: i32) -> i32 {
    guard::status(|| {
        // SAFETY: the caller keeps the header's promise about `chain`.
        let chain = unsafe { pointers::handle(chain) }?;
        chain.0.remove(usize::try_from(index).map_err(|_| Error::BadArgument)?)
    })
}

/// Tells how many stages a chain has, those that are off included.
///
/// Parameters:
///
/// - `chain`: the handle.
///
/// Returns: the number, or S2_ERROR_NULL_POINTER if `chain` is NULL.
///
/// Randomness: none. Threads: no call that changes `chain` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_count(chain: *const S2Chain) -> i32 {
    guard::token(|| {
        // SAFETY: the caller keeps the header's promise about `chain`.
        let chain = unsafe { pointers::view(chain) }?;
        u32::try_from(chain.0.stages().len()).map_err(|_| Error::Internal)
    })
}

/// Tells what kind of stage stands at a place.
///
/// Parameters:
///
/// - `chain`: the handle. NULL gives NULL.
/// - `index`: the stage's index, from 0 to s2_chain_count() - 1. Anything else gives NULL.
///
/// Returns: a static text, never to be freed or written: what follows s2_chain_add_ in the name of the
/// function that adds such a stage, "top_k" for example. NULL if there is no such stage.
///
/// Randomness: none. Threads: no call that changes `chain` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_stage_name(chain: *const S2Chain, index: i32) -> *const c_char {
    guard::value(ptr::null(), || {
        // SAFETY: the caller keeps the header's promise about `chain`.
        let Ok(chain) = (unsafe { pointers::view(chain) }) else { return ptr::null() };
        let stage = usize::try_from(index).ok().and_then(|index| chain.0.stages().get(index));
        stage.map_or(ptr::null(), |stage| stage.c_name().as_ptr())
    })
}

/// Tells the seed that a chain was made with, to log it and to replay.
///
/// Parameters:
///
/// - `chain`: the handle. NULL gives 0.
///
/// Returns: the seed that s2_chain_new() or s2_chain_new_preset() was given.
///
/// Randomness: none. Threads: no call that changes `chain` at the same time. Memory: none.
///
/// Since: 0.1.0
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_get_seed(chain: *const S2Chain) -> u32 {
    guard::value(0, || {
        // SAFETY: the caller keeps the header's promise about `chain`.
        unsafe { pointers::view(chain) }.map_or(0, |chain| chain.1)
    })
}
