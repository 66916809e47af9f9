//! A draw with everything that may be asked of it, and everything that may be told of it.

use crate::draw::{DrawOptions, DrawOutcome, Row, sample};
use crate::id_mask::{IdMask, TokenRange};
use crate::memory::reserve;
use crate::rng::Source;
use crate::rules::penalty::Penalties;
use crate::{Error, Sampler, SamplerParams};

/// A draw's options; [`Request::new`] has all of them off.
///
/// Ids are those of the caller: the index in `logits` plus `id_offset`. An id that is not in the row
/// is ignored wherever it stands.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The row.
    pub logits: &'a [f32],
    /// Temperature, top_p and top_k.
    pub params: SamplerParams,
    /// The id of the row's first token.
    pub id_offset: i32,
    /// The ids allowed; all if empty.
    pub ranges: &'a [TokenRange],
    /// Ids that count as -inf.
    pub banned: &'a [i32],
    /// The latest tokens, oldest first, for the penalties.
    pub history: &'a [i32],
    /// How many of the latest tokens of the history count; 0 for all.
    pub penalty_window: usize,
    /// Divides the positive and multiplies the other logits of tokens in the history, once for each
    /// distinct token; 1 is off.
    pub repetition_penalty: f32,
    /// Is taken off a logit for each time its token is in the history; 0 is off.
    pub frequency_penalty: f32,
    /// Is taken off the logit of each token in the history; 0 is off.
    pub presence_penalty: f32,
    /// Drops the candidates whose probability at temperature 1 is below this share of the best one's,
    /// after top_k and top_p; 0, less, and NaN are off, above 1 leaves the best.
    pub min_p: f32,
    /// The id that stays a candidate whatever its rank, if its logit is above -inf.
    pub keep_id: Option<i32>,
    /// The id whose probabilities the result tells.
    pub watched_id: Option<i32>,
    /// A number in [0, 1) to draw with instead of the generator's.
    pub uniform: Option<f64>,
}

impl<'a> Request<'a> {
    /// A plain draw from `logits`.
    #[must_use]
    pub fn new(logits: &'a [f32], params: SamplerParams) -> Self {
        Self {
            logits,
            params,
            id_offset: 0,
            ranges: &[],
            banned: &[],
            history: &[],
            penalty_window: 0,
            repetition_penalty: 1.0,
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            min_p: 0.0,
            keep_id: None,
            watched_id: None,
            uniform: None,
        }
    }

    /// The id of the row's first token, after all numbers that have a range were held to it.
    fn checked_offset(&self) -> Result<i64, Error> {
        let last_id = i64::from(self.id_offset) + self.logits.len() as i64 - 1;
        let uniform = self.uniform.is_none_or(|u| (0.0..1.0).contains(&u));
        let ids = self.id_offset >= 0 && last_id <= i64::from(i32::MAX);
        if uniform && self.penalties().are_valid() && ids {
            Ok(self.id_offset.into())
        } else {
            Err(Error::BadArgument)
        }
    }

    fn penalties(&self) -> Penalties {
        Penalties {
            repeat: self.repetition_penalty,
            frequency: self.frequency_penalty,
            presence: self.presence_penalty,
        }
    }

    /// Where the token `id` stands, if it does not come before the row.
    fn place(&self, id: i32) -> Option<u32> {
        u32::try_from(i64::from(id) - i64::from(self.id_offset)).ok()
    }
}

/// A token's probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likelihood {
    /// In the softmax of the caller's whole row, before everything.
    pub raw: f64,
    /// In the distribution that was drawn from.
    pub drawn_from: f64,
    /// The natural logarithm of `raw`.
    pub raw_log: f64,
    /// The natural logarithm of `drawn_from`.
    pub drawn_from_log: f64,
}

/// What came of a [`Request`], as far as the draw itself knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The id drawn.
    pub token: i32,
    /// The candidates that were left, those at -inf included; 1 where the best token was certain. With
    /// two or more a uniform was used.
    pub candidates: usize,
    /// The words taken from the generator.
    pub words: u32,
}

/// What came of a [`Request`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// The id drawn.
    pub token: i32,
    /// The token's probabilities.
    pub likelihood: Likelihood,
    /// The watched token's; none of any kind without one, or if it is not in the row.
    pub watched: Likelihood,
    /// The candidates that were left, those at -inf included; 1 where the best token was certain.
    pub candidates: usize,
    /// The NaN logits in the row.
    pub nans: usize,
    /// The +inf logits in the row.
    pub infinities: usize,
    /// The words taken from the generator.
    pub words: u32,
}

impl Sampler {
    /// Draws a token as the request says; with nothing asked it is [`Sampler::sample`].
    ///
    /// In this order: penalties, bans and ranges change the row; top_k, top_p and min_p leave
    /// candidates; the kept token joins them; temperature and the draw follow. The probabilities of the
    /// whole row cost one more pass over it.
    ///
    /// # Errors
    /// [`Error::EmptyRow`] if no id of the row is allowed, [`Error::BadArgument`] if the uniform is not
    /// in [0, 1), an id of the row not in 0..=i32::MAX, a penalty not finite, or the repetition penalty
    /// not positive, else those of [`crate::sample_token`]. No random word was used then.
    pub fn sample_request(&mut self, request: &Request<'_>) -> Result<Response, Error> {
        let mut allowed = core::mem::take(&mut self.allowed);
        let response = self.respond(request, &mut allowed);
        self.allowed = allowed;
        response
    }

