//! Utterances: reproducible whatever runs beside them, and redrawn by the rules of RAS.

use crate::common;

use common::engine::Run;
use common::oracle::{Mt19937, rank};
use common::rows::{SplitMix, bell};
use common::{for_each_level, golden};
use s2sampler_core::{Error, RasMode, Sampler, SamplerParams, Stream, StreamConfig};
use std::collections::VecDeque;

const FIRST: i32 = 20;
const LAST: i32 = 29;
const END: i32 = 5;
const N: usize = 40;

const CONFIG: StreamConfig = StreamConfig {
    semantic_first: FIRST,
    semantic_last: LAST,
    end_id: END,
    ras_mode: RasMode::AnyHit,
    ras_window: 10,
    ras_temperature: 1.0,
    ras_top_p: 0.9,
    ras_tau: 0.1,
    continues_after_redrawn_end: false,
    ras_always: false,
    ras_bans: false,
};

const GREEDY: SamplerParams = SamplerParams { temperature: 0.0, top_p: 0.8, top_k: 30 };
const PARAMS: SamplerParams = SamplerParams { temperature: 0.8, top_p: 0.9, top_k: 30 };

fn stream(seed: u32, config: StreamConfig) -> Stream {
    Stream::new(Sampler::new(seed), &config).expect("a stream")
}

/// A row of zeros but for the tokens named.
fn row(logits: &[(i32, f32)]) -> Vec<f32> {
    let mut row = vec![0.0; N];
    logits.iter().for_each(|&(id, l)| row[id as usize] = l);
    row
}

/// A row whose best token is `id`, by so much that no second draw avoids it.
fn only(id: i32) -> Vec<f32> {
    row(&[(id, 50.0)])
}

/// The main tokens by the rules, each with whether the second draw gave it; slowly: a masked copy, the whole
/// row ranked, a list for a window.
fn slow_tokens(
    rows: &[(Vec<f32>, bool)],
    params: &SamplerParams,
    config: &StreamConfig,
    seed: u32,
) -> Vec<(u32, bool)> {
    let mut mt = Mt19937::new(seed);
    let mut redrawn = Vec::new();
    let mut said: VecDeque<u32> = VecDeque::new();
    let semantic = config.semantic_first as u32..=config.semantic_last as u32;
    for (row, allow_end) in rows {
        let is_end = |id: u32| i64::from(id) == i64::from(config.end_id);
        let open = |id| if is_end(id) { *allow_end } else { semantic.contains(&id) };
        let mask = |(id, l): (u32, &f32)| if open(id) { *l } else { f32::NEG_INFINITY };
        let mut masked = (0..).zip(row).map(mask).collect::<Vec<_>>();
        let mut ranked = rank(&masked);
        let mut token = ranked.draw(params, &mut mt).token.expect("a token");
        let hits = said.iter().take(config.ras_window as usize).filter(|t| **t == token).count();
        let share = config.ras_window as f32 * config.ras_tau;
        let temperature = config.ras_temperature;
        let (hit, top_p, top_k) = match config.ras_mode {
            RasMode::Off => (false, 0.0, 0),
            RasMode::AnyHit => (hits > 0, config.ras_top_p, params.top_k),
            RasMode::Share => (config.ras_window > 0 && hits as f32 >= share, f32::NAN, 0),
        };
        let hit = hit && semantic.contains(&token);
        let is_on = config.ras_mode != RasMode::Off && config.ras_window > 0;
        let mut is_second = false;
        if hit || (is_on && config.ras_always) {
            if config.ras_bans {
                masked[token as usize] = f32::NEG_INFINITY;
                ranked = rank(&masked);
            }
            let params = SamplerParams { temperature, top_p, top_k };
            // If the first token was the only one, it stays.
            let second = ranked.draw(&params, &mut mt).token.ok();
            if let Some(second) = second.filter(|_| hit) {
                (token, is_second) = (second, true);
            }
        }
        said.push_front(token);
        redrawn.push(is_second);
    }
    said.into_iter().rev().zip(redrawn).collect()
}

