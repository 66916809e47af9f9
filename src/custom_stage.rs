//! Chapter "Chains": a stage of the caller's own.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::{Array, S2Chain, S2TokenDataArray};
use crate::fp_env::DefaultFpEnv;
use crate::guard;
use crate::pointers::{self, Name, Versioned};
use core::ffi::{c_char, c_void};
use core::mem::{self, offset_of};
use core::ptr;
use s2sampler_core::{CandidateArray, CustomStage, Error, Stage};

/// The functions of a stage of your own. Set struct_size, by hand or by s2_custom_stage_init(), and
/// name and apply; the others may be NULL.
///
/// The library calls them while a call with the chain runs, in the thread of that call, with the
/// default floating-point environment: round to nearest, no traps, denormals kept. They must return:
/// no exception and no longjmp() may leave them. A call with the same chain from inside returns
/// S2_ERROR_BUSY; calls with other handles are fine. One function runs at a time, except clone:
/// calls with a const chain may overlap.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct S2CustomStage {
    /// sizeof(S2CustomStage): see "Structs that may grow".
    pub struct_size: u32,
    /// Not 0 if the stage always selects a token. 0: it may, and then its token is the draw's, but a
    /// chain needs another stage that selects.
    pub selects: i32,
    /// The name for reports, 1 to 63 printable ASCII characters. Copied.
    pub name: *const c_char,
    /// Works on the candidates; there is at least one, and no logit is NaN. It may change logits and
    /// p, put the candidates in any order, drop some (those left come first, `size` counts them),
    /// and select one (`selected`, -1 at first), which ends the pass. `sorted` is a hint, which is
    /// verified. `p` is what the last stage that wrote some left, or 0.
    ///
    /// Returns 0 or one of S2_ERROR_*, which becomes the status of the draw; any other number is
    /// S2_ERROR_INTERNAL. What it leaves is checked: S2_ERROR_NO_CANDIDATE if `size` is 0 or the
    /// selected candidate is at -inf; S2_ERROR_BAD_ARGUMENT if `data` changed, `size` grew,
    /// `selected` is out of range, or an id is not in the row. NaN becomes -inf.
    pub apply: Option<unsafe extern "C" fn(user: *mut c_void, array: *mut S2TokenDataArray) -> i32>,
    /// Records an accepted token.
    pub accept: Option<unsafe extern "C" fn(user: *mut c_void, token: i32)>,
    /// Forgets the accepted tokens.
    pub reset: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// Writes a copy of `user` to `copy`, for s2_chain_clone() and for reports, and returns 0 or a
    /// status, which becomes that of the call. Several threads may run it at once. NULL: if free is
    /// NULL too, the copy shares `user`, and a report applies the stage to it; otherwise the chain
    /// cannot be copied, which is S2_ERROR_BAD_ARGUMENT.
    pub clone: Option<unsafe extern "C" fn(user: *mut c_void, copy: *mut *mut c_void) -> i32>,
    /// Frees `user` when the stage is removed or its chain freed.
    pub free: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// Passed to the functions; may be NULL.
    pub user: *mut c_void,
}

// SAFETY: `repr(C)`, begins with its size; then a number and pointers, which may be any bit pattern until they
// are used. It is never written field by field.
unsafe impl Versioned for S2CustomStage {
    const FIRST_SIZE: usize = offset_of!(Self, user) + size_of::<*mut c_void>();
}

impl S2CustomStage {
    const ZERO: Self = Self {
        struct_size: size_of::<Self>() as u32,
        selects: 0,
        name: ptr::null(),
        apply: None,
        accept: None,
        reset: None,
        clone: None,
        free: None,
        user: ptr::null_mut(),
    };
}

/// A stage whose operations are a caller's functions. It owns `user`.
#[derive(Debug)]
struct Callbacks {
    name: Name,
    apply: unsafe extern "C" fn(*mut c_void, *mut S2TokenDataArray) -> i32,
    given: S2CustomStage,
}

// SAFETY: the chain's mark lets one thread at a time use it, and by the contract of the header the caller's
// functions may run in the thread of any call.
unsafe impl Send for Callbacks {}
// SAFETY: as above. Readers of a chain that overlap only call `clone`, which by the contract reads.
unsafe impl Sync for Callbacks {}

