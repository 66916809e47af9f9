//! Stages that drop candidates, each only called if it is not off.

use super::{Candidate, List};
use crate::common::oracle::{Mt19937, rank};
use s2sampler_core::SamplerParams;

/// Sorts; keeps the first k.
pub fn top_k(list: &mut List, k: i32) {
    list.sort();
    list.items.truncate(k as usize);
}

/// Keeps l > -inf that are at least the k-th largest; without one, sorts and keeps the first.
pub fn top_k_ties(list: &mut List, k: i32) {
    let mut logits: Vec<f32> = list.items.iter().map(|c| c.logit).collect();
    logits.sort_by(|a, b| b.partial_cmp(a).expect("no NaN"));
    let kth = logits[(k as usize).min(logits.len()) - 1];
    if logits[0] == f32::NEG_INFINITY {
        list.sort();
        return;
    }
    list.keep(|c| c.logit >= kth && c.logit > f32::NEG_INFINITY);
}

/// Sorts; softmax, or the p of a softmax stage; drops all ranks i > 0 from the first on where the running double
/// sum of p is > p.
pub fn top_p_exclusive(list: &mut List, p: f32) {
    list.sort();
    if !list.held {
        list.softmax();
    }
    let mut running = 0.0_f64;
    for rank in 0..list.len() {
        running += f64::from(list.items[rank].p);
        if rank > 0 && running > f64::from(p) {
            list.items.truncate(rank);
            return;
        }
    }
}

/// Sorts; softmax, or that of a softmax stage; keeps the ranks through the first at which the running double sum of
/// e is >= p * S, and min_keep.
pub fn top_p(list: &mut List, p: f32, min_keep: usize) {
    list.sort();
    if !list.held {
        list.softmax();
    }
    let share = f64::from(p) * list.s;
    let (mut running, mut kept) = (0.0_f64, 0);
    for c in &list.items {
        kept += 1;
        running += f64::from(c.e);
        if running >= share {
            break;
        }
    }
    list.items.truncate(kept.max(min_keep));
}

/// Keeps l >= m + ln(p); if these are fewer than min_keep, sorts and keeps the first min_keep.
pub fn min_p(list: &mut List, p: f32, min_keep: usize) {
    let min_keep = min_keep.max(1);
    let threshold = list.largest() + p.ln();
    let passing = list.items.iter().filter(|c| c.logit >= threshold).count();
    if passing < min_keep {
        list.sort();
        list.items.truncate(min_keep);
    } else {
        list.keep(|c| c.logit >= threshold);
    }
}

/// Sorts; softmax; keeps p >= epsilon, and min_keep.
pub fn epsilon_cutoff(list: &mut List, epsilon: f32, min_keep: usize) {
    list.sort();
    list.softmax();
    let kept = list.items.iter().take_while(|c| c.p >= epsilon).count();
    list.items.truncate(kept.max(min_keep).max(1));
}

/// Sorts; softmax; keeps p >= a * (largest p)^2 in double, and min_keep.
pub fn top_a(list: &mut List, a: f32, min_keep: usize) {
    list.sort();
    list.softmax();
    let largest = f64::from(list.items[0].p);
    let limit = f64::from(a) * (largest * largest);
    let kept = list.items.iter().filter(|c| f64::from(c.p) >= limit).count();
    list.items.truncate(kept.max(min_keep).max(1));
}

/// Sorts; softmax; keeps p >= min(eta, sqrt(eta) * exp(-entropy)) in double, and min_keep.
pub fn eta_cutoff(list: &mut List, eta: f32, min_keep: usize) {
    list.sort();
    list.softmax();
    let limit = f64::from(eta).min(f64::from(eta).sqrt() * f64::exp(-list.entropy()));
    let kept = list.items.iter().filter(|c| f64::from(c.p) >= limit).count();
    list.items.truncate(kept.max(min_keep).max(1));
}

/// Sorts; softmax; s = |-ln p - entropy|; keeps by rising s, of equal ones by rank, through the first candidate
/// at which the running double sum of e is > p * S, and min_keep. The order stays.
pub fn typical(list: &mut List, p: f32, min_keep: usize) {
    list.sort();
    list.softmax();
    let entropy = list.entropy();
    // ln 0 is -inf, and s then +inf.
    let s = |p: f32| (-f64::from(p).ln() - entropy).abs();
    list.items.sort_by(|a, b| s(a.p).partial_cmp(&s(b.p)).expect("no NaN"));
    let share = f64::from(p) * list.s;
    let (mut running, mut kept) = (0.0_f64, 0);
    for c in &list.items {
        kept += 1;
        running += f64::from(c.e);
        if running > share {
            break;
        }
    }
    list.items.truncate(kept.max(min_keep));
}

/// Keeps l >= m - n * sigma, sigma the population standard deviation of the finite l, in double.
pub fn top_n_sigma(list: &mut List, n: f32) {
    let logits = list.items.iter().map(|c| f64::from(c.logit));
    let finite: Vec<f64> = logits.filter(|l| l.is_finite()).collect();
    if finite.is_empty() {
        return;
    }
    let count = finite.len() as f64;
    let mean = finite.iter().sum::<f64>() / count;
    let sigma = (finite.iter().map(|l| (l - mean) * (l - mean)).sum::<f64>() / count).sqrt();
    let threshold = f64::from(list.largest()) - f64::from(n) * sigma;
    if !threshold.is_nan() {
        list.keep(|c| f64::from(c.logit) >= threshold);
    }
}

