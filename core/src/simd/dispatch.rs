//! One table of kernels for each level, and the choice of one.

use super::lanes::Level;
use super::{DEPTH, MaximaMass, RowMass, SimdLevel, Tail, TailSum, Wanted, kernels, levels};
use crate::rules::rank::RankKey;
use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// One level's kernels.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub level: SimdLevel,
    /// Elements of a row that go together: all rows and maxima passed in are multiples of it and of
    /// a [`DEPTH`]th of it.
    pub chunk: usize,
    pub argmax: fn(&[f32]) -> Option<u32>,
    pub maxima: fn(&[f32], &mut [f32]),
    pub fold: fn(&[f32], &mut [f32]),
    pub largest: fn(&[f32]) -> f32,
    pub count_reaching: fn(&[f32], f32) -> usize,
    pub collect: fn(&[f32], &[f32], Wanted, &mut Vec<RankKey>) -> usize,
    pub maxima_mass: fn(&[f32], f32, f32) -> MaximaMass,
    pub row_mass: fn(&[f32], &[f32], f32, f32) -> RowMass,
    pub tail_sum: fn(&[f32], &[f32], Tail) -> TailSum,
    pub expf_all: fn(&mut [f32]),
    #[cfg(test)]
    pub exp_all: fn(&mut [f32]),
}

static BASELINE: Kernels = Kernels::of::<levels::baseline::Baseline>();
#[cfg(target_arch = "x86_64")]
static AVX2: Kernels = Kernels::of::<levels::avx2::Avx2>();
#[cfg(target_arch = "x86_64")]
static AVX512: Kernels = Kernels::of::<levels::avx512::Avx512>();
#[cfg(target_arch = "aarch64")]
static NEON: Kernels = Kernels::of::<levels::neon::Neon>();

impl Kernels {
    /// The table of a level; each kernel is compiled into [`Level::run`], with its features on.
    const fn of<L: Level>() -> Self {
        #[cfg(test)]
        use kernels::exp;
        use kernels::{argmax, bounds, collect, count, expf, maxima, tail};
        Self {
            level: L::LEVEL,
            chunk: DEPTH * L::LANES,
            argmax: |row| L::run(|simd| argmax::argmax(simd.loads(), row)),
            maxima: |row, out| L::run(|simd| maxima::maxima(simd.loads(), L::LANES, row, out)),
            fold: |values, groups| L::run(|simd| maxima::fold(simd, values, groups)),
            largest: |values| L::run(|simd| maxima::largest(simd, values)),
            count_reaching: |values, t| L::run(|simd| count::count_reaching(simd, values, t)),
            collect: |row, maxima, wanted, out| {
                L::run(|simd| collect::collect(simd, row, maxima, wanted, out))
            },
            maxima_mass: |maxima, top, cap| {
                L::run(|simd| bounds::maxima_mass(simd, maxima, top, cap))
            },
            row_mass: |row, maxima, top, floor| {
                L::run(|simd| bounds::row_mass(simd, row, maxima, top, floor))
            },
            tail_sum: |row, maxima, tail| L::run(|simd| tail::tail_sum(simd, row, maxima, tail)),
            expf_all: |values| L::run(|_| expf::expf_all(L::FUSED, values)),
            #[cfg(test)]
            exp_all: |values| L::run(|simd| exp::exp_all(simd, values)),
        }
    }

    /// The kernels of a level, if this CPU has it.
    pub(crate) fn at(level: SimdLevel) -> Option<&'static Self> {
        match level {
            SimdLevel::Baseline => Some(&BASELINE),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => levels::avx2::Avx2::is_present().then_some(&AVX2),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => levels::avx512::Avx512::is_present().then_some(&AVX512),
            #[cfg(target_arch = "aarch64")]
            SimdLevel::Neon => levels::neon::Neon::is_present().then_some(&NEON),
            #[allow(unreachable_patterns)]
            _ => None,
        }
    }

    /// The kernels in use, chosen once for the process.
    #[allow(unsafe_code)]
    pub(crate) fn chosen() -> &'static Self {
        // Not a lock, by which a fork that comes upon the choice would leave the child waiting for a
        // thread that it does not have. Threads that choose at the same time choose the same.
        static CHOSEN: AtomicPtr<Kernels> = AtomicPtr::new(ptr::null_mut());
        // SAFETY: NULL, or one of the tables, which are static and never written.
        unsafe { CHOSEN.load(Ordering::Relaxed).as_ref() }.unwrap_or_else(|| {
            let best = Self::best();
            CHOSEN.store(ptr::from_ref(best).cast_mut(), Ordering::Relaxed);
            best
        })
    }

    #[cold]
    fn best() -> &'static Self {
        let forced = SimdLevel::ALL.into_iter().find(|level| is_named(*level));
        let best = SimdLevel::ALL.into_iter().rev();
        forced.into_iter().chain(best).find_map(Self::at).unwrap_or(&BASELINE)
    }
}

/// Whether the environment names this level. By `getenv`, which does not allocate: `std::env` does, and
/// ends the process where it cannot.
#[allow(unsafe_code)]
fn is_named(level: SimdLevel) -> bool {
    // SAFETY: the name is a C string; the manual tells the host not to change the environment meanwhile.
    let text = unsafe { libc::getenv(c"S2SAMPLER_SIMD".as_ptr()) };
    // SAFETY: not NULL, hence a C string of the environment, by the same rule still there.
    !text.is_null() && unsafe { CStr::from_ptr(text) } == level.c_name()
}
