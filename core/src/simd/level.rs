//! The names of the vector units.

use super::dispatch::Kernels;
use core::ffi::CStr;

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
        match self.c_name().to_str() {
            Ok(name) => name,
            Err(_) => "",
        }
    }

    /// The same text, ended by a NUL.
    #[must_use]
    pub const fn c_name(self) -> &'static CStr {
        match self {
            Self::Baseline => c"baseline",
            Self::Avx2 => c"avx2",
            Self::Avx512 => c"avx512",
            Self::Neon => c"neon",
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
