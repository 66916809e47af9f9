//! Chapter "Chains": their life, and draws with them.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::guard::{Call, Opaque};
use crate::handle::Handle;
use crate::pointers::Rows;
use crate::{guard, pointers};
use core::ffi::{c_char, c_void};
use core::fmt;
use core::mem::offset_of;
use core::ptr;
use s2sampler_core::{Chain, Error, Stage, TokenData};

/// Stages in the order in which you add them, each applied to what the one before left.
///
/// Its tokens depend on the stages, their seeds, the rows and the accepted tokens, in order.
pub struct S2Chain(Handle<Chain>);

impl S2Chain {
    pub(crate) fn new(chain: Chain) -> Self {
        Self(Handle::new(chain))
    }
}

impl Opaque for S2Chain {
    type Content = Chain;
    fn handle(&self) -> &Handle<Chain> {
        &self.0
    }
}

/// Candidates in the caller's memory, for s2_chain_apply(). The layout is that of llama.cpp's
/// `llama_token_data_array`: a pointer to one can be passed as a pointer to the other.
#[repr(C)]
pub struct S2TokenDataArray {
    /// The candidates. Ids may be any numbers, repeated ones too.
    pub data: *mut TokenData,
    /// How many there are, 1 to 2147483647. Written: how many are left.
    pub size: usize,
    /// Written: the index of the selected candidate, -1 if no stage of the chain selects.
    pub selected: i64,
    /// Whether they are in rank order: falling logit, equal logits by rising id. Read and written.
    /// s2_chain_sample_ex() verifies a true. s2_chain_apply() does not: if it is wrong, it is
    /// unspecified which candidates are left.
    pub sorted: bool,
}

/// As [`S2TokenDataArray`], for callers whose bool holds another byte than 0 or 1.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub data: *mut TokenData,
    pub size: usize,
    pub selected: i64,
    pub sorted: u8,
}

const _: () = {
    assert!(size_of::<Array>() == size_of::<S2TokenDataArray>());
    assert!(offset_of!(Array, selected) == offset_of!(S2TokenDataArray, selected));
    assert!(offset_of!(Array, sorted) == offset_of!(S2TokenDataArray, sorted));
};

/// The candidates of an array that is only read, and whether they are said to be in rank order.
///
/// # Safety
/// The pointers keep to the contract of `pointers`.
pub(crate) unsafe fn candidates(
    call: &Call,
    array: *const S2TokenDataArray,
) -> Result<(&[TokenData], bool), Error> {
    let array = pointers::read(array.cast::<Array>())?;
    let size = i32::try_from(array.size).map_err(|_| Error::BadArgument)?;
    let tokens = pointers::slice(call, array.data.cast_const(), size)?;
    Ok((tokens, array.sorted != 0))
}

/// The index of a stage.
fn index(index: i32) -> Result<usize, Error> {
    usize::try_from(index).map_err(|_| Error::BadArgument)
}

/// Text in a caller's memory, cut to it, with the length that it would have.
struct Text<'a> {
    room: &'a mut [u8],
    length: usize,
}

impl Text<'_> {
    /// Ends the text with a 0 byte, the last of the room at most.
    fn end(&mut self) {
        let last = self.room.len().saturating_sub(1).min(self.length);
        if let Some(byte) = self.room.get_mut(last) {
            *byte = 0;
        }
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.room.get_mut(self.length..).unwrap_or_default();
        room.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
        self.length += text.len();
        Ok(())
    }
}

/// Makes a chain without stages.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn s2_chain_new() -> *mut S2Chain {
    guard::new_handle(|_| Ok(S2Chain::new(Chain::new())))
}

/// Makes a second chain in the same state, histories and generators included: both continue
/// identically.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_clone(chain: *const S2Chain) -> *mut S2Chain {
    guard::new_handle(|call| guard::read(call, chain, |chain| chain.try_clone().map(S2Chain::new)))
}

/// Frees a chain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_free(chain: *mut S2Chain) {
    guard::free(chain);
}

/// Puts every stage in the state in which it was added: histories empty, generators as seeded,
/// Mirostat's mu and adaptive_p's A and B as at first. A bitmask stays. Returns 0 or a status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_reset(chain: *mut S2Chain) -> i32 {
    guard::change(chain, |chain, _| {
        chain.reset();
        Ok(0)
    })
}

/// Removes a stage; the indices after `index` become one less.
///
/// Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_remove(chain: *mut S2Chain, index: i32) -> i32 {
    guard::change(chain, |chain, _| {
        chain.remove(self::index(index)?)?;
        Ok(0)
    })
}

