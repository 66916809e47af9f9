//! Chapter "Chains": stage dist with options.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

use crate::chains::S2Chain;
use crate::pointers::Versioned;
use crate::{guard, pointers};
use s2sampler_core::{DistMethod, DistOptions, DistOrder, DistSums, Error, Stage};

/// Method of dist: the first candidate whose running sum of e is >= u * S, two words at every draw.
/// llama.cpp's rule, and the default.
pub const S2_DIST_INVERSION: i32 = 0;
/// Method of dist: std::discrete_distribution of libstdc++ over the e, as in step 7. One candidate
/// takes no word.
pub const S2_DIST_DISCRETE: i32 = 1;
/// Method of dist: each candidate has its own u, two words for each; the largest e / -ln(u) wins.
pub const S2_DIST_EXPONENTIAL_RACE: i32 = 2;
/// Method of dist: each candidate has its own u, two words for each; the largest l - ln(-ln(u))
/// wins.
pub const S2_DIST_GUMBEL_RACE: i32 = 3;

/// Order of dist: as the candidates lie in the list. The default.
pub const S2_DIST_LIST_ORDER: i32 = 0;
/// Order of dist: by rising id.
pub const S2_DIST_ID_ORDER: i32 = 1;
/// Order of dist: by falling logit, equal logits by rising id.
pub const S2_DIST_RANK_ORDER: i32 = 2;

/// Sums of dist: S, u * S and the running sum are binary64. The default.
pub const S2_SUMS_DOUBLE: i32 = 0;
/// Sums of dist: they are binary32, and so is u. S2_DIST_INVERSION only.
pub const S2_SUMS_FLOAT: i32 = 1;

/// The options of stage dist. Fill them with s2_dist_options_init(), then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct S2DistOptions {
    /// sizeof(S2DistOptions): see "Structs that may grow".
    pub struct_size: u32,
    /// As `seed` for s2_chain_add_dist().
    pub seed: u32,
    /// S2_DIST_INVERSION or one of the other methods.
    pub method: i32,
    /// S2_DIST_LIST_ORDER or one of the other orders: the order of sums, and in a race of the u.
    pub order: i32,
    /// S2_SUMS_DOUBLE or S2_SUMS_FLOAT.
    pub sums: i32,
    /// S2_DIST_INVERSION only: draws from the first `mass` of the probabilities, see "dist with
    /// options". >= 0. Off: >= 1, the default.
    pub mass: f32,
}

// SAFETY: `repr(C)`, begins with its size, 6 words of 4 bytes, numbers only.
unsafe impl Versioned for S2DistOptions {
    const FIRST_SIZE: usize = 24;
}

impl S2DistOptions {
    const INIT: Self = Self {
        struct_size: size_of::<Self>() as u32,
        seed: 0,
        method: S2_DIST_INVERSION,
        order: S2_DIST_LIST_ORDER,
        sums: S2_SUMS_DOUBLE,
        mass: 1.0,
    };

    fn values(self) -> Result<DistOptions, Error> {
        Ok(DistOptions {
            seed: self.seed,
            method: match self.method {
                S2_DIST_INVERSION => DistMethod::Inversion,
                S2_DIST_DISCRETE => DistMethod::Discrete,
                S2_DIST_EXPONENTIAL_RACE => DistMethod::ExponentialRace,
                S2_DIST_GUMBEL_RACE => DistMethod::GumbelRace,
                _ => return Err(Error::BadArgument),
            },
            order: match self.order {
                S2_DIST_LIST_ORDER => DistOrder::List,
                S2_DIST_ID_ORDER => DistOrder::Id,
                S2_DIST_RANK_ORDER => DistOrder::Rank,
                _ => return Err(Error::BadArgument),
            },
            sums: match self.sums {
                S2_SUMS_DOUBLE => DistSums::Double,
                S2_SUMS_FLOAT => DistSums::Float,
                _ => return Err(Error::BadArgument),
            },
            mass: self.mass,
        })
    }
}

/// Sets `options` to those of s2_chain_add_dist() with seed 0, and struct_size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_dist_options_init(options: *mut S2DistOptions) {
    guard::status(|_| pointers::write(options, S2DistOptions::INIT));
}

/// Adds stage dist with options; its name is "dist" too.
///
/// `options`: copied. A number that is no method, order or sums, a `mass` < 0 or NaN, and a `mass`
/// < 1 or S2_SUMS_FLOAT with a method other than S2_DIST_INVERSION are errors.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn s2_chain_add_dist_ex(
    chain: *mut S2Chain,
    options: *const S2DistOptions,
) -> i32 {
    guard::change(chain, |chain, _| {
        let options = pointers::read_versioned(options, S2DistOptions::INIT)?;
        let index = chain.add(Stage::dist_with(options.values()?)?)?;
        u32::try_from(index).map_err(|_| Error::Internal)
    })
}