    /// As [`Sampler::sample_request`], for callers who want the id alone: the whole row is not read again.
    ///
    /// # Errors
    /// Those of [`Sampler::sample_request`].
    pub fn sample_request_token(&mut self, request: &Request<'_>) -> Result<Answer, Error> {
        let mut allowed = core::mem::take(&mut self.allowed);
        let answer = self.answer(request, &mut allowed).map(|(answer, _)| answer);
        self.allowed = allowed;
        answer
    }

    fn answer(
        &mut self,
        request: &Request<'_>,
        allowed: &mut IdMask,
    ) -> Result<(Answer, DrawOutcome), Error> {
        let Request { logits, .. } = *request;
        let offset = request.checked_offset()?;
        if request.ranges.is_empty() {
            allowed.set([(0, i64::MAX)].into_iter(), logits.len())?;
        } else {
            let ends = request.ranges.iter().map(TokenRange::ends);
            allowed.set(ends.map(|(first, last)| (first - offset, last - offset)), logits.len())?;
        }
        if allowed.len() == 0 {
            return Err(Error::EmptyRow);
        }
        self.generator.after_fork()?;
        let edited = edit(request, allowed, &mut self.recent)?;
        if !edited && !allowed.is_one() {
            allowed.copy(logits)?;
        }
        let keep = request.keep_id.and_then(|id| allowed.index(request.place(id)?));
        let options = DrawOptions { min_p: request.min_p, keep };
        let part = allowed.logits(logits);
        let row = Row { logits: part, masked_out: logits.len() - part.len() };
        let before = self.generator.words();
        let mut source = match request.uniform {
            Some(uniform) => Source::Given(uniform),
            None => Source::Generator(&mut self.generator),
        };
        let drawn =
            sample(self.kernels, row, &request.params, options, &mut source, &mut self.scratch)?;
        let place = drawn.index.map_or(0, |index| allowed.id(index));
        let answer = Answer {
            token: i32::try_from(offset + i64::from(place)).map_err(|_| Error::BadArgument)?,
            candidates: drawn.candidates,
            words: self.generator.words().wrapping_sub(before) as u32,
        };
        Ok((answer, drawn))
    }

    fn respond(&mut self, request: &Request<'_>, allowed: &mut IdMask) -> Result<Response, Error> {
        // The census first: it uses memory that the draw leaves for the shares, and if that cannot be had,
        // no word has been taken yet.
        let row_stats = self.scratch.row_stats(self.kernels, request.logits)?;
        let (Answer { token, candidates, words }, drawn) = self.answer(request, allowed)?;
        let watched = request.watched_id.and_then(|id| request.place(id));
        let probability_of =
            |index: Option<u32>| index.map_or(0.0, |i| self.scratch.probability_of(drawn, i));
        let shares = [
            probability_of(drawn.index),
            probability_of(watched.and_then(|place| allowed.index(place))),
        ];
        let likelihood = |place: Option<u32>, drawn_from: f64| {
            let raw_log = match place.and_then(|place| request.logits.get(place as usize)) {
                Some(l) if !l.is_nan() && row_stats.log_sum_exp.is_finite() => {
                    f64::from(*l) - row_stats.log_sum_exp
                }
                // Where the largest is +inf it has all the mass, where it is -inf there is none.
                Some(l) if *l == f32::INFINITY => 0.0,
                _ => f64::NEG_INFINITY,
            };
            Likelihood { raw: raw_log.exp(), drawn_from, raw_log, drawn_from_log: drawn_from.ln() }
        };
        Ok(Response {
            token,
            likelihood: likelihood(request.place(token), shares[0]),
            watched: likelihood(watched, shares[1]),
            candidates,
            nans: row_stats.nans,
            infinities: row_stats.infinities,
            words,
        })
    }
}

/// Makes a copy of the allowed logits with the penalties and bans in it, if there are any.
fn edit(request: &Request<'_>, allowed: &mut IdMask, recent: &mut Vec<u32>) -> Result<bool, Error> {
    let penalties = request.penalties();
    let window = if request.penalty_window == 0 { usize::MAX } else { request.penalty_window };
    let history = &request.history[request.history.len().saturating_sub(window)..];
    let history = if penalties.are_off() { &[] } else { history };
    if history.is_empty() && request.banned.is_empty() {
        return Ok(false);
    }
    let index = |allowed: &IdMask, id: &i32| allowed.index(request.place(*id)?);
    recent.clear();
    reserve(recent, history.len().max(request.banned.len()))?;
    recent.extend(history.iter().filter_map(|id| index(allowed, id)));
    recent.sort_unstable();
    let logits = allowed.copy(request.logits)?;
    for same in recent.chunk_by(|a, b| a == b) {
        let Some(l) = same.first().and_then(|index| logits.get_mut(*index as usize)) else {
            continue;
        };
        *l = penalties.apply(*l, same.len());
    }
    recent.clear();
    recent.extend(request.banned.iter().filter_map(|id| index(allowed, id)));
    let logits = allowed.copied();
    for index in recent.iter() {
        if let Some(l) = logits.get_mut(*index as usize) {
            *l = f32::NEG_INFINITY;
        }
    }
    Ok(true)
}
