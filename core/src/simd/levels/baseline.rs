//! Plain Rust over small arrays, for every CPU: the compiler vectorises it where it can.

use crate::TokenData;
use crate::simd::SimdLevel;
use crate::simd::lanes::{Isa, Simd};
use core::array::from_fn;

const N: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Baseline;

/// Each lane all ones or all zeros, like the result of a vector comparison.
type Mask = [u32; N];

/// Bit i for lane i. The compiler does not find the instruction for it.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "intrinsics")]
#[inline(always)]
fn bits_of(m: Mask) -> u32 {
    use core::arch::x86_64::{_mm_castsi128_ps, _mm_movemask_ps, _mm_setr_epi32};
    let [a, b, c, d, e, f, g, h] = m.map(|lane| lane as i32);
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe {
        let low = _mm_movemask_ps(_mm_castsi128_ps(_mm_setr_epi32(a, b, c, d)));
        let high = _mm_movemask_ps(_mm_castsi128_ps(_mm_setr_epi32(e, f, g, h)));
        (low | high << 4) as u32
    }
}

/// Bit i for lane i.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn bits_of(m: Mask) -> u32 {
    m.iter().enumerate().fold(0, |bits, (i, lane)| bits | (lane & 1) << i)
}

impl Simd for Baseline {
    type F = [f32; N];
    type M = Mask;
    type Count = [u32; N];
    const LANES: usize = N;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [x; N]
    }
    #[inline(always)]
    fn load(self, values: &[f32]) -> Self::F {
        from_fn(|i| values[..N][i])
    }
    #[inline(always)]
    fn store(self, v: Self::F, out: &mut [f32]) {
        out[..N].copy_from_slice(&v);
    }

    #[inline(always)]
    fn load_logits(self, tokens: &[TokenData]) -> Self::F {
        from_fn(|i| tokens[..N][i].logit)
    }
    #[inline(always)]
    fn store_logits(self, logits: Self::F, tokens: &mut [TokenData]) {
        tokens[..N].iter_mut().zip(logits).for_each(|(token, logit)| token.logit = logit);
    }

    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn div(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| a[i] / b[i])
    }
    #[inline(always)]
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        // Not `f32::mul_add`: without FMA that is a call into the C library.
        from_fn(|i| a[i] * b[i] + c[i])
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        from_fn(|i| f32::from_bits(a[i].to_bits() & 0x7fff_ffff))
    }
    #[inline(always)]
    fn add_exponent(self, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| f32::from_bits((a[i].to_bits() << 23).wrapping_add(b[i].to_bits())))
    }

    #[inline(always)]
    fn ge(self, a: Self::F, b: Self::F) -> Mask {
        from_fn(|i| if a[i] >= b[i] { u32::MAX } else { 0 })
    }
    #[inline(always)]
    fn lt(self, a: Self::F, b: Self::F) -> Mask {
        from_fn(|i| if a[i] < b[i] { u32::MAX } else { 0 })
    }
    #[inline(always)]
    fn and(self, a: Mask, b: Mask) -> Mask {
        from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn keep(self, m: Mask, v: Self::F) -> Self::F {
        from_fn(|i| f32::from_bits(m[i] & v[i].to_bits()))
    }
    #[inline(always)]
    fn select(self, m: Mask, a: Self::F, b: Self::F) -> Self::F {
        from_fn(|i| f32::from_bits(m[i] & a[i].to_bits() | !m[i] & b[i].to_bits()))
    }
    #[inline(always)]
    fn any(self, m: Mask) -> bool {
        bits_of(m) != 0
    }
    #[inline(always)]
    fn bits(self, m: Mask) -> u32 {
        bits_of(m)
    }
    #[inline(always)]
    fn none_counted(self) -> [u32; N] {
        [0; N]
    }
    #[inline(always)]
    fn count(self, counted: [u32; N], m: Mask) -> [u32; N] {
        from_fn(|i| counted[i].wrapping_sub(m[i]))
    }
    #[inline(always)]
    fn total(self, counted: [u32; N]) -> usize {
        counted.iter().sum::<u32>() as usize
    }
    #[inline(always)]
    fn mask_of(self, bits: u32) -> Mask {
        from_fn(|i| if bits & 1 << i != 0 { u32::MAX } else { 0 })
    }
    #[inline(always)]
    fn compress(self, m: Mask, v: Self::F, out: &mut [f32]) -> usize {
        let out = &mut out[..N];
        let mut len = 0;
        for i in 0..N {
            // At most i lanes are set before lane i.
            out[len.min(i)] = v[i];
            len += (m[i] & 1) as usize;
        }
        len
    }
}

impl Isa for Baseline {
    const LEVEL: SimdLevel = SimdLevel::Baseline;
    const FUSED: bool = false;
    type LoadIsa = Self;

    fn detect() -> Option<&'static Self> {
        Some(&Self)
    }

    #[inline(always)]
    fn load_isa(self) -> Self {
        self
    }

    fn run<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        kernel(self)
    }
}
