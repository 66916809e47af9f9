//! What a request's result says of probabilities: before the stages, after those that change single logits,
//! and where the token is selected.

use super::ChainRequest;
use crate::chain::TokenData;
use crate::chain::candidates::Candidates;
use crate::chain::scratch::Scratch;
use crate::draw::RowStats;
use crate::memory::reserve;
use crate::rules::rank::{RankKey, nan_to_neg_inf};
use crate::{Error, TokenRange};

/// The probabilities of a token, with their natural logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainProbability {
    /// In the softmax of the whole row, before every option.
    pub raw_p: f64,
    /// Its logarithm.
    pub raw_log_p: f64,
    /// In the softmax after the masks and the first stages of the chain that only change single logits.
    pub penalised_p: f64,
    /// Its logarithm.
    pub penalised_log_p: f64,
    /// Among the candidates that the selecting stage saw, with which it drew; for greedy, in their softmax.
    pub final_p: f64,
    /// Its logarithm.
    pub final_log_p: f64,
}

/// The final probability of some ids.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupProbability {
    /// Their sum.
    pub p: f64,
    /// The most probable of them, the first of equal ones in rank order; none if none is a candidate above
    /// -inf.
    pub best: Option<i32>,
    /// Its probability.
    pub best_p: f64,
}

/// A token with the natural logarithm of its probability.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenLogProb {
    /// The token's id.
    pub id: i32,
    /// The natural logarithm of its probability.
    pub logprob: f32,
}

/// What the result of a draw has beside the token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub nans: usize,
    pub infinities: usize,
    pub token: ChainProbability,
    pub watched: ChainProbability,
    pub group: GroupProbability,
}

/// Where the logits stand after the stages that only change single ones.
#[derive(Debug, Clone, Copy, Default)]
enum Penalised {
    /// In the row of the candidates.
    #[default]
    Row,
    /// In [`Probabilities::row`].
    Copy,
    /// In [`Probabilities::tokens`].
    Tokens,
}

/// The probabilities of one draw, and memory for them.
#[derive(Debug, Default)]
pub(super) struct Probabilities {
    raw: RowStats,
    after_edits: RowStats,
    penalised: Penalised,
    row: Vec<f32>,
    tokens: Vec<TokenData>,
    ranked: Ranked,
    pub best_before: Vec<TokenLogProb>,
    pub best_after: Vec<TokenLogProb>,
}

impl Probabilities {
    /// Reads the row or the tokens as they were passed.
    pub(super) fn begin(
        &mut self,
        request: &ChainRequest<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let Self { raw, ranked, best_before, .. } = self;
        let ChainRequest { logits, tokens, best_before: n, .. } = *request;
        best_before.clear();
        if logits.is_empty() {
            *raw = stats_of(tokens.iter());
            let ids = tokens.iter().map(|token| (token.id, token.logit));
            return ranked.best(ids, n)?.tell(best_before, |key, _| raw.log_p(key.logit()));
        }
        let Scratch { kernels, scan, prefix, .. } = scratch;
        let mut blocked = scan.read(*kernels, logits)?;
        *raw = RowStats::of_blocked(&blocked);
        if n == 0 {
            return Ok(());
        }
        if raw.top.is_finite() {
            prefix.clear();
            prefix.grow(&mut blocked, n.min(logits.len()))?;
            let best = prefix.keys().iter().take(n);
            reserve(best_before, best.len())?;
            best_before.extend(best.map(|key| TokenLogProb {
                id: key.id() as i32,
                logprob: raw.log_p(key.logit()) as f32,
            }));
            return Ok(());
        }
        // Thresholds are for finite logits.
        let ids = logits.iter().enumerate().map(|(id, logit)| (id as i32, *logit));
        ranked.best(ids, n)?.tell(best_before, |key, _| raw.log_p(key.logit()))
    }

