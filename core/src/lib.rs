//! Picks the next token from a row of logits: top-k and top-p over the softmax of the whole row, then
//! temperature, then one draw with an MT19937. For a given seed the tokens are exactly those of a
//! sampler that sorts the row; the cost is about that of reading it.
//!
//! ```
//! use s2sampler_core::{Sampler, SamplerParams};
//!
//! let logits = [1.0, 3.0, 2.5, 2.0];
//! let params = SamplerParams { top_p: 0.95, ..SamplerParams::default() };
//! let mut sampler = Sampler::new(42);
//! let tokens: Vec<u32> =
//!     (0..5).map(|_| sampler.sample(&logits, &params)).collect::<Result<_, _>>()?;
//! assert!(tokens.iter().all(|token| (*token as usize) < logits.len()));
//!
//! // The same seed and rows give the same tokens.
//! let mut again = Sampler::new(42);
//! assert!(tokens.iter().all(|token| again.sample(&logits, &params) == Ok(*token)));
//! # Ok::<(), s2sampler_core::Error>(())
//! ```
//!
//! [`sample_token`] draws with the thread's generator, [`Sampler`] with a generator of its own.
//! [`Sampler::sample_ranges`] masks without a copy of the row, and [`Sampler::sample_request`] has every
//! option and returns the probabilities. [`Stream`] is one utterance of a speech engine. [`Chain`]
//! applies stages in any order, a [`CustomStage`] of your own among them, and [`Chain::sample_request`] has
//! every option. [`Report`] shows what each stage did.
//!
//! `include/s2sampler.h`, the C interface over the same code, is also the manual: the steps of a draw with
//! their arithmetic, special values and random words, and the differences from samplers with the same names
//! elsewhere.
//!
//! # How it is built
//!
//! Start with `rules`, then `draw`. Each module uses those above it:
//!
//! - `rules`: each rule of sampling once, as a pure function, with its formula and source.
//! - `rng`: the MT19937 generator, its saved state, and the fork check.
//! - `simd`: the loops over a row, for each instruction set, and the choice of one.
//! - `select`: the first ranks of a row without sorting it.
//! - `draw`: the steps of one draw. `draw::nucleus` finds how many candidates are left and proves it with
//!   bounds of the softmax normaliser, from `draw::normalizer`.
//! - `sampler`, `request`, `thread_sampler`: a draw with its generator and working memory. `stream`: the loop
//!   of a speech engine around a sampler.
//! - `chain`: candidates that stages change one after the other. A stage that only cuts uses `select` and
//!   `draw::nucleus` as well.
//! - `report`: a chain run once more, stage by stage, with the probabilities before and after.
//!
//! `error`, `memory`, `params`, `id_mask`, `row_counts`, `float_order`, `saved` and `sequential_sum` are small helpers
//! for all.

mod chain;
mod draw;
mod error;
mod float_order;
mod id_mask;
mod memory;
mod params;
mod report;
mod request;
mod rng;
mod row_counts;
mod rules;
mod sampler;
mod saved;
mod select;
mod sequential_sum;
mod simd;
mod stream;
mod thread_rng;
mod thread_sampler;

pub use chain::{
    Applied, CandidateArray, Chain, ChainSample, CustomStage, Preset, PresetParams, Stage,
    TokenData,
};
pub use chain::{
    ChainProbability, ChainRequest, ChainResult, ChainToken, GroupProbability, TokenLogProb,
};
pub use chain::{DistMethod, DistOptions, DistOrder, DistSums};
/// For programs that read chains as text.
#[doc(hidden)]
pub use chain::{Parameter, StageForm, Value};
#[doc(hidden)]
pub use draw::ResolutionCounts;
pub use error::Error;
pub use id_mask::TokenRange;
/// For the C interface, which must not abort on allocation failure either.
#[doc(hidden)]
pub use memory::reserve;
pub use params::SamplerParams;
pub use report::{CandidateReport, Report, StageReport, report_draw};
pub use request::{SampleRequest, SampleResult, SampledToken, TokenProbability};
pub use rng::random_seed;
pub use row_counts::{RowCounts, count_special};
pub use sampler::Sampler;
pub use simd::SimdLevel;
pub use stream::{RasMode, Stream, StreamConfig};
pub use thread_sampler::{sample_token, sample_token_first, seed_thread};
