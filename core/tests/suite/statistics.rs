//! Many draws have the frequencies they should: for each way to draw, over seeds, and between streams.
//!
//! Everything is seeded, so that a test passes always or never; the bounds follow from the number of draws:
//! 2 * 10^6 in all, half of them at the scale quick, and 10^7 for each way at the scale exhaustive.

use crate::common;

use common::requests::expected;
use common::rows::bell;
use common::scale::{Scale, scale};
use common::statistics::{fit, uncorrelated};
use common::{oracle::Mt19937, rows::SplitMix};
use s2sampler_core::{
    Chain, RasMode, SampleRequest, Sampler, SamplerParams, Stage, Stream, StreamConfig, TokenRange,
    sample_token, seed_thread,
};

const DRAWS: usize = 2_000_000;
const EXHAUSTIVE: usize = 10_000_000;

/// A token's probabilities under each condition that a draw can be made in, and draws that tell theirs.
struct Way {
    name: &'static str,
    expected: Vec<Vec<f64>>,
    draw: Box<dyn FnMut() -> (usize, u32)>,
}

impl Way {
    /// Draws that are all alike.
    fn alike(
        name: &'static str,
        expected: Vec<f64>,
        mut draw: impl FnMut() -> u32 + 'static,
    ) -> Self {
        Self { name, expected: vec![expected], draw: Box::new(move || (0, draw())) }
    }

    fn check(&mut self, draws: usize) -> Result<(), String> {
        let mut counts: Vec<_> = self.expected.iter().map(|p| vec![0_u64; p.len()]).collect();
        for _ in 0..draws {
            let (condition, token) = (self.draw)();
            counts[condition][token as usize] += 1;
        }
        fit(&self.expected, &counts).map_err(|why| format!("{}: {why}", self.name))
    }
}

const N: usize = 50;

const SETS: [SamplerParams; 2] = [
    SamplerParams { temperature: 0.8, top_p: 0.9, top_k: 30 },
    SamplerParams { temperature: 1.5, top_p: f32::NAN, top_k: 0 },
];

/// A row with tokens that must never come, under any parameters.
fn row(seed: u64) -> Vec<f32> {
    let mut row = bell(N, 1.0 / (1 << 19) as f32, seed);
    row[3] = f32::NEG_INFINITY;
    row[N - 1] = f32::NAN;
    row
}

/// The probabilities that the slow reading of the request gives.
fn of(request: &SampleRequest<'_>) -> Vec<f64> {
    let answer = expected(request, &mut Mt19937::new(1)).expect("something is allowed");
    answer.drawn_from
}

/// Every way to draw.
fn ways(params: SamplerParams) -> Vec<Way> {
    vec![
        one_shot(params),
        sampler(params),
        ranges(params),
        rows(params),
        request(params),
        window(params),
        always_twice(params),
        codebook(params),
        chain(params),
        other_chain(params),
    ]
}

fn one_shot(params: SamplerParams) -> Way {
    let row = row(1);
    seed_thread(11);
    Way::alike("one-shot", of(&SampleRequest::new(&row, params)), move || {
        sample_token(&row, &params).expect("a token")
    })
}

fn sampler(params: SamplerParams) -> Way {
    let (row, mut sampler) = (row(2), Sampler::new(12));
    Way::alike("sampler", of(&SampleRequest::new(&row, params)), move || {
        sampler.sample(&row, &params).expect("a token")
    })
}

fn ranges(params: SamplerParams) -> Way {
    let (row, mut sampler) = (row(3), Sampler::new(13));
    let range = |first, last| TokenRange { first, last };
    let ranges = [range(30, 99), range(2, 9), range(5, 12), range(20, 20)];
    let expected = of(&SampleRequest { ranges: &ranges, ..SampleRequest::new(&row, params) });
    Way::alike("ranges", expected, move || {
        sampler.sample_ranges(&row, &ranges, &params).expect("a token")
    })
}