    /// Reads the candidates before the first stage that does more than change single logits. `is_whole`: they
    /// were the row as it was passed at first.
    pub(super) fn penalised(
        &mut self,
        candidates: &mut Candidates<'_>,
        is_whole: bool,
    ) -> Result<(), Error> {
        let known = is_whole.then_some(self.raw);
        if let Some((stats, is_copied)) = candidates.row_stats(known, &mut self.row)? {
            self.after_edits = stats;
            self.penalised = if is_copied { Penalised::Copy } else { Penalised::Row };
            return Ok(());
        }
        candidates.snapshot(&mut self.tokens)?;
        self.after_edits = stats_of(self.tokens.iter());
        self.penalised = Penalised::Tokens;
        Ok(())
    }

    /// Reads the candidates after the selection. `row` is what they were at first.
    pub(super) fn end(
        &mut self,
        request: &ChainRequest<'_>,
        row: &[f32],
        candidates: &mut Candidates<'_>,
    ) -> Result<Seen, Error> {
        let selected = candidates.selected.ok_or(Error::Internal)?;
        let has_weights = candidates.has_weights;
        if !has_weights {
            candidates.weigh()?;
        }
        let (list, scratch) = candidates.as_list()?;
        let (tokens, weights) = (list.tokens(), &scratch.weights[..]);
        debug_assert_eq!(tokens.len(), weights.len());
        let last = Final {
            tokens,
            weights,
            sum: weights.iter().map(|w| f64::from(*w)).sum(),
            top: (!has_weights).then(|| list.top()).filter(|top| top.is_finite()),
        };
        let token = tokens.get(selected).ok_or(Error::Internal)?.id;
        let Self { ranked, best_after, .. } = self;
        best_after.clear();
        if request.best_after > 0 {
            let ids = tokens.iter().map(|token| (token.id, token.logit));
            let best = ranked.best(ids, request.best_after)?;
            best.tell(best_after, |_, place| last.log_p(place))?;
        }
        let watched = request.watched_id.map(|id| {
            let place = tokens.iter().position(|token| token.id == id);
            self.of(request, row, id, place.map(|place| last.of(place)))
        });
        Ok(Seen {
            nans: self.raw.nans,
            infinities: self.raw.infinities,
            token: self.of(request, row, token, Some(last.of(selected))),
            watched: watched.unwrap_or(ChainProbability {
                raw_p: 0.0,
                raw_log_p: f64::NEG_INFINITY,
                penalised_p: 0.0,
                penalised_log_p: f64::NEG_INFINITY,
                final_p: 0.0,
                final_log_p: f64::NEG_INFINITY,
            }),
            group: last.group(request.group),
        })
    }

    /// The probabilities of a token whose final ones are given, if it is a candidate.
    fn of(
        &self,
        request: &ChainRequest<'_>,
        row: &[f32],
        id: i32,
        last: Option<(f64, f64)>,
    ) -> ChainProbability {
        let in_row = |row: &[f32]| usize::try_from(id).ok().and_then(|id| row.get(id)).copied();
        let in_tokens = |tokens: &[TokenData]| {
            tokens.iter().find(|token| token.id == id).map(|token| token.logit)
        };
        let raw = in_row(request.logits).or_else(|| in_tokens(request.tokens));
        let penalised = match self.penalised {
            Penalised::Row => in_row(row),
            Penalised::Copy => in_row(&self.row),
            Penalised::Tokens => in_tokens(&self.tokens),
        };
        let log = |stats: &RowStats, logit: Option<f32>| {
            logit.map_or(f64::NEG_INFINITY, |logit| stats.log_p(logit))
        };
        let raw_log_p = log(&self.raw, raw);
        let penalised_log_p = log(&self.after_edits, penalised);
        let (final_p, final_log_p) = last.unwrap_or((0.0, f64::NEG_INFINITY));
        ChainProbability {
            raw_p: raw_log_p.exp(),
            raw_log_p,
            penalised_p: penalised_log_p.exp(),
            penalised_log_p,
            final_p,
            final_log_p,
        }
    }
}