/// Moves the stage at `from` so that its index is `to`; the indices between change by one. So a
/// stage, which is always added at the end, comes to any place.
///
/// Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage or place.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_move(chain: *mut S2Chain, from: i32, to: i32) -> i32 {
    guard::change(chain, |chain, _| {
        chain.move_stage(index(from)?, index(to)?)?;
        Ok(0)
    })
}

/// Removes the stage at `index` and moves the one at `from` to its place; the indices after `from`
/// become one less. So a new stage, added at the end, replaces an old one.
///
/// Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage or both are the same.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_replace(chain: *mut S2Chain, from: i32, index: i32) -> i32 {
    guard::change(chain, |chain, _| {
        chain.replace(self::index(from)?, self::index(index)?)?;
        Ok(0)
    })
}

/// Writes the parameters of the stage at `index` as text, such as "p 0.9, min_keep 1", and for some
/// stages what they remember. It is for people: programs get no promise about its form.
///
/// `text`, `size`: where to, and its length with the ending 0 byte; a longer text is cut. NULL is
/// fine if `size` is 0.
///
/// Returns the length of the whole text without the 0 byte, as snprintf() does, or a status:
/// S2_ERROR_BAD_ARGUMENT if there is no such stage.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_describe(
    chain: *const S2Chain,
    index: i32,
    text: *mut c_char,
    size: usize,
) -> i32 {
    guard::number(|call| {
        let room = pointers::slice_mut(call, text.cast::<u8>(), size)?;
        guard::read(call, chain, |chain| {
            let stage = chain.stages().get(self::index(index)?).ok_or(Error::BadArgument)?;
            let mut written = Text { room, length: 0 };
            stage.describe(&mut written).map_err(|_| Error::Internal)?;
            written.end();
            u32::try_from(written.length).map_err(|_| Error::Internal)
        })
    })
}

/// Returns the number of stages, those that are off included, or a status.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_count(chain: *const S2Chain) -> i32 {
    guard::number(|call| guard::read(call, chain, |chain| Ok(chain.stages().len() as u32)))
}

/// Returns the name of the stage at `index`: what follows s2_chain_add_ in the function that adds
/// it, such as "top_k". Static text; NULL if there is no such stage or a status would be returned.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_stage_name(chain: *const S2Chain, index: i32) -> *const c_char {
    guard::value(ptr::null(), |call| {
        let name = guard::read(call, chain, |chain| {
            chain.stages().get(self::index(index)?).map(Stage::c_name).ok_or(Error::BadArgument)
        });
        name.map_or(ptr::null(), |name| name.as_ptr())
    })
}

/// Restarts the generator of the stage at `index` from another `seed`, to which s2_chain_reset()
/// then returns. Nothing else of the chain changes. So a chain can serve one request after the
/// other: reset it, then seed its stages.
///
/// Returns 0, or S2_ERROR_BAD_ARGUMENT if there is no such stage or it has no generator.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_set_seed(chain: *mut S2Chain, index: i32, seed: u32) -> i32 {
    guard::change(chain, |chain, _| {
        chain.reseed(usize::try_from(index).map_err(|_| Error::BadArgument)?, seed)?;
        Ok(0)
    })
}

/// Writes the seed of the stage at `index` to `seed`.
///
/// Returns 0, or a status, and then nothing is written: S2_ERROR_BAD_ARGUMENT as for
/// s2_chain_set_seed().
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_get_seed(
    chain: *const S2Chain,
    index: i32,
    seed: *mut u32,
) -> i32 {
    guard::status(|call| {
        let found = guard::read(call, chain, |chain| {
            chain.seed(usize::try_from(index).map_err(|_| Error::BadArgument)?)
        })?;
        pointers::write(seed, found)
    })
}

/// Returns the number of bytes that s2_chain_save() writes for the chain as it is: it grows with the
/// histories. 0 if a stage is of the caller's own.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_state_size(chain: *const S2Chain) -> usize {
    guard::value(0, |call| guard::read(call, chain, |chain| chain.save_into(&mut [])).unwrap_or(0))
}

/// Writes the chain as bytes, to continue from it later, elsewhere, or twice: its stages with their
/// parameters, histories and generators.
///
/// The bytes carry a version and a checksum and are the same on every machine; the rest of the
/// format is unspecified.
///
/// `state`, `size`: a buffer for s2_chain_state_size() bytes and its size. Returns 0, or
/// S2_ERROR_BAD_ARGUMENT if `size` is too small or a stage is the caller's own, and then nothing is
/// written.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_save(
    chain: *const S2Chain,
    state: *mut c_void,
    size: usize,
) -> i32 {
    guard::status(|call| {
        guard::read(call, chain, |chain| {
            let len = chain.save_into(&mut [])?;
            let block = pointers::buffer(call, state.cast(), size, len)?;
            chain.save_into(block).map(|_| ())
        })
    })
}

