//! The draw by probability.

use super::TryClone;
use crate::chain::candidates::{Candidates, DrawRule};
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Warnings};
use crate::chain::ops::StageOps;
use crate::chain::scratch::Scratch;
use crate::rng;
use crate::rng::Generator;
use crate::rules::discrete::{discrete_distribution, discrete_in_any_order, double_sum};
use crate::rules::inverse_cdf::{
    inverse_cdf, inverse_cdf_float, inverse_of_mass, inverse_of_mass_float,
};
use crate::rules::race;
use crate::rules::weights::{normalize_after, normalize_twice};
use crate::saved::{Reader, Writer};
use crate::sequential_sum::double;
use crate::{Error, Stage};
use core::fmt::{self, Write};

/// A draw by inversion takes two words however many candidates are left, so that streams that are compared
/// stay aligned. After the S2 rule it is that rule's draw, which takes no word for one candidate.
#[derive(Debug, Clone)]
pub(in crate::chain) struct Dist {
    generator: Generator,
    options: DistOptions,
}

/// How [`Stage::dist_with`] draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DistMethod {
    /// The first candidate whose running sum of weights reaches u times their sum. Takes one number, also for
    /// one candidate. llama.cpp's rule.
    Inversion,
    /// As `std::discrete_distribution` of libstdc++: takes no number for one candidate.
    Discrete,
    /// One number u for each candidate; the largest w / -ln(u) wins.
    ExponentialRace,
    /// One number u for each candidate; the largest l - ln(-ln(u)) wins.
    GumbelRace,
}

/// The order in which [`Stage::dist_with`] takes the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DistOrder {
    /// As the stages before left them.
    List,
    /// By rising id.
    Id,
    /// By falling logit, equal logits by rising id.
    Rank,
}

/// The arithmetic of the sums of [`DistMethod::Inversion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DistSums {
    /// Binary64.
    Double,
    /// Binary32, and so is the random number.
    Float,
}

/// The options of [`Stage::dist_with`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistOptions {
    /// The seed of the stage's generator, which begins in the state of `std::mt19937(seed)`.
    pub seed: u32,
    /// The rule of the draw.
    pub method: DistMethod,
    /// The order of the candidates.
    pub order: DistOrder,
    /// For [`DistMethod::Inversion`].
    pub sums: DistSums,
    /// For [`DistMethod::Inversion`]: below 1, draws from the first `mass` of the probabilities, which are
    /// those of a [`Stage::softmax`] before if they still hold, and are not normalised again.
    pub mass: f32,
}

impl DistOptions {
    /// Those of [`Stage::dist`].
    #[must_use]
    pub const fn new(seed: u32) -> Self {
        Self {
            seed,
            method: DistMethod::Inversion,
            order: DistOrder::List,
            sums: DistSums::Double,
            mass: 1.0,
        }
    }

    fn has_mass(&self) -> bool {
        self.mass < 1.0
    }

    /// Whether a row can be drawn from without its weights. Ids are its order but for a row in rank order.
    fn is_plain_inversion(&self) -> bool {
        let is_inversion = self.method == DistMethod::Inversion && self.sums == DistSums::Double;
        is_inversion && !self.has_mass() && self.order != DistOrder::Id
    }

    /// Whether a draw after the S2 rule is that rule's.
    fn keeps_s2_rule(&self) -> bool {
        let method = matches!(self.method, DistMethod::Inversion | DistMethod::Discrete);
        let plain = self.order == DistOrder::List && self.sums == DistSums::Double;
        method && plain && !self.has_mass()
    }
}

impl Stage {
    /// Selects a token by its probability, with a generator in the state of `std::mt19937(seed)`.
    #[must_use]
    pub fn dist(seed: u32) -> Self {
        Dist::new(DistOptions::new(seed)).into()
    }

    /// As [`Stage::dist`], with options.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if the mass is NaN or below 0, or if [`DistSums::Float`] or a mass below 1 comes
    /// with a method that is not [`DistMethod::Inversion`].
    pub fn dist_with(options: DistOptions) -> Result<Self, Error> {
        let inversion = options.method == DistMethod::Inversion;
        let others = options.sums == DistSums::Double && !options.has_mass();
        if options.mass >= 0.0 && (inversion || others) {
            Ok(Dist::new(options).into())
        } else {
            Err(Error::BadArgument)
        }
    }
}

