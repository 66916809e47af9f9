//! NEON on aarch64: four lanes, always present there.
#![allow(unsafe_code)]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all have one argument: every aarch64 CPU has NEON; loads and stores check the slice's length"
)]

use crate::simd::SimdLevel;
use crate::simd::lanes::{Level, Simd};
use core::arch::aarch64::*;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

impl Simd for Neon {
    type F = float32x4_t;
    type M = uint32x4_t;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, x: f32) -> float32x4_t {
        unsafe { vdupq_n_f32(x) }
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> float32x4_t {
        unsafe { vld1q_f32(values[..Self::LANES].as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: float32x4_t, out: &mut [f32]) {
        unsafe { vst1q_f32(out[..Self::LANES].as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn add(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        unsafe { vaddq_f32(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        unsafe { vsubq_f32(a, b) }
    }
    #[inline(always)]
    fn mul_add(self, a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        unsafe { vfmaq_f32(c, a, b) }
    }
    // Compare and select: the instructions of that name would spread a NaN.
    #[inline(always)]
    fn max(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) }
    }
    #[inline(always)]
    fn min(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        unsafe { vbslq_f32(vcltq_f32(a, b), a, b) }
    }
    #[inline(always)]
    fn abs(self, a: float32x4_t) -> float32x4_t {
        unsafe { vabsq_f32(a) }
    }
    #[inline(always)]
    fn add_exponent(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        unsafe {
            let shifted = vshlq_n_u32::<23>(vreinterpretq_u32_f32(a));
            vreinterpretq_f32_u32(vaddq_u32(shifted, vreinterpretq_u32_f32(b)))
        }
    }

    #[inline(always)]
    fn ge(self, a: float32x4_t, b: float32x4_t) -> uint32x4_t {
        unsafe { vcgeq_f32(a, b) }
    }
    #[inline(always)]
    fn lt(self, a: float32x4_t, b: float32x4_t) -> uint32x4_t {
        unsafe { vcltq_f32(a, b) }
    }
    #[inline(always)]
    fn and(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        unsafe { vandq_u32(a, b) }
    }
    #[inline(always)]
    fn keep(self, m: uint32x4_t, v: float32x4_t) -> float32x4_t {
        unsafe { vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(v))) }
    }
    #[inline(always)]
    fn any(self, m: uint32x4_t) -> bool {
        unsafe { vmaxvq_u32(m) != 0 }
    }
    #[inline(always)]
    fn bits(self, m: uint32x4_t) -> u32 {
        const PLACES: [u32; 4] = [1, 2, 4, 8];
        unsafe { vaddvq_u32(vandq_u32(m, vld1q_u32(PLACES.as_ptr()))) }
    }
}

impl Level for Neon {
    const LEVEL: SimdLevel = SimdLevel::Neon;
    const FUSED: bool = true;
    type Loads = Self;

    fn is_present() -> bool {
        true
    }

    #[inline(always)]
    fn loads(self) -> Self {
        self
    }

    #[inline(always)]
    fn run<R>(kernel: impl FnOnce(Self) -> R) -> R {
        #[target_feature(enable = "neon")]
        fn compiled<R>(kernel: impl FnOnce(Neon) -> R) -> R {
            kernel(Neon(()))
        }
        unsafe { compiled(kernel) }
    }
}
