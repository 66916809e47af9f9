//! The vector operations that the kernels are written in.

use super::SimdLevel;

/// A vector unit. A value of the implementing type is the proof that this CPU has it, which is what
/// makes the methods safe to call: kernels contain no unsafe code.
pub(super) trait Simd: Copy {
    /// Some lanes of binary32.
    type F: Copy;
    /// A yes or no for each lane.
    type M: Copy;
    /// The number of lanes, at most 16.
    const LANES: usize;

    fn splat(self, x: f32) -> Self::F;
    /// The first `LANES` of `values`; panics if there are fewer.
    fn load(self, values: &[f32]) -> Self::F;
    /// Into the first `LANES` of `out`; panics if there are fewer.
    fn store(self, v: Self::F, out: &mut [f32]);

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once or twice: what uses it must allow for both.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The larger; where `a` is NaN, `b`.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smaller; where `a` is NaN, `b`.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    /// Adds `a`'s bits, shifted left by 23, to those of `b`: multiplies `b` by a power of two.
    fn add_exponent(self, a: Self::F, b: Self::F) -> Self::F;

    /// `a >= b`; NaN is not.
    fn ge(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a < b`; NaN is not.
    fn lt(self, a: Self::F, b: Self::F) -> Self::M;
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// `v` in the lanes of the mask, 0 in the others.
    fn keep(self, m: Self::M, v: Self::F) -> Self::F;
    fn any(self, m: Self::M) -> bool;
    /// Lane i as bit i.
    fn bits(self, m: Self::M) -> u32;
}

/// A vector unit together with the way into code that is compiled for it.
pub(super) trait Level: Simd {
    const LEVEL: SimdLevel;
    /// Whether a fused multiplication and addition is one instruction.
    const FUSED: bool;
    /// The unit for loops that do little more than load.
    type Loads: Simd;

    /// Whether this CPU has it.
    fn is_present() -> bool;

    fn loads(self) -> Self::Loads;

    /// Runs `kernel` in a function compiled with the unit's features. Only to be called where
    /// [`Level::is_present`] has answered yes: the tables of `dispatch` are handed out on that
    /// condition.
    fn run<R>(kernel: impl FnOnce(Self) -> R) -> R;
}
