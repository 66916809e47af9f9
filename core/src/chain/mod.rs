//! A chain of stages in an order of one's own, from a row of logits to a token.
//!
//! `stage` is a stage of any kind, `stages` has the kinds, `rule` is what each of them can do. They work on
//! `candidates`: a `row` until something is cut, a `list` from then on; `ranks` is the way from one to
//! the other. `softmax` and `spread` are sums that several stages need, `tools` is memory, `preset` has
//! chains that are known, `trace` shows a pass to a report.

mod candidates;
mod list;
mod preset;
mod ranks;
mod row;
mod rule;
mod softmax;
mod stage;
mod stages;
mod token;
mod tools;
mod trace;

pub use preset::{Preset, PresetParams};
pub use stage::Stage;
pub use token::TokenData;
pub(crate) use trace::{Setting, Step};

use crate::draw::check_row_len;
use crate::simd::{Kernels, SimdLevel};
use crate::{Error, memory};
use candidates::Candidates;
use tools::Tools;

/// Stages that are applied one after the other, each to what the one before left.
///
/// A draw depends on nothing but the stages, their seeds, the rows and the tokens accepted so far.
#[derive(Debug)]
pub struct Chain {
    stages: Vec<Stage>,
    tools: Tools,
    seed: u32,
}

/// What [`Chain::apply`] left of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// The number of candidates left, which are the first of the array.
    pub len: usize,
    /// The place of the one that was selected, if a stage selects.
    pub selected: Option<usize>,
    /// Whether they are in rank order.
    pub sorted: bool,
}

impl Chain {
    /// A chain without stages. The seed is that of a preset's draw, and for [`Chain::seed`] to tell.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self { stages: Vec::new(), tools: Tools::new(Kernels::chosen()), seed }
    }

    /// As [`Sampler::with_simd_level`](crate::Sampler::with_simd_level): this chain at `level`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_simd_level(mut self, level: SimdLevel) -> Option<Self> {
        self.tools = Tools::new(Kernels::at(level)?);
        Some(self)
    }

    /// The seed it was made with.
    #[must_use]
    pub fn seed(&self) -> u32 {
        self.seed
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

    /// Removes a stage; those after it move up.
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

    /// The stages in their order.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Applies the stages to the row, and accepts the token that is selected.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] for a row without tokens, [`Error::BadArgument`] for more than `i32::MAX`,
    /// [`Error::NoSelection`] if no stage selects, [`Error::OutOfMemory`].
    pub fn sample(&mut self, logits: &[f32]) -> Result<u32, Error> {
        check_row_len(logits.len())?;
        if !self.stages.iter().any(|stage| stage.rule().selects()) {
            return Err(Error::NoSelection);
        }
        // Before anything is drawn: the token is not to be lost for lack of memory.
        self.prepare()?;
        let mut candidates = Candidates::row(logits, &mut self.tools);
        pass(&mut self.stages, &mut candidates)?;
        let token = candidates.token().ok_or(Error::Internal)?;
        candidates.finish();
        self.stages.iter_mut().for_each(|stage| stage.rule_mut().accept(token));
        u32::try_from(token).map_err(|_| Error::Internal)
    }

    /// Applies the stages to an array of candidates: those left are moved to its front. Nothing is
    /// accepted.
    ///
    /// `sorted` says that the array is in rank order already; it is believed where it is true.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] for an empty array, [`Error::OutOfMemory`].
    pub fn apply(&mut self, tokens: &mut [TokenData], sorted: bool) -> Result<Applied, Error> {
        if tokens.is_empty() {
            return Err(Error::EmptyRow);
        }
        self.prepare()?;
        let mut candidates = Candidates::array(tokens, sorted, &mut self.tools);
        pass(&mut self.stages, &mut candidates)?;
        let list = candidates.listed().ok_or(Error::Internal)?;
        let (len, sorted) = (list.tokens().len(), list.sorted);
        Ok(Applied { len, selected: candidates.selected, sorted })
    }

    /// Tells the stages that a token was drawn, elsewhere or by [`Chain::apply`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; no stage took the token in then.
    pub fn accept(&mut self, token: i32) -> Result<(), Error> {
        self.prepare()?;
        self.stages.iter_mut().for_each(|stage| stage.rule_mut().accept(token));
        Ok(())
    }

    /// Forgets what was accepted, and seeds the generators of the stages anew.
    pub fn reset(&mut self) {
        self.stages.iter_mut().for_each(|stage| stage.rule_mut().reset());
    }

    /// A copy in the same state, which continues alike; working memory is not copied.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut stages = Vec::new();
        memory::reserve(&mut stages, self.stages.len())?;
        for stage in &self.stages {
            stages.push(stage.try_clone()?);
        }
        Ok(Self { stages, tools: Tools::new(self.tools.kernels), seed: self.seed })
    }

    fn prepare(&mut self) -> Result<(), Error> {
        self.stages.iter_mut().try_for_each(|stage| stage.rule_mut().prepare())
    }
}

/// Applies the stages up to the first that selects; where one fails, no random word was used.
fn pass(stages: &mut [Stage], candidates: &mut Candidates<'_, '_>) -> Result<(), Error> {
    let mut rules = stages.iter_mut().map(Stage::rule_mut).filter(|rule| !rule.is_off());
    let done = rules.try_for_each(|rule| match candidates.selected {
        None => rule.apply(candidates),
        Some(_) => Ok(()),
    });
    if done.is_err() {
        stages.iter_mut().for_each(|stage| stage.rule_mut().undo());
    }
    done
}

/// A parameter that is not NaN.
fn number(parameter: f32) -> Result<f32, Error> {
    if parameter.is_nan() { Err(Error::BadArgument) } else { Ok(parameter) }
}

/// A parameter that is neither NaN nor infinite.
fn finite(parameter: f32) -> Result<f32, Error> {
    if parameter.is_finite() { Ok(parameter) } else { Err(Error::BadArgument) }
}
