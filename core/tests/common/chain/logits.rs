//! Stages that change logits.

use super::List;
use super::spec::Spec;
use std::collections::BTreeMap;

pub fn bias(list: &mut List, biases: &[(i32, f32)]) {
    if !biases.is_empty() {
        list.sorted = false;
    }
    for &(id, bias) in biases {
        list.change(|c| (c.id == id).then_some(c.logit + bias));
    }
}

pub fn penalties(list: &mut List, last: &[i32], repeat: f32, frequency: f32, presence: f32) {
    if (repeat, frequency, presence) == (1.0, 0.0, 0.0) {
        return;
    }
    list.sorted = false;
    let mut counts = BTreeMap::new();
    for token in last {
        *counts.entry(token).or_insert(0_u32) += 1;
    }
    list.change(|c| {
        let count = *counts.get(&c.id)? as f32;
        let l = if c.logit <= 0.0 { c.logit * repeat } else { c.logit / repeat };
        Some(l - (count * frequency + presence))
    });
}

pub fn temperature(list: &mut List, t: f32) {
    let m = list.largest();
    if t <= 0.0 || t.is_nan() || (m.is_finite() && t.is_finite() && !(m / t).is_finite()) {
        list.sort();
        list.items.truncate(1);
    } else if t == f32::INFINITY {
        let alike = |l: f32| if l == f32::NEG_INFINITY { l } else { 0.0 };
        list.change(|c| Some(alike(c.logit)));
    } else if t != 1.0 {
        list.change(|c| Some(c.logit / t));
    }
}

pub fn temperature_ext(list: &mut List, t: f32, delta: f32, exponent: f32) {
    if delta <= 0.0 {
        return temperature(list, t);
    }
    if list.len() < 2 {
        return;
    }
    list.sort();
    list.softmax();
    if list.len() < 2 {
        return;
    }
    let u = list.entropy() / (list.len() as f64).ln();
    let (low, high) = ((t - delta).max(0.0), t + delta);
    let part = (u as f32).powf(exponent);
    let chosen = match () {
        () if t == f32::INFINITY => t,
        () if part == 0.0 || high == low => low,
        () => low + (high - low) * part,
    };
    if chosen != 1.0 {
        temperature(list, chosen);
    } else {
        list.change(|_| None);
    }
}

pub fn dry(list: &mut List, spec: &Spec, h: &[i32]) {
    let Spec::Dry { multiplier, base, allowed_length, breakers, .. } = spec else { unreachable!() };
    let allowed = i64::from(*allowed_length);
    let n = h.len() as i64;
    if *multiplier == 0.0 || *base < 1.0 {
        return;
    }
    list.sorted = false;
    list.held = false;
    if n <= allowed {
        return;
    }
    let limit = before_breaker(h, breakers);
    if limit < allowed {
        return;
    }
    let mut repeats = BTreeMap::new();
    for j in 0..h.len() - 1 {
        let common = (0..=j).take_while(|back| h[j - back] == h[h.len() - 1 - back]).count();
        let r = limit.min(common as i64);
        if r >= allowed {
            let largest = repeats.entry(h[j + 1]).or_insert(r);
            *largest = r.max(*largest);
        }
    }
    list.change(|c| {
        let alone = breakers.iter().any(|breaker| breaker[..] == [c.id]);
        let r = *repeats.get(&c.id).filter(|_| !alone)?;
        let mut exponent = (r - allowed) as f64;
        if *base > 1.000_001 {
            exponent = exponent.min((88.722_839_1 / f64::from(*base).ln()).floor());
        }
        Some(c.logit - (f64::from(*multiplier) * f64::from(*base).powf(exponent)) as f32)
    });
}

/// How many tokens stand after the last breaker.
fn before_breaker(h: &[i32], breakers: &[Vec<i32>]) -> i64 {
    for i in 0..h.len() {
        let tail = &h[h.len() - 1 - i..];
        let longest = breakers.iter().filter(|b| tail.starts_with(b)).map(Vec::len).max();
        if let Some(length) = longest {
            return i as i64 - (length as i64 - 1);
        }
    }
    h.len() as i64
}
