//! Saved states: a generator goes on from them anywhere, and nothing else is taken for one.

use crate::common;

use common::for_each_level;
use common::oracle::Mt19937;
use common::rows::{KINDS, SplitMix, bell};
use s2sampler_core::{Error, SampleRequest, Sampler, SamplerParams};
use std::process::Command;

/// Everything, at temperature 1: two words for every draw.
const ALL: SamplerParams = SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 0 };

fn tokens(sampler: &mut Sampler, draws: usize) -> Vec<u32> {
    let row = bell(1000, 1.0 / (1 << 20) as f32, 1);
    (0..draws).map(|_| sampler.sample(&row, &ALL).expect("a token")).collect()
}

#[test]
fn restored_samplers_continue_from_any_position() {
    for_each_level(|level, make| {
        // The state is renewed after 312 draws.
        for position in [0, 1, 2, 311, 312, 313, 623, 624, 5000] {
            let mut original = make(7);
            tokens(&mut original, position);
            let block = original.save();
            let what = format!("{level}, position {position}");
            // Whatever the other did before.
            let mut other = Sampler::new(8);
            tokens(&mut other, 500);
            other.restore(&block).expect("a state");
            assert_eq!((other.seed(), other.rng_words()), (7, 2 * position as u64), "{what}");
            assert_eq!(other.save(), block, "{what}");
            assert_eq!(original.save(), block, "{what}: saving changes nothing");
            assert_eq!(tokens(&mut other, 1000), tokens(&mut original, 1000), "{what}");
            assert_eq!(other.save(), original.save(), "{what}");
        }
    });
}

/// A block can state any number of words: the count goes on from 0 after the last there is.
#[test]
fn word_count_wraps() {
    let mut block = Sampler::new(7).save();
    block[12..20].copy_from_slice(&(u64::MAX - 1).to_le_bytes());
    let body = block.len() - 8;
    let sum = block[..body].iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    block[body..].copy_from_slice(&sum.to_le_bytes());
    let mut sampler = Sampler::new(1);
    sampler.restore(&block).expect("the check sum is right");
    assert_eq!(sampler.rng_words(), u64::MAX - 1);
    let request = SampleRequest::new(&[0.0, 0.0], ALL);
    assert_eq!(sampler.sample_request(&request).map(|response| response.rng_words), Ok(2));
    assert_eq!(sampler.rng_words(), 0);
}

/// The words after a restore are those of the standard's generator, not of whatever wrote the block.
#[test]
fn a_restored_stream_is_mt19937s() {
    let row = vec![0.0; 1 << 20];
    let mut random = SplitMix(3);
    for _ in 0..6 {
        let (seed, skipped) = (random.next() as u32, random.below(2000));
        let mut sampler = Sampler::new(seed);
        let mut mt = Mt19937::new(seed);
        for _ in 0..skipped {
            sampler.sample(&[0.0, 0.0], &ALL).expect("a token");
            mt.uniform();
        }
        let mut restored = Sampler::new(0);
        restored.restore(&sampler.save()).expect("a state");
        for _ in 0..8 {
            // Of 2^20 equal weights the running sums are exact.
            let want = (mt.uniform() * f64::from(1 << 20)).ceil().max(1.0) as u32 - 1;
            assert_eq!(restored.sample(&row, &ALL), Ok(want), "seed {seed}, after {skipped}");
        }
    }
}

/// The bytes are enough: another process goes on from them.
#[test]
fn another_process_continues() {
    const BLOCK: &str = "S2_TEST_STATE";
    const NAME: &str = "saved_states::another_process_continues";
    if let Ok(text) = std::env::var(BLOCK) {
        let digits = text.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).expect("ASCII"));
        let block: Vec<u8> = digits.map(|d| u8::from_str_radix(d, 16).expect("hex")).collect();
        let mut sampler = Sampler::new(0);
        sampler.restore(&block).expect("a state");
        println!("tokens {:?}.", tokens(&mut sampler, 700));
        return;
    }
    let mut sampler = Sampler::new(21);
    tokens(&mut sampler, 100);
    let text: String = sampler.save().iter().map(|byte| format!("{byte:02x}")).collect();
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args([NAME, "--exact", "--nocapture"])
        .env(BLOCK, text)
        .output()
        .expect("this test runs again");
    let printed = String::from_utf8_lossy(&output.stdout);
    let want = format!("tokens {:?}.", tokens(&mut sampler, 700));
    assert!(output.status.success() && printed.contains(&want), "{printed}");
}

#[test]
fn invalid_state_bytes_change_nothing() {
    let mut sampler = Sampler::new(5);
    tokens(&mut sampler, 3);
    let before = sampler.save();
    let mut newer = before;
    newer[4] += 1;
    let longer = [&before[..], &[0]].concat();
    for bytes in [&before[1..], &before[..before.len() - 1], &longer, &newer, &[], b"S2MT"] {
        assert_eq!(sampler.restore(bytes), Err(Error::BadArgument));
        assert_eq!(sampler.save(), before);
    }
}

/// A sampler that has drawn from every kind of row in every way draws like a new one.
#[test]
fn long_use_leaves_no_trace() {
    for_each_level(|level, make| {
        let mut used = make(1);
        for (_, make_row) in KINDS {
            for n in [3, 5000, 40] {
                for params in [ALL, SamplerParams::default()] {
                    let drawn = used.sample(&make_row(n, 2), &params);
                    assert!(matches!(drawn, Ok(_) | Err(Error::NoCandidate)), "{drawn:?}");
                }
            }
        }
        let mut fresh = make(9);
        tokens(&mut fresh, 50);
        used.restore(&fresh.save()).expect("a state");
        for (kind, make_row) in KINDS {
            let row = make_row(3000, 4);
            for params in [ALL, SamplerParams::default()] {
                let drawn = [&mut used, &mut fresh].map(|s| s.sample(&row, &params));
                assert_eq!(drawn[0], drawn[1], "{level}, {kind}");
            }
        }
    });
}
