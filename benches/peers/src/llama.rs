//! llama.cpp's chain: the k best, the nucleus, the temperature, the draw.

use crate::clock::thread_ns;
use crate::peer::{Peer, Row, turns};
use llama_cpp_sys_2::{
    llama_sampler, llama_sampler_apply, llama_sampler_chain_add,
    llama_sampler_chain_default_params, llama_sampler_chain_init, llama_sampler_free,
    llama_sampler_init_dist, llama_sampler_init_greedy, llama_sampler_init_temp,
    llama_sampler_init_top_k, llama_sampler_init_top_p, llama_token_data, llama_token_data_array,
};
use s2sampler_core::SamplerParams;
use std::hint::black_box;

struct Chain {
    chain: *mut llama_sampler,
    array: Vec<llama_token_data>,
}

impl Chain {
    fn new(params: SamplerParams, seed: u32) -> Self {
        // SAFETY: the chain owns what is added to it, and nothing else is passed.
        let chain = unsafe {
            let chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
            if params.temperature <= 0.0 {
                llama_sampler_chain_add(chain, llama_sampler_init_greedy());
            } else {
                if params.top_k > 0 {
                    llama_sampler_chain_add(chain, llama_sampler_init_top_k(params.top_k));
                }
                llama_sampler_chain_add(chain, llama_sampler_init_top_p(params.top_p, 1));
                llama_sampler_chain_add(chain, llama_sampler_init_temp(params.temperature));
                llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
            }
            chain
        };
        Self { chain, array: Vec::new() }
    }

    fn fill(&mut self, row: &Row) {
        let entry = |(id, &logit): (usize, &f32)| llama_token_data { id: id as i32, logit, p: 0.0 };
        self.array.clear();
        self.array.extend(row.logits.iter().enumerate().map(entry));
    }

    fn apply(&mut self) -> u32 {
        let (data, size) = (self.array.as_mut_ptr(), self.array.len());
        let mut array = llama_token_data_array { data, size, selected: -1, sorted: false };
        // SAFETY: the chain lives, and the array has `size` entries.
        unsafe {
            llama_sampler_apply(self.chain, &mut array);
            let selected = usize::try_from(array.selected).expect("a selected token");
            assert!(selected < array.size);
            (*array.data.add(selected)).id as u32
        }
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        // SAFETY: it is not used after this.
        unsafe { llama_sampler_free(self.chain) };
    }
}

/// With the array filled from the logits, as an engine must.
pub struct Filled(Chain);

/// The chain alone, over an array that was filled before.
pub struct ApplyOnly(Chain);

impl Filled {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        Self(Chain::new(params, seed))
    }
}

impl ApplyOnly {
    pub fn new(params: SamplerParams, seed: u32) -> Self {
        Self(Chain::new(params, seed))
    }
}

impl Peer for Filled {
    fn name(&self) -> &'static str {
        "llama.cpp"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        self.0.fill(row);
        self.0.apply()
    }
}

impl Peer for ApplyOnly {
    fn name(&self) -> &'static str {
        "llama.cpp, apply only"
    }

    fn draw(&mut self, row: &Row) -> u32 {
        self.0.fill(row);
        self.0.apply()
    }

    /// The chain reorders the array, so each call has a fresh one and a reading of the clock.
    fn batch_ns(&mut self, rows: &[Row]) -> f64 {
        let turns = turns(rows, |row| {
            black_box(self.draw(row));
        });
        let reading = reading_ns();
        let mut sum = 0.0;
        for _ in 0..turns {
            for row in rows {
                self.0.fill(row);
                let start = thread_ns();
                black_box(self.0.apply());
                sum += thread_ns() - start - reading;
            }
        }
        sum / (turns * rows.len()) as f64
    }
}

/// What reading the clock adds to what stands between two readings.
fn reading_ns() -> f64 {
    let mut all: Vec<f64> = (0..101).map(|_| -(thread_ns() - thread_ns())).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
