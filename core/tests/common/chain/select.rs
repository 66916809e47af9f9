//! Stages that select a token.

use super::{List, State};
use crate::common::oracle::{Mt19937, discrete};

pub fn dist(list: &mut List, mt: &mut Mt19937) -> usize {
    if let Some(hidden) = list.s2 {
        return dist_of_s2(list, hidden, mt);
    }
    let w = list.exponentials();
    let total = w.iter().fold(0.0_f64, |s, &w| s + f64::from(w));
    let target = mt.uniform() * total;
    let mut running = 0.0_f64;
    let mut selected = None;
    for (i, &w) in w.iter().enumerate() {
        running += f64::from(w);
        list.items[i].p = (f64::from(w) / total) as f32;
        if selected.is_none() && w > 0.0 && running >= target {
            selected = Some(i);
        }
    }
    selected.expect("the last sum is the total")
}

/// The contract's steps 8 and 9; the logits are divided already.
fn dist_of_s2(list: &mut List, hidden: usize, mt: &mut Mt19937) -> usize {
    let mut w = list.exponentials();
    for _ in 0..2 {
        let sum = w.iter().fold(0.0_f32, |s, w| s + w);
        w.iter_mut().for_each(|w| *w /= sum);
    }
    for (c, w) in list.items.iter_mut().zip(&w) {
        c.p = *w;
    }
    if list.len() + hidden == 1 {
        return 0;
    }
    discrete(&w, mt.uniform())
}

pub fn mirostat_v2(list: &mut List, state: &mut State, tau: f32, eta: f32) -> usize {
    list.sort();
    list.softmax();
    let kept = list.items.iter().position(|c| -c.p.log2() > state.mu);
    list.items.truncate(kept.unwrap_or(list.len()).max(1));
    list.softmax();
    let p: Vec<f32> = list.items.iter().map(|c| c.p).collect();
    let at = if p.len() == 1 { 0 } else { discrete(&p, state.mt.uniform()) };
    state.mu -= eta * (-p[at].log2() - tau);
    at
}