/// The result of a caller's function.
fn result(status: i32) -> Result<(), Error> {
    let known = || Error::ALL.into_iter().find(|error| error.status() == status);
    if status == 0 { Ok(()) } else { Err(known().unwrap_or(Error::Internal)) }
}

/// Runs a caller's function; what it did to the floating-point environment ends with it.
fn outside<R>(function: impl FnOnce() -> R) -> R {
    let _default = DefaultFpEnv::enter();
    function()
}

impl CustomStage for Callbacks {
    fn name(&self) -> &str {
        self.name.text()
    }

    fn selects(&self) -> bool {
        self.given.selects != 0
    }

    fn apply(&mut self, candidates: &mut CandidateArray<'_>) -> Result<(), Error> {
        let data = candidates.tokens.as_mut_ptr();
        let (size, sorted) = (candidates.len, u8::from(candidates.sorted));
        let mut array = Array { data, size, selected: -1, sorted };
        // SAFETY: a function of the caller with the arguments that its type states. `Array` has the layout of
        // `S2TokenDataArray`, and nobody else uses the candidates until it returns.
        result(outside(|| unsafe { (self.apply)(self.given.user, (&raw mut array).cast()) }))?;
        if array.data != data {
            return Err(Error::BadArgument);
        }
        candidates.len = array.size;
        candidates.sorted = array.sorted != 0;
        candidates.selected = match array.selected {
            -1 => None,
            // What is no place of a candidate is refused with the rest.
            place => Some(usize::try_from(place).unwrap_or(usize::MAX)),
        };
        Ok(())
    }

    fn accept(&mut self, token: i32) {
        if let Some(accept) = self.given.accept {
            // SAFETY: as in `apply`.
            outside(|| unsafe { accept(self.given.user, token) });
        }
    }

    fn reset(&mut self) {
        if let Some(reset) = self.given.reset {
            // SAFETY: as in `apply`.
            outside(|| unsafe { reset(self.given.user) });
        }
    }

    fn try_clone(&self) -> Result<Box<dyn CustomStage>, Error> {
        let mut user = self.given.user;
        match (self.given.clone, self.given.free) {
            (Some(clone), _) => {
                // SAFETY: as in `apply`.
                result(outside(|| unsafe { clone(self.given.user, &raw mut user) }))?;
            }
            (None, None) => {}
            (None, Some(_)) => return Err(Error::BadArgument),
        }
        let given = S2CustomStage { user, ..self.given };
        match pointers::into_box(Self { name: self.name, apply: self.apply, given }) {
            Ok(copy) => Ok(copy),
            // Dropping the copy frees its `user`.
            Err(_) => Err(Error::OutOfMemory),
        }
    }
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(free) = self.given.free {
            // SAFETY: as in `apply`; `user` is not used after this.
            outside(|| unsafe { free(self.given.user) });
        }
    }
}

/// Sets `stage` to all zero and NULL but struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_custom_stage_init(stage: *mut S2CustomStage) {
    guard::status(|_| pointers::write(stage, S2CustomStage::ZERO));
}

/// Adds stage custom: a stage of your own, by its functions.
///
/// `stage`: copied; `user` belongs to the chain from then on. After a status it is still yours. The
/// stage's name is "custom"; s2_chain_describe() and the parameters in reports show yours. A chain
/// with it cannot be saved.
///
/// Returns the index or a status: S2_ERROR_NULL_POINTER if `stage`, name or apply is NULL,
/// S2_ERROR_BAD_ARGUMENT for a name that is not as stated or a wrong struct_size.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_custom(
    chain: *mut S2Chain,
    stage: *const S2CustomStage,
) -> i32 {
    guard::change(chain, |chain, call| {
        let given = pointers::read_versioned(stage, S2CustomStage::ZERO)?;
        let name = pointers::name(call, given.name)?;
        let apply = given.apply.ok_or(Error::NullPointer)?;
        // First all that can fail: from then on `user` is the stage's.
        chain.reserve(1)?;
        let boxed = match pointers::into_box(Callbacks { name, apply, given }) {
            Ok(boxed) => boxed,
            Err(callbacks) => {
                mem::forget(callbacks);
                return Err(Error::OutOfMemory);
            }
        };
        let index = chain.add(Stage::custom(boxed))?;
        u32::try_from(index).map_err(|_| Error::Internal)
    })
}
