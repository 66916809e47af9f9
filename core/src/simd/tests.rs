//! Every kernel at every level against plain loops; the error of the vector exp over its range.

mod few;
mod groups;
mod masks;
mod tokens;

use super::kernels::tail::{min_addend_ln, rounded};
use super::lanes::{Isa as _, Simd};
use super::*;
use crate::rules::expf::expf;
use crate::rules::rank::RankKey;
use crate::select::lowest;

/// The levels this CPU has. Fails if they are not those that CPUID reports, so that none is skipped.
fn levels() -> Vec<&'static Kernels> {
    let found: Vec<_> = SimdLevel::ALL.into_iter().filter_map(Kernels::at).collect();
    let names: Vec<_> = found.iter().map(|kernels| kernels.level()).collect();
    assert_eq!(names, expected_levels());
    found
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "CPUID and XGETBV")]
fn expected_levels() -> Vec<SimdLevel> {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    const FMA: u32 = 1 << 12;
    const POPCNT: u32 = 1 << 23;
    const OSXSAVE: u32 = 1 << 27;
    const AVX2: u32 = 1 << 5;
    const AVX512F: u32 = 1 << 16;
    const BMI: u32 = 1 << 3 | 1 << 8;
    // The registers whose state the system saves: 128 and 256 bits; masks and 512 bits.
    const YMM: u32 = 0b110;
    const ZMM: u32 = 0b1110_0110;
    let (basic, extended) = (__cpuid(1).ecx, __cpuid_count(7, 0).ebx);
    let mut saved = 0_u32;
    if basic & OSXSAVE != 0 {
        // SAFETY: OSXSAVE says that the instruction exists.
        unsafe { core::arch::asm!("xgetbv", in("ecx") 0, out("eax") saved, out("edx") _) };
    }
    let mut levels = vec![SimdLevel::Baseline];
    if saved & YMM == YMM
        && basic & FMA != 0
        && basic & POPCNT != 0
        && extended & AVX2 != 0
        && extended & BMI == BMI
    {
        levels.push(SimdLevel::Avx2);
        if saved & ZMM == ZMM && extended & AVX512F != 0 {
            levels.push(SimdLevel::Avx512);
        }
    }
    levels
}

#[cfg(not(target_arch = "x86_64"))]
fn expected_levels() -> Vec<SimdLevel> {
    match cfg!(target_arch = "aarch64") {
        true => vec![SimdLevel::Baseline, SimdLevel::Neon],
        false => vec![SimdLevel::Baseline],
    }
}

/// Numbers in [0, 1).
fn uniform(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    }
}

/// A padded row of `tiles` tiles with a NaN, a -inf and ties in it.
fn row(kernels: &Kernels, tiles: usize, seed: u64) -> Vec<f32> {
    let mut next = uniform(seed);
    let mut row: Vec<f32> =
        (0..tiles * kernels.tile_len()).map(|_| (next() * 200.0 - 180.0).round() / 4.0).collect();
    let len = row.len();
    for special in [f32::NAN, f32::NEG_INFINITY, -0.0] {
        row[(next() * len as f32) as usize] = special;
    }
    row
}

fn maxima_of(kernels: &Kernels, row: &[f32]) -> Vec<f32> {
    let mut maxima = vec![0.0; row.len() / BLOCK_LEN];
    kernels.write_block_maxima(row, &mut maxima);
    maxima
}

#[test]
fn block_maxima_are_those_of_the_lanes() {
    for kernels in levels() {
        let lanes = kernels.tile_len() / BLOCK_LEN;
        for tiles in [1, 2, 5] {
            let row = row(kernels, tiles, 1);
            for (i, max) in maxima_of(kernels, &row).into_iter().enumerate() {
                let tile = &row[i / lanes * kernels.tile_len()..][..kernels.tile_len()];
                let block = tile.iter().skip(i % lanes).step_by(lanes).copied();
                assert_eq!(max, block.fold(f32::NEG_INFINITY, f32::max));
            }
        }
        assert!(maxima_of(kernels, &[]).is_empty());
        let all_nan = vec![f32::NAN; kernels.tile_len()];
        assert!(maxima_of(kernels, &all_nan).iter().all(|max| *max == f32::NEG_INFINITY));
    }
}