#[test]
fn every_mode_against_the_rules() {
    let mut random = SplitMix(77);
    let mut redraws = [0; 3];
    let (mut redrawn, mut went_on) = (0, 0);
    for case in 0..600 {
        let config = StreamConfig {
            end_id: random.pick(&[END, -1, FIRST - 1, LAST + 1, FIRST, LAST, 24, 1000]),
            ras_mode: random.pick(&[RasMode::Off, RasMode::AnyHit, RasMode::Share]),
            ras_window: random.pick(&[0, 1, 2, 3, 10, 25]),
            ras_temperature: random.pick(&[1.0, 1.0, 0.0, 3.0]),
            ras_top_p: random.pick(&[0.9, 0.9, 0.3, 1.0]),
            ras_tau: random.pick(&[0.1, 0.1, 0.0, 0.5, f32::NAN]),
            continues_after_redrawn_end: random.below(2) == 0,
            ras_always: random.below(3) == 0,
            ras_bans: random.below(3) == 0,
            ..CONFIG
        };
        let params = SamplerParams {
            temperature: random.pick(&[0.0, 0.3, 0.8]),
            top_p: random.pick(&[0.8, 0.95, f32::NAN]),
            top_k: random.pick(&[0, 1, 3, 30]),
        };
        let row_of = |step: u64| match (case + step) % 17 {
            // One allowed token above -inf: a second draw without it has nothing.
            0 => (0..N as i32).map(|id| if id == 24 { 1.0 } else { f32::NEG_INFINITY }).collect(),
            _ => bell(N, 1.0 / (1 << 19) as f32, step % 4 + 4 * case),
        };
        let rows: Vec<_> =
            (0..40).map(|step| (row_of(step), step % 3 > 0 || config.end_id == 24)).collect();
        let seed = random.next() as u32;
        let want = slow_tokens(&rows, &params, &config, seed);
        let without = StreamConfig { ras_mode: RasMode::Off, ..config };
        redrawn += want.iter().filter(|(_, redrawn)| *redrawn).count();
        let differs = want != slow_tokens(&rows, &params, &without, seed);
        redraws[config.ras_mode as usize] += i32::from(differs);
        for_each_level(|level, make| {
            let mut stream = Stream::new(make(seed), &config).expect("a stream");
            for (step, ((row, allow_end), (want, redrawn))) in rows.iter().zip(&want).enumerate() {
                let got = stream.slow(row, &params, *allow_end);
                let what = format!("{level}, case {case} step {step}, {config:?}, {params:?}");
                assert_eq!(got, Ok(*want), "{what}");
                let is_end = i64::from(*want) == i64::from(config.end_id);
                let ends = is_end && !(*redrawn && config.continues_after_redrawn_end);
                assert_eq!(stream.has_ended(), ends, "{what}");
                assert_eq!(stream.was_redrawn(), *redrawn, "{what}");
                went_on += usize::from(is_end && !ends);
            }
        });
    }
    let [off, any_hit, share] = redraws;
    assert!(off == 0 && any_hit > 50 && share > 50, "redraws by mode: {redraws:?}");
    assert!(redrawn > 1000 && went_on > 20, "{redrawn} redrawn, {went_on} ends that went on");
}

/// Whether the second of two rows with the same best token is drawn twice, told by the words: a greedy
/// first draw takes none, the second draw takes two.
fn redraws(config: StreamConfig, id: i32) -> bool {
    let mut stream = stream(1, config);
    let row = row(&[(id, 1.0)]);
    assert_eq!(stream.slow(&row, &GREEDY, true), Ok(id as u32));
    assert_eq!(stream.sampler().rng_words(), 0);
    stream.slow(&row, &GREEDY, true).expect("a token");
    match stream.sampler().rng_words() {
        0 => false,
        2 => true,
        words => panic!("{words} words"),
    }
}

