//! AVX2 with FMA, and the bit instructions that every CPU with AVX2 has: eight lanes.
#![allow(unsafe_code, reason = "intrinsics")]

use crate::TokenData;
use crate::simd::SimdLevel;
use crate::simd::lanes::{Isa, Simd};
use core::arch::x86_64::*;

/// Exists only if the CPU has AVX2, FMA, BMI1, BMI2 and POPCNT.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// `Avx512` is detected together with all of `Avx2`.
    #[inline(always)]
    pub(super) fn in_avx512(_: super::avx512::Avx512) -> Self {
        Self(())
    }
}

/// For each mask of eight lanes the numbers of those that are set, a byte each, the first in the lowest byte.
static SET_LANES: [u64; 256] = {
    let mut all = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut set) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                all[mask] |= lane << (8 * set);
                set += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    all
};

/// Whether the CPU has all that [`Isa::run`] enables here.
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Intrinsics that touch no memory, for the methods of [`Avx2`].
macro_rules! avx2 {
    ($intrinsics:expr) => {{
        // SAFETY: the CPU has AVX2: the caller has a value of `Avx2`.
        unsafe { $intrinsics }
    }};
}

/// The lanes that hold logits in the three vectors of eight tokens.
const FIRST: i32 = 0b1001_0010;
const SECOND: i32 = 0b0010_0100;
const THIRD: i32 = 0b0100_1001;

impl Simd for Avx2 {
    type F = __m256;
    type M = __m256;
    type Count = usize;
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, x: f32) -> __m256 {
        avx2!(_mm256_set1_ps(x))
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> __m256 {
        // SAFETY: `values` has that many elements, and the CPU has the instruction, as in `avx2!`.
        unsafe { _mm256_loadu_ps(values[..Self::LANES].as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m256, out: &mut [f32]) {
        // SAFETY: `out` has that many elements, and the CPU has the instruction, as in `avx2!`.
        unsafe { _mm256_storeu_ps(out[..Self::LANES].as_mut_ptr(), v) }
    }

    // The logits of eight tokens lie in different lanes of their three vectors, so two blends bring them together.
    #[inline(always)]
    fn load_logits(self, tokens: &[TokenData]) -> __m256 {
        let at = tokens[..Self::LANES].as_ptr().cast::<f32>();
        // SAFETY: that many tokens of three numbers each, and the CPU has the instructions, as in `avx2!`.
        unsafe {
            let two = _mm256_blend_ps::<SECOND>(_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8)));
            let all = _mm256_blend_ps::<THIRD>(two, _mm256_loadu_ps(at.add(16)));
            _mm256_permutevar8x32_ps(all, _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6))
        }
    }
    #[inline(always)]
    fn store_logits(self, logits: __m256, tokens: &mut [TokenData]) {
        let at = tokens[..Self::LANES].as_mut_ptr().cast::<f32>();
        // SAFETY: that many tokens of three numbers each, and the CPU has the instructions, as in `avx2!`. They
        // move bits, so ids stay as they are.
        unsafe {
            let all = _mm256_permutevar8x32_ps(logits, _mm256_setr_epi32(5, 0, 3, 6, 1, 4, 7, 2));
            let parts =
                [_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8)), _mm256_loadu_ps(at.add(16))];
            _mm256_storeu_ps(at, _mm256_blend_ps::<FIRST>(parts[0], all));
            _mm256_storeu_ps(at.add(8), _mm256_blend_ps::<SECOND>(parts[1], all));
            _mm256_storeu_ps(at.add(16), _mm256_blend_ps::<THIRD>(parts[2], all));
        }
    }

    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        avx2!(_mm256_fmadd_ps(a, b, c))
    }
    // The instructions return the second operand where either is NaN.
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_min_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: __m256) -> __m256 {
        avx2!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), a))
    }
    #[inline(always)]
    fn add_exponent(self, a: __m256, b: __m256) -> __m256 {
        avx2!({
            let shifted = _mm256_slli_epi32::<23>(_mm256_castps_si256(a));
            _mm256_castsi256_ps(_mm256_add_epi32(shifted, _mm256_castps_si256(b)))
        })
    }

    #[inline(always)]
    fn ge(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_cmp_ps::<_CMP_GE_OQ>(a, b))
    }
    #[inline(always)]
    fn lt(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn and(self, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_and_ps(a, b))
    }
    #[inline(always)]
    fn keep(self, m: __m256, v: __m256) -> __m256 {
        avx2!(_mm256_and_ps(m, v))
    }
    #[inline(always)]
    fn select(self, m: __m256, a: __m256, b: __m256) -> __m256 {
        avx2!(_mm256_blendv_ps(b, a, m))
    }
    #[inline(always)]
    fn any(self, m: __m256) -> bool {
        self.bits(m) != 0
    }
    #[inline(always)]
    fn bits(self, m: __m256) -> u32 {
        avx2!(_mm256_movemask_ps(m) as u32)
    }
    #[inline(always)]
    fn none_counted(self) -> usize {
        0
    }
    #[inline(always)]
    fn count(self, counted: usize, m: __m256) -> usize {
        counted + self.bits(m).count_ones() as usize
    }
    #[inline(always)]
    fn total(self, counted: usize) -> usize {
        counted
    }
    #[inline(always)]
    fn mask_of(self, bits: u32) -> __m256 {
        avx2!({
            let places = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let own = _mm256_and_si256(_mm256_set1_epi32(bits as i32), places);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(own, places))
        })
    }
    #[inline(always)]
    fn compress(self, m: __m256, v: __m256, out: &mut [f32]) -> usize {
        let bits = self.bits(m) as usize & 0xff;
        let lanes = SET_LANES[bits] as i64;
        let compressed = avx2!({
            let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes));
            _mm256_permutevar8x32_ps(v, lanes)
        });
        self.store(compressed, out);
        bits.count_ones() as usize
    }
}

impl Isa for Avx2 {
    const LEVEL: SimdLevel = SimdLevel::Avx2;
    const FUSED: bool = true;
    type LoadIsa = Self;

    fn detect() -> Option<&'static Self> {
        static DETECTED: Avx2 = Avx2(());
        has_avx2().then_some(&DETECTED)
    }

    #[inline(always)]
    fn load_isa(self) -> Self {
        self
    }

    #[inline(always)]
    fn run<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt")]
        fn compiled<R>(isa: Avx2, kernel: impl FnOnce(Avx2) -> R) -> R {
            kernel(isa)
        }
        // SAFETY: the CPU has these features: `self` exists.
        unsafe { compiled(self, kernel) }
    }
}