#[test]
fn coarse_maxima_and_counts() {
    for kernels in levels() {
        let values = row(kernels, 7, 2);
        let mut coarse = vec![0.0; 128];
        kernels.coarsen(&[&values], &mut coarse);
        for (i, max) in coarse.iter().enumerate() {
            let members = values.iter().skip(i).step_by(128).copied();
            assert_eq!(*max, members.fold(f32::NEG_INFINITY, f32::max));
        }
        assert_eq!(kernels.largest(&values), values.iter().copied().fold(f32::MIN, f32::max));
        assert_eq!(kernels.largest(&[]), f32::NEG_INFINITY);
        for threshold in [-45.0, -20.0, 0.0, -0.0, 4.75, 5.0, f32::NEG_INFINITY, f32::INFINITY] {
            let reaching = values.iter().filter(|v| **v >= threshold).count();
            assert_eq!(kernels.count_reaching(&values, threshold), reaching);
        }
    }
}

#[test]
fn argmax_is_the_first_of_the_largest() {
    for kernels in levels() {
        let values = row(kernels, 7, 2);
        for len in (0..700).chain([values.len() - 1, values.len()]) {
            for start in [0, 1, 5] {
                let values = &values[start..len.max(start)];
                let top = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let first = values.iter().position(|v| *v == top && top > f32::NEG_INFINITY);
                assert_eq!(kernels.argmax(values), first.map(|i| i as u32), "{len}");
            }
        }
        let nothing = [f32::NAN, f32::NEG_INFINITY].repeat(100);
        assert_eq!(kernels.argmax(&nothing), None);
        assert_eq!(kernels.argmax(&[0.0, f32::INFINITY, f32::INFINITY]), Some(1));
        let mut rising: Vec<f32> = (0..5000).map(|i| i as f32).collect();
        assert_eq!(kernels.argmax(&rising), Some(4999));
        rising.reverse();
        assert_eq!(kernels.argmax(&rising), Some(0));
    }
}

#[test]
fn collecting_takes_an_interval_and_keeps_to_its_room() {
    for kernels in levels() {
        let row = row(kernels, 6, 3);
        let maxima = maxima_of(kernels, &row);
        for (low, high) in [(0.0, f32::INFINITY), (-3.0, 2.0), (2.0, 2.0), (f32::MIN, -30.0)] {
            let expected: Vec<RankKey> = (100..)
                .zip(&row)
                .filter(|(_, l)| **l >= low && **l <= high)
                .map(|(id, l)| RankKey::new(*l, id))
                .collect();
            let mut found = Vec::with_capacity(row.len());
            let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 100 };
            let wanted = Wanted { low, high, room: row.len() };
            assert_eq!(kernels.collect(segment, wanted, &mut found), 6);
            assert_eq!(found, expected);

            // Room for two tiles: it stops in time, and continues where it stopped.
            let tile_len = kernels.tile_len();
            let (mut found, mut done) = (Vec::new(), 0);
            while done < 6 {
                found.reserve(2 * tile_len);
                let capacity = found.capacity();
                let wanted = Wanted { low, high, room: found.len() + 2 * tile_len };
                let rest = segment.skip_tiles(done, tile_len);
                let more = kernels.collect(rest, wanted, &mut found);
                assert!(more > 0 && found.len() <= wanted.room && found.capacity() == capacity);
                done += more;
            }
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn sums_of_exps() {
    for kernels in levels() {
        let row = row(kernels, 9, 4);
        let maxima = maxima_of(kernels, &row);
        let top = kernels.largest(&maxima);
        let near = |x: &f32| *x >= -16.64;
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs();
        let sum = |values: &[f32]| -> f64 {
            values.iter().map(|l| l - top).filter(near).map(|x| f64::from(x).exp()).sum()
        };
        let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 0 };
        for (highest, floor) in [(top, MIN_ADDEND_LN), (top - 3.0, -5.0), (row[100], -25.1)] {
            let range = ExpRange { top, highest, floor };
            let reach = row.iter().copied().filter(|l| l - top >= floor);
            let e = |l: f32| f64::from(l - top).exp();
            let wanted: f64 = reach.clone().filter(|l| *l <= highest).map(e).sum();
            for sums in [kernels.sum_exps(segment, range), kernels.sum_most_exps(segment, range)] {
                assert_eq!(sums.reaching, reach.clone().count(), "{highest} {floor}");
                assert!((sums.sum - wanted).abs() <= 1e-6 * wanted, "{highest} {floor}: {sums:?}");
            }
        }

        let (cap, floor) = (top - 3.0, MIN_ADDEND_LN);
        let sums = kernels.sum_maxima_exps(&maxima, Cap { top, cap, floor });
        let capped: Vec<f32> = maxima.iter().map(|m| m.min(cap)).collect();
        let below: Vec<f32> = maxima.iter().copied().filter(|m| *m < cap).collect();
        assert!(close(sums.capped, sum(&capped)) && close(sums.below_cap, sum(&below)));
        assert_eq!(sums.count, maxima.iter().map(|m| m - top).filter(near).count());
        assert_eq!(sums.reaching_cap, maxima.len() - below.len());
    }
}

/// The sums of the rule's own exps: those that add exactly in any order are exact, the others counted.
#[test]
fn sums_of_expf() {
    for kernels in levels() {
        for (tiles, seed) in [(1, 14), (9, 15)] {
            let mut row = row(kernels, tiles, seed);
            // Beside the floor, and equal to it.
            for (place, x) in
                [-37.0_f32, -37.0_f32.next_up(), -37.0_f32.next_down()].into_iter().enumerate()
            {
                row[3 * place] = 5.0 + x;
            }
            row[100] = 5.0;
            let maxima = maxima_of(kernels, &row);
            let top = kernels.largest(&maxima);
            assert_eq!(top, 5.0);
            let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 0 };
            for least_large in [1e-9_f32, expf(row[0] - top), expf(-3.0), 1.0, 2.0] {
                let mut want = ExpfSums::default();
                for x in row.iter().map(|l| l - top).filter(|x| *x >= -37.0) {
                    match expf(x) {
                        e if e >= least_large => want.large += f64::from(e),
                        e => {
                            (want.small, want.smalls) = (want.small + f64::from(e), want.smalls + 1)
                        }
                    }
                }
                let got = kernels.sum_expf(segment, ExpfRange { top, least_large });
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
                assert!(close(got.small, want.small), "{got:?}, {want:?}");
                assert_eq!(got.smalls, want.smalls, "{:?}, {least_large:e}", kernels.level());
                let exact = least_large > 1e-8;
                assert!(if exact { got.large == want.large } else { close(got.large, want.large) });
            }
        }
    }
}