/// Several rows in turn, each with its own generator.
fn rows(params: SamplerParams) -> Way {
    let mut rows: Vec<_> = (0..4).map(|i| (row(40 + i), Sampler::new(140 + i as u32))).collect();
    let expected = rows.iter().map(|(row, _)| of(&SampleRequest::new(row, params))).collect();
    let mut turn = 0;
    let draw = move || {
        turn = (turn + 1) % rows.len();
        let (row, sampler) = &mut rows[turn];
        (turn, sampler.sample(row, &params).expect("a token"))
    };
    Way { name: "rows", expected, draw: Box::new(draw) }
}

fn request(params: SamplerParams) -> Way {
    fn asked(row: &[f32], params: SamplerParams) -> SampleRequest<'_> {
        SampleRequest {
            banned: &[7, 8],
            history: &[1, 2, 30, 2],
            penalty_window: -1,
            repetition_penalty: 1.3,
            frequency_penalty: 0.2,
            presence_penalty: 0.1,
            min_p: 0.02,
            keep_id: Some(20),
            ..SampleRequest::new(row, params)
        }
    }
    let (row, mut sampler) = (row(5), Sampler::new(15));
    let expected = of(&asked(&row, params));
    Way::alike("request", expected, move || {
        sampler.sample_request(&asked(&row, params)).expect("a token").token as u32
    })
}

/// A chain of the S2 rule and a draw.
fn chain(params: SamplerParams) -> Way {
    let (row, mut chain) = (row(7), Chain::new());
    for stage in [Stage::s2(params), Stage::dist(17)] {
        chain.add(stage).expect("memory");
    }
    Way::alike("chain of the S2 rule", of(&SampleRequest::new(&row, params)), move || {
        chain.sample(&row).expect("a token")
    })
}

/// A bias, a temperature and the best k: the probabilities are the softmax of what these leave.
fn other_chain(params: SamplerParams) -> Way {
    const K: usize = 12;
    let (row, mut chain) = (row(8), Chain::new());
    let stages = [
        Stage::logit_bias(&[(9, 1.5)]),
        Stage::temperature(params.temperature),
        Ok(Stage::top_k(K as i32)),
        Ok(Stage::dist(18)),
    ];
    for stage in stages {
        chain.add(stage.expect("parameters in range")).expect("memory");
    }
    let mut exps: Vec<f64> =
        row.iter().map(|l| f64::from(if l.is_nan() { f32::MIN } else { *l })).collect();
    exps[9] += 1.5;
    exps.iter_mut().for_each(|l| *l = (*l / f64::from(params.temperature)).exp());
    let mut falling = exps.clone();
    falling.sort_by(|a, b| b.total_cmp(a));
    exps.iter_mut().for_each(|e| *e = if *e < falling[K - 1] { 0.0 } else { *e });
    let sum: f64 = exps.iter().sum();
    let expected = exps.iter().map(|e| e / sum).collect();
    Way::alike("chain of filters", expected, move || chain.sample(&row).expect("a token"))
}

/// An utterance of five semantic tokens and an end, which redraws by `config`. A condition is what the last
/// two tokens were, and `redraws` whether a token is drawn again under it.
fn utterance(
    name: &'static str,
    params: SamplerParams,
    second: SamplerParams,
    config: StreamConfig,
    redraws: impl Fn([u32; 2], u32) -> bool,
) -> Way {
    const FIRST: u32 = 10;
    const END: u32 = 15;
    // Flat, so that top_p leaves several of the few.
    let row: Vec<f32> = row(6).iter().map(|l| 0.2 * l).collect();
    let range = |first: u32, last: u32| TokenRange { first: first as i32, last: last as i32 };
    let allowed = [range(FIRST, END)];
    let config =
        StreamConfig { semantic_first: 10, semantic_last: 14, end_id: END as i32, ..config };
    let distribution =
        |params| of(&SampleRequest { ranges: &allowed, ..SampleRequest::new(&row, params) });
    let (once, again) = (distribution(params), distribution(second));
    let count = END - FIRST + 1;
    let expected = (0..count * count).map(|condition| {
        let said = [FIRST + condition / count, FIRST + condition % count];
        let is_again = |id: u32| id != END && redraws(said, id);
        let moved: f64 = (0..N as u32).filter(|id| is_again(*id)).map(|id| once[id as usize]).sum();
        let kept = |id: u32| if is_again(id) { 0.0 } else { once[id as usize] };
        (0..N as u32).map(|id| kept(id) + moved * again[id as usize]).collect()
    });
    let expected = expected.collect();
    let mut stream = Stream::new(Sampler::new(16), &config).expect("a stream");
    let mut slow = move || stream.slow(&row, &params, true).expect("a token");
    let mut said = [slow(), slow()];
    let draw = move || {
        let condition = (said[0] - FIRST) * count + said[1] - FIRST;
        said = [said[1], slow()];
        (condition as usize, said[1])
    };
    Way { name, expected, draw: Box::new(draw) }
}

