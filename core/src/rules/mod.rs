//! The rules of sampling, each once: pure functions over numbers, with formula and source.
//!
//! The plain draw, requests, streams, chains and reports all call these. `select`, `draw::normalizer` and
//! `draw::nucleus` say how to get to the same result without sorting a row.
//!
//! `first` is the rule of the S2 engines' first generations. `rank` has the order of candidates, with NaN as -inf;
//! `penalty`, `nucleus`, `min_p` and `temperature` are the parameters; `expf` is the one exponential; `softmax` the
//! probabilities of chains; `weights`, `discrete`, `inverse_cdf` and `race` make the draw; `ras` decides on a second draw;
//! `entropy` and `std_dev` measure a distribution; `maths` has the other functions of the maths library.

pub(crate) mod discrete;
pub(crate) mod entropy;
pub(crate) mod expf;
pub(crate) mod first;
pub(crate) mod inverse_cdf;
pub(crate) mod maths;
pub(crate) mod min_p;
pub(crate) mod nucleus;
pub(crate) mod penalty;
pub(crate) mod race;
pub(crate) mod rank;
pub(crate) mod ras;
pub(crate) mod softmax;
pub(crate) mod std_dev;
pub(crate) mod temperature;
pub(crate) mod weights;

/// The longest history that RAS or a stage of a chain looks at, in tokens.
pub(crate) const MAX_WINDOW: i32 = 1 << 20;
