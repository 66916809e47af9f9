//! Sums that round after every addition, as if added one by one, without waiting for each other.
//!
//! While a sum s lies in a binade [b, 2b) it is a multiple of the unit u of that binade, and adding
//! v >= 0 with rounding to nearest adds v rounded to a multiple of u, whatever s is: as long as s stays
//! below 2b, and unless v / u is exactly half an odd integer, where the parity of s decides. Multiples
//! of u below 2b add up exactly, in any order, so vectors can do it. A block of values for which that
//! does not hold is added one by one.

macro_rules! ordered {
    ($module:ident, $float:ident, $lanes:literal) => {
        pub(crate) mod $module {
            /// Values that are added at once; long enough for its overhead not to count.
            pub(crate) const BLOCK: usize = 8 * $lanes;

            /// `values`, none negative, added one by one to `sum`.
            pub(crate) fn add(sum: $float, values: &[$float]) -> $float {
                values.chunks(BLOCK).fold(sum, |sum, block| {
                    at_once(sum, block).unwrap_or_else(|| block.iter().fold(sum, |sum, v| sum + v))
                })
            }

            /// The sum after a block, where its order does not matter; short blocks are not worth it.
            fn at_once(sum: $float, block: &[$float]) -> Option<$float> {
                let block: &[$float; BLOCK] = block.try_into().ok()?;
                if sum < $float::MIN_POSITIVE || sum.is_nan() {
                    return None;
                }
                let binade = $float::from_bits(sum.to_bits() & $float::INFINITY.to_bits());
                let half_unit = binade * ($float::EPSILON / 2.0);
                let (mut steps, mut halves) = ([0.0; $lanes], [0.0; $lanes]);
                for values in block.chunks_exact($lanes) {
                    for (lane, v) in values.iter().enumerate() {
                        // Adding and taking away the binade rounds to its unit.
                        let step = (v + binade) - binade;
                        let is_half = (v - step).abs() == half_unit;
                        steps[lane] += step;
                        halves[lane] += if is_half { 1.0 } else { 0.0 };
                    }
                }
                let total = steps.iter().fold(sum, |total, step| total + step);
                let halves: $float = halves.iter().sum();
                // False for NaN too.
                (halves == 0.0 && total < 2.0 * binade).then_some(total)
            }
        }
    };
}

ordered!(single, f32, 16);
ordered!(double, f64, 8);

#[cfg(test)]
mod tests {
    use super::{double, single};

    /// Runs of values in (0, 1] of every size and slope, halves of units among them.
    fn values(seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut next = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 24) as f32
        };
        let len = (next() * 3000.0) as usize;
        let slope = next() * 0.02;
        let bits = (next() * 24.0) as i32;
        let grid = 2.0_f32.powi(bits);
        (0..len)
            .map(|i| (-slope * i as f32).exp() * next())
            .map(|v| if seed.is_multiple_of(2) { (v * grid).round() / grid } else { v })
            .collect()
    }

    #[test]
    fn sums_are_those_of_one_by_one() {
        for seed in 0..3000 {
            let values = values(seed);
            for start in [0.0, 1.0, 0.75, 1e-30, 16_777_215.0] {
                let expected = values.iter().fold(start, |sum, v| sum + v);
                assert_eq!(
                    single::add(start, &values).to_bits(),
                    expected.to_bits(),
                    "seed {seed}"
                );
            }
            // Scaled into the last bits of a double sum, where its rounding shows.
            let values: Vec<f64> =
                values.iter().map(|v| f64::from(*v) * 2.0_f64.powi(-31)).collect();
            for start in [0.0, 0.3, 1.0] {
                let expected = values.iter().fold(start, |sum, v| sum + v);
                assert_eq!(
                    double::add(start, &values).to_bits(),
                    expected.to_bits(),
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn nan_and_infinity_spread() {
        let mut values = vec![1.0_f32; 500];
        values[200] = f32::NAN;
        assert!(single::add(0.0, &values).is_nan());
        values[200] = f32::INFINITY;
        assert_eq!(single::add(0.0, &values), f32::INFINITY);
    }
}
