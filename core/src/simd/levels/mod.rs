//! One file for each vector unit: what an operation of `lanes` is there.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod baseline;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