impl Dist {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Seed("SEED"),
        Parameter::Int("METHOD", Some(0)),
        Parameter::Int("ORDER", Some(0)),
        Parameter::Int("SUMS", Some(0)),
        Parameter::Float("MASS", Some(1.0)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        let [
            Value::Seed(seed),
            Value::Int(method),
            Value::Int(order),
            Value::Int(sums),
            Value::Float(mass),
        ] = values
        else {
            return Err(Error::BadArgument);
        };
        Stage::dist_with(DistOptions {
            seed: *seed,
            method: DistMethod::try_from(*method)?,
            order: DistOrder::try_from(*order)?,
            sums: DistSums::try_from(*sums)?,
            mass: *mass,
        })
    }

    fn new(options: DistOptions) -> Self {
        Self { generator: Generator::new(options.seed), options }
    }

    /// Draws as the options say; the place in the order of the list.
    fn draw(&mut self, candidates: &mut Candidates<'_>) -> Result<usize, Error> {
        let options = self.options;
        let mut u = None;
        if options.is_plain_inversion() && candidates.can_draw_row()? {
            let uniform = candidates.uniform(&mut self.generator)?;
            let by_rank = options.order == DistOrder::Rank;
            if let Some(place) = candidates.draw_row(uniform, by_rank)? {
                return Ok(place);
            }
            u = Some(uniform);
        }
        let has_candidate =
            if options.has_mass() { candidates.weigh_probs() } else { candidates.weigh() };
        if !has_candidate? {
            return Err(Error::NoCandidate);
        }
        let is_moved = match options.order {
            DistOrder::List => false,
            DistOrder::Id => candidates.order(false)?,
            DistOrder::Rank => candidates.order(true)?,
        };
        let (place, sum) = match options.method {
            DistMethod::Inversion => {
                let u = match u {
                    Some(u) => u,
                    None => candidates.uniform(&mut self.generator)?,
                };
                let weights = in_order(candidates.scratch, is_moved);
                match (options.sums, options.has_mass()) {
                    (DistSums::Double, false) => inverse_cdf(weights, u),
                    (DistSums::Float, false) => {
                        let (place, sum) = inverse_cdf_float(weights, u);
                        (place, f64::from(sum))
                    }
                    (DistSums::Double, true) => (inverse_of_mass(weights, u, options.mass), 1.0),
                    (DistSums::Float, true) => {
                        (inverse_of_mass_float(weights, u, options.mass), 1.0)
                    }
                }
            }
            DistMethod::Discrete => {
                let one = candidates.len() < 2;
                let u = if one { 0.0 } else { candidates.uniform(&mut self.generator)? };
                discrete_in_any_order(in_order(candidates.scratch, is_moved), u)
            }
            DistMethod::ExponentialRace | DistMethod::GumbelRace => {
                self.race(candidates, is_moved)?
            }
        };
        candidates.put_weights(sum);
        let order = &candidates.scratch.order;
        let place = if is_moved { order[place] as usize } else { place };
        if options.has_mass() && candidates.wants_weights {
            candidates.weigh_mass(is_moved, options.mass, place);
        }
        Ok(place)
    }

    /// A race; the place in the order of the draw, and the sum of the weights.
    fn race(
        &mut self,
        candidates: &mut Candidates<'_>,
        is_moved: bool,
    ) -> Result<(usize, f64), Error> {
        candidates.as_list()?;
        let mut uniforms = candidates.uniforms;
        let (list, scratch) = candidates.as_list()?;
        let weights = in_order(scratch, is_moved);
        let logit = |index: usize| {
            let place = if is_moved { scratch.order[index] as usize } else { index };
            // Tokens at +inf are equally likely.
            Some(list.tokens()[place].logit).filter(|logit| logit.is_finite()).unwrap_or(0.0)
        };
        let winner = race::winner(weights.len(), |index| {
            let u = uniforms.uniform(&mut self.generator)?;
            let weight = weights[index];
            let score = || match self.options.method {
                DistMethod::GumbelRace => race::gumbel_score(logit(index), u),
                _ => race::exponential_score(weight, u),
            };
            Ok((weight > 0.0).then(score))
        });
        let sum = double_sum(weights, &mut [0.0; double::CHUNK_LEN]);
        candidates.uniforms = uniforms;
        Ok((winner?.ok_or(Error::Internal)?, sum))
    }
}