/// Sparse rows and dense ones; tokens beside the floor; as many near tokens as fill a tile, one less and one more.
#[test]
fn tail_sums_are_exact() {
    for kernels in levels() {
        let tile_len = kernels.tile_len();
        let nears = [0, 1, 31, 64, 65, tile_len - 1, tile_len, tile_len + 1, 3 * tile_len + 5];
        for (seed, near) in (5..).zip(nears) {
            for binade in [1.0_f32, 2.0, 16.0, 1024.0] {
                let mut row = row(kernels, 9, seed);
                let mut next = uniform(seed);
                // Off the grid of quarters, so that the exps have all their bits.
                row.iter_mut().for_each(|l| *l += 0.1 * next());
                let top = row.iter().copied().fold(f32::MIN, f32::max);
                if near > 1 {
                    // The top, and others at any places; the rest are far below.
                    let mut left = near;
                    row.iter_mut().for_each(|l| {
                        let stays = *l == top || left > 1 && next() < 0.7;
                        left -= usize::from(stays && *l != top);
                        *l = match stays {
                            true if *l == top => top,
                            true => top - 16.0 * next() + binade.ln().min(5.0),
                            false => top - 30.0,
                        };
                    });
                }
                // Beside the floor.
                let floor = top + min_addend_ln(binade);
                row[7] = floor.next_down().next_down();
                row[8] = floor;
                row[9] = floor.next_up();
                let top = row.iter().copied().fold(f32::MIN, f32::max);
                let maxima = maxima_of(kernels, &row);
                let highest = top - 1.5;
                let unit = f64::from(binade) / f64::from(1 << 23);
                let (mut steps, mut ties, mut sum) = (0.0, 0.0, 0.0);
                let mut reaching = 0;
                for l in row.iter().filter(|l| !l.is_nan()) {
                    let e = f64::from((l - top).exp());
                    reaching += usize::from(e >= unit / 2.0);
                    if *l <= highest {
                        let half = (e / unit).fract() == 0.5;
                        ties += f64::from(u8::from(half));
                        steps += unit * if half { (e / unit).floor() } else { (e / unit).round() };
                        sum += if e >= unit / 2.0 { e } else { 0.0 };
                    }
                }
                let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 0 };
                let got = kernels.tail_sum(segment, Tail { top, highest, binade });
                let what = format!("{:?} {binade} {near}", kernels.level());
                assert_eq!(got.ties, ties, "{what}");
                if steps < 2.0 * f64::from(binade) {
                    assert_eq!(got.steps, steps, "{what}");
                } else {
                    assert!(got.steps >= 2.0 * f64::from(binade), "{what}");
                }
                // A few below the floor may count.
                assert!(got.reaching >= reaching && got.reaching <= reaching + 3, "{what}");
                let further = 3.0 * unit / 2.0;
                assert!((got.sum - sum).abs() <= 1.5e-6 * sum + further, "{what}: {sum}, {got:?}");
            }
        }
        // e^0 = 1 is half a unit of the binade 2^24, and the rest is below that.
        let row = vec![0.0; kernels.tile_len()];
        let tail = Tail { top: 0.0, highest: 0.0, binade: (1 << 24) as f32 };
        let maxima = maxima_of(kernels, &row);
        let segment = Segment { logits: &row, block_maxima: &maxima, first_id: 0 };
        let sum = kernels.tail_sum(segment, tail);
        assert_eq!((sum.steps, sum.ties), (0.0, kernels.tile_len() as f64));
    }
}

