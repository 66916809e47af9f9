//! The generation loop of the S2 engine over a toy model, whatever draws its tokens.

use super::golden::Fields;
use super::toy::Toy;
use s2sampler_core::{SamplerParams, Stream, StreamConfig, TokenRange};
use std::collections::VecDeque;

/// The size of the window in which a repeated main token is drawn once more.
const RAS_WINDOW: usize = 10;

/// One line of `engine_loop.tsv` or `s2_loop.tsv`: a model, how to run it, and the codes of every frame.
pub struct Run {
    pub seed: u32,
    pub codes: Vec<Vec<u32>>,
    pub params: SamplerParams,
    toy: Toy,
    codebooks: usize,
    min_tokens_before_end: usize,
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
        // The fields are read in the order in which the file has them.
        let (vocab, semantic) = (fields.parse(), fields.parse()..=fields.parse());
        let (im_end, codebooks, codebook_size) = (fields.parse(), fields.parse(), fields.parse());
        let (seed, scale, hot) = (fields.parse(), fields.float(), fields.float());
        let (params, min_tokens_before_end) = (fields.params(), fields.parse());
        let (stop_after, max_new_tokens) = (fields.parse(), fields.parse());
        let toy = Toy { vocab, semantic, im_end, codebook_size, seed, scale, hot, stop_after };
        let (seed, end_redraws) = (fields.parse(), fields.last());
        Self {
            seed,
            codes,
            params,
            toy,
            codebooks,
            min_tokens_before_end,
            max_new_tokens,
            end_redraws,
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
        let codes = if frames == "-" { vec![] } else { frames.split(',').map(codes).collect() };
        let (im_end, codebooks, codebook_size) = (fields.parse(), fields.parse(), fields.parse());
        let (seed, scale, hot) = (fields.parse(), fields.float(), fields.float());
        // The engine's own mapping: no greedy draw, and top_k 1 for 0 and less.
        let SamplerParams { temperature, top_p, top_k } = fields.params();
        let params =
            SamplerParams { temperature: temperature.max(1e-5), top_p, top_k: top_k.max(1) };
        let (stop_after, max_new_tokens) = (fields.parse(), fields.parse());
        let semantic = first..=last;
        let toy = Toy { vocab, semantic, im_end, codebook_size, seed, scale, hot, stop_after };
        let (seed, min_tokens_before_end, end_redraws) = (fields.parse(), 0, None);
        let run = Self {
            seed,
            codes,
            params,
            toy,
            codebooks,
            min_tokens_before_end,
            max_new_tokens,
            end_redraws,
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
        let mut through = Through::new(stream, self, self.toy.codebook_size);
        let frames = self.frames(&mut through);
        (frames, through.end_redraws)
    }

    /// As audio.cpp's loop, which does not clamp codes: these, and how often a second draw gave the main token.
    pub fn fish_frames(&self, stream: &mut Stream) -> (Vec<Vec<u32>>, usize) {
        let mut through = Through::new(stream, self, self.toy.vocab);
        let frames = self.frames(&mut through);
        (frames, through.redraws)
    }

    /// The stream's part of the model's description.
    pub fn config(&self) -> StreamConfig {
        StreamConfig {
            semantic_first: *self.toy.semantic.start() as i32,
            semantic_last: *self.toy.semantic.end() as i32,
            end_id: self.toy.im_end as i32,
            continues_after_redrawn_end: self.end_redraws.is_some(),
            ..StreamConfig::default()
        }
    }

    fn frames(&self, tokens: &mut impl Tokens) -> Vec<Vec<u32>> {
        let mut model = self.toy.begin();
        let mut frames = Vec::new();
        for step in 0..self.max_new_tokens {
            let end_allowed = step >= self.min_tokens_before_end;
            let Some((main, first)) = tokens.main(&model.slow_row(), end_allowed) else {
                break;
            };
            let mut codes = vec![first];
            while codes.len() < self.codebooks {
                codes.push(tokens.code(&model.fast_row(&codes)));
            }
            model.feed(main, &codes);
            frames.push(codes);
        }
        frames
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
        let Run { toy: toy @ Toy { semantic, im_end, .. }, params, .. } = self.run;
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
        (!ends).then_some((main, toy.code(main)))
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
        let (params, end) = (run.params, run.toy.im_end);
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
