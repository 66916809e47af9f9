//! The generation loop of the S2 engine over a toy model, whatever draws its tokens.

use super::golden::Fields;
use super::rows::{SplitMix, bell};
use s2sampler_core::{SamplerParams, Stream, StreamConfig, TokenRange};
use std::collections::VecDeque;

/// The size of the window in which a repeated main token is drawn once more.
const RAS_WINDOW: usize = 10;

/// One line of `engine_loop.tsv` or `s2_loop.tsv`: a model, how to run it, and the codes of every frame.
pub struct Run {
    pub seed: u32,
    pub codes: Vec<Vec<u32>>,
    pub params: SamplerParams,
    vocab: usize,
    semantic: std::ops::RangeInclusive<u32>,
    im_end: u32,
    codebooks: usize,
    codebook_size: usize,
    model_seed: u64,
    scale: f32,
    hot: f32,
    min_tokens_before_end: usize,
    stop_after: u64,
    max_new_tokens: usize,
    /// How many second draws gave the end token, after which this loop goes on; none for a loop that stops.
    pub end_redraws: Option<usize>,
}

impl Run {
    pub fn parse(line: &str) -> Self {
        let (head, frames) = line.split_once('|').expect("codes after a bar");
        let codes = |frame: &str| frame.split(',').map(|c| c.parse().expect("a code")).collect();
        let codes: Vec<Vec<u32>> = frames.split_whitespace().map(codes).collect();
        assert!(!codes.is_empty(), "a run without frames tests nothing");
        let mut fields = Fields::new(head);
        // The fields are read in the order they are written here, which is that of the file.
        Self {
            codes,
            vocab: fields.parse(),
            semantic: fields.parse()..=fields.parse(),
            im_end: fields.parse(),
            codebooks: fields.parse(),
            codebook_size: fields.parse(),
            model_seed: fields.parse(),
            scale: fields.float(),
            hot: fields.float(),
            params: fields.params(),
            min_tokens_before_end: fields.parse(),
            stop_after: fields.parse(),
            max_new_tokens: fields.parse(),
            seed: fields.parse(),
            end_redraws: fields.last(),
        }
    }

    /// A line of `fish_audio.tsv`, and how often RAS asked for a second draw; the first number of a frame is the
    /// main token there.
    pub fn parse_fish(line: &str) -> (Self, usize) {
        let (head, frames) = line.rsplit_once('\t').expect("frames");
        let mut fields = Fields::new(head);
        let (vocab, first, last) = (fields.parse(), fields.parse(), fields.parse());
        let codes = |frame: &str| -> Vec<u32> {
            let mut codes: Vec<u32> =
                frame.split(':').map(|c| c.parse().expect("a number")).collect();
            codes[0] -= first;
            codes
        };
        let run = Self {
            codes: if frames == "-" { vec![] } else { frames.split(',').map(codes).collect() },
            vocab,
            semantic: first..=last,
            im_end: fields.parse(),
            codebooks: fields.parse(),
            codebook_size: fields.parse(),
            model_seed: fields.parse(),
            scale: fields.float(),
            hot: fields.float(),
            params: {
                // The engine's own mapping: no greedy draw, and top_k 1 for 0 and less.
                let SamplerParams { temperature, top_p, top_k } = fields.params();
                SamplerParams { temperature: temperature.max(1e-5), top_p, top_k: top_k.max(1) }
            },
            min_tokens_before_end: 0,
            stop_after: fields.parse(),
            max_new_tokens: fields.parse(),
            seed: fields.parse(),
            end_redraws: None,
        };
        (run, fields.parse())
    }

    /// Runs the loop with `draw` for every token, from masked copies of the rows.
    pub fn generate(&self, mut draw: impl FnMut(&[f32], &SamplerParams) -> u32) -> Vec<Vec<u32>> {
        self.generate_from_ranges(|row, ranges, params| {
            let open = |id| ranges.iter().any(|r| (r.first..=r.last).contains(&id));
            let mut row = row.to_vec();
            for (id, l) in (0..).zip(&mut row) {
                if !ranges.is_empty() && !open(id) {
                    *l = f32::NEG_INFINITY;
                }
            }
            draw(&row, params)
        })
    }

    /// The same without copies: `draw` is told the ranges, which are none where all ids are allowed.
    pub fn generate_from_ranges(
        &self,
        draw: impl FnMut(&[f32], &[TokenRange], &SamplerParams) -> u32,
    ) -> Vec<Vec<u32>> {
        self.frames(&mut OwnLoop { run: self, draw, window: VecDeque::new() })
    }

    /// The codes of a loop that leaves mask, window, RAS and end to a stream.
    pub fn generate_through(&self, stream: &mut Stream) -> Vec<Vec<u32>> {
        self.stream_frames(stream).0
    }

    /// These codes, and how often a second draw gave the end token.
    pub fn stream_frames(&self, stream: &mut Stream) -> (Vec<Vec<u32>>, usize) {
        let mut through = Through::new(stream, self, self.codebook_size);
        let frames = self.frames(&mut through);
        (frames, through.end_redraws)
    }

