//! A draw with every option and every result.

use crate::draw::first::Kept;
use crate::draw::{Distribution, Draw, DrawOptions, DrawOutcome, MaskedRow, RowStats};
use crate::id_mask::{IdMask, Masks, TokenRange};
use crate::memory::resize;
use crate::rng::Source;
use crate::rules::min_p;
use crate::rules::penalty::Penalties;
use crate::{Error, Sampler, SamplerParams};
use core::mem;

/// The options of a draw; [`SampleRequest::new`] has all of them off.
///
/// Ids are the caller's: the index in `logits` plus `id_offset`. An id outside the row is ignored in every
/// field.
#[derive(Debug, Clone, Copy)]
pub struct SampleRequest<'a> {
    /// The row.
    pub logits: &'a [f32],
    /// Temperature, top_p and top_k.
    pub params: SamplerParams,
    /// The id of the row's first token.
    pub id_offset: i32,
    /// The ids allowed; all if empty.
    pub ranges: &'a [TokenRange],
    /// The ids allowed; all if empty.
    pub allowed_ids: &'a [i32],
    /// The ids allowed: bit i % 32 of word i / 32 is that of id i, and ids beyond the words are not allowed.
    /// All if empty. With several of these three, an id is allowed if each allows it.
    pub bitmask: &'a [i32],
    /// Ids that count as -inf.
    pub banned: &'a [i32],
    /// The latest tokens, oldest first, for the penalties.
    pub history: &'a [i32],
    /// How many of the latest tokens of the history the penalties look at; 0 is off, -1 means all.
    pub penalty_window: i32,
    /// Divides the positive and multiplies the other logits of tokens in the history, once for each
    /// distinct token; 1 is off.
    pub repetition_penalty: f32,
    /// Subtracted from a logit once for each occurrence of its token in the history; 0 is off.
    pub frequency_penalty: f32,
    /// Subtracted once from the logit of each token in the history; 0 is off.
    pub presence_penalty: f32,
    /// Drops candidates, after top_k and top_p, whose probability at temperature 1 is below this share
    /// of the best one's. 0, less, and NaN are off; above 1 leaves the best.
    pub min_p: f32,
    /// The id that stays a candidate whatever its rank, if its logit is above -inf.
    pub keep_id: Option<i32>,
    /// A further id whose probabilities the result has.
    pub watched_id: Option<i32>,
    /// A number in [0, 1) to draw with, instead of one from the generator.
    pub uniform: Option<f64>,
    /// Draws by the rule of the S2 engines' first generations, as [`Stage::s2_first`](crate::Stage::s2_first)
    /// has it: the kept id is that rule's, and `min_p` must be off.
    pub first_generations: bool,
}

impl<'a> SampleRequest<'a> {
    /// A plain draw from `logits`.
    #[must_use]
    pub fn new(logits: &'a [f32], params: SamplerParams) -> Self {
        Self {
            logits,
            params,
            id_offset: 0,
            ranges: &[],
            allowed_ids: &[],
            bitmask: &[],
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
            first_generations: false,
        }
    }

    /// Checks all numbers that have a range, and returns the id of the row's first token.
    fn checked_offset(&self) -> Result<i64, Error> {
        let last_id = i64::from(self.id_offset) + self.logits.len() as i64 - 1;
        let uniform = self.uniform.is_none_or(|u| (0.0..1.0).contains(&u));
        let ids = self.id_offset >= 0 && last_id <= i64::from(i32::MAX);
        let rule = !self.first_generations || min_p::is_off(self.min_p);
        if uniform && rule && self.penalties().are_valid() && self.penalty_window >= -1 && ids {
            Ok(self.id_offset.into())
        } else {
            Err(Error::BadArgument)
        }
    }

