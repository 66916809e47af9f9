//! Sums rounded after every addition, as if the values were added one by one, but with several additions in
//! flight.
//!
//! While a sum s lies in a binade [b, 2b) it is a multiple of the binade's unit u. Adding v >= 0 with
//! rounding to nearest then adds v rounded to a multiple of u, whatever s is, with two exceptions: s
//! must stay below 2b, and v / u must not be exactly half an odd integer, since then the parity of s
//! decides. Multiples of u below 2b add up exactly in any order, so vectors can do it. A chunk with an
//! exception is added one by one.

macro_rules! sequential_sum {
    ($module:ident, $float:ident, $lanes:literal) => {
        pub(crate) mod $module {
            /// The number of values added at once, large enough to hide the overhead.
            pub(crate) const CHUNK_LEN: usize = 8 * $lanes;

            /// Adds `values`, none negative, one by one to `sum`.
            pub(crate) fn add(sum: $float, values: &[$float]) -> $float {
                values.chunks(CHUNK_LEN).fold(sum, |sum, chunk| {
                    add_chunk(sum, chunk)
                        .unwrap_or_else(|| chunk.iter().fold(sum, |sum, v| sum + v))
                })
            }

            /// The sum after a chunk; none if the order of its values matters, or if it is too short to
            /// be worth it.
            fn add_chunk(sum: $float, chunk: &[$float]) -> Option<$float> {
                let chunk: &[$float; CHUNK_LEN] = chunk.try_into().ok()?;
                if sum < $float::MIN_POSITIVE || sum.is_nan() {
                    return None;
                }
                let binade = $float::from_bits(sum.to_bits() & $float::INFINITY.to_bits());
                let half_unit = binade * ($float::EPSILON / 2.0);
                let (mut steps, mut ties) = ([0.0; $lanes], [0.0; $lanes]);
                for values in chunk.chunks_exact($lanes) {
                    for (lane, v) in values.iter().enumerate() {
                        // Adding and subtracting the binade rounds to its unit.
                        let step = (v + binade) - binade;
                        let is_tie = (v - step).abs() == half_unit;
                        steps[lane] += step;
                        ties[lane] += if is_tie { 1.0 } else { 0.0 };
                    }
                }
                let total = steps.iter().fold(sum, |total, step| total + step);
                let ties: $float = ties.iter().sum();
                // False for NaN.
                (ties == 0.0 && total < 2.0 * binade).then_some(total)
            }
        }
    };
}

sequential_sum!(single, f32, 16);
sequential_sum!(double, f64, 8);

#[cfg(test)]
mod tests {
    use super::{double, single};

    /// Runs of values in (0, 1] of every size and slope, ties among them.
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
