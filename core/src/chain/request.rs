//! A draw of a chain with every option and every result.

mod probabilities;

pub use probabilities::{ChainProbability, GroupProbability, TokenLogProb};

use super::candidates::{Candidates, DrawRule, Uniforms};
use super::ops::StageOps;
use super::scratch::Scratch;
use super::{Chain, Stage, TokenData, active, needs_probs, selected};
use crate::Error;
use crate::draw::check_row_len;
use crate::id_mask::{Bits, IdFilter, Masks, TokenRange};
use crate::rules::rank::nan_to_neg_inf;
use probabilities::{Probabilities, Seen};

/// The options of a draw of a chain; [`ChainRequest::new`] has all of them off.
///
/// An id that no candidate has is ignored in every field.
#[derive(Debug, Clone, Copy)]
pub struct ChainRequest<'a> {
    /// The row; or empty, and then `tokens` are the candidates.
    pub logits: &'a [f32],
    /// The candidates, in any order; empty with a row. They are copied.
    pub tokens: &'a [TokenData],
    /// Whether `tokens` are in rank order; that is checked.
    pub sorted: bool,
    /// Numbers from 0 to 1 for the stages that draw, in the order in which these need them. Empty: the
    /// stages' generators.
    pub uniforms: &'a [f64],
    /// The ids allowed; all if empty.
    pub ranges: &'a [TokenRange],
    /// The ids allowed; all if empty.
    pub allowed_ids: &'a [i32],
    /// The ids allowed: bit i % 32 of word i / 32 is that of id i, and ids beyond the words are not allowed.
    /// All if empty. With several of these three, an id is allowed if each allows it.
    pub bitmask: &'a [i32],
    /// Ids that count as -inf.
    pub banned: &'a [i32],
    /// The id that stays a candidate whatever the stages drop, if its logit is above -inf.
    pub keep_id: Option<i32>,
    /// A further id whose probabilities the result has.
    pub watched_id: Option<i32>,
    /// Ids whose total probability the result has.
    pub group: Option<TokenRange>,
    /// How many of the best tokens [`Chain::best_before`] has after the draw, and [`Chain::best_after`].
    pub best_before: usize,
    /// See `best_before`.
    pub best_after: usize,
    /// Whether the stages accept the token.
    pub accept: bool,
}

impl<'a> ChainRequest<'a> {
    /// The draw of [`Chain::sample`].
    #[must_use]
    pub fn new(logits: &'a [f32]) -> Self {
        Self {
            logits,
            tokens: &[],
            sorted: false,
            uniforms: &[],
            ranges: &[],
            allowed_ids: &[],
            bitmask: &[],
            banned: &[],
            keep_id: None,
            watched_id: None,
            group: None,
            best_before: 0,
            best_after: 0,
            accept: true,
        }
    }

    /// As [`ChainRequest::new`] for candidates in any order.
    #[must_use]
    pub fn of_tokens(tokens: &'a [TokenData], sorted: bool) -> Self {
        Self { tokens, sorted, ..Self::new(&[]) }
    }

    fn masks(&self) -> Masks<'a> {
        let Self { ranges, allowed_ids: allowed, bitmask, banned, .. } = *self;
        Masks { ranges, allowed, bitmask, banned }
    }

    fn check(&self) -> Result<(), Error> {
        if !self.tokens.is_empty() && !self.logits.is_empty() {
            return Err(Error::BadArgument);
        }
        check_row_len(self.logits.len() + self.tokens.len())?;
        let in_range = self.uniforms.iter().all(|u| (0.0..=1.0).contains(u));
        if in_range { Ok(()) } else { Err(Error::BadArgument) }
    }
}

/// The short result of a [`ChainRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainToken {
    /// The id drawn.
    pub token: i32,
    /// The number of candidates that the selecting stage saw, those at -inf included.
    pub candidates: usize,
    /// The words taken from the stages' generators.
    pub rng_words: u32,
    /// The number of the caller's uniforms that were used.
    pub uniforms: usize,
}

/// The result of a [`ChainRequest`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainResult {
    /// The token and the counts.
    pub drawn: ChainToken,
    /// The token's probabilities.
    pub probability: ChainProbability,
    /// The watched token's probabilities; all 0 without one, or if it is not among the candidates.
    pub watched: ChainProbability,
    /// The final probability of the group.
    pub group: GroupProbability,
    /// The number of NaN logits in the row, allowed or not.
    pub nans: usize,
    /// The number of +inf logits in the row, allowed or not.
    pub infinities: usize,
}

/// The working memory of requests. It grows to what the largest one needs and is kept.
#[derive(Debug, Default)]
pub(super) struct RequestMemory {
    bits: Bits,
    filter: IdFilter,
    masked: Vec<f32>,
    /// The candidates before the kept one.
    earlier: Vec<TokenData>,
    probabilities: Probabilities,
}

impl Chain {
    /// Draws a token as the request says. A request without options is the same as [`Chain::sample`].
    ///
    /// # Errors
    /// [`Error::BadArgument`] if a uniform is not from 0 to 1, if there are fewer uniforms than the stages
    /// need, or if the request has both a row and tokens; [`Error::EmptyRow`] if no id is allowed, bans
    /// aside; else those of [`Chain::sample`]. After an error nothing has changed, as there.
    pub fn sample_request(&mut self, request: &ChainRequest<'_>) -> Result<ChainResult, Error> {
        let (drawn, seen) = self.draw(request, true)?;
        let seen = seen.ok_or(Error::Internal)?;
        let Seen { nans, infinities, token: probability, watched, group } = seen;
        Ok(ChainResult { drawn, probability, watched, group, nans, infinities })
    }

