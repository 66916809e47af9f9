//! Lemma 6 on tails at the ends of its bounds.

use super::super::{Bounds, within_roundings};
use super::*;

/// A tail's exps as the kernel may find them, and S.
struct TailCase {
    /// The running sum before the tail.
    head: f32,
    tail: Vec<f32>,
}

impl TailCase {
    /// Splits falling exps in two.
    fn of(random: &mut Random) -> Self {
        let exps = falling_exps(random);
        let (head, tail) = exps.split_at(random.below(exps.len() + 1));
        Self { head: sum(head), tail: tail.to_vec() }
    }

    fn holds(&self, Bounds { low, high }: Bounds, what: &str) {
        let s = self.tail.iter().fold(self.head, |s, e| s + e);
        assert!(low <= s && s <= high, "{what}: S {s:e} not in {low:e}..{high:e}");
    }
}

/// A kernel's exps may be off by all of [`EXP_ERROR`], and each of the nine roundings of its lanes by 2^-24,
/// whatever they are on this CPU. The count may be too large. Fails at both ends if the bounds allow for 0.9 times
/// `EXP_ERROR`, or for half the roundings.
#[test]
fn bounds_from_a_tail_allow_for_the_kernels_error() {
    let error = f64::from(EXP_ERROR);
    // Eight additions to a lane, the first of them exact, and two for the sum of four lanes.
    let lanes = |half_unit: f64| (9.0 * half_unit.ln_1p()).exp();
    for seed in 0..2000 {
        let case = TailCase::of(&mut Random(seed));
        let real = real_sum(&case.tail);
        for more in [0, 100] {
            let count = case.tail.len() + more;
            for kernel in [1.0 + error, 1.0 - error] {
                let lanes = lanes((kernel - 1.0).signum() / CEILING);
                let bounds = within_roundings(f64::from(case.head), real * kernel * lanes, count);
                case.holds(bounds, &format!("seed {seed}"));
            }
        }
        // A tail that the sum takes in whole: then nothing but the kernel's error is in the bounds.
        let head = f64::from(case.head.max(1.0));
        for kernel in [1.0 + error, 1.0 - error] {
            let lanes = lanes((kernel - 1.0).signum() / CEILING);
            let Bounds { low, high } = within_roundings(head, head * kernel * lanes, 0);
            assert!(f64::from(low) <= 2.0 * head && 2.0 * head <= f64::from(high), "seed {seed}");
        }
    }
}

/// Each addition is off by up to half a unit of the last binade. Fails at both ends if the bounds allow for half of
/// that.
#[test]
fn roundings_of_a_tail() {
    for power in 0..20 {
        let binade = 2.0_f32.powi(power);
        let half_unit = binade * HALF_UNIT;
        for count in [1, 2, 1000, 1 << 16] {
            let even = binade + 2.0 * half_unit * 16.0;
            for (head, e) in [
                // All rounded down, to nothing, and all rounded up, to a unit each.
                (even, half_unit),
                (even, half_unit.next_up()),
                (even, 3.0 * half_unit.next_up()),
                // Starts a binade below, and crosses.
                (binade - 4.0 * half_unit, half_unit),
                (binade - 4.0 * half_unit, half_unit.next_up()),
                (binade.next_down(), half_unit.next_down()),
            ] {
                if head >= 1.0 {
                    let case = TailCase { head, tail: vec![e; count] };
                    let bounds = within_roundings(f64::from(head), real_sum(&case.tail), count);
                    case.holds(bounds, &format!("{count} times {e:e} from {head}"));
                }
            }
        }
    }
}

/// The real sum stays below a power of two, while the roundings carry S across it, and double from there on. Fails if
/// the next binade is not looked for with the doubt added.
#[test]
fn roundings_can_carry_the_sum_across() {
    let unit = 2.0 * HALF_UNIT;
    for count in [4_u16, 400, 40_000] {
        // Each of the first rounds up by half a unit, each of the others, in units of twice the size, by one.
        let (first, others) = (1.5 * unit, vec![unit.next_up(); usize::from(count) / 4]);
        let tail = [vec![first.next_up(); count.into()], others].concat();
        let case = TailCase { head: 2.0 - 2.0 * f32::from(count) * unit, tail };
        let real = real_sum(&case.tail);
        assert!(f64::from(case.head) + real < 2.0);
        case.holds(within_roundings(f64::from(case.head), real, case.tail.len()), "across");
    }
}
