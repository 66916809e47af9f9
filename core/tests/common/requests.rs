//! Requests once more, slow and obvious: an edited copy of the row, ranked as a whole.

use super::oracle::{Mt19937, discrete, rank, weights};
use super::rows::SplitMix;
use s2sampler_core::{Error, SampleRequest, SamplerParams, TokenRange};

/// What a request must give.
pub struct Expected {
    /// A status where no logit is above -inf.
    pub token: Result<i32, Error>,
    pub words: u32,
    pub candidates: usize,
    /// Whether the kept token came in from outside the nucleus, and whether min_p dropped any.
    pub kept_apart: bool,
    pub min_p_dropped: bool,
    /// By place in the row: the probability of drawing it.
    pub drawn_from: Vec<f64>,
    /// By place in the row: the logarithm of its share of the caller's own row.
    pub raw_logs: Vec<f64>,
}

/// Whether the three masks allow an id; one that is empty allows all.
pub fn allows(ranges: &[TokenRange], ids: &[i32], bitmask: &[i32], id: i32) -> bool {
    let within = ranges.iter().any(|r| r.first <= id && id <= r.last);
    let word = usize::try_from(id).ok().and_then(|id| bitmask.get(id / 32));
    let bit = word.is_some_and(|word| (*word as u32) / 2_u32.pow(id as u32 % 32) % 2 == 1);
    (ranges.is_empty() || within)
        && (ids.is_empty() || ids.contains(&id))
        && (bitmask.is_empty() || bit)
}

/// The row with penalties, bans and masks in it; none where the masks leave no id.
pub fn edited(request: &SampleRequest<'_>) -> Option<Vec<f32>> {
    let ids = || (0..request.logits.len() as i32).map(|place| request.id_offset + place);
    let open = |id: &i32| allows(request.ranges, request.allowed_ids, request.bitmask, *id);
    ids().find(open)?;
    let window = match request.penalty_window {
        -1 => request.history.len(),
        n => (n as usize).min(request.history.len()),
    };
    let recent = &request.history[request.history.len() - window..];
    let mut row = request.logits.to_vec();
    for (id, l) in ids().zip(&mut row) {
        let times = recent.iter().filter(|other| **other == id).count();
        if times > 0 {
            let factor = request.repetition_penalty;
            *l = if *l > 0.0 { *l / factor } else { *l * factor };
            *l -= times as f32 * request.frequency_penalty + request.presence_penalty;
        }
        if request.banned.contains(&id) || !open(&id) {
            *l = f32::NEG_INFINITY;
        }
    }
    Some(row)
}

/// The answer to a request, with `mt` in the generator's place; none for an empty row.
pub fn expected(request: &SampleRequest<'_>, mt: &mut Mt19937) -> Option<Expected> {
    let SamplerParams { temperature, .. } = request.params;
    let row = edited(request)?;
    let ranked = rank(&row);
    let top = ranked.logits[0];
    let greedy = temperature <= 0.0;
    let mut kept = if greedy { 1 } else { ranked.kept(&request.params) };
    let by_k_and_p = kept;
    if !greedy && top.is_finite() && request.min_p > 0.0 {
        let drops = |i: &usize| ranked.logits[*i] < top + request.min_p.ln();
        kept = (1..kept).find(drops).unwrap_or(kept);
    }
    let place = |id: i32| usize::try_from(i64::from(id) - i64::from(request.id_offset)).ok();
    let mut ranks: Vec<usize> = (0..kept).collect();
    if let Some(keep) = request.keep_id.and_then(place).filter(|_| !greedy && top.is_finite()) {
        let rank = ranked.ids.iter().position(|id| *id as usize == keep);
        ranks.extend(rank.filter(|&r| r >= kept && ranked.logits[r] > f32::NEG_INFINITY));
    }
    let candidates = ranks.len();
    let dead = top == f32::NEG_INFINITY;
    let uses_uniform = candidates > 1 && !dead;
    let uniform = if uses_uniform { request.uniform.unwrap_or_else(|| mt.uniform()) } else { 0.0 };
    let mut drawn_from = vec![0.0; row.len()];
    let logits: Vec<f32> = ranks.iter().map(|r| ranked.logits[*r]).collect();
    let mut drawn = 0;
    let weights = weights(&logits, temperature);
    if !uses_uniform || !top.is_finite() || weights.iter().any(|w| w.is_nan()) {
        // Certain; of a row without a number above -inf nothing can be drawn.
        drawn_from[ranked.ids[0] as usize] = f64::from(u8::from(top > f32::NEG_INFINITY));
    } else {
        let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
        for (rank, w) in ranks.iter().zip(&weights) {
            drawn_from[ranked.ids[*rank] as usize] = f64::from(*w) / total;
        }
        drawn = discrete(&weights, uniform);
    }
    Some(Expected {
        token: match dead {
            true => Err(Error::NoCandidate),
            false => Ok(request.id_offset + ranked.ids[ranks[drawn]] as i32),
        },
        words: if uses_uniform && request.uniform.is_none() { 2 } else { 0 },
        candidates,
        kept_apart: candidates > kept,
        min_p_dropped: kept < by_k_and_p,
        drawn_from,
        raw_logs: raw_logs(request.logits),
    })
}

/// The logarithm of the softmax in double; tokens at +inf share the mass alike.
fn raw_logs(row: &[f32]) -> Vec<f64> {
    let top = row.iter().filter(|l| !l.is_nan()).fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    let over_top = |l: &f32| f64::from(*l) - f64::from(top);
    let sum: f64 = row.iter().filter(|l| !l.is_nan()).map(|l| over_top(l).exp()).sum();
    let infinite = row.iter().filter(|l| **l == f32::INFINITY).count() as f64;
    let log = |l: &f32| match top.is_finite() {
        true if !l.is_nan() => over_top(l) - sum.ln(),
        false if *l == f32::INFINITY => -infinite.ln(),
        _ => f64::NEG_INFINITY,
    };
    row.iter().map(log).collect()
}

/// A bitmask for a row at `offset`: all, none, few or half of the ids, and words too few and too many.
pub fn bitmask(n: usize, offset: i32, random: &mut SplitMix) -> Vec<i32> {
    let words = (n + offset as usize).div_ceil(32);
    let len = random.pick(&[words, words, words.div_ceil(2), words + 3]);
    let kind = random.below(5);
    let mut word = || match kind {
        0 => -1,
        1 => 0,
        2 => (random.next() & random.next() & random.next() & random.next()) as i32,
        _ => random.next() as i32,
    };
    (0..len).map(|_| word()).collect()
}

/// Ranges such as callers pass: none to five, unsorted, overlapping, empty, and beyond the row.
pub fn ranges(n: usize, offset: i32, random: &mut SplitMix) -> Vec<TokenRange> {
    let mut end = || match random.below(8) {
        0 => random.pick(&[i32::MIN, -1, n as i32, n as i32 + 1, i32::MAX]),
        _ => random.below(n) as i32,
    };
    let ends: Vec<[i32; 2]> = (0..5).map(|_| [end(), end()]).collect();
    let count = random.below(6);
    let range = |&[a, b]: &[i32; 2]| {
        // One in four stays empty if its ends stand the wrong way round.
        let (first, last) = if random.below(4) == 0 { (a, b) } else { (a.min(b), a.max(b)) };
        let last = if random.below(3) == 0 { last.min(first.saturating_add(3)) } else { last };
        TokenRange { first: first.saturating_add(offset), last: last.saturating_add(offset) }
    };
    ends.iter().take(count).map(range).collect()
}