    /// As audio.cpp's loop, which does not clamp codes: these, and how often a second draw gave the main token.
    pub fn fish_frames(&self, stream: &mut Stream) -> (Vec<Vec<u32>>, usize) {
        let mut through = Through::new(stream, self, self.vocab);
        let frames = self.frames(&mut through);
        (frames, through.redraws)
    }

    /// The stream's part of the model's description.
    pub fn config(&self) -> StreamConfig {
        StreamConfig {
            semantic_first: *self.semantic.start() as i32,
            semantic_last: *self.semantic.end() as i32,
            end_id: self.im_end as i32,
            continues_after_redrawn_end: self.end_redraws.is_some(),
            ..StreamConfig::default()
        }
    }

    fn frames(&self, tokens: &mut impl Tokens) -> Vec<Vec<u32>> {
        let mut model = Model { h: self.model_seed, steps: 0 };
        let mut frames = Vec::new();
        for step in 0..self.max_new_tokens {
            let end_allowed = step >= self.min_tokens_before_end;
            let Some((main, first)) = tokens.main(&self.slow_row(&model), end_allowed) else {
                break;
            };
            let mut codes = vec![first];
            while codes.len() < self.codebooks {
                codes.push(tokens.code(&self.fast_row(&model, &codes)));
            }
            model.feed(main, &codes);
            frames.push(codes);
        }
        frames
    }

    fn slow_row(&self, model: &Model) -> Vec<f32> {
        let mut row = bell(self.vocab, self.scale, model.h);
        for j in 0..4 {
            row[*self.semantic.start() as usize + 11 * j] += self.hot + 0.25 * j as f32;
        }
        if model.steps >= self.stop_after {
            row[self.im_end as usize] = 30.0;
        }
        row
    }

    fn fast_row(&self, model: &Model, codes: &[u32]) -> Vec<f32> {
        let f = codes.iter().fold(model.h, |f, &c| SplitMix(f ^ (u64::from(c) + 1)).next());
        bell(self.codebook_size, self.scale, f)
    }
}

/// What draws the tokens of a frame.
trait Tokens {
    /// The main token with its code; none at the end.
    fn main(&mut self, row: &[f32], end_allowed: bool) -> Option<(u32, u32)>;
    /// A further code.
    fn code(&mut self, row: &[f32]) -> u32;
}

/// RAS and the end as an engine does them itself.
struct OwnLoop<'a, Draw> {
    run: &'a Run,
    draw: Draw,
    window: VecDeque<u32>,
}

impl<Draw: FnMut(&[f32], &[TokenRange], &SamplerParams) -> u32> Tokens for OwnLoop<'_, Draw> {
    fn main(&mut self, row: &[f32], end_allowed: bool) -> Option<(u32, u32)> {
        let Run { semantic, im_end, params, .. } = self.run;
        let range = |first: u32, last: u32| TokenRange { first: first as i32, last: last as i32 };
        let both = [range(*semantic.start(), *semantic.end()), range(*im_end, *im_end)];
        let ranges = &both[..1 + usize::from(end_allowed)];
        let mut main = (self.draw)(row, ranges, params);
        let mut ends = main == *im_end;
        if semantic.contains(&main) && self.window.contains(&main) {
            let redraw = SamplerParams { temperature: 1.0, top_p: 0.9, top_k: params.top_k };
            main = (self.draw)(row, ranges, &redraw);
            ends = main == *im_end && self.run.end_redraws.is_none();
        }
        self.window.push_back(main);
        if self.window.len() > RAS_WINDOW {
            self.window.pop_front();
        }
        let code = main.saturating_sub(*semantic.start());
        (!ends).then_some((main, code.min(self.run.codebook_size as u32 - 1)))
    }

    fn code(&mut self, row: &[f32]) -> u32 {
        (self.draw)(row, &[], &self.run.params)
    }
}

/// All of it left to a stream.
struct Through<'a> {
    stream: &'a mut Stream,
    params: SamplerParams,
    codebook_size: usize,
    end: u32,
    end_redraws: usize,
    redraws: usize,
}

impl<'a> Through<'a> {
    fn new(stream: &'a mut Stream, run: &Run, codebook_size: usize) -> Self {
        let (params, end) = (run.params, run.im_end);
        Self { stream, params, codebook_size, end, end_redraws: 0, redraws: 0 }
    }
}

impl Tokens for Through<'_> {
    fn main(&mut self, row: &[f32], end_allowed: bool) -> Option<(u32, u32)> {
        let token = self.stream.slow(row, &self.params, end_allowed).expect("a token");
        let code = self.stream.code(token, self.codebook_size as u32).expect("codes");
        self.redraws += usize::from(self.stream.was_redrawn());
        self.end_redraws += usize::from(token == self.end && self.stream.was_redrawn());
        (!self.stream.has_ended()).then_some((token, code))
    }

    fn code(&mut self, row: &[f32]) -> u32 {
        self.stream.fast(row, &self.params).expect("a token")
    }
}

/// The toy model: a hash of everything it was fed, and the number of frames it was fed.
struct Model {
    h: u64,
    steps: u64,
}

impl Model {
    fn feed(&mut self, main: u32, codes: &[u32]) {
        for &value in [main].iter().chain(codes) {
            self.h = SplitMix(self.h ^ u64::from(value)).next();
        }
        self.steps += 1;
    }
}
