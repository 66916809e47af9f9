//! Saved states: a generator goes on from them anywhere, and nothing else is taken for one.

use crate::common;

use common::chain::random::Aim;
use common::chain::spec::fill;
use common::for_each_level;
use common::oracle::Mt19937;
use common::rows::{KINDS, SplitMix, bell};
use common::scale::cases;
use s2sampler_core::{
    Chain, Error, RasMode, SampleRequest, Sampler, SamplerParams, Stage, StageForm, Stream,
    StreamConfig, TokenData,
};
use std::collections::BTreeSet;
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

/// Chains of random stages, with a history and generators in the middle of their streams.
fn used_chains(count: u64) -> impl Iterator<Item = (u64, Chain, Vec<f32>)> {
    let savable = |(_, chain, _): &(u64, Chain, Vec<f32>)| {
        let own = chain.stages().iter().any(|stage| stage.name() == "custom");
        assert_eq!(chain.save().err(), own.then_some(Error::BadArgument));
        !own
    };
    let used = |number| {
        let mut random = SplitMix(number ^ 0x5A7E);
        let row = bell(2 + random.below(300), 1.0 / (1 << 20) as f32, number);
        let aim = Aim::at(&row, &mut random);
        let mut chain = fill(Chain::new(), &aim.chain(&mut random));
        for _ in 0..random.below(40) {
            let token = aim.history[random.below(aim.history.len())];
            chain.accept(token).expect("memory");
            if random.below(3) == 0 {
                let _ = chain.sample(&row);
            }
        }
        (number, chain, row)
    };
    (0..count).map(used).filter(savable)
}

#[test]
fn restored_chains_continue_identically() {
    let (mut stages, mut tokens) = (BTreeSet::new(), 0);
    for (number, mut chain, row) in used_chains(cases(1000) as u64) {
        let block = chain.save().expect("memory");
        let mut restored = Chain::restore(&block).expect("a saved chain");
        assert_eq!(restored.save().as_ref(), Ok(&block), "case {number}");
        stages.extend(chain.stages().iter().map(Stage::name));
        for _ in 0..20 {
            let drawn = chain.sample(&row);
            assert_eq!(restored.sample(&row), drawn, "case {number}");
            tokens += u32::from(drawn.is_ok());
        }
        assert_eq!(restored.save(), chain.save(), "case {number}: the states after the draws");
        // Also from the beginning.
        chain.reset();
        restored.reset();
        assert_eq!(restored.sample(&row), chain.sample(&row), "case {number}: after a reset");
    }
    let savable = StageForm::ALL.iter().map(|form| form.name);
    assert_eq!(stages, savable.collect(), "every stage was saved");
    assert!(tokens > 1_000, "{tokens}");
}

/// Whatever bytes come, the result is an error or a chain that draws.
#[test]
fn changed_chain_states_are_refused_or_harmless() {
    let (mut refused, mut harmless) = (0, 0);
    for (number, chain, row) in used_chains(cases(150) as u64) {
        let block = chain.save().expect("memory");
        let mut random = SplitMix(number);
        for _ in 0..30 {
            let mut changed = block.clone();
            let place = random.below(block.len());
            changed[place] ^= 1 << random.below(8);
            assert_eq!(Chain::restore(&changed).err(), Some(Error::BadArgument), "the checksum");
            let body = changed.len() - 8;
            if place >= body {
                continue;
            }
            let sum = fnv(&changed[..body]);
            changed[body..].copy_from_slice(&sum.to_le_bytes());
            match Chain::restore(&changed) {
                Err(Error::BadArgument | Error::OutOfMemory) => refused += 1,
                Err(error) => panic!("case {number}: {error}"),
                Ok(mut chain) => {
                    let drawn = chain.sample(&row);
                    assert!(
                        drawn.is_err() || drawn.is_ok_and(|token| (token as usize) < row.len())
                    );
                    assert!(chain.save().is_ok());
                    harmless += 1;
                }
            }
        }
        let short = random.below(block.len());
        assert_eq!(Chain::restore(&block[..short]).err(), Some(Error::BadArgument));
    }
    assert!(refused > 20 && harmless > 20, "{refused} refused, {harmless} harmless");
}

