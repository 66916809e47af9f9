//! The two ends: the plain full sort in C++, and the bare pass over the row.

use crate::peer::{Peer, Row};
use s2sampler_core::SamplerParams;

unsafe extern "C" {
    fn s2_bench_plain_seed(seed: u32);
    fn s2_bench_plain(logits: *const f32, n: i32, temperature: f32, top_p: f32, top_k: i32) -> i32;
    fn s2_bench_max_pass(values: *const f32, n: usize) -> f32;
}

/// The stand-in engine's own sampler.
pub struct FullSort(SamplerParams);

impl FullSort {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        // SAFETY: the call sets this thread's generator and nothing else.
        unsafe { s2_bench_plain_seed(seed) };
        Self(params)
    }
}

impl Peer for FullSort {
    fn name(&self) -> &'static str {
        "full sort"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        let SamplerParams { temperature, top_p, top_k } = self.0;
        let n = row.logits.len() as i32;
        // SAFETY: the pointer leads to `n` logits.
        unsafe { s2_bench_plain(row.logits.as_ptr(), n, temperature, top_p, top_k) as u32 }
    }
}

/// The largest value, with the widest vectors that this CPU has.
pub struct MaxPass;

impl MaxPass {
    pub fn largest(row: &[f32]) -> f32 {
        // SAFETY: the pointer leads to that many values.
        unsafe { s2_bench_max_pass(row.as_ptr(), row.len()) }
    }
}

impl Peer for MaxPass {
    fn name(&self) -> &'static str {
        "max pass"
    }

    /// No token: the bits of the largest value, so that it is used.
    fn draw(&mut self, row: &Row) -> u32 {
        Self::largest(&row.logits).to_bits()
    }
}