    fn masks(&self) -> Masks<'a> {
        let Self { ranges, allowed_ids: allowed, bitmask, banned, .. } = *self;
        Masks { ranges, allowed, bitmask, banned }
    }

    fn penalties(&self) -> Penalties {
        Penalties {
            repeat: self.repetition_penalty,
            frequency: self.frequency_penalty,
            presence: self.presence_penalty,
        }
    }

    /// The tokens that penalties are on; none if these are off.
    fn penalised(&self) -> &'a [i32] {
        // -1, the only negative window, means all.
        let window = usize::try_from(self.penalty_window).unwrap_or(usize::MAX);
        let latest = &self.history[self.history.len().saturating_sub(window)..];
        if self.penalties().are_off() { &[] } else { latest }
    }

    /// The place of the token `id` in the row; none if it comes before the row.
    #[inline]
    fn place(&self, id: i32) -> Option<u32> {
        u32::try_from(i64::from(id) - i64::from(self.id_offset)).ok()
    }
}

/// The probabilities of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenProbability {
    /// In the softmax of the whole row, before every option.
    pub raw_p: f64,
    /// The natural logarithm of `raw_p`.
    pub raw_log_p: f64,
    /// In the distribution that the token was drawn from.
    pub final_p: f64,
    /// The natural logarithm of `final_p`.
    pub final_log_p: f64,
}

/// The short result of a [`SampleRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledToken {
    /// The id drawn.
    pub token: i32,
    /// The number of candidates left, those at -inf included; 1 for a greedy draw. With two or more, the
    /// draw used a uniform.
    pub candidates: usize,
    /// The words taken from the generator.
    pub rng_words: u32,
}

/// The result of a [`SampleRequest`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleResult {
    /// The id drawn.
    pub token: i32,
    /// The token's probabilities.
    pub probability: TokenProbability,
    /// The watched token's probabilities; all 0 without one, or if it is not in the row.
    pub watched: TokenProbability,
    /// The number of candidates left, those at -inf included; 1 for a greedy draw.
    pub candidates: usize,
    /// The number of NaN logits in the row.
    pub nans: usize,
    /// The number of +inf logits in the row.
    pub infinities: usize,
    /// The words taken from the generator.
    pub rng_words: u32,
}

/// Draws, and reads the whole row for the probabilities in it.
pub(crate) fn draw_result(
    sampler: &mut Sampler,
    request: &SampleRequest<'_>,
) -> Result<SampleResult, Error> {
    // Before the draw, so that a failed allocation uses no word.
    let stats = RowStats::of(sampler.kernels, request.logits, &mut sampler.scratch)?;
    let Drawn { sampled, outcome, distribution, mask } = draw(sampler, request)?;
    let watched = request.watched_id.and_then(|id| request.place(id));
    let final_p = |index: Option<u32>| index.map_or(0.0, |i| distribution.probability_of(i));
    let probability = |place: Option<u32>, final_p: f64| {
        let logit = place.and_then(|place| request.logits.get(place as usize));
        let raw_log_p = logit.map_or(f64::NEG_INFINITY, |logit| stats.log_p(*logit));
        TokenProbability { raw_p: raw_log_p.exp(), raw_log_p, final_p, final_log_p: final_p.ln() }
    };
    Ok(SampleResult {
        token: sampled.token,
        probability: probability(request.place(sampled.token), final_p(outcome.index)),
        watched: probability(watched, final_p(watched.and_then(|place| mask.index(place)))),
        candidates: sampled.candidates,
        nans: stats.nans,
        infinities: stats.infinities,
        rng_words: sampled.rng_words,
    })
}

/// Draws.
pub(crate) fn draw_token(
    sampler: &mut Sampler,
    request: &SampleRequest<'_>,
) -> Result<SampledToken, Error> {
    draw(sampler, request).map(|drawn| drawn.sampled)
}

/// A draw and the distribution that it was drawn from.
struct Drawn<'s> {
    sampled: SampledToken,
    /// Its index counts the allowed tokens, as do those of the distribution.
    outcome: DrawOutcome,
    distribution: Distribution<'s>,
    mask: &'s IdMask,
}