fn window(params: SamplerParams) -> Way {
    let config = StreamConfig { ras_window: 2, ..StreamConfig::default() };
    let second = SamplerParams { temperature: 1.0, top_p: 0.9, top_k: params.top_k };
    utterance("RAS, any hit", params, second, config, |said, id| said.contains(&id))
}

fn always_twice(params: SamplerParams) -> Way {
    let config = StreamConfig {
        ras_mode: RasMode::Share,
        ras_tau: 0.0,
        ras_temperature: 2.0,
        ..StreamConfig::default()
    };
    let second = SamplerParams { temperature: 2.0, top_p: f32::NAN, top_k: 0 };
    utterance("RAS, share", params, second, config, |_, _| true)
}

fn codebook(params: SamplerParams) -> Way {
    let config = StreamConfig { semantic_last: 9, ..StreamConfig::default() };
    let row = row(7);
    let mut stream = Stream::new(Sampler::new(17), &config).expect("a stream");
    Way::alike("codebook", of(&SampleRequest::new(&row, params)), move || {
        stream.fast(&row, &params).expect("a token")
    })
}

#[test]
fn frequencies_of_every_way() {
    for params in SETS {
        let mut ways = ways(params);
        let each = match scale() {
            Scale::Exhaustive => EXHAUSTIVE,
            Scale::Full => DRAWS / ways.len(),
            // More than the draws in which `a_bias_is_seen`.
            Scale::Quick => DRAWS / 2 / ways.len(),
        } / SETS.len();
        for way in &mut ways {
            let never = way.expected.iter().flatten().filter(|p| **p <= 0.0).count();
            assert!(never > 1, "{}: every token may come", way.name);
            way.check(each).unwrap_or_else(|why| panic!("{why}, {params:?}"));
        }
    }
}

/// The first draws of seeds, among `cells` equal tokens: for each seed the first, the second and the third.
fn first_draws(seeds: std::ops::Range<u32>, cells: usize) -> [Vec<u32>; 3] {
    let (row, mut all) = (vec![0.0; cells], [const { Vec::new() }; 3]);
    for seed in seeds {
        let mut sampler = Sampler::new(seed);
        for nth in &mut all {
            nth.push(sampler.sample(&row, &SETS[1]).expect("a token"));
        }
    }
    all
}

fn histogram(cells: usize, tokens: impl IntoIterator<Item = usize>) -> Vec<u64> {
    let mut counts = vec![0; cells];
    tokens.into_iter().for_each(|token| counts[token] += 1);
    counts
}

fn uniform(cells: usize, tokens: impl IntoIterator<Item = usize>) -> Result<(), String> {
    fit(&[vec![1.0 / cells as f64; cells]], &[histogram(cells, tokens)])
}

/// The draws of seeds that follow upon another: each uniform, and with its neighbour.
fn consecutive_seeds(cells: usize, tokens: &[u32]) -> Result<(), String> {
    uniform(cells, tokens.iter().map(|token| *token as usize))?;
    let pairs = tokens.chunks_exact(2);
    uniform(cells * cells, pairs.map(|pair| pair[0] as usize * cells + pair[1] as usize))?;
    let numbers: Vec<f64> = tokens.iter().map(|token| f64::from(*token)).collect();
    (1..4).try_for_each(|apart| uncorrelated(&numbers, &numbers[apart..]))
}

