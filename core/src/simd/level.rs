//! The names of the SIMD levels.

use super::dispatch::Kernels;
use core::ffi::CStr;

/// An instruction set the kernels exist for. All levels give the same tokens and differ only in speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimdLevel {
    /// Plain Rust, compiled for the target's minimum.
    Baseline,
    /// AVX2 and FMA, on x86-64.
    Avx2,
    /// AVX-512F besides AVX2 and FMA, on x86-64.
    Avx512,
    /// NEON, on aarch64.
    Neon,
}

impl SimdLevel {
    /// Every level, the slowest first on each architecture.
    pub const ALL: [Self; 4] = [Self::Baseline, Self::Avx2, Self::Avx512, Self::Neon];

    /// The name, as the environment variable `S2SAMPLER_SIMD` takes it and `s2_simd_level` returns it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.c_name().to_str() {
            Ok(name) => name,
            Err(_) => "",
        }
    }

    /// The name as a C string.
    #[must_use]
    pub const fn c_name(self) -> &'static CStr {
        match self {
            Self::Baseline => c"baseline",
            Self::Avx2 => c"avx2",
            Self::Avx512 => c"avx512",
            Self::Neon => c"neon",
        }
    }

    /// Whether this CPU has the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        Kernels::at(self).is_some()
    }

    /// The level in use: the best this CPU has, or the level that `S2SAMPLER_SIMD` named at the first
    /// draw of the process. A name of no level, or of one this CPU lacks, is ignored.
    #[must_use]
    pub fn in_use() -> Self {
        Kernels::chosen().level()
    }
}
