//! Stages that edit logits, each only called if it is not off.

use super::List;
use std::collections::{BTreeMap, BTreeSet};

/// l + bias, for each bias in the order given.
pub fn logit_bias(list: &mut List, biases: &[(i32, f32)]) {
    for &(id, bias) in biases {
        list.edit(|c| if c.id == id { c.logit + bias } else { c.logit });
    }
}

/// For a token that is c > 0 times in H: l * repeat if l <= 0, else l / repeat; then
/// l - (c * frequency + presence).
pub fn penalties(list: &mut List, h: &[i32], repeat: f32, frequency: f32, presence: f32) {
    let mut counts = BTreeMap::new();
    for token in h {
        *counts.entry(*token).or_insert(0_u32) += 1;
    }
    list.edit(|candidate| {
        let Some(&c) = counts.get(&candidate.id) else { return candidate.logit };
        let l = candidate.logit;
        let l = if l <= 0.0 { l * repeat } else { l / repeat };
        l - (c as f32 * frequency + presence)
    });
}

/// For each place of a token in H: l / repeat if l > 0, else l * repeat.
pub fn penalty_each(list: &mut List, h: &[i32], repeat: f32) {
    list.held = false;
    for token in h {
        list.edit(|c| match c.id == *token {
            true if c.logit > 0.0 => c.logit / repeat,
            true => c.logit * repeat,
            false => c.logit,
        });
    }
}

/// For a token in H whose newest place is j from the end (0 the last): by v as the repetition penalty, v = repeat
/// for j <= sustain, then repeat + (1 - repeat) * ((j - sustain) / decay), 1 from sustain + decay on.
pub fn penalty_decay(list: &mut List, h: &[i32], sustain: i32, decay: i32, repeat: f32) {
    list.held = false;
    let mut seen = BTreeSet::new();
    for (j, token) in h.iter().rev().enumerate() {
        let beyond = if sustain < 0 { 0 } else { j.saturating_sub(sustain as usize) };
        if sustain >= 0 && j >= (sustain + decay) as usize {
            return;
        }
        let v = match beyond {
            0 => repeat,
            _ => repeat + (1.0 - repeat) * (beyond as f32 / decay as f32),
        };
        if seen.insert(*token) {
            list.edit(|c| match c.id == *token {
                true if c.logit > 0.0 => c.logit / v,
                true => c.logit * v,
                false => c.logit,
            });
        }
    }
}

/// l + bias of the last token of each sequence whose other tokens H ends with, in the order given.
pub fn sequence_bias(list: &mut List, h: &[i32], biases: &[(Vec<i32>, f32)]) {
    list.held = false;
    for (sequence, bias) in biases {
        let (last, before) = sequence.split_last().expect("no empty sequence");
        if h.ends_with(before) {
            list.edit(|c| if c.id == *last { c.logit + bias } else { c.logit });
        }
    }
}

/// -inf for the ids whose bit is not 1, those beyond the words too.
pub fn bitmask(list: &mut List, words: &[i32]) {
    list.edit(|c| {
        let allowed = c.id >= 0
            && (c.id / 32) < words.len() as i32
            && (words[(c.id / 32) as usize] as u32) & (1_u32 << (c.id % 32)) != 0;
        if allowed { c.logit } else { f32::NEG_INFINITY }
    });
}

/// With d = l - m, k = (3 - curve) / 2 * factor and s = (curve - 1) / 2 * factor: s d d d - k d d + m, where d is
/// finite.
pub fn smoothing(list: &mut List, factor: f32, curve: f32) {
    let m = list.largest();
    let (k, s) = ((3.0 - curve) / 2.0 * factor, (curve - 1.0) / 2.0 * factor);
    list.edit(|c| {
        let d = c.logit - m;
        if d.is_nan() || d.is_infinite() {
            return c.logit;
        }
        let (square, cube) = (k * d * d, s * d * d * d);
        (cube - square) + m
    });
}

/// For the last token of H, which comes c times at its end: l / repeat^c in double.
pub fn penalty_run(list: &mut List, h: &[i32], repeat: f32) {
    let run = h.iter().rev().take_while(|token| Some(*token) == h.last()).count();
    let power = f64::from(repeat).powf(run as f64);
    list.edit(|c| match h.last() {
        Some(last) if *last == c.id => (f64::from(c.logit) / power) as f32,
        _ => c.logit,
    });
}

