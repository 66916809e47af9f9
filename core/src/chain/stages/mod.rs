//! The stages, one file for each: parameters and their checks, what the stage does and remembers, what a
//! report says about it, and how a text writes it. The list below is the only one.

mod breakers;
mod dist;
mod dry;
mod epsilon_cutoff;
mod greedy;
mod history;
mod logit_bias;
mod min_p;
mod mirostat_v2;
mod penalties;
mod s2;
mod s2_first;
mod softmax;
mod temperature;
mod temperature_ext;
mod top_k;
mod top_n_sigma;
mod top_p;
mod typical;
mod xtc;

pub use dist::{DistMethod, DistOptions, DistOrder, DistSums};

use super::Stage;
use super::form::StageForm;
use super::ops::StageOps;
use crate::Error;
use core::ffi::CStr;

macro_rules! stages {
    ($($name:literal => $module:ident::$kind:ident,)*) => {
        /// An enum, not `Box<dyn StageOps>`: `Box::new` aborts if allocation fails.
        #[derive(Debug)]
        pub(super) enum StageKind {
            $($kind($module::$kind),)*
        }

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
                }
            };
        }

        impl StageKind {
            pub(super) fn c_name(&self) -> &'static CStr {
                match self {
                    $(Self::$kind(_) => $name,)*
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
    c"penalties" => penalties::Penalties,
    c"top_k" => top_k::TopK,
    c"top_p" => top_p::TopP,
    c"min_p" => min_p::MinP,
    c"epsilon_cutoff" => epsilon_cutoff::EpsilonCutoff,
    c"typical" => typical::Typical,
    c"top_n_sigma" => top_n_sigma::TopNSigma,
    c"xtc" => xtc::Xtc,
    c"temperature" => temperature::Temperature,
    c"temperature_ext" => temperature_ext::TemperatureExt,
    c"dry" => dry::Dry,
    c"mirostat_v2" => mirostat_v2::MirostatV2,
    c"s2" => s2::S2,
    c"s2_first" => s2_first::S2First,
    c"softmax" => softmax::Softmax,
    c"greedy" => greedy::Greedy,
    c"dist" => dist::Dist,
}

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
