//! Stages that select a token from a list with a logit above -inf.

use super::{List, State, rank_order};
use crate::common::oracle::{Mt19937, discrete};
use s2sampler_core::{DistMethod, DistOptions, DistOrder, DistSums};

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

/// `dist` with options. After s2 only the two methods by running sums, in the order of the list and in double, are
/// those of step 7.
pub fn dist_with(list: &mut List, mt: &mut Mt19937, options: &DistOptions) -> usize {
    let by_sums = matches!(options.method, DistMethod::Inversion | DistMethod::Discrete);
    let in_double = options.sums == DistSums::Double && options.mass >= 1.0;
    if let (Some(hidden), true) =
        (list.s2, by_sums && in_double && options.order == DistOrder::List)
    {
        return dist_after_s2(list, hidden, mt);
    }
    let mut w = list.exponentials();
    if options.mass < 1.0 {
        if !list.held {
            list.softmax();
        }
        w = list.items.iter().map(|c| c.p).collect();
    }
    let mut places: Vec<usize> = (0..list.len()).collect();
    match options.order {
        DistOrder::Id => places.sort_by_key(|place| list.items[*place].id),
        DistOrder::Rank => places.sort_by(|a, b| rank_order(&list.items[*a], &list.items[*b])),
        _ => {}
    }
    let in_order: Vec<f32> = places.iter().map(|place| w[*place]).collect();
    let double: f64 = in_order.iter().map(|w| f64::from(*w)).sum();
    let single = in_order.iter().fold(0.0_f32, |sum, w| sum + w);
    let float = options.sums == DistSums::Float;
    if options.mass >= 1.0 {
        for (c, w) in list.items.iter_mut().zip(&w) {
            c.p = if float { w / single } else { (f64::from(*w) / double) as f32 };
        }
    }
    let last = in_order.iter().rposition(|w| *w > 0.0).expect("a candidate above -inf");
    let place = match options.method {
        DistMethod::Inversion if float => {
            let total = if options.mass < 1.0 { single.min(options.mass) } else { single };
            let target = mt.uniform() as f32 * total;
            let mut running = 0.0_f32;
            let reached = in_order.iter().position(|w| {
                running += w;
                running >= target && *w > 0.0
            });
            reached.unwrap_or(last)
        }
        DistMethod::Inversion => {
            let mass = f64::from(options.mass);
            let total = if options.mass < 1.0 { double.min(mass) } else { double };
            let target = mt.uniform() * total;
            let mut running = 0.0;
            let reached = in_order.iter().position(|w| {
                running += f64::from(*w);
                running >= target && *w > 0.0
            });
            reached.unwrap_or(last)
        }
        DistMethod::Discrete if in_order.len() == 1 => 0,
        // A u of 0 is reached at once, but not by a candidate of weight zero.
        DistMethod::Discrete => {
            let reached = discrete(&in_order, mt.uniform());
            (reached..).find(|i| in_order[*i] > 0.0).expect("a candidate above -inf")
        }
        method => {
            let m = list.largest();
            let mut won = (f64::NEG_INFINITY, None);
            for (i, place) in places.iter().enumerate() {
                let u = mt.uniform();
                let l = f64::from(list.items[*place].logit);
                let score = match method {
                    DistMethod::ExponentialRace => f64::from(in_order[i]) / -u.ln(),
                    _ if m == f32::INFINITY => -(-u.ln()).ln(),
                    _ => l - (-u.ln()).ln(),
                };
                if in_order[i] > 0.0 && (won.1.is_none() || score > won.0) {
                    won = (score, Some(i));
                }
            }
            won.1.expect("a candidate above -inf")
        }
    };
    places[place]
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

/// p = e / S, S the binary32 sum in the order of the list.
fn float_softmax(list: &mut List) {
    let e = list.exponentials();
    let mut sum = 0.0_f32;
    for e in &e {
        sum += e;
    }
    for (c, e) in list.items.iter_mut().zip(&e) {
        c.p = e / sum;
    }
    list.held = false;
}

/// One candidate takes no word.
fn by_p(list: &List, mt: &mut Mt19937) -> usize {
    let p: Vec<f32> = list.items.iter().map(|c| c.p).collect();
    if p.len() == 1 { 0 } else { discrete(&p, mt.uniform()) }
}

/// Sorts; float softmax; s = sum of t b / sum of t t over the first m - 1 pairs of ranks, t = ln((i + 2) / (i + 1)),
/// b = ln(p[i] / p[i + 1]); keeps ((s - 1) * 2^mu / (1 - N^-(s - 1)))^(1 / s), rounded down, 1 at least, N the
/// number of candidates at first; then as mirostat_v2.
pub fn mirostat(list: &mut List, state: &mut State, tau: f32, eta: f32, m: i32) -> usize {
    list.sort();
    float_softmax(list);
    let (mut above, mut below) = (0.0_f32, 0.0_f32);
    for i in 0..list.len().min(m as usize) - 1 {
        let t = ((i + 2) as f32 / (i + 1) as f32).ln();
        let b = (list.items[i].p / list.items[i + 1].p).ln();
        above += t * b;
        below += t * t;
    }
    let s = above / below;
    let n = list.first_len as f32;
    let k = (((s - 1.0) * f32::powf(2.0, state.mu)) / (1.0 - n.powf(-(s - 1.0)))).powf(1.0 / s);
    // NaN, and what no int holds, are 1.
    let fits = (1.0..f32::powi(2.0, 31)).contains(&k);
    list.items.truncate(if fits { k as usize } else { 1 });
    float_softmax(list);
    let place = by_p(list, &mut state.mt);
    state.mu -= eta * (-list.items[place].p.log2() - tau);
    place
}

/// Float softmax. With target >= 0: a = 2 target - sum / weight, from 0 to 1; d = |p - a| / 0.3; l = 5 - 10 d d /
/// (1 + d) for l > -inf; float softmax again. Selects by p. The p of before wait for the token to be accepted.
pub fn adaptive_p(list: &mut List, state: &mut State, target: f32) -> usize {
    float_softmax(list);
    if target < 0.0 {
        return by_p(list, &mut state.mt);
    }
    let a = (2.0 * target - state.sum / state.weight).clamp(0.0, 1.0);
    let before = list.items.clone();
    list.edit(|c| {
        if c.logit == f32::NEG_INFINITY {
            return c.logit;
        }
        let d = ((c.p - a) * (1.0 / 0.3)).abs();
        5.0 - 10.0 * d * d / (1.0 + d)
    });
    float_softmax(list);
    let place = by_p(list, &mut state.mt);
    state.pending = Some((before[place].id, before[place].p));
    place
}
