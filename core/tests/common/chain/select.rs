//! Stages that select a token from a list with a logit above -inf.

use super::{List, State};
use crate::common::oracle::{Mt19937, discrete};

/// The first candidate in the order of the list whose running double sum of e is >= u * S; after s2, step 7.
pub fn dist(list: &mut List, mt: &mut Mt19937) -> usize {
    if let Some(hidden) = list.s2 {
        return dist_after_s2(list, hidden, mt);
    }
    let e: Vec<f64> = list.exponentials().into_iter().map(f64::from).collect();
    let mut sum = 0.0;
    for e in &e {
        sum += e;
    }
    for (c, e) in list.items.iter_mut().zip(&e) {
        c.p = (e / sum) as f32;
    }
    let target = mt.uniform() * sum;
    let mut running = 0.0;
    for (place, e) in e.iter().enumerate() {
        running += e;
        // A candidate of weight zero is never drawn.
        if running >= target && *e > 0.0 {
            return place;
        }
    }
    unreachable!("the last running sum is S, and u is below 1")
}

/// The weights of step 6, whose logits are divided already, and the draw of step 7. One candidate, those that are
/// not listed included, takes no word.
fn dist_after_s2(list: &mut List, hidden: usize, mt: &mut Mt19937) -> usize {
    let mut w = list.exponentials();
    for first in [true, false] {
        let mut sum = 0.0_f32;
        for w in &w {
            sum += w;
        }
        // After s2_first the sum is that of all candidates before its nucleus.
        let sum = list.first_sum.filter(|_| first).unwrap_or(sum);
        w.iter_mut().for_each(|w| *w /= sum);
    }
    for (c, w) in list.items.iter_mut().zip(&w) {
        c.p = *w;
    }
    if list.len() + hidden == 1 { 0 } else { discrete(&w, mt.uniform()) }
}

/// Sorts; softmax; drops all ranks i > 0 from the first with -log2(p) > mu on; softmax; selects as step 7 with
/// the p as weights; mu = mu - eta * (-log2(p of the selected) - tau).
pub fn mirostat_v2(list: &mut List, state: &mut State, tau: f32, eta: f32) -> usize {
    list.sort();
    list.softmax();
    let kept = list.items.iter().take_while(|c| -c.p.log2() <= state.mu).count();
    list.items.truncate(kept.max(1));
    list.softmax();
    let p: Vec<f32> = list.items.iter().map(|c| c.p).collect();
    let place = if p.len() == 1 { 0 } else { discrete(&p, state.mt.uniform()) };
    state.mu -= eta * (-p[place].log2() - tau);
    place
}
