//! The stages, one file for each: parameters and their checks, what the stage does and remembers, what a
//! report says about it, and how a text writes it. The list below is the only one. No text writes a stage of
//! the caller's own.

mod adaptive_p;
mod bitmask;
mod breakers;
mod custom;
mod cutoff;
mod dist;
mod dry;
mod epsilon_cutoff;
mod eta_cutoff;
mod float_draw;
mod greedy;
mod history;
mod logit_bias;
mod min_p;
mod min_tokens;
mod mirostat;
mod mirostat_v2;
mod no_repeat_ngram;
mod penalties;
mod penalty_decay;
mod penalty_each;
mod penalty_run;
mod repeats;
mod s2;
mod s2_first;
mod scale;
mod sequence_bias;
mod smoothing;
mod softmax;
mod tally;
mod temperature;
mod temperature_ext;
mod top_a;
mod top_k;
mod top_k_ties;
mod top_n_sigma;
mod top_p;
mod top_p_exclusive;
mod typical;
mod xtc;
mod xtc_protected;

pub use dist::{DistMethod, DistOptions, DistOrder, DistSums};

use super::Stage;
use super::form::StageForm;
use super::ops::StageOps;
use crate::Error;
use core::ffi::CStr;

macro_rules! stages {
    ($($name:literal => $module:ident::$kind:ident,)*
     without_form: $($other_name:literal => $other_module:ident::$other:ident,)*) => {
        /// An enum, not `Box<dyn StageOps>`: `Box::new` aborts if allocation fails.
        #[derive(Debug)]
        pub(super) enum StageKind {
            $($kind($module::$kind),)*
            $($other($other_module::$other),)*
        }

        $(impl From<$other_module::$other> for Stage {
            fn from(stage: $other_module::$other) -> Self {
                Self(StageKind::$other(stage))
            }
        })*

        $(impl From<$module::$kind> for Stage {
            fn from(stage: $module::$kind) -> Self {
                Self(StageKind::$kind(stage))
            }
        })*

        /// Evaluates an expression with the stage of any kind.
        macro_rules! dispatch {
            ($stage:expr, $any:ident => $value:expr) => {
                match $stage {
                    $(StageKind::$kind($any) => $value,)*
                    $(StageKind::$other($any) => $value,)*
                }
            };
        }

        impl StageKind {
            pub(super) fn c_name(&self) -> &'static CStr {
                match self {
                    $(Self::$kind(_) => $name,)*
                    $(Self::$other(_) => $other_name,)*
                }
            }

            pub(super) fn ops(&self) -> &dyn StageOps {
                dispatch!(self, stage => stage)
            }

            pub(super) fn ops_mut(&mut self) -> &mut dyn StageOps {
                dispatch!(self, stage => stage)
            }

            /// A copy in the same state.
            pub(super) fn try_clone(&self) -> Result<Stage, Error> {
                dispatch!(self, stage => stage.try_clone().map(Stage::from))
            }
        }

        pub(super) const FORMS: &[StageForm] = &[$(StageForm {
            name: text($name),
            parameters: $module::$kind::PARAMETERS,
            build: $module::$kind::build,
        },)*];
    };
}

stages! {
    c"logit_bias" => logit_bias::LogitBias,
    c"sequence_bias" => sequence_bias::SequenceBias,
    c"min_tokens" => min_tokens::MinTokens,
    c"bitmask" => bitmask::Bitmask,
    c"penalties" => penalties::Penalties,
    c"penalty_each" => penalty_each::PenaltyEach,
    c"penalty_run" => penalty_run::PenaltyRun,
    c"penalty_decay" => penalty_decay::PenaltyDecay,
    c"top_k" => top_k::TopK,
    c"top_k_ties" => top_k_ties::TopKTies,
    c"top_p" => top_p::TopP,
    c"top_p_exclusive" => top_p_exclusive::TopPExclusive,
    c"min_p" => min_p::MinP,
    c"top_a" => top_a::TopA,
    c"epsilon_cutoff" => epsilon_cutoff::EpsilonCutoff,
    c"eta_cutoff" => eta_cutoff::EtaCutoff,
    c"typical" => typical::Typical,
    c"top_n_sigma" => top_n_sigma::TopNSigma,
    c"xtc" => xtc::Xtc,
    c"xtc_protected" => xtc_protected::XtcProtected,
    c"temperature" => temperature::Temperature,
    c"scale" => scale::Scale,
    c"smoothing" => smoothing::Smoothing,
    c"temperature_ext" => temperature_ext::TemperatureExt,
    c"dry" => dry::Dry,
    c"no_repeat_ngram" => no_repeat_ngram::NoRepeatNgram,
    c"mirostat" => mirostat::Mirostat,
    c"mirostat_v2" => mirostat_v2::MirostatV2,
    c"adaptive_p" => adaptive_p::AdaptiveP,
    c"s2" => s2::S2,
    c"s2_first" => s2_first::S2First,
    c"softmax" => softmax::Softmax,
    c"greedy" => greedy::Greedy,
    c"dist" => dist::Dist,
    without_form:
    c"custom" => custom::Custom,
}

pub use custom::{CandidateArray, CustomStage};

/// A copy that returns an error if allocation fails.
trait TryClone: Sized {
    fn try_clone(&self) -> Result<Self, Error>;
}

impl<T: Copy> TryClone for T {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(*self)
    }
}

/// The same text without its NUL.
pub(super) const fn text(name: &'static CStr) -> &'static str {
    match name.to_str() {
        Ok(name) => name,
        Err(_) => "",
    }
}
