//! e^x in binary32, the same on every platform: the results of glibc's `expf` (2.27 and later) on a CPU with
//! fused multiplication.
//!
//! Formula: with N = 32, k the integer nearest to x N / ln 2 and r = x N / ln 2 - k, e^x is
//! 2^(k/N) (1 + C2 r + C1 r^2 + C0 r^3), in double, rounded once to binary32. Published by Arm as part of its
//! optimized routines; glibc and musl use it. Here the products are not fused, so that the result does not
//! depend on the CPU; two inputs of the 2^32 then come out one unit lower, and are listed.

/// 2^(i/32), to the nearest double.
#[rustfmt::skip]
const POWERS: [u64; 32] = [
    0x3ff0_0000_0000_0000, 0x3ff0_59b0_d315_8574, 0x3ff0_b558_6cf9_890f, 0x3ff1_1301_d012_5b51,
    0x3ff1_72b8_3c7d_517b, 0x3ff1_d487_3168_b9aa, 0x3ff2_387a_6e75_6238, 0x3ff2_9e9d_f51f_dee1,
    0x3ff3_06fe_0a31_b715, 0x3ff3_71a7_373a_a9cb, 0x3ff3_dea6_4c12_3422, 0x3ff4_4e08_6061_892d,
    0x3ff4_bfda_d536_2a27, 0x3ff5_342b_569d_4f82, 0x3ff5_ab07_dd48_5429, 0x3ff6_247e_b03a_5585,
    0x3ff6_a09e_667f_3bcd, 0x3ff7_1f75_e8ec_5f74, 0x3ff7_a114_73eb_0187, 0x3ff8_2589_994c_ce13,
    0x3ff8_ace5_422a_a0db, 0x3ff9_3737_b0cd_c5e5, 0x3ff9_c491_82a3_f090, 0x3ffa_5503_b23e_255d,
    0x3ffa_e89f_995a_d3ad, 0x3ffb_7f76_f2fb_5e47, 0x3ffc_199b_dd85_529c, 0x3ffc_b720_dcef_9069,
    0x3ffd_5818_dcfb_a487, 0x3ffd_fc97_337b_9b5f, 0x3ffe_a4af_a2a4_90da, 0x3fff_5076_5b6e_4540,
];

const N: f64 = 32.0;
/// N / ln 2.
const SCALE: f64 = f64::from_bits(0x3ff7_1547_652b_82fe) * N;
/// 1.5 * 2^52: adding it leaves the nearest integer in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
const C0: f64 = f64::from_bits(0x3fac_6af8_4b91_2394) / (N * N * N);
const C1: f64 = f64::from_bits(0x3fce_bfce_50fa_c4f3) / (N * N);
const C2: f64 = f64::from_bits(0x3fe6_2e42_ff0c_52d6) / N;

/// Where the unfused products round to the other side: the inputs, with e^x.
const EXCEPTIONS: [(u32, u32); 2] = [(0x4202_422f, 0x56fc_9f1c), (0xc27c_65d9, 0x11fa_2993)];

/// The largest and the smallest x whose e^x is finite and not 0. The results beyond are infinity and 0.
const MAX_ARG: f32 = f32::from_bits(0x42b1_7217);
const MIN_ARG: f32 = f32::from_bits(0xc2cf_f1b4);

/// e^x.
pub(crate) fn expf(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    if x > MAX_ARG {
        return f32::INFINITY;
    }
    if x < MIN_ARG {
        return 0.0;
    }
    for (input, result) in EXCEPTIONS {
        if x.to_bits() == input {
            return f32::from_bits(result);
        }
    }
    let scaled = SCALE * f64::from(x);
    let shifted = scaled + SHIFT;
    let r = scaled - (shifted - SHIFT);
    let k = shifted.to_bits();
    let index = k % POWERS.len() as u64;
    // k / 32 goes to the exponent, modulo 2^64.
    let power = f64::from_bits(POWERS[index as usize].wrapping_add((k - index) << 47));
    let polynomial = (C0 * r + C1) * (r * r) + (C2 * r + 1.0);
    (polynomial * power) as f32
}

#[cfg(test)]
mod tests {
    use super::{EXCEPTIONS, MAX_ARG, MIN_ARG, expf};

    #[test]
    fn special_values() {
        assert!(expf(f32::NAN).is_nan());
        assert_eq!(expf(0.0), 1.0);
        assert_eq!(expf(-0.0), 1.0);
        assert_eq!(expf(f32::INFINITY), f32::INFINITY);
        assert_eq!(expf(f32::NEG_INFINITY), 0.0);
        assert_eq!(expf(MAX_ARG.next_up()), f32::INFINITY);
        assert!(expf(MAX_ARG).is_finite());
        assert_eq!(expf(MIN_ARG.next_down()), 0.0);
        assert_eq!(expf(MIN_ARG), f32::from_bits(1));
    }

    /// glibc 2.36 on a CPU with FMA.
    #[test]
    fn the_two_inputs_that_need_fused_products() {
        assert_eq!(f32::from_bits(EXCEPTIONS[0].0), 32.564_632);
        assert_eq!(expf(32.564_632), 1.388_801_5e14);
        assert_eq!(expf(-63.099_46), 3.946_866_7e-28);
    }

    /// From -0 down to where it is 0, every 4,099th input and the next, or all at S2_TEST_SCALE=exhaustive.
    #[test]
    fn is_monotone() {
        let exhaustive = std::env::var("S2_TEST_SCALE").is_ok_and(|scale| scale == "exhaustive");
        let inputs = (-0.0_f32).to_bits()..=MIN_ARG.to_bits();
        for bits in inputs.step_by(if exhaustive { 1 } else { 4099 }) {
            let x = f32::from_bits(bits);
            assert!(expf(x.next_down()) <= expf(x), "{x}");
        }
    }

    /// Every 4,099th input, or all at S2_TEST_SCALE=exhaustive. On a CPU without FMA glibc itself has other
    /// results for the two exceptions.
    #[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
    #[test]
    fn is_that_of_glibc() {
        let exhaustive = std::env::var("S2_TEST_SCALE").is_ok_and(|scale| scale == "exhaustive");
        let fused = is_x86_feature_detected!("fma");
        for bits in (0..=u32::MAX).step_by(if exhaustive { 1 } else { 4099 }) {
            let x = f32::from_bits(bits);
            let same = expf(x).to_bits() == x.exp().to_bits() || x.is_nan();
            let excepted = !fused && EXCEPTIONS.iter().any(|exception| exception.0 == bits);
            assert!(same || excepted, "{x}: {} {}", expf(x), x.exp());
        }
    }
}
