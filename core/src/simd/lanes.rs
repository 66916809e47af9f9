//! The vector operations that the kernels use.

use super::SimdLevel;
use crate::TokenData;

/// Vector operations of one instruction set.
///
/// A value of an implementing type exists only if the CPU has the instructions. This makes the methods safe
/// to call, so kernels contain no unsafe code.
pub(super) trait Simd: Copy {
    /// A vector of binary32 lanes.
    type F: Copy;
    /// One bit of truth for each lane.
    type M: Copy;
    /// A number of true lanes, perhaps one for each lane. It holds those of 2^32 - 1 masks at least.
    type Count: Copy;
    /// The number of lanes, at most 16.
    const LANES: usize;

    fn splat(self, x: f32) -> Self::F;
    /// Loads the first `LANES` of `values`; panics if there are fewer.
    fn load(self, values: &[f32]) -> Self::F;
    /// Stores into the first `LANES` of `out`; panics if there are fewer.
    fn store(self, v: Self::F, out: &mut [f32]);

    /// Loads the logits of the first `LANES` of `tokens`; panics if there are fewer.
    fn load_logits(self, tokens: &[TokenData]) -> Self::F;
    /// Replaces the logits of the first `LANES` of `tokens`; panics if there are fewer.
    fn store_logits(self, logits: Self::F, tokens: &mut [TokenData]);

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once or twice: callers must allow for both.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The larger of the two; `b` if `a` is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// The smaller of the two; `b` if `a` is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    /// Multiplies `b` by a power of two: adds `a`'s bits, shifted left by 23, to the bits of `b`.
    fn add_exponent(self, a: Self::F, b: Self::F) -> Self::F;

    /// `a >= b`, false for NaN.
    fn ge(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a < b`, false for NaN.
    fn lt(self, a: Self::F, b: Self::F) -> Self::M;
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// `v` where the mask is true, 0 elsewhere.
    fn keep(self, m: Self::M, v: Self::F) -> Self::F;
    /// `a` where the mask is true, `b` elsewhere.
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    fn any(self, m: Self::M) -> bool;
    /// The mask as an integer, lane i as bit i.
    fn bits(self, m: Self::M) -> u32;
    fn none_counted(self) -> Self::Count;
    /// `counted` and the true lanes of `m`.
    fn count(self, counted: Self::Count, m: Self::M) -> Self::Count;
    fn total(self, counted: Self::Count) -> usize;
    /// The mask whose lane i is bit i; higher bits are ignored.
    fn mask_of(self, bits: u32) -> Self::M;
    /// Stores the lanes where the mask is true next to each other, in order, and returns their number. What
    /// follows them in the first `LANES` of `out` is unspecified; panics if there are fewer.
    fn compress(self, m: Self::M, v: Self::F, out: &mut [f32]) -> usize;
}

/// An instruction set: its vector operations, its detection, and the way into code compiled for it.
pub(super) trait Isa: Simd + 'static {
    const LEVEL: SimdLevel;
    /// Whether a fused multiply-add is one instruction.
    const FUSED: bool;
    /// The operations for loops that do little more than load.
    type LoadIsa: Simd;

    /// The only source of a value outside the implementing file: none if this CPU lacks the instructions.
    fn detect() -> Option<&'static Self>;

    fn load_isa(self) -> Self::LoadIsa;

    /// Runs `kernel` in a function that is compiled with the instruction set's features.
    fn run<R>(self, kernel: impl FnOnce(Self) -> R) -> R;
}