/// Bans each token that came after the last n - 1 tokens before.
pub fn no_repeat_ngram(list: &mut List, h: &[i32], n: i32) {
    let n = n as usize;
    let mut banned = BTreeSet::new();
    if h.len() + 1 >= n {
        let end = &h[h.len() + 1 - n..];
        for sequence in h.windows(n) {
            if sequence[..n - 1] == *end {
                banned.insert(sequence[n - 1]);
            }
        }
    }
    list.edit(|c| if banned.contains(&c.id) { f32::NEG_INFINITY } else { c.logit });
}

/// l * factor; a product of the best that is not finite keeps the best alone.
pub fn scale(list: &mut List, factor: f32) {
    if (list.largest() * factor).is_finite() {
        list.edit(|c| c.logit * factor);
    } else {
        list.sort();
        list.items.truncate(1);
        list.best_alone = true;
    }
}

/// l / t. t <= 0, or a quotient of the best that is not finite, keeps the best alone; t = +inf makes all
/// candidates above -inf alike.
pub fn temperature(list: &mut List, t: f32) {
    if t == f32::INFINITY {
        list.edit(|c| if c.logit > f32::NEG_INFINITY { 0.0 } else { c.logit });
    } else if t <= 0.0 || !(list.largest() / t).is_finite() {
        list.sort();
        list.items.truncate(1);
        list.best_alone = true;
    } else {
        list.edit(|c| c.logit / t);
    }
}

/// delta <= 0: temperature(t). Else, with two candidates and more: sorts; softmax; v = entropy / ln(count);
/// low = max(0, t - delta); high = t + delta; temperature(low + (high - low) * powf(v, exponent)).
pub fn temperature_ext(list: &mut List, t: f32, delta: f32, exponent: f32) {
    if delta <= 0.0 {
        if t != 1.0 {
            temperature(list, t);
        }
        return;
    }
    if list.len() < 2 {
        return;
    }
    list.sort();
    list.softmax();
    if list.len() < 2 {
        // ln(count) is 0, and no temperature changes what a single candidate gives.
        return;
    }
    let v = list.entropy() / (list.len() as f64).ln();
    let place = (v as f32).powf(exponent);
    let (low, high) = ((t - delta).max(0.0), t + delta);
    // 0 * inf stands for the end that is reached whatever the other is.
    let chosen = if t == f32::INFINITY {
        t
    } else if place == 0.0 || low == high {
        low
    } else {
        low + (high - low) * place
    };
    if chosen != 1.0 {
        temperature(list, chosen);
    }
}

/// What each token that would continue a repetition loses.
pub fn dry(
    h: &[i32],
    multiplier: f32,
    base: f32,
    allowed_length: i32,
    breakers: &[Vec<i32>],
) -> BTreeMap<i32, f32> {
    let mut penalties = BTreeMap::new();
    let allowed_length = allowed_length as usize;
    let limit = limit(h, breakers);
    if limit < allowed_length || h.len() <= allowed_length {
        return penalties;
    }
    let mut longest = BTreeMap::new();
    for j in 0..h.len() - 1 {
        // The tokens that end at j and equal those at the end of H.
        let mut r = 0;
        while r <= j && r < limit && h[j - r] == h[h.len() - 1 - r] {
            r += 1;
        }
        if r >= allowed_length {
            let longest = longest.entry(h[j + 1]).or_insert(r);
            *longest = r.max(*longest);
        }
    }
    for (token, r) in longest {
        if breakers.contains(&vec![token]) {
            continue;
        }
        let mut exponent = (r - allowed_length) as f64;
        if base > 1.000_001 {
            exponent = exponent.min((88.722_839_1 / f64::from(base).ln()).floor());
        }
        let penalty = f64::from(multiplier) * f64::from(base).powf(exponent);
        penalties.insert(token, penalty as f32);
    }
    penalties
}

/// The number of tokens after the occurrence of a breaker that begins last, of several that begin there after
/// the longest; without one, the length of H.
fn limit(h: &[i32], breakers: &[Vec<i32>]) -> usize {
    for begin in (0..h.len()).rev() {
        let here = breakers.iter().filter(|b| !b.is_empty() && h[begin..].starts_with(b));
        if let Some(longest) = here.map(Vec::len).max() {
            return h.len() - begin - longest;
        }
    }
    h.len()
}