/// The candidates that the selecting stage saw, with their weights.
struct Final<'a> {
    tokens: &'a [TokenData],
    weights: &'a [f32],
    sum: f64,
    /// The largest logit, if it is finite and the weights are exps below it.
    top: Option<f32>,
}

impl Final<'_> {
    fn p(&self, place: usize) -> f64 {
        f64::from(self.weights[place]) / self.sum
    }

    fn log_p(&self, place: usize) -> f64 {
        match self.top {
            // Also where the weight is too small for a number above 0.
            Some(top) => (f64::from(self.tokens[place].logit) - f64::from(top)) - self.sum.ln(),
            None => self.p(place).ln(),
        }
    }

    fn of(&self, place: usize) -> (f64, f64) {
        (self.p(place), self.log_p(place))
    }

    fn group(&self, range: Option<TokenRange>) -> GroupProbability {
        let mut group = GroupProbability { p: 0.0, best: None, best_p: 0.0 };
        let Some(TokenRange { first, last }) = range else { return group };
        let mut best: Option<RankKey> = None;
        for (place, token) in self.tokens.iter().enumerate() {
            if token.id < first || last < token.id || token.logit == f32::NEG_INFINITY {
                continue;
            }
            group.p += self.p(place);
            if best.is_none_or(|best| token.rank() < best) {
                best = Some(token.rank());
                (group.best, group.best_p) = (Some(token.id), self.p(place));
            }
        }
        group
    }
}

/// Tokens above -inf in rank order, with their places.
#[derive(Debug, Default)]
struct Ranked {
    keys: Vec<(RankKey, u32)>,
}

impl Ranked {
    /// The best `n` of some tokens.
    fn best(
        &mut self,
        tokens: impl ExactSizeIterator<Item = (i32, f32)>,
        n: usize,
    ) -> Result<&Self, Error> {
        let keys = &mut self.keys;
        keys.clear();
        if n == 0 {
            return Ok(self);
        }
        reserve(keys, tokens.len())?;
        let above = (0..).zip(tokens).filter(|(_, (_, logit))| *logit > f32::NEG_INFINITY);
        keys.extend(above.map(|(place, (id, logit))| {
            let token = TokenData { id, logit: nan_to_neg_inf(logit), p: 0.0 };
            (token.rank(), place)
        }));
        if n < keys.len() {
            keys.select_nth_unstable(n);
            keys.truncate(n);
        }
        keys.sort_unstable();
        Ok(self)
    }

    /// Writes them to `out`.
    fn tell(
        &self,
        out: &mut Vec<TokenLogProb>,
        log_p: impl Fn(RankKey, usize) -> f64,
    ) -> Result<(), Error> {
        reserve(out, self.keys.len())?;
        out.extend(self.keys.iter().map(|(key, place)| TokenLogProb {
            // The rank has the id shifted.
            id: (key.id() ^ 1 << 31) as i32,
            logprob: log_p(*key, *place as usize) as f32,
        }));
        Ok(())
    }
}

/// As [`RowStats::of_blocked`], in double.
fn stats_of<'a>(tokens: impl Iterator<Item = &'a TokenData> + Clone) -> RowStats {
    let logits = || tokens.clone().map(|token| token.logit);
    let top = logits().map(nan_to_neg_inf).fold(f32::NEG_INFINITY, f32::max);
    let exp = |logit: f32| (f64::from(nan_to_neg_inf(logit)) - f64::from(top)).exp();
    RowStats {
        nans: logits().filter(|logit| logit.is_nan()).count(),
        infinities: logits().filter(|logit| *logit == f32::INFINITY).count(),
        top,
        log_sum: if top.is_finite() { logits().map(exp).sum::<f64>().ln() } else { 0.0 },
    }
}
