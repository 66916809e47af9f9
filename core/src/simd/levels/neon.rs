//! NEON on aarch64: four lanes, always present there.
#![allow(unsafe_code, reason = "intrinsics")]

use crate::TokenData;
use crate::simd::SimdLevel;
use crate::simd::lanes::{Isa, Simd};
use core::arch::aarch64::*;

/// Exists on every aarch64 CPU.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neon(());

/// Intrinsics for the methods of [`Neon`].
macro_rules! neon {
    ($intrinsics:expr) => {{
        // SAFETY: every aarch64 CPU has NEON.
        unsafe { $intrinsics }
    }};
}

impl Simd for Neon {
    type F = float32x4_t;
    type M = uint32x4_t;
    type Count = uint32x4_t;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, x: f32) -> float32x4_t {
        neon!(vdupq_n_f32(x))
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> float32x4_t {
        // SAFETY: `values` has that many elements, and the CPU has the instruction, as in `neon!`.
        unsafe { vld1q_f32(values[..Self::LANES].as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: float32x4_t, out: &mut [f32]) {
        // SAFETY: `out` has that many elements, and the CPU has the instruction, as in `neon!`.
        unsafe { vst1q_f32(out[..Self::LANES].as_mut_ptr(), v) }
    }

    // Instructions that load or store three vectors of interleaved numbers.
    #[inline(always)]
    fn load_logits(self, tokens: &[TokenData]) -> float32x4_t {
        let tokens = &tokens[..Self::LANES];
        // SAFETY: that many tokens of three numbers each, and the CPU has the instruction, as in `neon!`.
        unsafe { vld3q_f32(tokens.as_ptr().cast()).1 }
    }
    #[inline(always)]
    fn store_logits(self, logits: float32x4_t, tokens: &mut [TokenData]) {
        let tokens = tokens[..Self::LANES].as_mut_ptr().cast();
        // SAFETY: that many tokens of three numbers each, and the CPU has the instructions, as in `neon!`. They
        // move bits, so ids stay as they are.
        unsafe {
            let float32x4x3_t(ids, _, probabilities) = vld3q_f32(tokens);
            vst3q_f32(tokens, float32x4x3_t(ids, logits, probabilities));
        }
    }

    #[inline(always)]
    fn add(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vaddq_f32(a, b))
    }
    #[inline(always)]
    fn sub(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vsubq_f32(a, b))
    }
    #[inline(always)]
    fn mul(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vmulq_f32(a, b))
    }
    #[inline(always)]
    fn div(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vdivq_f32(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        neon!(vfmaq_f32(c, a, b))
    }
    // Compare and select: the instructions of that name would spread a NaN.
    #[inline(always)]
    fn max(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vbslq_f32(vcgtq_f32(a, b), a, b))
    }
    #[inline(always)]
    fn min(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vbslq_f32(vcltq_f32(a, b), a, b))
    }
    #[inline(always)]
    fn abs(self, a: float32x4_t) -> float32x4_t {
        neon!(vabsq_f32(a))
    }
    #[inline(always)]
    fn add_exponent(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!({
            let shifted = vshlq_n_u32::<23>(vreinterpretq_u32_f32(a));
            vreinterpretq_f32_u32(vaddq_u32(shifted, vreinterpretq_u32_f32(b)))
        })
    }

    #[inline(always)]
    fn ge(self, a: float32x4_t, b: float32x4_t) -> uint32x4_t {
        neon!(vcgeq_f32(a, b))
    }
    #[inline(always)]
    fn lt(self, a: float32x4_t, b: float32x4_t) -> uint32x4_t {
        neon!(vcltq_f32(a, b))
    }
    #[inline(always)]
    fn and(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        neon!(vandq_u32(a, b))
    }
    #[inline(always)]
    fn keep(self, m: uint32x4_t, v: float32x4_t) -> float32x4_t {
        neon!(vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(v))))
    }
    #[inline(always)]
    fn select(self, m: uint32x4_t, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        neon!(vbslq_f32(m, a, b))
    }
    #[inline(always)]
    fn any(self, m: uint32x4_t) -> bool {
        neon!(vmaxvq_u32(m) != 0)
    }
    #[inline(always)]
    fn bits(self, m: uint32x4_t) -> u32 {
        const PLACES: [u32; 4] = [1, 2, 4, 8];
        neon!(vaddvq_u32(vandq_u32(m, vld1q_u32(PLACES.as_ptr()))))
    }
    #[inline(always)]
    fn none_counted(self) -> uint32x4_t {
        neon!(vdupq_n_u32(0))
    }
    #[inline(always)]
    fn count(self, counted: uint32x4_t, m: uint32x4_t) -> uint32x4_t {
        // A mask is all ones, which is -1.
        neon!(vsubq_u32(counted, m))
    }
    #[inline(always)]
    fn total(self, counted: uint32x4_t) -> usize {
        neon!(vaddvq_u32(counted) as usize)
    }
    #[inline(always)]
    fn mask_of(self, bits: u32) -> uint32x4_t {
        const PLACES: [u32; 4] = [1, 2, 4, 8];
        neon!(vtstq_u32(vdupq_n_u32(bits), vld1q_u32(PLACES.as_ptr())))
    }
    #[inline(always)]
    fn compress(self, m: uint32x4_t, v: float32x4_t, out: &mut [f32]) -> usize {
        let (bits, mut lanes) = (self.bits(m), [0.0; Self::LANES]);
        self.store(v, &mut lanes);
        let out = &mut out[..Self::LANES];
        let mut len = 0;
        for (i, lane) in lanes.into_iter().enumerate() {
            // At most i lanes are set before lane i.
            out[len.min(i)] = lane;
            len += (bits >> i & 1) as usize;
        }
        len
    }
}

impl Isa for Neon {
    const LEVEL: SimdLevel = SimdLevel::Neon;
    const FUSED: bool = true;
    type LoadIsa = Self;

    fn detect() -> Option<&'static Self> {
        static PRESENT: Neon = Neon(());
        Some(&PRESENT)
    }

    #[inline(always)]
    fn load_isa(self) -> Self {
        self
    }

    #[inline(always)]
    fn run<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        #[target_feature(enable = "neon")]
        fn compiled<R>(isa: Neon, kernel: impl FnOnce(Neon) -> R) -> R {
            kernel(isa)
        }
        // SAFETY: every aarch64 CPU has NEON.
        unsafe { compiled(self, kernel) }
    }
}
