//! A chain of stages, applied to a row of logits in the order they were added.
//!
//! `stage` is a stage of any kind, `stages` has the kinds, `ops` their operations. They work on `candidates`,
//! in the memory of `scratch`. `exps` is the softmax that several stages need, `preset` has the known chains.
//! `request` is a draw with every option and result, `state` a saved chain. `trace` and `observed` show a pass to
//! a report, `form` says how a text writes a stage.

mod candidates;
mod exps;
mod form;
mod observed;
mod ops;
mod preset;
mod request;
mod scratch;
mod stage;
mod stages;
mod state;
mod token;
mod trace;

pub use form::{Parameter, StageForm, Value};
pub(crate) use observed::{Observed, ObservedChain, counted};
pub use preset::{Preset, PresetParams};
pub use request::{
    ChainProbability, ChainRequest, ChainResult, ChainToken, GroupProbability, TokenLogProb,
};
pub use stage::Stage;
pub use stages::{CandidateArray, CustomStage};
pub use stages::{DistMethod, DistOptions, DistOrder, DistSums};
pub use token::TokenData;
pub(crate) use trace::Step;

use crate::draw::check_row_len;
use crate::row_counts::{RowCounts, count_special};
use crate::simd::{Kernels, SimdLevel};
use crate::{Error, memory};
use candidates::Candidates;
use ops::StageOps;
use request::RequestMemory;
use scratch::Memory;

/// Stages that are applied one after the other, each to the candidates that the one before left.
///
/// A draw depends only on the stages, their seeds, the rows and the tokens accepted so far. A call that
/// returns an error accepts no token. It uses no random word either, except that after [`Error::OutOfMemory`]
/// stages may have used some.
#[derive(Debug)]
pub struct Chain {
    stages: Vec<Stage>,
    memory: Memory,
    request: RequestMemory,
}

/// The result of [`Chain::apply`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// The number of candidates left, which are the first of the array.
    pub len: usize,
    /// The place of the selected candidate, if a stage selects.
    pub selected: Option<usize>,
    /// Whether the candidates are in rank order.
    pub sorted: bool,
}

/// The result of [`Chain::sample_with_stats`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainSample {
    /// The token drawn.
    pub token: u32,
    /// The number of NaN logits in the row.
    pub nans: usize,
    /// The number of +inf logits in the row.
    pub infinities: usize,
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

impl Chain {
    /// A chain without stages. Stages that draw have seeds of their own.
    #[must_use]
    pub fn new() -> Self {
        Self {
            stages: Vec::new(),
            memory: Memory::new(Kernels::chosen()),
            request: RequestMemory::default(),
        }
    }

