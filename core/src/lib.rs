//! Picks the next token from a row of logits: top-k and top-p over the softmax of the whole row, then
//! temperature, then one draw of an MT19937, with the very tokens of a sampler that sorts the row, for
//! about the cost of reading it.
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
//! [`sample_token`] draws with the thread's own generator, [`Sampler`] with one that belongs to a
//! request; [`Sampler::sample_ranges`] masks without a copy of the row, [`Sampler::sample_request`] has
//! every option and tells what came of it, [`Stream`] is one utterance of a speech engine. The C
//! interface over the same code is `include/s2sampler.h`, which is also the manual: the steps of a draw
//! with their arithmetic, special values, random words, and where this differs from samplers with the
//! same names elsewhere.
//!
//! # How it is built
//!
//! One direction of use, from the top: `capi` · `report` · `request`, `stream` · `oneshot`, `sampler` ·
//! `thread_state` · `sample`, which has the steps of a draw · `nucleus`, which proves how many candidates
//! are left, and `temper` · `mass`, bounds of the sum over the row · `select`, the first ranks without
//! sorting it · `simd`, `rng` · small things. Where to begin reading: `sample`, then `nucleus`.

mod chain;
mod draw;
mod error;
mod id_mask;
mod memory;
mod normalizer;
mod nucleus;
mod params;
mod report;
mod request;
mod rng;
mod rules;
mod sampler;
mod select;
mod sequential_sum;
mod simd;
mod stream;
mod tempered;
mod thread_rng;
mod thread_sampler;

pub use chain::{Applied, Chain, Preset, PresetParams, Stage, TokenData};
pub use error::Error;
pub use id_mask::TokenRange;
/// For the C interface, which must not abort either.
#[doc(hidden)]
pub use memory::reserve;
pub use params::SamplerParams;
pub use report::{CandidateReport, Report, StageReport, report_draw};
pub use request::{Answer, Likelihood, Request, Response};
pub use sampler::Sampler;
pub use simd::SimdLevel;
pub use stream::{RasMode, Stream, StreamConfig};
pub use thread_sampler::{sample_token, seed_thread};
