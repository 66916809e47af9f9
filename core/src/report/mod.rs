//! What every setting does to a row's candidates, without a draw.
//!
//! `builder` follows a pass of a chain over the row, with `shares` of the probability in double. `warnings`
//! says where a setting does nothing or too much. `text` grows strings without aborting, `json` writes a
//! report as JSON.

mod builder;
mod json;
mod shares;
mod text;
mod warnings;

use crate::{Chain, Error, SamplerParams, Stage};

/// What the stages of a chain did to the candidates of a row.
///
/// Candidates are counted if they are above -inf; if none is, one counts. After the S2 rule candidates at
/// -inf count too, as in [`SampleResult::candidates`](crate::SampleResult).
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The number of tokens in the row.
    pub tokens: usize,
    /// The number of NaN logits.
    pub nans: usize,
    /// The number of +inf logits.
    pub infinities: usize,
    /// The entropy of the row's softmax, in nats.
    pub entropy: f64,
    /// The index of the stage that selects, which ends the pass.
    pub selecting: Option<usize>,
    /// The stages in their order, including those that never run.
    pub stages: Vec<StageReport>,
    /// The first tokens of the row by rank.
    pub candidates: Vec<CandidateReport>,
    /// Sentences about settings without effect, or with too much of it.
    pub warnings: Vec<String>,
}

/// What one stage did.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// [`Stage::name`].
    pub name: &'static str,
    /// Its parameters with their names.
    pub parameters: String,
    /// Whether its parameters turn it off.
    pub off: bool,
    /// The candidates before it.
    pub before: usize,
    /// The candidates after it; 1 for `greedy`.
    pub after: usize,
    /// The total probability of the candidates left, in the softmax of the row.
    pub raw_mass: f64,
    /// Their total probability among the candidates before the stage.
    pub kept_mass: f64,
    /// The entropy of the candidates left, in nats.
    pub entropy: f64,
    /// Where it cut; none for a stage without a threshold.
    pub threshold: Option<f64>,
    /// What the threshold counts: "rank", "running probability", "probability", "mass", "logit",
    /// "temperature" or "bits"; empty without one.
    pub unit: &'static str,
}

/// What became of one token.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateReport {
    /// The token.
    pub id: u32,
    /// Its logit in the row.
    pub logit: f32,
    /// Its probability in the row.
    pub raw_probability: f64,
    /// The sum of the raw probabilities from the first rank to this one.
    pub running: f64,
    /// The index of the stage that dropped it; none if no stage did, or if its logit in the row is -inf.
    pub dropped_by: Option<usize>,
    /// Its logit after the last stage that it reached.
    pub final_logit: f32,
    /// The probability with which it is selected; if no stage selects, its share among the candidates left.
    pub final_probability: f64,
}

impl Chain {
    /// Reports what the stages would do to the row and to its `first` tokens by rank. It draws nothing and
    /// changes nothing.
    ///
    /// It reads the row a few times for each stage, sorts as a draw does, sorts the `first` tokens, and needs
    /// memory for a few copies of the row.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] for a row without tokens, [`Error::BadArgument`] for more than `i32::MAX`,
    /// [`Error::OutOfMemory`].
    pub fn report(&self, logits: &[f32], first: usize) -> Result<Report, Error> {
        builder::report(self, logits, first)
    }
}

/// As [`Chain::report`], for the draw of [`Sampler::sample`](crate::Sampler::sample) with `params`: the
/// stage `s2`, and after it `dist`, whose parameters are empty, since the generator is the caller's.
///
/// # Errors
/// Those of [`Chain::report`].
pub fn report_draw(logits: &[f32], params: &SamplerParams, first: usize) -> Result<Report, Error> {
    let mut chain = Chain::new();
    chain.add(Stage::s2(*params))?;
    chain.add(Stage::dist(0))?;
    let mut report = chain.report(logits, first)?;
    report.stages.iter_mut().skip(1).for_each(|stage| stage.parameters.clear());
    Ok(report)
}
