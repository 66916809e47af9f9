//! The operations of `lanes`, one file for each instruction set.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod baseline;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
