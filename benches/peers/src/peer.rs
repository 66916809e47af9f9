//! What is timed, and how.

use crate::clock::thread_ns;
use candle_core::{Device, Tensor};
use std::hint::black_box;
use std::time::Instant;

const LEAST_BATCH_NS: f64 = 1.5e6;

/// A row, also in the form that candle's models leave it in.
pub struct Row {
    pub logits: Vec<f32>,
    pub tensor: Tensor,
}

impl Row {
    pub fn new(logits: Vec<f32>) -> Self {
        let tensor = Tensor::from_slice(&logits, logits.len(), &Device::Cpu).expect("a tensor");
        Self { logits, tensor }
    }
}

/// A sampler with its parameters and its generator.
pub trait Peer {
    fn name(&self) -> &'static str;

    fn draw(&mut self, row: &Row) -> u32;

    /// Nanoseconds for one draw, over the rows in turn, after a turn that warms the caches.
    fn batch_ns(&mut self, rows: &[Row]) -> f64 {
        let turns = turns(rows, |row| {
            black_box(self.draw(row));
        });
        let start = thread_ns();
        for _ in 0..turns {
            for row in rows {
                black_box(self.draw(row));
            }
        }
        (thread_ns() - start) / (turns * rows.len()) as f64
    }
}

/// How many turns make a batch that is long enough, from one turn and one call more.
pub fn turns(rows: &[Row], mut call: impl FnMut(&Row)) -> usize {
    let mut guess = f64::INFINITY;
    for row in rows.iter().chain(&rows[..1]) {
        let start = Instant::now();
        call(row);
        guess = guess.min(start.elapsed().as_nanos().max(10) as f64);
    }
    1 + (LEAST_BATCH_NS / guess) as usize / rows.len()
}