/// The distance between the inputs of a test that goes through binary32.
fn step() -> u32 {
    let is_exhaustive = std::env::var("S2_TEST_SCALE").is_ok_and(|scale| scale == "exhaustive");
    if is_exhaustive { 1 } else { 251 }
}

/// Down to the lowest argument. Needed with glibc 2.36: 1.87e-7; [`EXP_ERROR`] is 9.54e-7. Fails at half of it. Every 251st binary32
/// of the range, which has all exponents; all of them at S2_TEST_SCALE=exhaustive.
#[test]
fn exp_is_within_its_error() {
    let step = step();
    let last = (-EXP_MIN_ARG).to_bits();
    for kernels in levels() {
        let mut worst = 0.0_f64;
        let mut bits = 0;
        while bits <= last {
            let x: Vec<f32> =
                (0..4096).map(|i| -f32::from_bits((bits + i * step).min(last))).collect();
            let mut e = x.clone();
            kernels.exp_all(&mut e);
            for (x, e) in x.iter().zip(&e) {
                let exact = f64::from(x.exp());
                worst = worst.max(((f64::from(*e) - exact) / exact).abs());
            }
            bits += 4096 * step;
        }
        assert!(worst < f64::from(EXP_ERROR) / 3.0, "{:?}: {worst:e}", kernels.level());
        assert!(worst > 1.5e-7, "{:?}: {worst:e} is less than documented", kernels.level());
    }
}

/// The kernels skip exps below [`MIN_ADDEND_LN`], -16.64: they must add nothing to a sum of 1, with expf
/// as it is and with any that is [`EXP_ERROR`] off. Needed: -16.635534. Fails at -16.635.
#[test]
fn small_addends_are_below_half_a_unit() {
    let half_unit = 1.0 / (1 << 24) as f32;
    let with_error = |x: f32| f64::from(x.exp()) * (1.0 + f64::from(EXP_ERROR));
    let mut x = -17.5_f32;
    while x <= MIN_ADDEND_LN {
        assert!(with_error(x) < f64::from(half_unit), "{x}");
        x = x.next_up();
    }
    let needed = lowest(|x| with_error(x) >= f64::from(half_unit)).next_down();
    assert!((MIN_ADDEND_LN..MIN_ADDEND_LN + 0.005).contains(&needed), "{needed}");
    // In double: needed is -36.74.
    assert!(f64::from(expf(MIN_DOUBLE_ADDEND_LN)) < f64::EPSILON / 2.0 * 0.8);
    assert!(f64::from(expf(MIN_DOUBLE_ADDEND_LN + 0.27)) > f64::EPSILON / 2.0);
    // In the other binades of a running sum.
    for binade in (0..24).map(|power| 2.0_f32.powi(power)) {
        let floor = min_addend_ln(binade);
        assert!(with_error(floor) < f64::from(binade * half_unit), "{binade}");
        assert!((floor + 0.005).exp() > binade * half_unit, "{binade}");
    }
}