#[test]
fn first_draws_of_consecutive_seeds() {
    const SEEDS: u32 = 100_000;
    for first in [0, u32::MAX - SEEDS] {
        for (nth, tokens) in first_draws(first..first + SEEDS, 40).iter().enumerate() {
            consecutive_seeds(40, tokens)
                .unwrap_or_else(|why| panic!("draw {nth} of the seeds from {first}: {why}"));
        }
    }
}

/// Many draws of a seed, as numbers.
fn stream_of(seed: u32) -> Vec<f64> {
    let row: Vec<f32> = vec![0.0; 100];
    let mut sampler = Sampler::new(seed);
    (0..50_000).map(|_| f64::from(sampler.sample(&row, &SETS[1]).expect("a token"))).collect()
}

/// Whether two streams have nothing to do with each other, also if one is ahead.
fn unlike(a: &[f64], b: &[f64]) -> Result<(), String> {
    for lag in 0..4 {
        uncorrelated(&a[lag..], b)?;
        uncorrelated(a, &b[lag..])?;
    }
    Ok(())
}

#[test]
fn streams_of_neighbouring_seeds() {
    let seeds = [0, 1, 2, 42, 0x7fff_ffff, u32::MAX];
    for seed in seeds {
        let stream = stream_of(seed);
        for neighbour in [seed.wrapping_add(1), seed ^ 0x8000_0000] {
            unlike(&stream, &stream_of(neighbour))
                .unwrap_or_else(|why| panic!("seeds {seed} and {neighbour}: {why}"));
        }
        uncorrelated(&stream, &stream[1..]).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}

/// The tests themselves: each sees the bias that it is there for, in fewer draws than those above.
mod a_bias_is_seen {
    use super::*;

    /// As `frequencies_of_every_way`, with one draw in `every` changed, told that and the one before.
    fn with(every: usize, change: impl Fn(u32, u32) -> u32 + Copy + 'static) {
        for mut way in ways(SETS[0]) {
            let (mut draw, mut random, mut before) = (way.draw, SplitMix(1), 0);
            way.draw = Box::new(move || {
                let (condition, token) = draw();
                let changed = if random.below(every) == 0 { change(token, before) } else { token };
                before = token;
                (condition, changed)
            });
            assert!(way.check(30_000).is_err(), "{}", way.name);
        }
    }

    #[test]
    fn lower_ids_preferred_in_one_draw_of_five() {
        with(5, |token, before| token.min(before));
    }

    #[test]
    fn an_excluded_token_once_in_a_thousand() {
        with(1_000, |_, _| 3);
    }

    #[test]
    fn draws_that_are_too_regular() {
        let mut turn = 0;
        let mut way = Way::alike("in turn", vec![0.02; 50], move || {
            turn = (turn + 1) % 50;
            turn
        });
        assert!(way.check(10_000).is_err());
    }

    #[test]
    fn first_draws_that_follow_the_seed() {
        let [fair, ..] = first_draws(0..50_000, 40);
        let counted: Vec<u32> = (0..50_000).map(|seed| seed % 40).collect();
        let halves: Vec<u32> = fair.iter().map(|token| token / 2 * 2).collect();
        // Uniform, but each is its neighbour's.
        let twins: Vec<u32> = (0..fair.len()).map(|i| fair[i / 2 * 2]).collect();
        for biased in [counted, halves, twins] {
            assert!(consecutive_seeds(40, &biased).is_err());
        }
        assert!(uniform(40, vec![0; 1000]).is_err());
    }

    #[test]
    fn streams_that_share_a_draw_in_twenty() {
        let (a, b) = (stream_of(1), stream_of(2));
        let shared = |lag: usize| -> Vec<f64> {
            (0..b.len()).map(|i| if i % 20 == 0 { a[(i + lag) % a.len()] } else { b[i] }).collect()
        };
        assert!(unlike(&a, &b).is_ok());
        for lag in 0..4 {
            assert!(unlike(&a, &shared(lag)).is_err(), "lag {lag}");
        }
        assert!(unlike(&a, &a).is_err() && unlike(&a, &vec![1.0; a.len()]).is_err());
    }
}