#[test]
fn both_ends_of_the_range_are_semantic() {
    for id in [FIRST, FIRST + 1, LAST - 1, LAST] {
        assert!(redraws(CONFIG, id), "{id}");
        assert!(!redraws(StreamConfig { ras_mode: RasMode::Off, ..CONFIG }, id), "{id}");
        assert!(!redraws(StreamConfig { ras_window: 0, ..CONFIG }, id), "{id}");
    }
    // The end token repeats without a second draw, right beside the range too.
    for end_id in [END, FIRST - 1, LAST + 1] {
        assert!(!redraws(StreamConfig { end_id, ..CONFIG }, end_id), "{end_id}");
    }
}

/// Ten other tokens push one out of a window of ten; nine do not.
#[test]
fn a_full_window_forgets_the_oldest() {
    let config = StreamConfig { semantic_last: FIRST + 19, ..CONFIG };
    for (others, again) in [(9, true), (10, false)] {
        let mut stream = stream(1, config);
        for id in (0..=others).map(|i| FIRST + i) {
            assert_eq!(stream.slow(&row(&[(id, 1.0)]), &GREEDY, true), Ok(id as u32));
        }
        assert_eq!(stream.sampler().rng_words(), 0);
        stream.slow(&row(&[(FIRST, 1.0)]), &GREEDY, true).expect("a token");
        assert_eq!(stream.sampler().rng_words() == 2, again, "after {others} others");
    }
}

/// Hits in CosyVoice's mode: a second draw from window * tau of them on.
#[test]
fn a_share_of_the_window() {
    for (tau, needed) in [(0.1, 1), (0.2, 2), (0.25, 3), (1.0, 10)] {
        let config = StreamConfig { ras_mode: RasMode::Share, ras_tau: tau, ..CONFIG };
        let mut stream = stream(1, config);
        let mut firsts = 0;
        // CosyVoice's second draw takes words though it is certain.
        while stream.sampler().rng_words() == 0 {
            assert_eq!(stream.slow(&only(FIRST), &GREEDY, true), Ok(FIRST as u32));
            firsts += 1;
        }
        assert_eq!(firsts, needed + 1, "tau {tau}");
    }
}

/// The second draw may come to the end token: the stream says so. Banned, it cannot.
#[test]
fn a_redraw_that_hits_the_end_token() {
    // The end token is a close second, so that about half of the second draws end the utterance; the
    // third carries the sum past top_p, so that the end token does not.
    let logits = row(&[(FIRST, 10.0), (END, 9.9), (FIRST + 1, 9.8)]);
    let mut ended = 0;
    for seed in 0..200 {
        let mut both = [stream(seed, CONFIG), stream(seed, CONFIG)];
        for (stream, allow_end) in both.iter_mut().zip([true, false]) {
            assert_eq!(stream.slow(&logits, &GREEDY, allow_end), Ok(FIRST as u32));
            assert!(!stream.has_ended());
            let token = stream.slow(&logits, &GREEDY, allow_end).expect("a token") as i32;
            assert_eq!(stream.has_ended(), token == END, "seed {seed}");
            if allow_end {
                ended += i32::from(token == END);
            } else {
                assert!((FIRST..=LAST).contains(&token), "seed {seed}: {token}");
            }
        }
    }
    assert!((60..140).contains(&ended), "{ended} of 200 second draws were the end");
    // Drawn at once it is told as well, and the next token takes it back.
    let mut stream = stream(1, CONFIG);
    stream.slow(&only(END), &GREEDY, true).expect("a token");
    assert!(stream.has_ended());
    stream.slow(&only(END), &GREEDY, false).expect("a token");
    assert!(!stream.has_ended());
}

/// Rows and a stream's way through them: main tokens and codebook tokens by turns.
fn utterance(stream: &mut Stream, steps: std::ops::Range<u64>) -> Vec<u32> {
    let scale = 1.0 / (1 << 20) as f32;
    let frame = |step: u64| {
        let main = stream.slow(&bell(N, scale, step % 3), &PARAMS, true).expect("a token");
        let code = stream.fast(&bell(300, scale, step), &PARAMS).expect("a token");
        [main, code]
    };
    steps.flat_map(frame).collect()
}

