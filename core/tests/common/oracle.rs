//! The contract once more, slow and obvious, sharing nothing with the library.

use s2sampler_core::{Error, SamplerParams};
use std::collections::VecDeque;

/// MT19937 as the C++ standard defines it.
#[derive(Clone)]
pub struct Mt19937 {
    state: [u32; 624],
    next: usize,
    /// How many words were taken.
    pub words: u64,
    /// A caller's numbers in place of the words, and whether they ran out.
    pub given: Option<VecDeque<f64>>,
    pub ran_out: bool,
}

impl Mt19937 {
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; 624];
        for i in 1..624 {
            let previous = state[i - 1];
            let mixed = previous ^ (previous >> 30);
            state[i] = mixed.wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { state, next: 624, words: 0, given: None, ran_out: false }
    }

    pub fn next_u32(&mut self) -> u32 {
        self.words += 1;
        if self.next == 624 {
            for i in 0..624 {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + 397) % 624] ^ (y >> 1) ^ odd;
            }
            self.next = 0;
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// The caller's next number, below 1; some number once they have run out.
    fn next_given(&mut self) -> Option<f64> {
        let next = self.given.as_mut()?.pop_front();
        self.ran_out |= next.is_none();
        Some(next.unwrap_or(0.5).min(1.0_f64.next_down()))
    }

    /// The float in [0, 1) made of one output, or of the caller's number.
    pub fn float(&mut self) -> f32 {
        let two_32 = 2.0_f64.powi(32);
        let u = match self.next_given() {
            Some(u) => u,
            None => f64::from(self.next_u32()) / two_32,
        };
        (u as f32).min(1.0_f32.next_down())
    }

    /// The double in [0, 1) made of two outputs, the first the low half.
    pub fn uniform(&mut self) -> f64 {
        if let Some(u) = self.next_given() {
            return u;
        }
        let two_32 = 2.0_f64.powi(32);
        let low = f64::from(self.next_u32());
        let high = f64::from(self.next_u32());
        ((low + high * two_32) / 2.0_f64.powi(64)).min(1.0_f64.next_down())
    }
}

/// What one draw must give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// A status where no logit is above -inf, as calls with a handle have it.
    pub token: Result<u32, Error>,
    pub words: u64,
    /// Candidates left by top_k and top_p.
    pub kept: usize,
}

/// A row in rank order, with the running sums that top_p is compared with (rules 2 and 4).
pub struct Ranked {
    pub ids: Vec<u32>,
    pub logits: Vec<f32>,
    pub running: Vec<f32>,
}

/// Ranks all tokens of a row that is not empty.
pub fn rank(row: &[f32]) -> Ranked {
    let number = |l: f32| if l.is_nan() { f32::NEG_INFINITY } else { l };
    let mut order: Vec<(u32, f32)> = (0..).zip(row.iter().map(|&l| number(l))).collect();
    order.sort_by(|a, b| b.1.partial_cmp(&a.1).expect("no NaN is left").then(a.0.cmp(&b.0)));
    let (ids, logits): (Vec<u32>, Vec<f32>) = order.into_iter().unzip();

    let e: Vec<f32> = logits.iter().map(|l| (l - logits[0]).exp()).collect();
    let total = sum(&e);
    let mut c = 0.0_f32;
    let mut running = Vec::new();
    for e in e {
        c += if total > 0.0 { e / total } else { e };
        running.push(c);
    }
    Ranked { ids, logits, running }
}

impl Ranked {
    /// One draw (rules 3 to 10).
    pub fn draw(&self, params: &SamplerParams, mt: &mut Mt19937) -> Drawn {
        let kept = self.kept(params);
        if self.logits[0] == f32::NEG_INFINITY {
            return Drawn { token: Err(Error::NoCandidate), words: 0, kept };
        }
        let alone = Drawn { token: Ok(self.ids[0]), words: 0, kept };
        if params.temperature <= 0.0 || kept == 1 {
            return alone;
        }
        // Rule 10: the row gives its answer without a distribution, the words are used all the same.
        if self.logits[0].is_infinite() {
            mt.uniform();
            return Drawn { words: 2, ..alone };
        }
        let weights = weights(&self.logits[..kept], params.temperature);
        if sum(&weights) <= 0.0 {
            return alone;
        }
        Drawn { token: Ok(self.ids[discrete(&weights, mt.uniform())]), words: 2, kept }
    }

    /// Candidates left by top_k and top_p (rules 3 and 5).
    pub fn kept(&self, params: &SamplerParams) -> usize {
        let n = self.ids.len();
        let k = if params.top_k > 0 { n.min(params.top_k as usize) } else { n };
        // A NaN stays NaN, and nothing is greater than it.
        let p = params.top_p.clamp(0.0, 1.0);
        (0..n).find(|&i| i >= k || (i > 0 && self.running[i] > p)).unwrap_or(n)
    }
}

/// Rule 8: the weights of candidates in rank order.
pub fn weights(logits: &[f32], t: f32) -> Vec<f32> {
    let weight = |l: f32| {
        if t.is_nan() {
            f32::from(u8::from(l == logits[0]))
        } else if t == f32::INFINITY {
            f32::from(u8::from(l > f32::NEG_INFINITY))
        } else {
            ((l - logits[0]) / t).exp()
        }
    };
    let mut w: Vec<f32> = logits.iter().map(|&l| weight(l)).collect();
    let first = sum(&w);
    if first > 0.0 {
        w.iter_mut().for_each(|w| *w /= first);
    }
    let second = sum(&w);
    if second > 0.0 || second.is_nan() {
        w.iter_mut().for_each(|w| *w /= second);
    }
    w
}

/// Rule 9: what `std::discrete_distribution` does with these weights and this uniform.
pub fn discrete(weights: &[f32], u: f64) -> usize {
    let total: f64 = weights.iter().fold(0.0, |s, &w| s + f64::from(w));
    let mut c = 0.0_f64;
    let mut running = Vec::new();
    for &w in weights {
        c += f64::from(w) / total;
        running.push(c);
    }
    running[weights.len() - 1] = 1.0;
    // "Not below": a lower bound over NaN sums stays at the first index.
    let found = running.partition_point(|&c| c < u);
    let positive = (0..=found).rev().find(|&i| weights[i] > 0.0);
    positive.unwrap_or(found)
}

fn sum(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |s, v| s + v)
}