/// The weights in the order of the draw.
fn in_order(scratch: &Scratch, is_moved: bool) -> &[f32] {
    if is_moved { &scratch.ordered } else { &scratch.weights }
}

macro_rules! numbered {
    ($kind:ident: $($name:ident,)*) => {
        /// By its number in the C interface.
        impl TryFrom<i32> for $kind {
            type Error = Error;
            fn try_from(number: i32) -> Result<Self, Error> {
                let all = [$(Self::$name),*];
                let place = usize::try_from(number).map_err(|_| Error::BadArgument)?;
                all.get(place).copied().ok_or(Error::BadArgument)
            }
        }
    };
}

numbered!(DistMethod: Inversion, Discrete, ExponentialRace, GumbelRace,);
numbered!(DistOrder: List, Id, Rank,);
numbered!(DistSums: Double, Float,);

impl TryClone for Dist {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl StageOps for Dist {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let DistOptions { seed: _, method, order, sums, mass } = self.options;
        write!(out, "seed {}", self.generator.seed())?;
        let named = [
            match method {
                DistMethod::Inversion => None,
                DistMethod::Discrete => Some("std::discrete_distribution"),
                DistMethod::ExponentialRace => Some("exponential race"),
                DistMethod::GumbelRace => Some("Gumbel race"),
            },
            match order {
                DistOrder::List => None,
                DistOrder::Id => Some("id order"),
                DistOrder::Rank => Some("rank order"),
            },
            (sums == DistSums::Float).then_some("binary32 sums"),
        ];
        named.iter().flatten().try_for_each(|name| write!(out, ", {name}"))?;
        if self.options.has_mass() { write!(out, ", mass {mass}") } else { Ok(()) }
    }

    fn save(&self, out: &mut Writer<'_>) {
        let DistOptions { seed: _, method, order, sums, mass } = self.options;
        out.u32(self.generator.seed());
        out.i32(method as i32);
        out.i32(order as i32);
        out.i32(sums as i32);
        out.f32(mass);
        rng::put(&self.generator, out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.generator = rng::take(from)?;
        Ok(())
    }

    fn selects(&self) -> bool {
        true
    }

    fn writes_probs(&self) -> bool {
        true
    }

    fn needs_probs(&self) -> bool {
        self.options.has_mass()
    }

    fn uses_frozen(&self) -> bool {
        self.options.has_mass()
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        let place = match candidates.draw_rule {
            DrawRule::LibstdcxxDiscrete { neg_inf_tail, sum } if self.options.keeps_s2_rule() => {
                if !candidates.weigh()? {
                    return Err(Error::NoCandidate);
                }
                // The S2 rule subtracted the largest logit and divided by the temperature. A stage between
                // may have made another token the largest.
                let count = candidates.len() + neg_inf_tail;
                let u = if count < 2 { 0.0 } else { candidates.uniform(&mut self.generator)? };
                let weights = &mut candidates.scratch.weights;
                let normalized = match sum {
                    None => normalize_twice(weights),
                    Some(sum) => normalize_after(sum, weights),
                };
                let place = if normalized { discrete_distribution(weights, u) } else { 0 };
                candidates.put_weights(1.0);
                place
            }
            _ => self.draw(candidates)?,
        };
        candidates.selected = Some(place);
        Ok(())
    }

    fn reset(&mut self) {
        self.reseed(self.generator.seed());
    }

    fn seed(&self) -> Option<u32> {
        Some(self.generator.seed())
    }

    fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
    }

    fn warn(&self, _seen: &Observed<'_>, _warnings: &mut Warnings<'_>) -> Result<(), Error> {
        Ok(())
    }
}
