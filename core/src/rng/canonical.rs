//! `std::generate_canonical<double, 53>` over a 32-bit generator.

/// The double in [0, 1) that libstdc++ makes of two successive words: (low + high * 2^32) / 2^64.
///
/// The sum rounds to 53 bits, so it can reach 2^64. Then the result is the double just below 1.
pub(crate) fn canonical(low: u32, high: u32) -> f64 {
    const TWO_32: f64 = 4_294_967_296.0;
    let u = (f64::from(low) + f64::from(high) * TWO_32) / (TWO_32 * TWO_32);
    if u < 1.0 { u } else { 1.0_f64.next_down() }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn ends_of_the_range() {
        assert_eq!(canonical(0, 0), 0.0);
        assert_eq!(canonical(u32::MAX, u32::MAX), 1.0_f64.next_down());
        // 2^64 - 1024 is halfway between 2^64 - 2048 and 2^64, and ties to even gives 2^64.
        assert_eq!(canonical(u32::MAX - 1023, u32::MAX), 1.0_f64.next_down());
        assert_eq!(canonical(1, 0), 2.0_f64.powi(-64));
        assert_eq!(canonical(0, 1), 2.0_f64.powi(-32));
    }
}
