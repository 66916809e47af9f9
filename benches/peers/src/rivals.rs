//! Samplers in Rust: this library, candle's, llm-samplers', and what one writes in an afternoon.

use crate::peer::{Peer, Row};
use candle_transformers::generation::{LogitsProcessor, Sampling};
use llm_samplers::prelude::*;
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::rngs::StdRng;
use s2sampler_core::SamplerParams;

pub struct Own(s2sampler_core::Sampler, SamplerParams);

impl Own {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        Self(s2sampler_core::Sampler::new(seed), params)
    }
}

impl Peer for Own {
    fn name(&self) -> &'static str {
        "s2sampler"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        self.0.sample(&row.logits, &self.1).expect("a token")
    }
}

pub struct Candle(LogitsProcessor);

impl Candle {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        let (temperature, p) = (f64::from(params.temperature), f64::from(params.top_p));
        let sampling = match params.top_k {
            _ if temperature <= 0.0 => Sampling::ArgMax,
            k @ 1.. => Sampling::TopKThenTopP { k: k as usize, p, temperature },
            _ => Sampling::TopP { p, temperature },
        };
        Self(LogitsProcessor::from_sampling(u64::from(seed), sampling))
    }
}

impl Peer for Candle {
    fn name(&self) -> &'static str {
        "candle"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        self.0.sample(&row.tensor).expect("a token")
    }
}

pub struct LlmSamplers(SamplerChain, SimpleSamplerResources);

impl LlmSamplers {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        let mut chain = SamplerChain::new();
        if params.temperature <= 0.0 {
            chain += SampleGreedy::new();
        } else {
            if params.top_k > 0 {
                chain += SampleTopK::new(params.top_k as usize, 1);
            }
            chain += SampleTopP::new(params.top_p, 1);
            chain += SampleTemperature::new(params.temperature);
            chain += SampleRandDistrib::new();
        }
        let random =
            <rand_08::rngs::StdRng as rand_08::SeedableRng>::seed_from_u64(u64::from(seed));
        Self(chain, SimpleSamplerResources::new(Some(Box::new(random)), None))
    }
}

impl Peer for LlmSamplers {
    fn name(&self) -> &'static str {
        "llm-samplers"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        let mut logits = Logits::try_from_iter(row.logits.iter().copied()).expect("no NaN");
        self.0.sample_token(&mut self.1, &mut logits).expect("a draw").expect("a token")
    }
}

/// Select the k best, sort them, softmax, cut at p, rand's weighted index.
pub struct Naive(SamplerParams, StdRng);

impl Naive {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        Self(params, StdRng::seed_from_u64(u64::from(seed)))
    }
}

impl Peer for Naive {
    fn name(&self) -> &'static str {
        "naive Rust"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        let SamplerParams { temperature, top_p, top_k } = self.0;
        let logits = &row.logits;
        let best_first = |a: &u32, b: &u32| logits[*b as usize].total_cmp(&logits[*a as usize]);
        if temperature <= 0.0 {
            let largest = (0..logits.len() as u32).min_by(best_first);
            return largest.expect("a row");
        }
        let mut ids: Vec<u32> = (0..logits.len() as u32).collect();
        if top_k > 0 && (top_k as usize) < ids.len() {
            ids.select_nth_unstable_by(top_k as usize, best_first);
            ids.truncate(top_k as usize);
        }
        ids.sort_unstable_by(best_first);
        let top = logits[ids[0] as usize];
        let exp = |t: f32| move |id: &u32| ((logits[*id as usize] - top) / t).exp();
        let sum: f32 = ids.iter().map(exp(1.0)).sum();
        let mut running = 0.0;
        let kept = ids.iter().map(exp(1.0)).take_while(|e| {
            let before = running;
            running += e / sum;
            before < top_p
        });
        let kept = kept.count();
        ids.truncate(kept.max(1));
        let weights = WeightedIndex::new(ids.iter().map(exp(temperature))).expect("weights");
        ids[weights.sample(&mut self.1)]
    }
}
