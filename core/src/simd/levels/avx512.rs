//! AVX-512F: sixteen lanes, and mask registers.
#![allow(unsafe_code, reason = "intrinsics")]

use super::avx2::{Avx2, has_avx2};
use crate::TokenData;
use crate::simd::SimdLevel;
use crate::simd::lanes::{Isa, Simd};
use core::arch::x86_64::*;

/// Exists only if the CPU has AVX-512F and what `Avx2` needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512(());

/// Intrinsics that touch no memory, for the methods of [`Avx512`].
macro_rules! avx512 {
    ($intrinsics:expr) => {{
        // SAFETY: the CPU has AVX-512F: the caller has a value of `Avx512`.
        unsafe { $intrinsics }
    }};
}

/// The lanes that hold logits in the three vectors of sixteen tokens.
const FIRST: __mmask16 = 0b0010_0100_1001_0010;
const SECOND: __mmask16 = 0b1001_0010_0100_1001;
const THIRD: __mmask16 = 0b0100_1001_0010_0100;

impl Simd for Avx512 {
    type F = __m512;
    type M = __mmask16;
    type Count = usize;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        avx512!(_mm512_set1_ps(x))
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> __m512 {
        // SAFETY: `values` has that many elements, and the CPU has the instruction, as in `avx512!`.
        unsafe { _mm512_loadu_ps(values[..Self::LANES].as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m512, out: &mut [f32]) {
        // SAFETY: `out` has that many elements, and the CPU has the instruction, as in `avx512!`.
        unsafe { _mm512_storeu_ps(out[..Self::LANES].as_mut_ptr(), v) }
    }

    // The logits of sixteen tokens lie in different lanes of their three vectors, so masked loads bring them
    // together.
    #[inline(always)]
    fn load_logits(self, tokens: &[TokenData]) -> __m512 {
        let at = tokens[..Self::LANES].as_ptr().cast::<f32>();
        // SAFETY: that many tokens of three numbers each, and the CPU has the instructions, as in `avx512!`.
        unsafe {
            let two = _mm512_mask_loadu_ps(_mm512_loadu_ps(at), SECOND, at.add(16));
            let all = _mm512_mask_loadu_ps(two, THIRD, at.add(32));
            let places = _mm512_setr_epi32(1, 4, 7, 10, 13, 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14);
            _mm512_permutexvar_ps(places, all)
        }
    }
    #[inline(always)]
    fn store_logits(self, logits: __m512, tokens: &mut [TokenData]) {
        let at = tokens[..Self::LANES].as_mut_ptr().cast::<f32>();
        // SAFETY: that many tokens of three numbers each, and the CPU has the instructions, as in `avx512!`.
        unsafe {
            let lanes = _mm512_setr_epi32(5, 0, 11, 6, 1, 12, 7, 2, 13, 8, 3, 14, 9, 4, 15, 10);
            let all = _mm512_permutexvar_ps(lanes, logits);
            _mm512_mask_storeu_ps(at, FIRST, all);
            _mm512_mask_storeu_ps(at.add(16), SECOND, all);
            _mm512_mask_storeu_ps(at.add(32), THIRD, all);
        }
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_div_ps(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        avx512!(_mm512_fmadd_ps(a, b, c))
    }
    // The instructions return the second operand where either is NaN.
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_max_ps(a, b))
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_min_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        avx512!(_mm512_abs_ps(a))
    }
    #[inline(always)]
    fn add_exponent(self, a: __m512, b: __m512) -> __m512 {
        avx512!({
            let shifted = _mm512_slli_epi32::<23>(_mm512_castps_si512(a));
            _mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_castps_si512(b)))
        })
    }

    #[inline(always)]
    fn ge(self, a: __m512, b: __m512) -> __mmask16 {
        avx512!(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b))
    }
    #[inline(always)]
    fn lt(self, a: __m512, b: __m512) -> __mmask16 {
        avx512!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn and(self, a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }
    #[inline(always)]
    fn keep(self, m: __mmask16, v: __m512) -> __m512 {
        avx512!(_mm512_maskz_mov_ps(m, v))
    }
    #[inline(always)]
    fn select(self, m: __mmask16, a: __m512, b: __m512) -> __m512 {
        avx512!(_mm512_mask_blend_ps(m, b, a))
    }
    #[inline(always)]
    fn any(self, m: __mmask16) -> bool {
        m != 0
    }
    #[inline(always)]
    fn bits(self, m: __mmask16) -> u32 {
        u32::from(m)
    }
    #[inline(always)]
    fn none_counted(self) -> usize {
        0
    }
    #[inline(always)]
    fn count(self, counted: usize, m: __mmask16) -> usize {
        counted + self.bits(m).count_ones() as usize
    }
    #[inline(always)]
    fn total(self, counted: usize) -> usize {
        counted
    }
    #[inline(always)]
    fn mask_of(self, bits: u32) -> __mmask16 {
        bits as __mmask16
    }
    #[inline(always)]
    fn compress(self, m: __mmask16, v: __m512, out: &mut [f32]) -> usize {
        // In a register: storing only some lanes is slow on some CPUs.
        self.store(avx512!(_mm512_maskz_compress_ps(m, v)), out);
        self.bits(m).count_ones() as usize
    }
}

impl Isa for Avx512 {
    const LEVEL: SimdLevel = SimdLevel::Avx512;
    const FUSED: bool = true;
    /// Loops that do little more than load use 256-bit loads. Measured on a CPU with full AVX-512: a row
    /// comes from the second-level cache 1.5 times as fast.
    type LoadIsa = Avx2;

    fn detect() -> Option<&'static Self> {
        static DETECTED: Avx512 = Avx512(());
        (has_avx2() && is_x86_feature_detected!("avx512f")).then_some(&DETECTED)
    }

    #[inline(always)]
    fn load_isa(self) -> Avx2 {
        Avx2::in_avx512(self)
    }

    #[inline(always)]
    fn run<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        #[target_feature(enable = "avx512f,avx2,fma,bmi1,bmi2,popcnt")]
        fn compiled<R>(isa: Avx512, kernel: impl FnOnce(Avx512) -> R) -> R {
            kernel(isa)
        }
        // SAFETY: the CPU has these features: `self` exists.
        unsafe { compiled(self, kernel) }
    }
}
