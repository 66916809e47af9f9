//! The toy model of the golden data: rows that depend on everything it was fed.

use super::rows::{SplitMix, bell};
use std::ops::RangeInclusive;

/// What makes a model.
pub struct Toy {
    pub vocab: usize,
    pub semantic: RangeInclusive<u32>,
    pub im_end: u32,
    pub codebook_size: usize,
    pub seed: u64,
    pub scale: f32,
    pub hot: f32,
    pub stop_after: u64,
}

/// A hash of all that the model was fed, and the number of frames.
pub struct Model<'a> {
    toy: &'a Toy,
    h: u64,
    steps: u64,
}

impl Toy {
    pub fn begin(&self) -> Model<'_> {
        Model { toy: self, h: self.seed, steps: 0 }
    }

    /// The code of a main token.
    pub fn code(&self, main: u32) -> u32 {
        main.saturating_sub(*self.semantic.start()).min(self.codebook_size as u32 - 1)
    }
}

impl Model<'_> {
    /// The row of the next main token, without a mask.
    pub fn slow_row(&self) -> Vec<f32> {
        let toy = self.toy;
        let mut row = bell(toy.vocab, toy.scale, self.h);
        for j in 0..4 {
            row[*toy.semantic.start() as usize + 11 * j] += toy.hot + 0.25 * j as f32;
        }
        if self.steps >= toy.stop_after {
            row[toy.im_end as usize] = 30.0;
        }
        row
    }

    /// The row of the code that follows those chosen.
    pub fn fast_row(&self, codes: &[u32]) -> Vec<f32> {
        let f = codes.iter().fold(self.h, |f, &c| SplitMix(f ^ (u64::from(c) + 1)).next());
        bell(self.toy.codebook_size, self.toy.scale, f)
    }

    pub fn feed(&mut self, main: u32, codes: &[u32]) {
        for &value in [main].iter().chain(codes) {
            self.h = SplitMix(self.h ^ u64::from(value)).next();
        }
        self.steps += 1;
    }
}
