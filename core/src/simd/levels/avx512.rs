//! AVX-512F: sixteen lanes, masks in registers of their own.
#![allow(unsafe_code)]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all have one argument: the CPU has AVX-512F, since `self` exists; loads and stores check the slice's length"
)]

use super::avx2::Avx2;
use crate::simd::SimdLevel;
use crate::simd::lanes::{Level, Simd};
use core::arch::x86_64::*;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

impl Simd for Avx512 {
    type F = __m512;
    type M = __mmask16;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> __m512 {
        unsafe { _mm512_loadu_ps(values[..Self::LANES].as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m512, out: &mut [f32]) {
        unsafe { _mm512_storeu_ps(out[..Self::LANES].as_mut_ptr(), v) }
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    // The instructions return the second operand where either is NaN.
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_min_ps(a, b) }
    }
    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        unsafe { _mm512_abs_ps(a) }
    }
    #[inline(always)]
    fn add_exponent(self, a: __m512, b: __m512) -> __m512 {
        unsafe {
            let shifted = _mm512_slli_epi32::<23>(_mm512_castps_si512(a));
            _mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_castps_si512(b)))
        }
    }

    #[inline(always)]
    fn ge(self, a: __m512, b: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b) }
    }
    #[inline(always)]
    fn lt(self, a: __m512, b: __m512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    fn and(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }
    #[inline(always)]
    fn keep(self, m: __mmask16, v: __m512) -> __m512 {
        unsafe { _mm512_maskz_mov_ps(m, v) }
    }
    #[inline(always)]
    fn any(self, m: __mmask16) -> bool {
        m != 0
    }
    #[inline(always)]
    fn bits(self, m: __mmask16) -> u32 {
        u32::from(m)
    }
}

impl Level for Avx512 {
    const LEVEL: SimdLevel = SimdLevel::Avx512;
    const FUSED: bool = true;
    /// Half as wide: measured on a CPU with full AVX-512, a row came from the second-level cache half
    /// as fast again that way.
    type Loads = Avx2;

    fn is_present() -> bool {
        is_x86_feature_detected!("avx512f")
    }

    #[inline(always)]
    fn loads(self) -> Avx2 {
        Avx2::in_avx512(self)
    }

    #[inline(always)]
    fn run<R>(kernel: impl FnOnce(Self) -> R) -> R {
        #[target_feature(enable = "avx512f")]
        fn compiled<R>(kernel: impl FnOnce(Avx512) -> R) -> R {
            kernel(Avx512(()))
        }
        unsafe { compiled(kernel) }
    }
}
