//! The tokens measured on the original sampler, from the library and from the oracle alike.

use crate::common;

use common::oracle::{Mt19937, rank};
use common::{engine::Run, for_each_level, golden};
use s2sampler_core::{Sampler, Stream, StreamConfig, sample_token, seed_thread};

/// The real rows that are kept here, and how many golden lines belong to them.
const REAL_ROWS: [(&str, usize); 2] = [("18", 6), ("27", 6)];

#[test]
fn generated_rows() {
    assert_eq!(golden::generated("sampler.tsv").map(check).count(), 600);
}

#[test]
fn tied_rows() {
    assert_eq!(golden::generated("sampler_tied.tsv").map(check).count(), 60);
}

#[test]
fn real_rows() {
    for (name, lines) in REAL_ROWS {
        assert_eq!(golden::real(name).into_iter().map(check).count(), lines, "row {name}");
    }
}

fn check(line: golden::Line) {
    let golden::Line { text, row, params, seed, tokens } = line;
    let ranked = rank(&row);
    let mut mt = Mt19937::new(seed);
    let want: Vec<_> = tokens.iter().map(|_| ranked.draw(&params, &mut mt)).collect();
    let from_oracle: Vec<u32> = want.iter().map(|drawn| drawn.token.expect("a token")).collect();
    assert_eq!(from_oracle, tokens, "the oracle, {text}");

    for_each_level(|level, make| {
        let mut sampler = make(seed);
        for (draw, want) in want.iter().enumerate() {
            let before = sampler.rng_words();
            let token = sampler.sample(&row, &params);
            let words = sampler.rng_words() - before;
            assert_eq!((token, words), (want.token, want.words), "{level}, draw {draw}, {text}");
        }
    });

    seed_thread(seed);
    for token in tokens {
        assert_eq!(sample_token(&row, &params), Ok(token), "the thread's generator, {text}");
    }
}

#[test]
fn engine_loop() {
    let lines = golden::table("engine_loop.tsv");
    assert_eq!(lines.len(), 12);
    check_loops(&lines);
}

/// s2.cpp's own loop, which goes on where a second draw gives the end token.
#[test]
fn s2_loop() {
    let lines = golden::engine_table("s2_loop.tsv");
    assert_eq!(lines.len(), 60);
    check_loops(&lines);
    let runs = || lines.iter().map(|line| Run::parse(line));
    let mut stopped_short = 0;
    for run in runs().filter(|run| run.end_redraws != Some(0)) {
        let mut stream = Stream::new(Sampler::new(run.seed), &run.config()).expect("a stream");
        let (codes, end_redraws) = run.stream_frames(&mut stream);
        assert_eq!((codes, Some(end_redraws)), (run.codes.clone(), run.end_redraws));
        // The default, a stream that stops there, is another loop.
        let stops = StreamConfig { continues_after_redrawn_end: false, ..run.config() };
        let mut stream = Stream::new(Sampler::new(run.seed), &stops).expect("a stream");
        let codes = run.generate_through(&mut stream);
        assert!(run.codes.starts_with(&codes) && codes.len() < run.codes.len());
        stopped_short += 1;
    }
    assert!(stopped_short > 10, "{stopped_short} runs have such a second draw");
}

/// audio.cpp's loop, which draws twice for every frame. Its top_p compares double sums of binary32 quotients, and at
/// a top_p of 1 the two kinds of sums can pass 1 at different ranks: so one line gives another token.
#[test]
fn fish_audio_loop() {
    let lines = golden::engine_table("fish_audio.tsv");
    assert_eq!(lines.len(), 60);
    for_each_level(|level, make| {
        let mut others = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let (run, hits) = Run::parse_fish(line);
            let config = StreamConfig { ras_always: true, ..run.config() };
            let mut stream = Stream::new(make(run.seed), &config).expect("a stream");
            if run.fish_frames(&mut stream) != (run.codes.clone(), hits) {
                assert_eq!(run.params.top_p, 1.0, "{level}, {line}");
                others.push(index);
            }
        }
        assert_eq!(others, [43], "{level}");
    });
}

fn check_loops(lines: &[String]) {
    for line in lines {
        let run = Run::parse(line);
        let head = line.split('|').next();

        let mut mt = Mt19937::new(run.seed);
        let codes =
            run.generate(|row, params| rank(row).draw(params, &mut mt).token.expect("a token"));
        assert_eq!(codes, run.codes, "the oracle, {head:?}");

        for_each_level(|level, make| {
            let mut sampler = make(run.seed);
            let codes = run.generate(|row, params| sampler.sample(row, params).expect("a token"));
            assert_eq!(codes, run.codes, "{level}, {head:?}");

            let mut sampler = make(run.seed);
            let codes = run.generate_from_ranges(|row, ranges, params| {
                let drawn = match ranges {
                    [] => sampler.sample(row, params),
                    _ => sampler.sample_ranges(row, ranges, params),
                };
                drawn.expect("a token")
            });
            assert_eq!(codes, run.codes, "ranges, {level}, {head:?}");

            let mut stream = Stream::new(make(run.seed), &run.config()).expect("a stream");
            assert_eq!(run.generate_through(&mut stream), run.codes, "stream, {level}, {head:?}");
        });

        seed_thread(run.seed);
        let codes = run.generate(|row, params| sample_token(row, params).expect("a token"));
        assert_eq!(codes, run.codes, "the thread's generator, {head:?}");
    }
}
