//! Vector kernels in three layers that do not mix: `lanes` says what a vector unit can do, `kernels`
//! has the loops, generic over it, and `levels` has one file for each unit. Here they are joined and
//! one set is chosen.
#![allow(unsafe_code)]

mod kernels;
mod lanes;
mod levels;

use crate::entry::Entry;
use std::sync::OnceLock;

pub(crate) use kernels::DEPTH;
pub(crate) use kernels::bounds::{MaximaMass, RowMass};
pub(crate) use kernels::exp::EXP_ERROR;
pub(crate) use kernels::tail::{Tail, TailSum};

/// An instruction set the kernels exist for. All give the same tokens; they differ in speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimdLevel {
    /// Plain Rust, compiled for the target's minimum.
    Baseline,
    /// AVX2 and FMA, on x86-64.
    Avx2,
    /// AVX-512F, on x86-64.
    Avx512,
    /// NEON, on aarch64.
    Neon,
}

impl SimdLevel {
    /// Every level, from the most modest on.
    pub const ALL: [Self; 4] = [Self::Baseline, Self::Avx2, Self::Avx512, Self::Neon];

    /// The name that the environment variable `S2SAMPLER_SIMD` takes and `s2_simd_level` returns.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Whether this CPU has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        Kernels::at(self).is_some()
    }

    /// The level in use: the best there is, or the one named by `S2SAMPLER_SIMD` when the first draw
    /// of the process was made; a name that this CPU cannot serve is as good as none.
    #[must_use]
    pub fn in_use() -> Self {
        Kernels::chosen().level
    }
}

/// One level's kernels.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub level: SimdLevel,
    /// Elements of a row that go together: all rows and maxima passed in are multiples of it and of
    /// a [`DEPTH`]th of it.
    pub chunk: usize,
    pub maxima: fn(&[f32], &mut [f32]),
    pub fold: fn(&[f32], &mut [f32]),
    pub largest: fn(&[f32]) -> f32,
    pub count_reaching: fn(&[f32], f32) -> usize,
    pub find_reaching: fn(&[f32], f32) -> Option<usize>,
    pub collect: fn(&[f32], &[f32], u32, (f32, f32), &mut Vec<Entry>, usize) -> usize,
    pub maxima_mass: fn(&[f32], f32, f32) -> MaximaMass,
    pub row_mass: fn(&[f32], &[f32], f32) -> RowMass,
    pub tail_sum: fn(&[f32], &[f32], Tail) -> TailSum,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of its error"))]
    pub exp_all: fn(&mut [f32]),
}