fn draw<'s>(sampler: &'s mut Sampler, request: &SampleRequest<'_>) -> Result<Drawn<'s>, Error> {
    let Sampler { generator, scratch, mask, masked_logits, occurrences, kernels } = sampler;
    let offset = request.checked_offset()?;
    let logits = request.logits;
    let has_bans = mask.set_masks(*kernels, &request.masks(), offset, logits.len())?;
    let banned = if has_bans { &[] } else { request.banned };
    generator.after_fork()?;
    let history = request.penalised();
    let row = match history.is_empty() && banned.is_empty() {
        false => {
            let copy = mask.copy_logits(*kernels, &mut scratch.scan, logits, masked_logits)?;
            edit(copy, request, history, banned, mask, occurrences)?;
            MaskedRow { logits: copy, masked_out: logits.len() - mask.len(), scanned: false }
        }
        true => mask.row(*kernels, &mut scratch.scan, logits, masked_logits)?,
    };
    let kept_place = request.keep_id.and_then(|id| request.place(id));
    let kept_place = kept_place.filter(|place| (*place as usize) < logits.len());
    let keep = kept_place.and_then(|place| mask.index(place));
    let draw = Draw {
        kernels: *kernels,
        row,
        params: &request.params,
        options: DrawOptions { min_p: request.min_p, keep },
    };
    let before = generator.words();
    let mut source = match request.uniform {
        Some(uniform) => Source::Given(uniform),
        None => Source::Generator(generator),
    };
    let (outcome, distribution) = if request.first_generations {
        let kept = kept_place.map(|place| {
            let index = mask.count_below(place);
            let masked_below = place.saturating_sub(index) as usize;
            Kept { index, is_masked: keep.is_none(), masked_below }
        });
        draw.sample_first(kept, &mut source, scratch)?
    } else {
        draw.sample(&mut source, scratch)?
    };
    let id = offset + i64::from(mask.id(outcome.candidate()?));
    debug_assert!(i32::try_from(id).is_ok(), "checked_offset allows no other");
    let sampled = SampledToken {
        token: id as i32,
        candidates: outcome.candidates,
        rng_words: generator.words().wrapping_sub(before) as u32,
    };
    Ok(Drawn { sampled, outcome, distribution, mask })
}

/// Applies penalties and bans to the allowed logits.
///
/// One pass over the history counts in `occurrences`, which has a number for each token of the row, and one
/// takes the counts out: so the cost is linear in the history, and the mask is searched once for each
/// distinct token.
fn edit(
    copy: &mut [f32],
    request: &SampleRequest<'_>,
    history: &[i32],
    banned: &[i32],
    mask: &IdMask,
    occurrences: &mut Vec<u32>,
) -> Result<(), Error> {
    if !history.is_empty() {
        let penalties = request.penalties();
        let len = request.logits.len();
        resize(occurrences, len.max(occurrences.len()), 0)?;
        let place = |id: &i32| request.place(*id).filter(|place| (*place as usize) < len);
        for place in history.iter().filter_map(place) {
            let count = &mut occurrences[place as usize];
            *count = count.saturating_add(1);
        }
        let counted = history.iter().filter_map(place).filter_map(|place| {
            let count = mem::take(&mut occurrences[place as usize]);
            (count > 0).then_some((place, count))
        });
        match mask.runs() {
            Some(runs) => penalise(copy, counted, &penalties, |place| runs.index(place)),
            None => penalise(copy, counted, &penalties, |place| mask.index(place)),
        }
        debug_assert!(occurrences.iter().all(|count| *count == 0));
    }
    let index = |id: &i32| mask.index(request.place(*id)?);
    for index in banned.iter().filter_map(index) {
        copy[index as usize] = f32::NEG_INFINITY;
    }
    Ok(())
}

/// Applies the penalties to each token of `counted`, a place in the row and a count, that has an index in `copy`.
fn penalise(
    copy: &mut [f32],
    counted: impl Iterator<Item = (u32, u32)>,
    penalties: &Penalties,
    index: impl Fn(u32) -> Option<u32>,
) {
    for (place, count) in counted {
        if let Some(index) = index(place) {
            let logit = &mut copy[index as usize];
            *logit = penalties.apply(*logit, count as usize);
        }
    }
}