    /// As [`Chain::sample_request`], but computes no probabilities. That costs as much as [`Chain::sample`].
    ///
    /// # Errors
    /// Those of [`Chain::sample_request`].
    pub fn sample_request_token(
        &mut self,
        request: &ChainRequest<'_>,
    ) -> Result<ChainToken, Error> {
        self.draw(request, false).map(|(drawn, _)| drawn)
    }

    /// The best tokens of the row of the last [`Chain::sample_request`], before masks and stages, in rank
    /// order: those above -inf, at most as many as the request asked for.
    #[must_use]
    pub fn best_before(&self) -> &[TokenLogProb] {
        &self.request.probabilities.best_before
    }

    /// The best candidates that the selecting stage saw in the last [`Chain::sample_request`], as
    /// [`Chain::best_before`].
    #[must_use]
    pub fn best_after(&self) -> &[TokenLogProb] {
        &self.request.probabilities.best_after
    }

    fn draw(
        &mut self,
        request: &ChainRequest<'_>,
        stats: bool,
    ) -> Result<(ChainToken, Option<Seen>), Error> {
        request.check()?;
        if !self.stages.iter().any(Stage::selects) {
            return Err(Error::NoSelection);
        }
        // Before the draw, so that a failed allocation never loses a token.
        self.prepare()?;
        let Self { stages, memory, request: own } = self;
        let RequestMemory { bits, filter, masked, earlier, probabilities } = own;
        if stats {
            probabilities.begin(request, &mut memory.scratch)?;
        }
        let masks = request.masks();
        let mut row = request.logits;
        let mut candidates = if request.tokens.is_empty() {
            if !masks.are_off() {
                let n = row.len();
                bits.set(memory.scratch.kernels, &masks, 0, n)?;
                if bits.allows_none() {
                    return Err(Error::EmptyRow);
                }
                bits.ban(memory.scratch.kernels, masks.banned, 0, n);
                let Scratch { kernels, scan, .. } = &mut memory.scratch;
                row = scan.mask(*kernels, row, bits.words(), masked)?;
                Candidates::scanned_row(row, memory)
            } else {
                Candidates::row(row, memory)
            }
        } else {
            filter.set(&masks)?;
            let tokens = request.tokens.iter();
            if !tokens.clone().any(|token| filter.allows_but_for_bans(&masks, token.id)) {
                return Err(Error::EmptyRow);
            }
            let masked = |token: &TokenData| {
                let allowed = filter.allows(&masks, token.id);
                let logit = if allowed { nan_to_neg_inf(token.logit) } else { f32::NEG_INFINITY };
                TokenData { logit, ..*token }
            };
            Candidates::tokens(tokens.map(masked), request.sorted, memory)?
        };
        candidates.uniforms = Uniforms::given(request.uniforms);
        candidates.wants_weights = stats;
        // A kept token returns to a list only.
        candidates.needs_probs = request.keep_id.is_some() || needs_probs(stages);
        let mut pass = Pass {
            keep_id: request.keep_id,
            earlier,
            is_whole: masks.are_off(),
            probabilities: stats.then_some(&mut *probabilities),
            edits: true,
        };
        let done = active(stages).try_for_each(|stage| pass.apply(stage, &mut candidates));
        if let Err(error) = done {
            active(stages).for_each(StageOps::restore);
            return Err(error);
        }
        let token = selected(stages, &candidates)?;
        let hidden = match candidates.draw_rule {
            DrawRule::Softmax => 0,
            DrawRule::LibstdcxxDiscrete { neg_inf_tail, .. } => neg_inf_tail,
        };
        let drawn = ChainToken {
            token,
            candidates: candidates.len() + hidden,
            rng_words: candidates.uniforms.words,
            uniforms: candidates.uniforms.used,
        };
        let seen = match stats {
            true => Some(probabilities.end(request, row, &mut candidates)?),
            false => None,
        };
        if request.accept {
            active(stages).for_each(|stage| stage.accept(token));
        }
        Ok((drawn, seen))
    }
}

/// A pass of a request.
struct Pass<'m> {
    keep_id: Option<i32>,
    earlier: &'m mut Vec<TokenData>,
    /// None without probabilities.
    probabilities: Option<&'m mut Probabilities>,
    /// Whether the candidates were the row as it was passed at first.
    is_whole: bool,
    /// Whether the stages so far have only changed the logits of single tokens.
    edits: bool,
}

impl Pass<'_> {
    fn apply(
        &mut self,
        stage: &mut dyn StageOps,
        candidates: &mut Candidates<'_>,
    ) -> Result<(), Error> {
        if candidates.selected.is_some() {
            return Ok(());
        }
        if let Some(probabilities) = &mut self.probabilities {
            if self.edits && !stage.edits_single_logits() {
                self.edits = false;
                probabilities.penalised(candidates, self.is_whole)?;
            }
            if stage.selects() {
                // From here on a place in the row is a place in its list.
                candidates.materialize_ranks()?;
            }
        }
        match self.keep_id {
            Some(id) if !stage.selects() => candidates.apply_keeping(stage, id, self.earlier),
            _ => stage.apply(candidates),
        }
    }
}