/// Makes the table of one level: every kernel compiled with the level's features switched on, so
/// that the lane operations are inlined into it.
macro_rules! kernels {
    ($name:ident, $level:expr, $simd:ty, $assume:expr, $(#[$feature:meta])*) => {
        static $name: Kernels = {
            use crate::simd::kernels as k;
            use crate::simd::lanes::Simd;

            $(#[$feature])*
            fn maxima(row: &[f32], out: &mut [f32]) {
                k::maxima::maxima($assume, row, out);
            }
            $(#[$feature])*
            fn fold(values: &[f32], groups: &mut [f32]) {
                k::maxima::fold($assume, values, groups);
            }
            $(#[$feature])*
            fn largest(values: &[f32]) -> f32 {
                k::maxima::largest($assume, values)
            }
            $(#[$feature])*
            fn count_reaching(values: &[f32], threshold: f32) -> usize {
                k::count::count_reaching($assume, values, threshold)
            }
            $(#[$feature])*
            fn find_reaching(values: &[f32], threshold: f32) -> Option<usize> {
                k::find::find_reaching($assume, values, threshold)
            }
            $(#[$feature])*
            fn collect(
                row: &[f32],
                maxima: &[f32],
                first_id: u32,
                bounds: (f32, f32),
                out: &mut Vec<Entry>,
                room: usize,
            ) -> usize {
                k::collect::collect($assume, row, maxima, first_id, bounds, out, room)
            }
            $(#[$feature])*
            fn maxima_mass(maxima: &[f32], top: f32, cap: f32) -> MaximaMass {
                k::bounds::maxima_mass($assume, maxima, top, cap)
            }
            $(#[$feature])*
            fn row_mass(row: &[f32], maxima: &[f32], top: f32) -> RowMass {
                k::bounds::row_mass($assume, row, maxima, top)
            }
            $(#[$feature])*
            fn tail_sum(row: &[f32], maxima: &[f32], tail: Tail) -> TailSum {
                k::tail::tail_sum($assume, row, maxima, tail)
            }
            $(#[$feature])*
            fn exp_all(values: &mut [f32]) {
                k::exp::exp_all($assume, values);
            }
            // SAFETY of the calls: the table is handed out after its level was detected.
            #[allow(unused_unsafe)]
            Kernels {
                level: $level,
                chunk: DEPTH * <$simd>::LANES,
                maxima: |row, out| unsafe { maxima(row, out) },
                fold: |values, groups| unsafe { fold(values, groups) },
                largest: |values| unsafe { largest(values) },
                count_reaching: |values, threshold| unsafe { count_reaching(values, threshold) },
                find_reaching: |values, threshold| unsafe { find_reaching(values, threshold) },
                collect: |row, maxima, first_id, bounds, out, room| unsafe {
                    collect(row, maxima, first_id, bounds, out, room)
                },
                maxima_mass: |maxima, top, cap| unsafe { maxima_mass(maxima, top, cap) },
                row_mass: |row, maxima, top| unsafe { row_mass(row, maxima, top) },
                tail_sum: |row, maxima, tail| unsafe { tail_sum(row, maxima, tail) },
                exp_all: |values| unsafe { exp_all(values) },
            }
        };
    };
}

kernels!(BASELINE, SimdLevel::Baseline, levels::baseline::Baseline, levels::baseline::Baseline,);

// SAFETY of the two `assume`: the kernels that call them are reached after detection only, see `at`.
#[cfg(target_arch = "x86_64")]
kernels!(
    AVX2,
    SimdLevel::Avx2,
    levels::avx2::Avx2,
    unsafe { levels::avx2::Avx2::assume() },
    #[target_feature(enable = "avx2,fma")]
);
#[cfg(target_arch = "x86_64")]
kernels!(
    AVX512,
    SimdLevel::Avx512,
    levels::avx512::Avx512,
    unsafe { levels::avx512::Avx512::assume() },
    #[target_feature(enable = "avx512f")]
);
#[cfg(target_arch = "aarch64")]
kernels!(
    NEON,
    SimdLevel::Neon,
    levels::neon::Neon,
    unsafe { levels::neon::Neon::assume() },
    #[target_feature(enable = "neon")]
);

impl Kernels {
    /// The kernels of a level, if this CPU has it.
    pub(crate) fn at(level: SimdLevel) -> Option<&'static Self> {
        match level {
            SimdLevel::Baseline => Some(&BASELINE),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => levels::avx2::Avx2::detect().map(|_| &AVX2),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => levels::avx512::Avx512::detect().map(|_| &AVX512),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => levels::neon::Neon::detect().map(|_| &NEON),
            #[allow(unreachable_patterns)]
            _ => None,
        }
    }

    /// The kernels in use, chosen once for the process.
    pub(crate) fn chosen() -> &'static Self {
        static CHOSEN: OnceLock<&'static Kernels> = OnceLock::new();
        CHOSEN.get_or_init(|| {
            let named = std::env::var("S2SAMPLER_SIMD").ok();
            let forced = SimdLevel::ALL.into_iter().find(|l| named.as_deref() == Some(l.name()));
            let best = SimdLevel::ALL.into_iter().rev();
            forced.into_iter().chain(best).find_map(Self::at).unwrap_or(&BASELINE)
        })
    }
}

#[cfg(test)]
mod tests;
