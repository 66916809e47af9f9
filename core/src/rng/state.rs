//! The state of a generator as a block of bytes, portable between machines.
//!
//! rand_mt does not expose its state, but accepts one: the last 624 outputs. So this module takes the next
//! 624 outputs and runs MT19937's recurrence backwards from them. That is the price of the package; with
//! access to its state, `save` would copy 624 words.

use super::Generator;
use crate::Error;
use crate::saved::{FRAME_LEN, Reader, Writer};
use rand_mt::Mt;

// MT19937's parameters by their names in the literature.
/// The words of the state.
const N: usize = 624;
/// The recurrence combines `x[k + M]` with `x[k]` and `x[k + 1]`.
const M: usize = 397;
/// The bottom row of the matrix A.
const MATRIX_A: u32 = 0x9908_b0df;
const UPPER_MASK: u32 = 0x8000_0000;

const MAGIC: [u8; 4] = *b"S2MT";
const VERSION: u32 = 1;

/// The length of a block: around seed, words taken and the last 624 outputs.
pub(crate) const STATE_LEN: usize = FRAME_LEN + 4 + 8 + 4 * N;

/// The state of `generator` at its present position.
pub(crate) fn save(generator: &Generator) -> [u8; STATE_LEN] {
    let mut block = [0; STATE_LEN];
    let mut writer = Writer::new(&mut block, MAGIC, VERSION);
    put(generator, &mut writer);
    let len = writer.finish();
    debug_assert_eq!(len, STATE_LEN);
    block
}

/// Writes the state of a generator into a block.
pub(crate) fn put(generator: &Generator, block: &mut Writer<'_>) {
    block.u32(generator.seed());
    block.u64(generator.words());
    let mut ahead = generator.mt().clone();
    let next: [u32; N] = core::array::from_fn(|_| ahead.next_u32());
    previous_outputs(next).into_iter().for_each(|word| block.u32(word));
}

/// The generator that [`save`] wrote; an error for other bytes.
pub(crate) fn restore(block: &[u8]) -> Result<Generator, Error> {
    if block.len() != STATE_LEN {
        return Err(Error::BadArgument);
    }
    let mut block = Reader::new(block, MAGIC, VERSION)?;
    let generator = take(&mut block)?;
    block.finish()?;
    Ok(generator)
}

/// Reads what [`put`] wrote.
pub(crate) fn take(block: &mut Reader<'_>) -> Result<Generator, Error> {
    let (seed, words) = (block.u32()?, block.u64()?);
    let mut outputs = [0; N];
    outputs.iter_mut().try_for_each(|word| block.u32().map(|read| *word = read))?;
    let mt = Mt::recover(outputs).map_err(|_| Error::Internal)?;
    Ok(Generator::from_parts(mt, seed, words))
}

/// The 624 outputs before the given 624.
///
/// Runs the recurrence `x[k + N] = x[k + M] ^ A(upper bit of x[k], lower bits of x[k + 1])` backwards. Each
/// step gives the upper bit of one word and the lower bits of the next. The lower bits of the earliest word
/// stay unknown; the recurrence does not use them.
fn previous_outputs(outputs: [u32; N]) -> [u32; N] {
    let mut x = [0; 2 * N];
    for (word, output) in x[N..].iter_mut().zip(outputs) {
        *word = untemper(output);
    }
    for k in (0..N).rev() {
        let mut mixed = x[k + N] ^ x[k + M];
        // A shifted the word right. If its lowest bit was 1, the matrix was added, whose top bit is 1.
        let odd = mixed >> 31;
        mixed = if odd == 1 { mixed ^ MATRIX_A } else { mixed };
        let joined = mixed << 1 | odd;
        x[k] = x[k] & !UPPER_MASK | joined & UPPER_MASK;
        x[k + 1] = if k + 1 < N { x[k + 1] & UPPER_MASK | joined & !UPPER_MASK } else { x[k + 1] };
    }
    core::array::from_fn(|k| temper(x[k]))
}

fn temper(mut x: u32) -> u32 {
    x ^= x >> 11;
    x ^= x << 7 & 0x9d2c_5680;
    x ^= x << 15 & 0xefc6_0000;
    x ^ x >> 18
}

fn untemper(mut x: u32) -> u32 {
    x ^= x >> 18;
    x ^= x << 15 & 0xefc6_0000;
    // Each round recovers seven more bits; below, eleven.
    let y = x;
    for _ in 0..4 {
        x = y ^ x << 7 & 0x9d2c_5680;
    }
    let y = x;
    for _ in 0..2 {
        x = y ^ x >> 11;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::{STATE_LEN, restore, save, temper, untemper};
    use crate::rng::Generator;

    #[test]
    fn a_restored_generator_continues_identically() {
        for seed in [0, 1, 42, u32::MAX] {
            let mut generator = Generator::new(seed);
            for taken in [0, 1, 1, 309, 1, 1, 1, 700] {
                (0..taken).for_each(|_| _ = generator.uniform());
                let mut restored = restore(&save(&generator)).expect("a block");
                assert_eq!((restored.seed(), restored.words()), (seed, generator.words()));
                let mut original = generator.clone();
                assert!((0..2000).all(|_| restored.uniform() == original.uniform()));
            }
        }
    }

    #[test]
    fn any_other_bytes_are_refused() {
        let block = save(&Generator::new(7));
        for bit in 0..8 * STATE_LEN {
            let mut broken = block;
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(restore(&broken).is_err(), "bit {bit}");
        }
        assert!(restore(&block[..STATE_LEN - 1]).is_err());
        assert!(restore(&[&block[..], &[0]].concat()).is_err());
        assert!(restore(&[]).is_err());
    }

    /// The checksum detects accidents. Magic and version decide by themselves whether a block is read.
    #[test]
    fn another_magic_or_version_is_refused_with_a_matching_checksum() {
        let repaired = |change: &dyn Fn(&mut [u8])| {
            let mut block = save(&Generator::new(7));
            change(&mut block);
            let fnv =
                |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            let sum = block[..STATE_LEN - 8].iter().fold(0xcbf2_9ce4_8422_2325, fnv);
            block[STATE_LEN - 8..].copy_from_slice(&sum.to_le_bytes());
            restore(&block).is_ok()
        };
        assert!(repaired(&|_| {}));
        // Another seed, another count of words and other outputs are states too.
        assert!(repaired(&|block| block[8] ^= 1) && repaired(&|block| block[30] ^= 1));
        for byte in 0..8 {
            for bit in 0..8 {
                assert!(!repaired(&|block| block[byte] ^= 1 << bit), "byte {byte}, bit {bit}");
            }
        }
        for version in [0, 2, 3, u32::MAX] {
            assert!(!repaired(&|block| block[4..8].copy_from_slice(&version.to_le_bytes())));
        }
    }

    #[test]
    fn tempering_can_be_undone() {
        for x in (0..u32::MAX).step_by(99_991) {
            assert_eq!(untemper(temper(x)), x);
        }
    }
}
