//! What every setting did to a row's candidates, without a draw.
//!
//! `builder` follows a pass of a chain over the row, with `shares` of the probability in double. `warnings`
//! says where a setting does nothing or too much. `text` makes texts without aborting, `json` writes the whole
//! report as one.

mod builder;
mod json;
mod shares;
mod text;
mod warnings;

use crate::{Chain, Error, SamplerParams, Stage};

/// What the stages of a chain did to the candidates of a row.
///
/// The candidates counted are those above -inf, and one if there is none. After the S2 rule they are
/// those of its draw, which at -inf count too, as [`SampleResult::candidates`](crate::SampleResult) does.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The tokens of the row.
    pub tokens: usize,
    /// How many of the logits are NaN.
    pub nans: usize,
    /// How many are +inf.
    pub infinities: usize,
    /// The entropy of the row's softmax, in nats.
    pub entropy: f64,
    /// The index of the stage that selects, which ends the pass.
    pub selecting: Option<usize>,
    /// The stages in their order, those included that never run.
    pub stages: Vec<StageReport>,
    /// The first tokens by rank in the row as it came.
    pub candidates: Vec<CandidateReport>,
    /// In words, where a setting has no effect or too much.
    pub warnings: Vec<String>,
}

/// What one stage did.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// [`Stage::name`].
    pub name: &'static str,
    /// Its parameters with their names.
    pub parameters: String,
    /// Whether its parameters say that it does nothing.
    pub off: bool,
    /// The candidates before it.
    pub before: usize,
    /// Those it left; of `greedy` one.
    pub after: usize,
    /// The share of the probability in the row as it came that the candidates left have.
    pub raw_mass: f64,
    /// The share of the probability before the stage that they have.
    pub kept_mass: f64,
    /// The entropy of what is left, in nats.
    pub entropy: f64,
    /// Where it cut, if it does such a thing.
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
    /// The sum of these from the first rank to this one.
    pub running: f64,
    /// The index of the stage that dropped it; none too for a token that is at -inf in the row.
    pub dropped_by: Option<usize>,
    /// Its logit after the last stage that it came to.
    pub final_logit: f32,
    /// The probability with which it is selected; if no stage selects, its share of what is left.
    pub final_probability: f64,
}

impl Chain {
    /// Tells what the stages would do to the row, and of the `first` tokens by rank what becomes of
    /// them. Nothing is drawn and nothing changes.
    ///
    /// It reads the row a few times for each stage, sorts what a draw sorts and the `first` tokens, and needs
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