#[test]
fn equal_seeds_give_equal_utterances_whatever_runs_beside_them() {
    let alone = |seed| utterance(&mut stream(seed, CONFIG), 0..200);
    let want: Vec<_> = (0..4).map(alone).collect();
    assert!(want.iter().enumerate().all(|(i, w)| want[..i].iter().all(|other| other != w)));

    // Interleaved on one thread.
    let mut streams: Vec<_> = (0..4).map(|seed| stream(seed, CONFIG)).collect();
    let mut got = vec![Vec::new(); 4];
    for step in 0..200 {
        for (stream, got) in streams.iter_mut().zip(&mut got) {
            got.extend(utterance(stream, step..step + 1));
        }
    }
    assert_eq!(got, want);

    // Handed from thread to thread, all at once.
    std::thread::scope(|scope| {
        for (seed, want) in (0..).zip(&want) {
            scope.spawn(move || {
                let mut stream = stream(seed, CONFIG);
                let mut got = Vec::new();
                for from in (0..200).step_by(50) {
                    (stream, got) = std::thread::scope(|scope| {
                        let part = scope.spawn(|| {
                            got.extend(utterance(&mut stream, from..from + 50));
                            (stream, got)
                        });
                        part.join().expect("the part ends")
                    });
                }
                assert_eq!(&got, want, "seed {seed}");
            });
        }
    });
}

#[test]
fn a_clone_continues_identically_and_a_reset_starts_again() {
    for after in [0, 1, 7, 100] {
        let mut original = stream(9, CONFIG);
        let begun = utterance(&mut original, 0..after);
        let mut copy = original.try_clone().expect("memory");
        assert_eq!(copy.has_ended(), original.has_ended());
        let rest = utterance(&mut original, after..after + 100);
        assert_eq!(utterance(&mut copy, after..after + 100), rest, "after {after}");
        copy.reset(9);
        assert!(!copy.has_ended());
        assert_eq!(utterance(&mut copy, 0..after + 100), [begun, rest].concat(), "after {after}");
    }
}

#[test]
fn invalid_stream_arguments() {
    let refused = |config| Stream::new(Sampler::new(1), &config).err();
    assert_eq!(refused(CONFIG), None);
    assert_eq!(refused(StreamConfig { semantic_last: FIRST, ..CONFIG }), None);
    let longest = 1 << 20;
    assert_eq!(refused(StreamConfig { ras_window: longest, ..CONFIG }), None);
    for bad in [
        StreamConfig { semantic_last: FIRST - 1, ..CONFIG },
        StreamConfig { semantic_first: -1, ..CONFIG },
        StreamConfig { ras_window: -1, ..CONFIG },
        StreamConfig { ras_window: longest + 1, ..CONFIG },
        StreamConfig::default(),
    ] {
        assert_eq!(refused(bad), Some(Error::BadArgument), "{bad:?}");
    }
    let mut stream = stream(1, CONFIG);
    assert_eq!(stream.code(FIRST as u32, 0), Err(Error::BadArgument));
    for (token, code) in [(0, 0), (FIRST, 0), (FIRST + 3, 3), (FIRST + 4, 3), (i32::MAX, 3)] {
        assert_eq!(stream.code(token as u32, 4), Ok(code), "{token}");
    }
    // A row that ends before the semantic tokens, which uses no words and enters no window.
    assert_eq!(stream.slow(&[0.0; 20], &PARAMS, false), Err(Error::EmptyRow));
    assert_eq!(stream.sampler().rng_words(), 0);
    let end_alone = StreamConfig { semantic_first: END, semantic_last: END, ..CONFIG };
    let banned =
        Stream::new(Sampler::new(1), &end_alone).map(|mut s| s.slow(&only(9), &PARAMS, false));
    assert_eq!(banned.expect("a stream"), Err(Error::EmptyRow));
}

/// One stream says one utterance after the other, as new ones would.
#[test]
fn golden_utterances_from_reset_streams() {
    let runs: Vec<Run> = golden::table("engine_loop.tsv").iter().map(|l| Run::parse(l)).collect();
    for run in &runs {
        let mut stream = stream(0, run.config());
        for _ in 0..2 {
            stream.reset(run.seed);
            assert_eq!(run.generate_through(&mut stream), run.codes, "seed {}", run.seed);
        }
    }
}
