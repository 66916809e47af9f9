//! Hosts that have the CPU take denormals for zeros, as audio threads and programs built with
//! -ffast-math do: ties at zero are neither lost nor waited for in vain.

#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

use crate::common;

use common::for_each_level;
use common::oracle::{Mt19937, rank};
use s2sampler_core::SamplerParams;
use std::arch::asm;

/// Flush to zero, and denormals are zeros.
const FLUSH: u32 = 0x8040;

/// Runs `body` with denormals off.
fn flushing(body: impl FnOnce()) {
    let mut before = 0_u32;
    // SAFETY: reads and writes the control word of this thread only, and puts it back below.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut before, options(nostack)) };
    let during = before | FLUSH;
    // SAFETY: as above.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const during, options(nostack)) };
    body();
    // SAFETY: as above.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const before, options(nostack)) };
}

#[test]
fn ties_at_zero() {
    let denormal = std::hint::black_box(f32::MIN_POSITIVE / 2.0);
    for n in [100, 700, 5000, 40_000] {
        let rows = [
            vec![0.0; n],
            (0..n).map(|i| if i % 3 == 0 { -1.5 } else { 0.0 }).collect(),
            (0..n).map(|i| [0.0, -0.0, denormal, -denormal][i % 4]).collect(),
            (0..n).map(|i| if i < 9 { 0.25 } else { 0.0 }).collect::<Vec<f32>>(),
        ];
        flushing(|| {
            assert_eq!(std::hint::black_box(denormal) + 0.0, 0.0, "denormals are off");
            for row in &rows {
                let ranked = rank(row);
                for_each_level(|level, make| {
                    let (mut sampler, mut mt) = (make(8), Mt19937::new(8));
                    for (top_p, top_k) in [(0.01, 30), (0.5, 0), (1.0, 300), (1e-4, 5), (0.9, 0)] {
                        let params = SamplerParams { temperature: f32::INFINITY, top_p, top_k };
                        for _ in 0..4 {
                            let want = ranked.draw(&params, &mut mt);
                            let got = sampler.sample(row, &params);
                            assert_eq!(got, want.token, "{level}, n {n}, {params:?}");
                        }
                    }
                });
            }
        });
    }
}