    /// As [`Sampler::with_simd_level`](crate::Sampler::with_simd_level): this chain at `level`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_simd_level(mut self, level: SimdLevel) -> Option<Self> {
        self.memory = Memory::new(Kernels::at(level)?);
        Some(self)
    }

    /// Adds a stage at the end; returns its index.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn add(&mut self, stage: Stage) -> Result<usize, Error> {
        memory::reserve(&mut self.stages, 1)?;
        self.stages.push(stage);
        Ok(self.stages.len() - 1)
    }

    /// Makes room for `more` stages, so that adding them cannot fail.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn reserve(&mut self, more: usize) -> Result<(), Error> {
        memory::reserve(&mut self.stages, more)
    }

    /// Removes a stage. The stages after it move up.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no such stage.
    pub fn remove(&mut self, index: usize) -> Result<(), Error> {
        if index >= self.stages.len() {
            return Err(Error::BadArgument);
        }
        self.stages.remove(index);
        Ok(())
    }

    /// Moves the stage at `from` so that its index is `to`. The stages between move by one.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no such stage or place.
    pub fn move_stage(&mut self, from: usize, to: usize) -> Result<(), Error> {
        if from.max(to) >= self.stages.len() {
            return Err(Error::BadArgument);
        }
        if from < to {
            self.stages[from..=to].rotate_left(1);
        } else {
            self.stages[to..=from].rotate_right(1);
        }
        Ok(())
    }

    /// Puts the stage at `from` in the place of the one at `index`, which is removed. The stages after `from`
    /// move up.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no such stage, or both are the same.
    pub fn replace(&mut self, from: usize, index: usize) -> Result<(), Error> {
        if from == index || from.max(index) >= self.stages.len() {
            return Err(Error::BadArgument);
        }
        self.stages.swap(from, index);
        self.stages.remove(from);
        Ok(())
    }

    /// The stages in their order.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Applies the stages to the row, and accepts the selected token.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] for a row without tokens, [`Error::BadArgument`] for more than `i32::MAX`,
    /// [`Error::NoSelection`] if no stage selects, [`Error::NoCandidate`] if no candidate is above -inf
    /// when a stage selects, [`Error::OutOfMemory`].
    pub fn sample(&mut self, logits: &[f32]) -> Result<u32, Error> {
        check_row_len(logits.len())?;
        if !self.stages.iter().any(Stage::selects) {
            return Err(Error::NoSelection);
        }
        // Before the draw, so that a failed allocation never loses a token.
        self.prepare()?;
        let mut candidates = Candidates::row(logits, &mut self.memory);
        candidates.needs_probs = needs_probs(&self.stages);
        pass(&mut self.stages, &mut candidates)?;
        let token = selected(&mut self.stages, &candidates)?;
        active(&mut self.stages).for_each(|stage| stage.accept(token));
        u32::try_from(token).map_err(|_| Error::Internal)
    }

    /// As [`Chain::sample`], and counts the NaN and +inf of the row, which reads it once more.
    ///
    /// # Errors
    /// Those of [`Chain::sample`].
    pub fn sample_with_stats(&mut self, logits: &[f32]) -> Result<ChainSample, Error> {
        let token = self.sample(logits)?;
        let RowCounts { nans, infinities } = count_special(logits);
        Ok(ChainSample { token, nans, infinities })
    }

    /// Applies the stages to an array of candidates. Those left are moved to its front. No token is
    /// accepted.
    ///
    /// `sorted` says that the array is in rank order: falling logit, equal logits by rising id. It is not
    /// verified.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] for an empty array; [`Error::NoCandidate`] if no candidate is above -inf when a
    /// stage selects, and [`Error::OutOfMemory`]: after these two the array is not as before.
    pub fn apply(&mut self, tokens: &mut [TokenData], sorted: bool) -> Result<Applied, Error> {
        if tokens.is_empty() {
            return Err(Error::EmptyRow);
        }
        self.prepare()?;
        let mut candidates = Candidates::array(tokens, sorted, &mut self.memory);
        candidates.needs_probs = needs_probs(&self.stages) || leaves_probs(&self.stages);
        pass(&mut self.stages, &mut candidates)?;
        candidates.finish()
    }

    /// Records a token that was drawn elsewhere or by [`Chain::apply`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; then no stage accepted the token.
    pub fn accept(&mut self, token: i32) -> Result<(), Error> {
        self.prepare()?;
        active(&mut self.stages).for_each(|stage| stage.accept(token));
        Ok(())
    }

    /// Forgets the accepted tokens and restarts the generators of the stages from their seeds.
    pub fn reset(&mut self) {
        self.stages.iter_mut().for_each(|stage| stage.ops_mut().reset());
    }

    /// The seed of a stage's generator.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there is no such stage or it has no generator.
    pub fn seed(&self, index: usize) -> Result<u32, Error> {
        self.stages.get(index).and_then(|stage| stage.ops().seed()).ok_or(Error::BadArgument)
    }

    /// Restarts a stage's generator from another seed, to which [`Chain::reset`] then returns.
    ///
    /// # Errors
    /// Those of [`Chain::seed`].
    pub fn reseed(&mut self, index: usize, seed: u32) -> Result<(), Error> {
        self.seed(index)?;
        self.stages.get_mut(index).ok_or(Error::BadArgument)?.ops_mut().reseed(seed);
        Ok(())
    }

    /// A copy in the same state, which continues identically. Working memory is not copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut stages = Vec::new();
        memory::reserve(&mut stages, self.stages.len())?;
        for stage in &self.stages {
            stages.push(stage.try_clone()?);
        }
        let memory = Memory::new(self.memory.scratch.kernels);
        Ok(Self { stages, memory, request: RequestMemory::default() })
    }

    fn prepare(&mut self) -> Result<(), Error> {
        active(&mut self.stages).try_for_each(StageOps::prepare)
    }
}

/// The stages that are not off. A stage that is off is never called, so it remembers nothing.
fn active(stages: &mut [Stage]) -> impl Iterator<Item = &mut dyn StageOps> {
    stages.iter_mut().map(Stage::ops_mut).filter(|stage| !stage.is_off())
}

/// Whether a stage needs the probabilities that `softmax` freezes, see [`StageOps::needs_probs`].
fn needs_probs(stages: &[Stage]) -> bool {
    stages.iter().map(Stage::ops).any(|stage| stage.needs_probs() && !stage.is_off())
}

/// Whether the caller of [`Chain::apply`] sees probabilities that other stages than the selecting one write.
fn leaves_probs(stages: &[Stage]) -> bool {
    let mut selecting = stages.iter().map(Stage::ops).filter(|stage| stage.selects());
    !selecting.find(|stage| !stage.is_off()).is_some_and(StageOps::writes_probs)
}

/// Applies the stages up to the first that selects. An error leaves their states as they were.
fn pass(stages: &mut [Stage], candidates: &mut Candidates<'_>) -> Result<(), Error> {
    let done = active(stages).try_for_each(|stage| match candidates.selected {
        None => stage.apply(candidates),
        Some(_) => Ok(()),
    });
    if done.is_err() {
        active(stages).for_each(StageOps::restore);
    }
    done
}

/// The selected token. Without one the states of the stages are as before the pass.
fn selected(stages: &mut [Stage], candidates: &Candidates<'_>) -> Result<i32, Error> {
    let token = candidates.token();
    if token.is_none() {
        // A stage of the caller's own may say that it selects, and then not do it.
        active(stages).for_each(StageOps::restore);
    }
    token.ok_or(Error::NoSelection)
}

/// A parameter that is not NaN.
fn not_nan(parameter: f32) -> Result<f32, Error> {
    if parameter.is_nan() { Err(Error::BadArgument) } else { Ok(parameter) }
}

/// A parameter that is neither NaN nor infinite.
fn finite(parameter: f32) -> Result<f32, Error> {
    if parameter.is_finite() { Ok(parameter) } else { Err(Error::BadArgument) }
}
