//! Mirostat 1 (Basu et al. 2021, "Mirostat: a neural text decoding algorithm that directly controls
//! perplexity"), as llama.cpp computes it: a number of candidates, from Zipf's law, that follows the surprise of
//! the drawn tokens.

use super::{TryClone, float_draw};
use crate::chain::candidates::Candidates;
use crate::chain::finite;
use crate::chain::form::{Parameter, Value};
use crate::chain::observed::{Observed, Threshold};
use crate::chain::ops::StageOps;
use crate::rng;
use crate::rng::Generator;
use crate::rules::maths;
use crate::saved::{Reader, Writer};
use crate::{Error, Stage, TokenData};
use core::fmt::{self, Write};

#[derive(Debug, Clone)]
pub(in crate::chain) struct Mirostat {
    tau: f32,
    eta: f32,
    m: i32,
    /// The limit of surprise, in bits.
    mu: f32,
    /// The limit of the last pass.
    limit: f32,
    generator: Generator,
}

impl Stage {
    /// Selects a token among the best, whose number follows from a limit of surprise and the exponent of the
    /// distribution, estimated from the first `m` ranks. Each draw moves the limit by `eta` times the
    /// difference between the surprise of the token and `tau`, in bits.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a number is not finite, or `m` below 2.
    pub fn mirostat(seed: u32, tau: f32, eta: f32, m: i32) -> Result<Self, Error> {
        if m < 2 {
            return Err(Error::BadArgument);
        }
        let (tau, eta) = (finite(tau)?, finite(eta)?);
        let (mu, generator) = (2.0 * tau, Generator::new(seed));
        Ok(Mirostat { tau, eta, m, mu, limit: mu, generator }.into())
    }
}

impl Mirostat {
    pub(super) const PARAMETERS: &[Parameter] = &[
        Parameter::Seed("SEED"),
        Parameter::Float("TAU", Some(5.0)),
        Parameter::Float("ETA", Some(0.1)),
        Parameter::Int("M", Some(100)),
    ];

    pub(super) fn build(values: &[Value]) -> Result<Stage, Error> {
        match values {
            [Value::Seed(seed), Value::Float(tau), Value::Float(eta), Value::Int(m)] => {
                Stage::mirostat(*seed, *tau, *eta, *m)
            }
            _ => Err(Error::BadArgument),
        }
    }

    /// How many of the ranks stay. `all` is the size of the vocabulary.
    ///
    /// With s the exponent of Zipf's law: `k = ((s - 1) * 2^mu / (1 - all^-(s - 1)))^(1 / s)`. One stays where
    /// that is no number, as for a single candidate, or no `i32`.
    fn kept(&self, ranks: &[TokenData], all: usize) -> usize {
        let (mut products, mut squares) = (0.0_f32, 0.0_f32);
        for (i, pair) in ranks.windows(2).take(self.m as usize - 1).enumerate() {
            let t = maths::lnf((i + 2) as f32 / (i + 1) as f32);
            let b = maths::lnf(pair[0].p / pair[1].p);
            products += t * b;
            squares += t * t;
        }
        let s = products / squares;
        let above_one = s - 1.0;
        let base =
            above_one * maths::powf(2.0, self.mu) / (1.0 - maths::powf(all as f32, -above_one));
        let k = maths::powf(base, 1.0 / s);
        // llama.cpp converts to int, which C leaves undefined for other numbers; on x86 it gives the smallest.
        if k < 2_147_483_648.0 { (k as usize).max(1) } else { 1 }
    }
}

impl TryClone for Mirostat {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl StageOps for Mirostat {
    fn describe(&self, out: &mut dyn Write) -> fmt::Result {
        let Self { tau, eta, m, mu, generator, .. } = self;
        write!(out, "tau {tau}, eta {eta}, m {m}, seed {}, mu {mu}", generator.seed())
    }

    fn save(&self, out: &mut Writer<'_>) {
        out.u32(self.generator.seed());
        out.f32(self.tau);
        out.f32(self.eta);
        out.i32(self.m);
        out.f32(self.mu);
        rng::put(&self.generator, out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        self.mu = from.f32()?;
        self.generator = rng::take(from)?;
        Ok(())
    }

    fn selects(&self) -> bool {
        true
    }

    fn writes_probs(&self) -> bool {
        true
    }

    fn apply(&mut self, candidates: &mut Candidates<'_>) -> Result<(), Error> {
        self.limit = self.mu;
        let all = candidates.first_len;
        if candidates.list_float_probs(self.m as usize)? {
            let kept = self.kept(candidates.listed(), all);
            candidates.keep_settled(kept)?;
        } else {
            candidates.keep_top_k(usize::MAX)?;
            float_draw::softmax(candidates)?;
            let (list, _) = candidates.as_list()?;
            let kept = self.kept(list.tokens(), all);
            list.truncate(kept);
        }
        // Once more, since fewer are left.
        float_draw::softmax(candidates)?;
        let place = float_draw::draw(candidates, &mut self.generator)?;
        let (list, _) = candidates.as_list()?;
        let drawn = list.tokens().get(place).map_or(1.0, |token| token.p);
        self.mu -= self.eta * (-maths::log2f(drawn) - self.tau);
        candidates.selected = Some(place);
        Ok(())
    }

    fn reset(&mut self) {
        self.mu = 2.0 * self.tau;
        self.reseed(self.generator.seed());
    }

    fn seed(&self) -> Option<u32> {
        Some(self.generator.seed())
    }

    fn reseed(&mut self, seed: u32) {
        self.generator = Generator::new(seed);
    }

    fn threshold(&self, _seen: &Observed<'_>) -> Option<Threshold> {
        Threshold::new(self.limit, "bits")
    }
}