/// With two candidates and more takes a word g. If g / 2^32, in binary32 and below 1, is <= probability: sorts;
/// softmax; of the ranks with p >= threshold drops all but the last, unless fewer than min_keep would be left.
pub fn xtc(list: &mut List, mt: &mut Mt19937, probability: f32, threshold: f32, min_keep: usize) {
    if list.len() < 2 {
        return;
    }
    if mt.float() <= probability {
        list.sort();
        list.softmax();
        let likely = list.items.iter().take_while(|c| c.p >= threshold).count();
        let dropped = likely.max(1) - 1;
        if list.len() - dropped >= min_keep {
            list.items.drain(..dropped);
        }
    }
}

/// As xtc, but of the ranks with p > threshold drops those whose p is above the smallest of these, unless their
/// id is protected.
pub fn xtc_protected(
    list: &mut List,
    mt: &mut Mt19937,
    probability: f32,
    threshold: f32,
    min_keep: usize,
    protected: &[i32],
) {
    if list.len() < 2 {
        return;
    }
    if mt.float() > probability {
        return;
    }
    list.sort();
    list.softmax();
    let likely = list.items.iter().map(|c| c.p).filter(|p| *p > threshold);
    let least = likely.fold(f32::INFINITY, f32::min);
    let goes = |c: &Candidate| c.p > least && !protected.contains(&c.id);
    let dropped = list.items.iter().filter(|c| goes(c)).count();
    if list.len() - dropped >= min_keep {
        list.items.retain(|c| !goes(c));
    }
}

/// Steps 1 to 6 of "One draw": the l left are (l - m) / temperature, in the order of their ranks, and p is q.
pub fn s2(list: &mut List, params: &SamplerParams) {
    let (m, t) = (list.largest(), params.temperature);
    let greedy = t <= 0.0;
    if m == f32::NEG_INFINITY {
        // Nothing can be drawn.
        list.sort();
        if !greedy {
            list.binary32_softmax();
        }
        list.s2 = Some(0);
        list.first_sum = None;
        return;
    }
    let logits: Vec<f32> = list.items.iter().map(|c| c.logit).collect();
    let kept = if greedy { 1 } else { rank(&logits).kept(params) };
    list.best_alone = greedy || m == f32::INFINITY;
    list.sort();
    if !greedy {
        list.binary32_softmax();
    }
    // With a +inf the token is certain, and all that rule 3 keeps count.
    list.items.truncate(if m == f32::INFINITY { 1 } else { kept });
    list.s2 = Some(kept - list.len());
    list.first_sum = None;
    list.edit(|c| {
        if c.logit == m {
            0.0
        } else if t == f32::INFINITY {
            // All candidates above -inf are alike, and no other is listed.
            0.0
        } else {
            (c.logit - m) / t
        }
    });
}

/// The rule of the first generations: the l left are the exponents, p is w / W.
pub fn s2_first(list: &mut List, params: &SamplerParams, keep_id: i32) {
    let SamplerParams { temperature, top_p, top_k } = *params;
    let n = list.len();
    let k = if top_k > 0 { n.min(top_k as usize) } else { n };
    list.items.sort_by(super::rank_order);
    list.held = false;
    let place = list.items.iter().position(|c| keep_id >= 0 && c.id == keep_id);
    let joins = place.is_some_and(|place| place >= k && list.items[place].logit > -1e30);
    let mut left: Vec<_> = list.items[..k].to_vec();
    if let Some(place) = place.filter(|_| joins) {
        left.push(list.items[place]);
    }
    let count = left.len();
    let kept = left.iter().position(|c| keep_id >= 0 && c.id == keep_id);
    let m = left[0].logit;
    if m.is_infinite() {
        // No distribution: rank 0 alone, and all that step 1 leaves count.
        let logit = if m > 0.0 { 0.0 } else { m };
        list.items = vec![super::Candidate { logit, p: 1.0, ..left[0] }];
        (list.s2, list.first_sum) = (Some(count - 1), None);
        return;
    }
    // Those at -inf are not listed.
    left.retain(|c| c.logit > f32::NEG_INFINITY);
    for c in &mut left {
        c.logit = match temperature {
            t if t > 0.0 && t < f32::INFINITY => (c.logit - m) / t,
            t if t == f32::INFINITY => 0.0,
            _ if c.logit == m => 0.0,
            _ => f32::NEG_INFINITY,
        };
        c.p = c.logit.exp();
    }
    let mut sum = 0.0_f32;
    left.iter().for_each(|c| sum += c.p);
    left.iter_mut().for_each(|c| c.p /= sum);
    let (mut running, mut end) = (0.0_f32, count);
    for (i, c) in left.iter().enumerate() {
        running += c.p;
        if running >= top_p {
            end = i + 1;
            break;
        }
    }
    let end = end.max(kept.map_or(0, |place| place + 1));
    left.truncate(end);
    list.s2 = Some(end - left.len());
    list.first_sum = Some(sum);
    list.items = left;
}
