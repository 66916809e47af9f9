//! How a text writes a stage: its name and parameters with their defaults. Programs that read chains as
//! text need no list of stages.

use super::Stage;
use super::stages::FORMS;
use crate::Error;

/// The form of one stage.
#[derive(Debug, Clone, Copy)]
pub struct StageForm {
    /// [`Stage::name`].
    pub name: &'static str,
    /// The parameters in their order.
    pub parameters: &'static [Parameter],
    /// Makes the stage from one value for each parameter.
    pub build: fn(&[Value]) -> Result<Stage, Error>,
}

impl StageForm {
    /// The forms of all stages.
    pub const ALL: &'static [Self] = FORMS;
}

/// A parameter: its name and its default. Without a default it is required.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter {
    /// Any number.
    Float(&'static str, Option<f32>),
    /// A whole number.
    Int(&'static str, Option<i32>),
    /// A whole number, not negative.
    Count(&'static str, Option<usize>),
    /// The seed of a generator. The reader of the text knows the default.
    Seed(&'static str),
    /// Any number of tokens, each with its bias.
    Biases,
    /// Any number of lists of tokens.
    Breakers,
    /// Any number of ids or other whole numbers, the last parameter.
    Tokens(&'static str),
    /// Any number of biases, each with a list of tokens.
    SequenceBiases,
}

/// The value of a [`Parameter`], of the variant with the same name.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Float(f32),
    Int(i32),
    Count(usize),
    Seed(u32),
    Biases(Vec<(i32, f32)>),
    Breakers(Vec<Vec<i32>>),
    Tokens(Vec<i32>),
    SequenceBiases(Vec<(f32, Vec<i32>)>),
}