/// Makes a chain in a saved state, which continues identically.
///
/// `state`, `size`: what s2_chain_save() wrote, at any alignment, and exactly the number of bytes
/// that s2_chain_state_size() returned there. NULL also with S2_ERROR_BAD_ARGUMENT if the bytes are
/// not a saved chain, were changed, or have a version or a stage that this library does not know.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_new_restored(state: *const c_void, size: usize) -> *mut S2Chain {
    guard::new_handle(|call| {
        Chain::restore(pointers::bytes(call, state.cast(), size)?).map(S2Chain::new)
    })
}

/// Draws one token: applies the stages to a row, and accepts the selected token.
///
/// `logits`, `n`: the row, as for s2_sample_token().
///
/// Returns the id, 0 <= id < `n`, or a status: S2_ERROR_EMPTY_ROW if `n` <= 0,
/// S2_ERROR_NO_SELECTION if no stage selects, S2_ERROR_NO_CANDIDATE if no logit is above -inf.
/// Nothing changes then, except that after S2_ERROR_OUT_OF_MEMORY the stages may have used random
/// words.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_sample(chain: *mut S2Chain, logits: *const f32, n: i32) -> i32 {
    guard::change(chain, |chain, call| chain.sample(pointers::slice(call, logits, n)?))
}

/// Draws one token from each of several rows, each with its own chain, from the first row to the
/// last.
///
/// `chains`: a handle for each row. A handle may be given for several rows: each draw sees the
/// tokens accepted before.
///
/// `logits`, `rows`, `row_stride`, `n`: as `logits`, `rows`, `row_stride`, `vocab_size` of
/// s2_sampler_sample_rows(). `tokens`: for each row its token, or its status as of
/// s2_chain_sample().
///
/// Returns the number of rows that have a token, or a status, as s2_sampler_sample_rows().
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_sample_rows(
    chains: *const *mut S2Chain,
    logits: *const f32,
    rows: i32,
    row_stride: isize,
    n: i32,
    tokens: *mut i32,
) -> i32 {
    guard::number(|_| {
        let rows = Rows { handles: chains, logits, rows, row_stride, tokens };
        let count = rows.count()?;
        Ok(rows.sample(count, |_, chain, row| s2_chain_sample(chain, row, n)))
    })
}

/// Applies the stages to an array of candidates. Nothing is accepted: s2_chain_accept() does that.
/// No stage needs to select.
///
/// The candidates left are moved to the front of the array, with their logits as the stages made
/// them. Stages that compute probabilities write them; the others leave p unchanged. The rest of
/// the array is unspecified.
///
/// `array`: at any alignment; `size`, `selected` and `sorted` are written.
///
/// Returns 0 or a status: S2_ERROR_EMPTY_ROW if `size` is 0, S2_ERROR_BAD_ARGUMENT if it is above
/// 2147483647, S2_ERROR_NO_CANDIDATE if a stage selects and no logit is above -inf. After that,
/// S2_ERROR_OUT_OF_MEMORY and an error of a custom stage `selected` is -1, and the candidates may be
/// changed: fill the array again.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_apply(chain: *mut S2Chain, array: *mut S2TokenDataArray) -> i32 {
    guard::change(chain, |chain, call| {
        let place = array.cast::<Array>();
        let mut array = pointers::read(place)?;
        let tokens = pointers::slice_mut(call, array.data, array.size)?;
        array.selected = -1;
        let applied = if tokens.is_empty() {
            Err(Error::EmptyRow)
        } else {
            chain.apply(tokens, array.sorted != 0).map(|applied| {
                array.size = applied.len;
                array.selected = applied.selected.map_or(-1, |selected| selected as i64);
                array.sorted = u8::from(applied.sorted);
            })
        };
        pointers::write(place, array)?;
        applied.map(|()| 0)
    })
}

/// Accepts a token: the stages with a history record it. Use it for tokens of the prompt, and for
/// tokens drawn elsewhere or by s2_chain_apply().
///
/// `token`: its id; any number. Returns 0, or S2_ERROR_OUT_OF_MEMORY, and then no stage recorded
/// it.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_accept(chain: *mut S2Chain, token: i32) -> i32 {
    guard::change(chain, |chain, _| {
        chain.accept(token)?;
        Ok(0)
    })
}
