//! How a text writes a stage: its name and parameters with their defaults. Programs that read chains as
//! text need no list of stages.

use super::Stage;
use super::stages::FORMS;
use crate::Error;
use crate::memory::reserve;
use crate::saved::Reader;

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

impl Parameter {
    /// Reads a value from a saved state.
    pub(super) fn read(&self, from: &mut Reader<'_>) -> Result<Value, Error> {
        Ok(match self {
            Self::Float(..) => Value::Float(from.f32()?),
            Self::Int(..) => Value::Int(from.i32()?),
            Self::Count(..) => Value::Count(from.count()?),
            Self::Seed(_) => Value::Seed(from.u32()?),
            Self::Biases => {
                let mut biases = Vec::new();
                for _ in 0..from.items(8)? {
                    reserve(&mut biases, 1)?;
                    biases.push((from.i32()?, from.f32()?));
                }
                Value::Biases(biases)
            }
            Self::Breakers => {
                let mut breakers = Vec::new();
                for _ in 0..from.items(8)? {
                    reserve(&mut breakers, 1)?;
                    breakers.push(from.list()?);
                }
                Value::Breakers(breakers)
            }
            Self::Tokens(_) => Value::Tokens(from.list()?),
            Self::SequenceBiases => {
                let mut biases = Vec::new();
                for _ in 0..from.items(12)? {
                    reserve(&mut biases, 1)?;
                    biases.push((from.f32()?, from.list()?));
                }
                Value::SequenceBiases(biases)
            }
        })
    }
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