/// The tail's kernel takes its own rounding if the least and the most that `expf` can be round to the same multiple
/// of the unit. So wherever the kernel's exp and an expf within [`EXP_ERROR`] lie on two sides of a tie, or one of
/// them on it, the two must differ: beside every tie that an exp which rounds at all can be near, in an even and an
/// odd sum. Fails if `rounded` uses 0.9 times the error.
#[test]
fn exps_that_could_round_differently_do() {
    fn check<S: Simd>(simd: S) {
        let error = f64::from(EXP_ERROR);
        let both = |e: f32, binade: f32| {
            let (mut least, mut most) = ([0.0; 16], [0.0; 16]);
            let (low, high) = rounded(simd, simd.splat(e), simd.splat(binade));
            simd.store(low, &mut least);
            simd.store(high, &mut most);
            (least[0], most[0])
        };
        for binade in [1.0_f32, 4.0, 1024.0] {
            let half_unit = f64::from(binade) / f64::from(1 << 24);
            for tie in (0..1 << 19).map(|i| f64::from(2 * i + 1)) {
                // The furthest binary32 numbers on either side from which expf can still be on the tie.
                let (low, high) = (tie / (1.0 + error), tie / (1.0 - error));
                let (mut below, mut above) = (low as f32, high as f32);
                below = if f64::from(below) < low { below.next_up() } else { below };
                above = if f64::from(above) > high { above.next_down() } else { above };
                for halves in [f64::from(below), tie, f64::from(above)] {
                    let (least, most) = both((halves * half_unit) as f32, binade);
                    assert!(least < most, "{halves} near {tie}: {least} and {most}");
                }
            }
            // Elsewhere they are what is rounded.
            for halves in (0..1 << 12).map(|i| f64::from(i) * 2.0) {
                let sum = (f64::from(binade) + halves * half_unit) as f32;
                let e = |off: f64| ((halves + off) * half_unit) as f32;
                assert_eq!(both(e(0.9), binade), (sum, sum), "{halves}");
                assert_eq!(both(e(0.0), binade), (sum, sum), "{halves}");
                if halves > 0.0 {
                    assert_eq!(both(e(-0.9), binade), (sum, sum), "{halves}");
                }
            }
        }
    }
    check(super::levels::baseline::Baseline);
    // Fused.
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = super::levels::avx2::Avx2::detect() {
        check(*avx2);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = super::levels::avx512::Avx512::detect() {
        check(*avx512);
    }
    #[cfg(target_arch = "aarch64")]
    check(*super::levels::neon::Neon::detect().expect("NEON"));
}

/// Every mask of the lanes.
#[test]
fn compressing_takes_the_true_lanes_in_order() {
    fn check<S: Simd>(simd: S) {
        let lanes: Vec<f32> = (0..S::LANES).map(|lane| 1.5 * lane as f32).collect();
        for bits in 0..1_u32 << S::LANES {
            let true_lanes = lanes.iter().enumerate().filter(|(lane, _)| bits >> lane & 1 == 1);
            let wanted: Vec<f32> = true_lanes.map(|(_, value)| *value).collect();
            let mut out = vec![-1.0; S::LANES + 1];
            let len = simd.compress(simd.mask_of(bits), simd.load(&lanes), &mut out);
            assert_eq!(out[..len], wanted, "{bits:b}");
            assert_eq!(out[S::LANES], -1.0, "{bits:b}");
        }
    }
    check(super::levels::baseline::Baseline);
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = super::levels::avx2::Avx2::detect() {
        check(*avx2);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = super::levels::avx512::Avx512::detect() {
        check(*avx512);
    }
    #[cfg(target_arch = "aarch64")]
    check(*super::levels::neon::Neon::detect().expect("NEON"));
}

/// Every 251st binary32 from -88 to 0, and beyond the ends; all of them at S2_TEST_SCALE=exhaustive.
#[test]
fn expf_is_the_rule_at_every_level() {
    let step = step();
    let last = 88.0_f32.to_bits();
    for kernels in levels() {
        let mut bits = 0;
        while bits <= last {
            let x: Vec<f32> =
                (0..4096).map(|i| -f32::from_bits((bits + i * step).min(last))).collect();
            let mut e = x.clone();
            kernels.expf_all(&mut e);
            for (x, e) in x.iter().zip(&e) {
                assert_eq!(e.to_bits(), expf(*x).to_bits(), "{:?}: {x:e}", kernels.level());
            }
            bits += 4096 * step;
        }
        for len in 0..40 {
            let specials = [f32::NAN, f32::NEG_INFINITY, -1e-45, 0.0, -0.0, -104.0, f32::MIN, -1.0];
            let x: Vec<f32> = specials.into_iter().cycle().take(len).collect();
            let mut e = x.clone();
            kernels.expf_all(&mut e);
            let same = |(x, e): (&f32, &f32)| expf(*x).to_bits() == e.to_bits() || x.is_nan();
            assert!(x.iter().zip(&e).all(same));
        }
    }
}
