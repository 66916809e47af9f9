//! After a fork: a seed from the system is replaced in the child, a seed that the caller chose stays.
//!
//! One test in a binary of its own: the child of a fork has no other threads, and must not return to the
//! harness.
#![cfg(unix)]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use s2sampler_core::{Sampler, SamplerParams, sample_token, seed_thread};
use std::io::{Read as _, Write as _};
use std::os::fd::FromRawFd as _;

const DRAWS: usize = 16;

/// Sixteen tokens of 16 random bits each: streams that differ do not give the same tokens by chance.
fn tokens(mut draw: impl FnMut(&[f32], &SamplerParams) -> u32) -> Vec<u32> {
    let row = [0.0; 1 << 16];
    let params = SamplerParams { temperature: 1.0, top_p: f32::NAN, top_k: 0 };
    (0..DRAWS).map(|_| draw(&row, &params)).collect()
}

fn thread_tokens() -> Vec<u32> {
    tokens(|row, params| sample_token(row, params).expect("a token"))
}

fn sampler_tokens(sampler: &mut Sampler) -> Vec<u32> {
    tokens(|row, params| sampler.sample(row, params).expect("a token"))
}

/// What `draw` gives in this process and in a fork of it.
#[expect(unsafe_code, reason = "fork and a pipe")]
fn in_parent_and_child(mut draw: impl FnMut() -> Vec<u32>) -> [Vec<u32>; 2] {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for the two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    // SAFETY: both descriptors are open, and nothing else owns them.
    let [mut reader, mut writer] = ends.map(|end| unsafe { std::fs::File::from_raw_fd(end) });
    // SAFETY: the child uses no lock that another thread of this process could hold: the test harness
    // waits.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let bytes: Vec<u8> = draw().iter().flat_map(|token| token.to_le_bytes()).collect();
        let written = writer.write_all(&bytes);
        // SAFETY: ends the child without the harness.
        unsafe { libc::_exit(i32::from(written.is_err())) };
    }
    drop(writer);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).expect("the child's tokens");
    let mut status = 1;
    // SAFETY: `child` is a child of this process, and `status` is writable.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child draws");
    let (tokens, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty() && tokens.len() == DRAWS);
    [draw(), tokens.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()]
}

#[test]
fn a_fork_replaces_seeds_from_the_system_and_keeps_chosen_ones() {
    // The thread's generator: first seeded by the system, by a draw before the fork.
    thread_tokens();
    let [parent, child] = in_parent_and_child(thread_tokens);
    assert_ne!(parent, child, "thread, seeded by the system");

    seed_thread(7);
    let [parent, child] = in_parent_and_child(thread_tokens);
    assert_eq!(parent, child, "thread, seeded by the caller");

    let mut sampler = Sampler::from_system().expect("a seed");
    let seed = sampler.seed();
    let [parent, child] = in_parent_and_child(|| sampler_tokens(&mut sampler));
    assert_ne!(parent, child, "sampler, seeded by the system");
    assert_eq!(sampler.seed(), seed, "the parent's stream goes on");
    assert_eq!(parent, sampler_tokens(&mut Sampler::new(seed)), "as if there had been no fork");

    // A clone of a system-seeded sampler, and a stream's, are the same case; a restored one is the
    // caller's.
    let mut copy = sampler.clone();
    let [parent, child] = in_parent_and_child(|| sampler_tokens(&mut copy));
    assert_ne!(parent, child, "clone of a sampler that the system seeded");

    let mut sampler = Sampler::new(7);
    let [parent, child] = in_parent_and_child(|| sampler_tokens(&mut sampler));
    assert_eq!(parent, child, "sampler, seeded by the caller");
}
