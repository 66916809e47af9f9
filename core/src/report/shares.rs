//! Shares of the probability, in double.

use crate::{Error, TokenData, memory};

/// The softmax of some candidates, by id.
#[derive(Debug)]
pub(super) struct Shares {
    of: Vec<f64>,
    /// In nats.
    pub entropy: f64,
    /// The two largest shares.
    pub first_two: [f64; 2],
}

impl Shares {
    /// Room for the shares of `tokens` tokens.
    pub(super) fn new(tokens: usize) -> Result<Self, Error> {
        let mut of = Vec::new();
        memory::resize(&mut of, tokens, 0.0)?;
        Ok(Self { of, entropy: 0.0, first_two: [0.0; 2] })
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { of: memory::copy(&self.of)?, ..*self })
    }

    pub(super) fn of(&self, id: i32) -> f64 {
        let place = usize::try_from(id).ok();
        place.and_then(|place| self.of.get(place)).copied().unwrap_or(0.0)
    }

    /// The sum of the shares of `tokens`, at most 1 in spite of rounding.
    pub(super) fn mass<'a>(&self, tokens: impl Iterator<Item = &'a TokenData>) -> f64 {
        tokens.map(|token| self.of(token.id)).sum::<f64>().min(1.0)
    }

    /// Sets the shares to the softmax of `tokens`. Tokens at +inf have equal shares. If no token is above
    /// -inf, every share is 0.
    pub(super) fn set_softmax<'a>(&mut self, tokens: impl Iterator<Item = &'a TokenData> + Clone) {
        let top = tokens.clone().fold(f32::NEG_INFINITY, |top, token| top.max(token.logit));
        let weight = |token: &TokenData| {
            let weight = match top {
                f32::INFINITY => f64::from(u8::from(token.logit == top)),
                f32::NEG_INFINITY => 0.0,
                top => (f64::from(token.logit) - f64::from(top)).exp(),
            };
            (token.id, weight)
        };
        self.set(tokens.map(weight));
    }

    /// Sets the shares in proportion to `weights`. False, and every share 0, if their sum is not positive and
    /// finite.
    pub(super) fn set(&mut self, weights: impl Iterator<Item = (i32, f64)> + Clone) -> bool {
        self.of.fill(0.0);
        self.entropy = 0.0;
        self.first_two = [0.0; 2];
        let sum: f64 = weights.clone().map(|(_, weight)| weight).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return false;
        }
        for (id, weight) in weights {
            let share = weight / sum;
            let place = usize::try_from(id).ok().and_then(|place| self.of.get_mut(place));
            place.into_iter().for_each(|place| *place = share);
            if share > 0.0 {
                self.entropy -= share * share.ln();
            }
            let [first, second] = self.first_two;
            self.first_two = [first.max(share), second.max(share.min(first))];
        }
        true
    }
}
