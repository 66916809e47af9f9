//! Stages that drop candidates.

use super::List;
use crate::common::oracle::{Mt19937, rank};
use s2sampler_core::SamplerParams;

pub fn top_k(list: &mut List, k: i32) {
    if k > 0 {
        list.sort();
        list.items.truncate(k as usize);
    }
}

pub fn top_p(list: &mut List, p: f32, min_keep: usize) {
    if p >= 1.0 {
        return;
    }
    list.sort();
    if !list.held {
        list.softmax();
    }
    let mut c = 0.0_f32;
    let mut keep = list.len();
    for (rank, candidate) in list.items.iter().enumerate() {
        c += candidate.p;
        if c >= p && rank + 1 >= min_keep {
            keep = rank + 1;
            break;
        }
    }
    list.items.truncate(keep);
}

pub fn min_p(list: &mut List, p: f32, min_keep: usize) {
    if p <= 0.0 {
        return;
    }
    list.unhide();
    let threshold = list.largest() + p.ln();
    let passes = list.items.iter().filter(|c| c.logit >= threshold).count();
    if passes >= min_keep.max(1) {
        list.items.retain(|c| c.logit >= threshold);
    } else {
        list.sort();
        list.items.truncate(min_keep.max(1));
    }
}

pub fn epsilon_cutoff(list: &mut List, epsilon: f32, min_keep: usize) {
    if epsilon <= 0.0 {
        return;
    }
    list.sort();
    list.held = false;
    let e: Vec<f64> = list.exponentials().into_iter().map(f64::from).collect();
    let sum = e.iter().fold(0.0, |s, e| s + e);
    for (c, e) in list.items.iter_mut().zip(&e) {
        c.p = (e / sum) as f32;
    }
    let kept = e.iter().filter(|e| **e / sum >= f64::from(epsilon)).count();
    list.items.truncate(kept.max(min_keep).max(1));
}

pub fn typical(list: &mut List, p: f32, min_keep: usize) {
    if p >= 1.0 {
        return;
    }
    list.sort();
    list.softmax();
    let h = list.entropy();
    list.items.sort_by(|a, b| {
        let s = |p: f32| (-f64::from(p).ln() - h).abs();
        s(a.p).total_cmp(&s(b.p))
    });
    let mut c = 0.0_f32;
    let mut keep = list.len();
    for (i, candidate) in list.items.iter().enumerate() {
        c += candidate.p;
        if c > p && i + 1 >= min_keep.max(1) {
            keep = i + 1;
            break;
        }
    }
    list.items.truncate(keep);
    list.sorted = false;
}

pub fn top_n_sigma(list: &mut List, n: f32) {
    if n <= 0.0 {
        return;
    }
    let logits = list.items.iter().map(|c| f64::from(c.logit));
    let finite: Vec<f64> = logits.filter(|l| l.is_finite()).collect();
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mean = mean_of(&finite);
    let squares: Vec<f64> = finite.iter().map(|l| (l - mean) * (l - mean)).collect();
    let threshold = f64::from(list.largest()) - f64::from(n) * mean_of(&squares).sqrt();
    if !threshold.is_nan() {
        list.unhide();
        list.items.retain(|c| f64::from(c.logit) >= threshold);
    }
}

pub fn xtc(list: &mut List, mt: &mut Mt19937, probability: f32, threshold: f32, min_keep: usize) {
    if probability <= 0.0 || threshold > 0.5 || list.len() < 2 {
        return;
    }
    let chance = (mt.next_u32() as f32 / 2.0_f32.powi(32)).min(1.0_f32.next_down());
    if chance > probability {
        return;
    }
    list.sort();
    list.softmax();
    let likely = list.items.iter().take_while(|c| c.p >= threshold).count();
    let last = likely.saturating_sub(1);
    if last > 0 && list.len() - last >= min_keep {
        list.items.drain(..last);
    }
}

/// The contract's steps 2 to 8 as far as the logits.
pub fn s2(list: &mut List, params: &SamplerParams) {
    let logits: Vec<f32> = list.items.iter().map(|c| c.logit).collect();
    let (m, t) = (list.largest(), params.temperature);
    list.sort();
    let mut hidden = 0;
    if t <= 0.0 {
        list.items.truncate(1);
    } else {
        list.softmax();
        let kept = rank(&logits).kept(params);
        // Without weights the best is the answer; the others are there to count.
        list.items.truncate(kept);
        if m.is_infinite() {
            list.items.truncate(1);
        }
        hidden = kept - list.len();
    }
    if m > f32::NEG_INFINITY {
        list.change(|c| {
            Some(match c.logit {
                logit if logit == m => 0.0,
                _ if t.is_nan() => f32::NEG_INFINITY,
                logit if t == f32::INFINITY && logit > f32::NEG_INFINITY => 0.0,
                _ if t == f32::INFINITY => f32::NEG_INFINITY,
                logit => (logit - m) / t,
            })
        });
    }
    list.s2 = Some(hidden);
}
