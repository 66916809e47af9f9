//! Operations of a stream in any order: tokens lie in the row, and a copy goes on alike.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use s2sampler_core::{RasMode, Sampler, Stream, StreamConfig};
use s2sampler_fuzz::{Params, Row};

#[derive(Debug, Arbitrary)]
struct Config {
    first: i16,
    last: i16,
    end: i16,
    mode: u8,
    window: i8,
    temperature: f32,
    top_p: f32,
    tau: f32,
    continues: bool,
    always: bool,
    bans: bool,
}

#[derive(Debug, Arbitrary)]
enum Step {
    Slow(bool, Params),
    Fast(Params),
    Code(u32, u32),
    Clone,
    Reset(u32),
}

fuzz_target!(|input: (Config, Row, Vec<Step>)| {
    let (config, Row(row), steps) = input;
    let config = StreamConfig {
        semantic_first: config.first.into(),
        semantic_last: config.last.into(),
        end_id: config.end.into(),
        ras_mode: [RasMode::Off, RasMode::AnyHit, RasMode::Share][usize::from(config.mode % 3)],
        ras_window: config.window.into(),
        ras_temperature: config.temperature,
        ras_top_p: config.top_p,
        ras_tau: config.tau,
        continues_after_redrawn_end: config.continues,
        ras_always: config.always,
        ras_bans: config.bans,
    };
    let Ok(mut stream) = Stream::new(Sampler::new(3), &config) else { return };
    for step in steps.iter().take(64) {
        match step {
            Step::Slow(end, Params(params)) => {
                let mut copy = stream.try_clone().expect("memory");
                let drawn = stream.slow(&row, params, *end);
                assert_eq!(copy.slow(&row, params, *end), drawn);
                assert_eq!(copy.has_ended(), stream.has_ended());
                assert_eq!(copy.was_redrawn(), stream.was_redrawn());
                assert!(drawn.is_err() || drawn.is_ok_and(|token| (token as usize) < row.len()));
            }
            Step::Fast(Params(params)) => {
                let drawn = stream.fast(&row, params);
                assert!(drawn.is_ok_and(|token| (token as usize) < row.len()));
            }
            Step::Code(token, size) => {
                assert!(stream.code(*token, *size).map_or(*size == 0, |code| code < *size));
            }
            Step::Clone => stream = stream.try_clone().expect("memory"),
            Step::Reset(seed) => stream.reset(*seed),
        }
    }
});
