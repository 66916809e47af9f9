//! The generation loop of the S2 engine over a toy model, whatever draws its tokens.

use super::golden::Fields;
use super::rows::{SplitMix, bell};
use s2sampler::SamplerParams;
use std::collections::VecDeque;

/// The size of the window in which a repeated main token is drawn once more.
const RAS_WINDOW: usize = 10;

/// One line of `engine_loop.tsv`: a model, how to run it, and the codes of every frame.
pub struct Run {
    pub seed: u32,
    pub codes: Vec<Vec<u32>>,
    vocab: usize,
    semantic: std::ops::RangeInclusive<u32>,
    im_end: u32,
    codebooks: usize,
    codebook_size: usize,
    model_seed: u64,
    scale: f32,
    hot: f32,
    params: SamplerParams,
    min_tokens_before_end: usize,
    stop_after: u64,
    max_new_tokens: usize,
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
        }
    }

    /// Runs the loop with `draw` for every token; the codes of every frame.
    pub fn generate(&self, mut draw: impl FnMut(&[f32], &SamplerParams) -> u32) -> Vec<Vec<u32>> {
        let mut model = Model { h: self.model_seed, steps: 0 };
        let mut window = VecDeque::new();
        let mut frames = Vec::new();
        for step in 0..self.max_new_tokens {
            let row = self.slow_row(&model, step);
            let mut main = draw(&row, &self.params);
            if self.semantic.contains(&main) && window.contains(&main) {
                let redraw =
                    SamplerParams { temperature: 1.0, top_p: 0.9, top_k: self.params.top_k };
                main = draw(&row, &redraw);
            }
            if main == self.im_end {
                break;
            }
            window.push_back(main);
            if window.len() > RAS_WINDOW {
                window.pop_front();
            }
            let first = main.saturating_sub(*self.semantic.start());
            let mut codes = vec![first.min(self.codebook_size as u32 - 1)];
            while codes.len() < self.codebooks {
                codes.push(draw(&self.fast_row(&model, &codes), &self.params));
            }
            model.feed(main, &codes);
            frames.push(codes);
        }
        frames
    }

    fn slow_row(&self, model: &Model, step: usize) -> Vec<f32> {
        let mut row = bell(self.vocab, self.scale, model.h);
        for j in 0..4 {
            row[*self.semantic.start() as usize + 11 * j] += self.hot + 0.25 * j as f32;
        }
        if model.steps >= self.stop_after {
            row[self.im_end as usize] = 30.0;
        }
        let end_allowed = step >= self.min_tokens_before_end;
        for (id, l) in (0..).zip(&mut row) {
            if !(self.semantic.contains(&id) || (id == self.im_end && end_allowed)) {
                *l = f32::NEG_INFINITY;
            }
        }
        row
    }

    fn fast_row(&self, model: &Model, codes: &[u32]) -> Vec<f32> {
        let f = codes.iter().fold(model.h, |f, &c| SplitMix(f ^ (u64::from(c) + 1)).next());
        bell(self.codebook_size, self.scale, f)
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
