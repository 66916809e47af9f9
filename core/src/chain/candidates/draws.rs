//! What stages that draw need of the candidates: random numbers, probabilities, and another order.

use super::Candidates;
use crate::chain::TokenData;
use crate::chain::exps::exps;
use crate::chain::scratch::Scratch;
use crate::draw::RowStats;
use crate::rng::Generator;
use crate::rules::inverse_cdf::within_mass;
use crate::rules::rank::RankKey;
use crate::rules::softmax::probability;
use crate::{Error, memory};

impl Candidates<'_> {
    /// A double in [0, 1) for a stage: the caller's next, or of two words of the stage's `generator`.
    /// [`Error::BadArgument`] if the caller brought too few.
    pub(in crate::chain) fn uniform(&mut self, generator: &mut Generator) -> Result<f64, Error> {
        self.uniforms.uniform(generator)
    }

    /// Puts the exps of the candidates into [`Scratch::weights`]; false if none is above -inf.
    pub(in crate::chain) fn weigh(&mut self) -> Result<bool, Error> {
        self.materialize_ranks()?;
        self.gather()?;
        let top = match &mut self.row {
            Some(row) => row.weigh(self.scratch),
            None => exps(self.scratch.kernels, self.list.logits(), &mut self.scratch.weights),
        };
        Ok(top? > f32::NEG_INFINITY)
    }

    /// Writes [`Scratch::weights`] divided by their `sum` into the list or the array as probabilities. Another row
    /// has none.
    pub(in crate::chain) fn put_weights(&mut self, sum: f64) {
        let tokens = match &mut self.row {
            Some(row) => row.array_mut(),
            None => self.list.tokens_mut(),
        };
        let tokens = tokens.iter_mut().zip(&self.scratch.weights);
        tokens.for_each(|(token, w)| token.p = probability(*w, sum));
    }

    /// As [`Candidates::weigh`], with probabilities instead: those that `softmax` froze, if they still hold.
    pub(in crate::chain) fn weigh_probs(&mut self) -> Result<bool, Error> {
        let (list, scratch) = self.as_list()?;
        if !list.frozen {
            list.freeze_probs(scratch)?;
        }
        let weights = &mut scratch.weights;
        weights.clear();
        memory::reserve(weights, list.tokens().len())?;
        weights.extend(list.tokens().iter().map(|token| token.p));
        Ok(list.top() > f32::NEG_INFINITY)
    }

    /// Facts about a row with all its changes so far, which is copied if it has any, and whether it has; none
    /// of a list. `known` are those of the row without changes.
    pub(in crate::chain) fn row_stats(
        &mut self,
        known: Option<RowStats>,
        copy: &mut Vec<f32>,
    ) -> Result<Option<(RowStats, bool)>, Error> {
        self.end_array_row()?;
        self.list_ordered()?;
        let Some(row) = &mut self.row else { return Ok(None) };
        row.stats(self.scratch, known, copy).map(Some)
    }

    /// Replaces the weights by what of them lies within the first `mass` in the order of the draw. Of a mass of
    /// 0 all is that of `place`, the place drawn.
    pub(in crate::chain) fn weigh_mass(&mut self, is_moved: bool, mass: f32, place: usize) {
        let Scratch { weights, order, .. } = &mut *self.scratch;
        let mut running = 0.0;
        let mut cut = |weight: &mut f32| *weight = within_mass(&mut running, *weight, mass);
        if is_moved {
            order.iter().for_each(|place| cut(&mut weights[*place as usize]));
        } else {
            weights.iter_mut().for_each(cut);
        }
        if mass <= 0.0 {
            weights[place] = 1.0;
        }
        self.has_weights = true;
    }

    /// Puts the weights in rank order, or by rising id, into [`Scratch::ordered`], and the places of the
    /// candidates in that order into [`Scratch::order`]. False, and nothing there, if they lie so already.
    pub(in crate::chain) fn order(&mut self, by_rank: bool) -> Result<bool, Error> {
        self.end_array_row()?;
        if self.row.is_some() && !by_rank {
            return Ok(false);
        }
        let (list, Scratch { weights, order, ordered, .. }) = self.as_list()?;
        let tokens = list.tokens();
        let key = |token: &TokenData| {
            let rank = token.rank();
            if by_rank { rank } else { RankKey::new(0.0, rank.id()) }
        };
        if tokens.is_sorted_by_key(key) {
            return Ok(false);
        }
        order.clear();
        memory::reserve(order, tokens.len())?;
        order.extend((0_u32..).zip(tokens).map(|(place, _)| place));
        order.sort_unstable_by_key(|place| (key(&tokens[*place as usize]), *place));
        ordered.clear();
        memory::reserve(ordered, tokens.len())?;
        ordered.extend(order.iter().map(|place| weights[*place as usize]));
        Ok(true)
    }
}