/// The format is pinned: a later library reads what this one wrote.
#[test]
fn the_bytes_of_a_saved_chain_stay() {
    let mut chain = Chain::new();
    for stage in [
        Stage::penalties(8, 1.25, 0.5, -0.5).expect("valid"),
        Stage::top_k(3),
        Stage::dry(1.0, 2.0, 1, -1, &[&[7], &[8, 9]]).expect("valid"),
    ] {
        chain.add(stage).expect("memory");
    }
    chain.accept(5).expect("memory");
    let block = chain.save().expect("memory");
    let text: String = block.iter().map(|byte| format!("{byte:02x}")).collect();
    let penalties = "090000000000000070656e616c74696573080000000000a03f0000003f000000bf010000000000000005000000";
    let top_k = "0500000000000000746f705f6b03000000";
    let dry = "03000000000000006472790000803f0000004001000000ffffffff\
               0200000000000000010000000000000007000000020000000000000008000000090000000100000000000000\
               05000000";
    let body = format!("53324348010000000300000000000000{penalties}{top_k}{dry}");
    assert_eq!(text[..text.len() - 16], body);
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[test]
fn restored_streams_continue_identically() {
    let mut redraws = 0;
    for number in 0..cases(300) as u64 {
        let mut random = SplitMix(number);
        let config = StreamConfig {
            semantic_first: 10,
            semantic_last: 40 + random.below(60) as i32,
            end_id: 5,
            ras_mode: random.pick(&[
                RasMode::AnyHit,
                RasMode::AnyHit,
                RasMode::Share,
                RasMode::Off,
            ]),
            ras_window: random.pick(&[0, 1, 10, 30]),
            continues_after_redrawn_end: random.below(2) == 0,
            ras_always: random.below(3) == 0,
            ras_bans: random.below(3) == 0,
            ..StreamConfig::default()
        };
        let mut stream = Stream::new(Sampler::new(number as u32), &config).expect("valid");
        let params = SamplerParams { temperature: 0.9, top_p: 0.95, top_k: 30 };
        let mut random_row = random.clone();
        let mut frame = |stream: &mut Stream, random: &mut SplitMix| {
            let row = bell(120, 1.0 / (1 << 19) as f32, random.next() % 3);
            let main = stream.slow(&row, &params, true);
            let fast = stream.fast(&row[..50], &params);
            redraws += u32::from(stream.was_redrawn());
            (main, fast, stream.has_ended(), stream.was_redrawn())
        };
        for _ in 0..random.below(40) {
            let _ = frame(&mut stream, &mut random_row);
        }
        let block = stream.save().expect("memory");
        let mut restored = Stream::restore(&block).expect("a saved stream");
        assert_eq!(restored.save().as_ref(), Ok(&block), "case {number}");
        assert_eq!(restored.config(), &config);
        let state = |stream: &Stream| (stream.has_ended(), stream.was_redrawn());
        assert_eq!(state(&restored), state(&stream), "case {number}");
        let mut other_row = random_row.clone();
        for _ in 0..20 {
            let drawn = frame(&mut stream, &mut random_row);
            assert_eq!(frame(&mut restored, &mut other_row), drawn, "case {number}");
        }
        let mut changed = block.clone();
        let place = random.below(block.len() - 8);
        changed[place] ^= 1 << random.below(8);
        assert_eq!(Stream::restore(&changed).err(), Some(Error::BadArgument), "the checksum");
        let body = changed.len() - 8;
        let sum = fnv(&changed[..body]);
        changed[body..].copy_from_slice(&sum.to_le_bytes());
        match Stream::restore(&changed) {
            Err(error) => assert!(matches!(error, Error::BadArgument | Error::OutOfMemory)),
            Ok(mut stream) => drop(frame(&mut stream, &mut other_row)),
        }
        assert_eq!(Stream::restore(&block[..place]).err(), Some(Error::BadArgument));
        assert_eq!(Chain::restore(&block).err(), Some(Error::BadArgument), "another magic");
    }
    assert!(redraws > 100, "{redraws}");
}

/// Saved after every draw, so that what a stage keeps for the next draw is among it.
#[test]
fn chains_saved_between_any_two_draws_continue() {
    let row = bell(60, 1.0 / (1 << 20) as f32, 3);
    let stages: [&dyn Fn() -> Result<Stage, Error>; 6] = [
        &|| Stage::xtc(0.5, 0.03, 1, 8),
        &|| Stage::xtc_protected(0.5, 0.03, 1, 8, &[2]),
        &|| Stage::penalty_run(1.5),
        &|| Stage::mirostat_v2(5, 3.0, 0.5),
        &|| Stage::mirostat(5, 3.0, 0.5, 20),
        &|| Stage::adaptive_p(0.1, 0.9, 5),
    ];
    for (kind, stage) in stages.iter().enumerate() {
        let mut chain = Chain::new();
        chain.add(stage().expect("valid")).expect("memory");
        chain.add(Stage::dist(9)).expect("memory");
        let mut drawn = BTreeSet::new();
        for draw in 0..60 {
            let mut restored = Chain::restore(&chain.save().expect("memory")).expect("a chain");
            let token = chain.sample(&row);
            assert_eq!(restored.sample(&row), token, "stage {kind}, draw {draw}");
            drawn.extend(token.ok());
        }
        assert!(drawn.len() > 5, "stage {kind}: {drawn:?}");
    }
}

/// adaptive_p counts the token that a pass selected once it is accepted: a state can lie between the two.
#[test]
fn a_chain_saved_before_its_token_is_accepted_continues() {
    let row = bell(60, 1.0 / (1 << 20) as f32, 3);
    let mut chain = Chain::new();
    chain.add(Stage::adaptive_p(0.1, 0.5, 5).expect("valid")).expect("memory");
    for draw in 0..20 {
        let mut tokens: Vec<TokenData> =
            (0..).zip(&row).map(|(id, l)| TokenData { id, logit: *l, p: 0.0 }).collect();
        let applied = chain.apply(&mut tokens, false).expect("a token");
        let token = tokens[applied.selected.expect("it selects")].id;
        let mut restored = Chain::restore(&chain.save().expect("memory")).expect("a chain");
        for chain in [&mut chain, &mut restored] {
            chain.accept(token).expect("memory");
        }
        assert_eq!(restored.save(), chain.save(), "draw {draw}");
    }
}
