//! The stage chain once more: slow, obvious, written from the manual, sharing nothing with the library.
//!
//! A list of candidates through which one stage goes after the other. It has no fast path and no note of
//! its order: whenever a rule speaks of rank order, the list is sorted.

pub mod custom;
pub mod filters;
pub mod logits;
pub mod random;
pub mod request;
pub mod rows;
pub mod select;
pub mod spec;

use super::oracle::Mt19937;
use s2sampler_core::Error;
use spec::Spec;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// One token that may still be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub id: i32,
    pub logit: f32,
    pub p: f32,
    /// The e that p came from, if p is from `List::softmax`.
    pub e: f32,
}

/// The candidates in their order, and what stages leave for later ones.
#[derive(Debug, Clone)]
pub struct List {
    pub items: Vec<Candidate>,
    /// The S that the e were divided by.
    pub s: f64,
    /// Whether e and S are those of a softmax stage, which a later top_p uses.
    pub held: bool,
    /// How many candidates there were at first.
    pub first_len: usize,
    /// After the s2 stage: how many candidates it kept that are not listed, because they are at -inf.
    pub s2: Option<usize>,
    /// Whether the last stage sorted, and whether it left the best alone.
    pub has_sorted: bool,
    pub best_alone: bool,
    /// After the s2_first stage: W, by which dist divides first.
    pub first_sum: Option<f32>,
}

/// Rank order: the larger logit first, of equal ones the lower id.
pub fn rank_order(a: &Candidate, b: &Candidate) -> Ordering {
    b.logit.partial_cmp(&a.logit).expect("a list has no NaN").then(a.id.cmp(&b.id))
}

impl List {
    /// A NaN counts as -inf.
    pub fn new(items: impl Iterator<Item = (i32, f32, f32)>) -> Self {
        let candidate = |(id, logit, p)| Candidate { id, logit: number(logit), p, e: 0.0 };
        let items: Vec<_> = items.map(candidate).collect();
        Self {
            first_len: items.len(),
            items,
            s: 0.0,
            held: false,
            s2: None,
            has_sorted: false,
            best_alone: false,
            first_sum: None,
        }
    }

    pub fn of_row(row: &[f32]) -> Self {
        Self::new((0..).zip(row).map(|(id, &logit)| (id, logit, 0.0)))
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// m, the largest logit.
    pub fn largest(&self) -> f32 {
        self.items.iter().map(|c| c.logit).fold(f32::NEG_INFINITY, f32::max)
    }

    /// "Sorts": rank order without the candidates at -inf; if all are there, the first stays.
    pub fn sort(&mut self) {
        self.has_sorted = true;
        self.items.sort_by(rank_order);
        let first = self.items[0];
        self.keep(|c| c.logit > f32::NEG_INFINITY);
        if self.items.is_empty() {
            self.items.push(first);
        }
    }

    /// Drops the others, those at -inf too that s2 did not list.
    pub fn keep(&mut self, stays: impl Fn(&Candidate) -> bool) {
        self.items.retain(&stays);
        if !stays(&Candidate { id: 0, logit: f32::NEG_INFINITY, p: 0.0, e: 0.0 }) {
            self.s2 = self.s2.map(|_| 0);
        }
    }

    /// The place of the first in rank order.
    pub fn best(&self) -> usize {
        let places = 0..self.len();
        places.min_by(|a, b| rank_order(&self.items[*a], &self.items[*b])).expect("never empty")
    }

    /// The e of softmax, in the order of the list.
    pub fn exponentials(&self) -> Vec<f32> {
        let (m, first) = (self.largest(), self.best());
        let one_if = |yes| if yes { 1.0 } else { 0.0 };
        let mut e = Vec::new();
        for (place, c) in self.items.iter().enumerate() {
            e.push(match m {
                f32::INFINITY => one_if(c.logit == m),
                f32::NEG_INFINITY => one_if(place == first),
                _ => (c.logit - m).exp(),
            });
        }
        e
    }

    /// "Softmax": p = e / S in double, rounded. S is added in double and in rank order, whatever the order of
    /// the list.
    pub fn softmax(&mut self) {
        let mut ranked = self.clone();
        ranked.items.sort_by(rank_order);
        self.s = 0.0;
        for e in ranked.exponentials() {
            self.s += f64::from(e);
        }
        let e = self.exponentials();
        for (c, e) in self.items.iter_mut().zip(e) {
            c.e = e;
            c.p = (f64::from(e) / self.s) as f32;
        }
        self.held = false;
    }

    /// Step 2 of "One draw" for a sorted list: q = e / S, all in binary32.
    pub fn binary32_softmax(&mut self) {
        let e = self.exponentials();
        let mut sum = 0.0_f32;
        for e in &e {
            sum += e;
        }
        for (c, e) in self.items.iter_mut().zip(e) {
            c.p = e / sum;
        }
        self.held = false;
    }

    /// -sum of p ln p, in double; p ln p is 0 for p = 0.
    pub fn entropy(&self) -> f64 {
        let mut entropy = 0.0;
        for c in &self.items {
            let p = f64::from(c.p);
            if p > 0.0 {
                entropy -= p * p.ln();
            }
        }
        entropy
    }

    /// Edits logits. A NaN that comes out is -inf. The p of a softmax stage no longer hold, whether or not
    /// a logit changes.
    pub fn edit(&mut self, new: impl Fn(&Candidate) -> f32) {
        for c in &mut self.items {
            c.logit = number(new(c));
        }
        self.held = false;
    }

    fn differs(&self, other: &Self) -> bool {
        let bits = |c: &Candidate| (c.id, c.logit.to_bits(), c.p.to_bits());
        !self.items.iter().map(bits).eq(other.items.iter().map(bits))
    }
}

fn number(logit: f32) -> f32 {
    if logit.is_nan() { f32::NEG_INFINITY } else { logit }
}

/// What a stage remembers.
#[derive(Clone)]
pub struct State {
    pub accepted: Vec<i32>,
    pub mt: Mt19937,
    pub mu: f32,
    /// Of adaptive_p: the weighted sum of probabilities, their weight, and what waits to be accepted.
    pub sum: f32,
    pub weight: f32,
    pub pending: Option<(i32, f32)>,
}

impl State {
    fn new(spec: &Spec) -> Self {
        let (seed, mu) = match spec {
            Spec::Xtc { seed, .. } | Spec::XtcProtected { seed, .. } | Spec::Dist(seed) => {
                (*seed, 0.0)
            }
            Spec::MirostatV2 { seed, tau, .. } | Spec::Mirostat { seed, tau, .. } => {
                (*seed, 2.0 * tau)
            }
            Spec::AdaptiveP { seed, .. } => (*seed, 0.0),
            Spec::DistWith(options) => (options.seed, 0.0),
            _ => (0, 0.0),
        };
        let (sum, weight) = match spec {
            Spec::AdaptiveP { target, decay, .. } => {
                let left = 1.0 - decay.min(0.99);
                (target / left, 1.0 / left)
            }
            _ => (0.0, 0.0),
        };
        let mt = Mt19937::new(seed);
        Self { accepted: Vec::new(), mt, mu, sum, weight, pending: None }
    }

    /// H: the last `last_n` accepted tokens, all if it is -1.
    pub fn history(&self, last_n: i32) -> &[i32] {
        let n = self.accepted.len();
        let count = if last_n == -1 { n } else { n.min(last_n as usize) };
        &self.accepted[n - count..]
    }
}

/// The chain.
#[derive(Clone)]
pub struct Oracle {
    pub(super) stages: Vec<(Spec, State)>,
    /// How often stages of a name changed the list they were given.
    pub effects: BTreeMap<&'static str, u64>,
}

impl Oracle {
    pub fn new(specs: &[Spec]) -> Self {
        let mut oracle = Self { stages: Vec::new(), effects: BTreeMap::new() };
        specs.iter().for_each(|spec| oracle.add(spec));
        oracle
    }

    /// Goes through the stages; the place of the token that one of them selected. Without a logit above -inf
    /// nothing can be selected, and then no stage has changed its state.
    pub fn apply(&mut self, list: &mut List) -> Result<Option<usize>, Error> {
        let before = self.stages.clone();
        for (spec, state) in &mut self.stages {
            if spec.selects() && list.largest() == f32::NEG_INFINITY {
                self.stages = before;
                return Err(Error::NoCandidate);
            }
            let given = list.clone();
            let selected = if is_off(spec) { None } else { pass(spec, state, list) };
            let effect = selected.is_some() || list.differs(&given);
            *self.effects.entry(spec.name()).or_default() += u64::from(effect);
            if selected.is_some() {
                return Ok(selected);
            }
        }
        Ok(None)
    }

    pub fn sample(&mut self, row: &[f32]) -> Result<u32, Error> {
        if !self.stages.iter().any(|(spec, _)| spec.selects()) {
            return Err(Error::NoSelection);
        }
        let mut list = List::of_row(row);
        let place = self.apply(&mut list)?.expect("a stage selects");
        let token = list.items[place].id;
        self.accept(token);
        Ok(token as u32)
    }

    pub fn accept(&mut self, token: i32) {
        for (spec, state) in &mut self.stages {
            state.accepted.push(token);
            if let (Spec::AdaptiveP { decay, .. }, Some((id, p))) = (&*spec, state.pending.take())
                && id == token
            {
                let decay = decay.min(0.99);
                state.sum = p + decay * state.sum;
                state.weight = 1.0 + decay * state.weight;
            }
        }
    }

    pub fn reset(&mut self) {
        self.stages.iter_mut().for_each(|(spec, state)| *state = State::new(spec));
    }

    pub fn remove(&mut self, index: usize) {
        self.stages.remove(index);
    }

    pub fn add(&mut self, spec: &Spec) {
        self.stages.push((spec.clone(), State::new(spec)));
    }
}

/// The last column of the manual's table.
pub(super) fn is_off(spec: &Spec) -> bool {
    match *spec {
        Spec::LogitBias(ref biases) => biases.is_empty(),
        Spec::Penalties { last_n, repeat, frequency, presence } => {
            last_n == 0 || (repeat == 1.0 && frequency == 0.0 && presence == 0.0)
        }
        Spec::Dry { multiplier, base, last_n, .. } => {
            multiplier == 0.0 || base < 1.0 || last_n == 0
        }
        Spec::PenaltyEach { last_n, repeat } => last_n == 0 || repeat == 1.0,
        Spec::PenaltyDecay { sustain, decay, repeat } => {
            repeat == 1.0 || (sustain == 0 && decay == 0)
        }
        Spec::SequenceBias(ref biases) => biases.is_empty(),
        Spec::MinTokens { count, ref ids } => count == 0 || ids.is_empty(),
        Spec::Bitmask(ref words) => words.is_empty(),
        Spec::TopA { a, .. } => a <= 0.0,
        Spec::Smoothing { factor, .. } => factor <= 0.0,
        Spec::NoRepeatNgram { n, last_n } => n == 0 || last_n == 0,
        Spec::Temperature(t) | Spec::Scale(t) | Spec::PenaltyRun(t) => t == 1.0,
        Spec::TemperatureExt { t, delta, .. } => delta <= 0.0 && t == 1.0,
        Spec::TopK(k) | Spec::TopKTies(k) => k <= 0,
        Spec::TopPExclusive(p) => p > 1.0,
        Spec::EtaCutoff { eta, .. } => eta <= 0.0,
        Spec::TopP { p, .. } | Spec::Typical { p, .. } => p >= 1.0,
        Spec::MinP { p, .. } => p <= 0.0,
        Spec::EpsilonCutoff { epsilon, .. } => epsilon <= 0.0,
        Spec::TopNSigma(n) => n <= 0.0,
        Spec::Xtc { probability, threshold, .. }
        | Spec::XtcProtected { probability, threshold, .. } => {
            probability <= 0.0 || threshold > 0.5
        }
        Spec::S2(_) | Spec::S2First { .. } | Spec::Softmax | Spec::Custom(_) => false,
        Spec::Greedy
        | Spec::Dist(_)
        | Spec::DistWith(_)
        | Spec::Mirostat { .. }
        | Spec::MirostatV2 { .. }
        | Spec::AdaptiveP { .. } => false,
    }
}

pub(super) fn pass(spec: &Spec, state: &mut State, list: &mut List) -> Option<usize> {
    match *spec {
        Spec::LogitBias(ref biases) => logits::logit_bias(list, biases),
        Spec::Penalties { last_n, repeat, frequency, presence } => {
            logits::penalties(list, state.history(last_n), repeat, frequency, presence);
        }
        Spec::Dry { multiplier, base, allowed_length, last_n, ref breakers } => {
            let penalties =
                logits::dry(state.history(last_n), multiplier, base, allowed_length, breakers);
            list.edit(|c| c.logit - penalties.get(&c.id).unwrap_or(&0.0));
        }
        Spec::PenaltyEach { last_n, repeat } => {
            logits::penalty_each(list, state.history(last_n), repeat);
        }
        Spec::PenaltyRun(repeat) => logits::penalty_run(list, &state.accepted, repeat),
        Spec::NoRepeatNgram { n, last_n } => {
            logits::no_repeat_ngram(list, state.history(last_n), n);
        }
        Spec::PenaltyDecay { sustain, decay, repeat } => {
            logits::penalty_decay(list, &state.accepted, sustain, decay, repeat);
        }
        Spec::SequenceBias(ref biases) => logits::sequence_bias(list, &state.accepted, biases),
        Spec::MinTokens { count, ref ids } => {
            if state.accepted.len() < count as usize {
                list.edit(|c| if ids.contains(&c.id) { f32::NEG_INFINITY } else { c.logit });
            }
        }
        Spec::Bitmask(ref words) => logits::bitmask(list, words),
        Spec::TopA { a, min_keep } => filters::top_a(list, a, min_keep),
        Spec::Smoothing { factor, curve } => logits::smoothing(list, factor, curve),
        Spec::XtcProtected { probability, threshold, min_keep, ref protected, .. } => {
            filters::xtc_protected(
                list,
                &mut state.mt,
                probability,
                threshold,
                min_keep,
                protected,
            );
        }
        Spec::Custom(ref thinner) => return thinned(list, thinner.selects, state.accepted.len()),
        Spec::Scale(factor) => logits::scale(list, factor),
        Spec::TopKTies(k) => filters::top_k_ties(list, k),
        Spec::TopPExclusive(p) => filters::top_p_exclusive(list, p),
        Spec::EtaCutoff { eta, min_keep } => filters::eta_cutoff(list, eta, min_keep),
        Spec::Temperature(t) => logits::temperature(list, t),
        Spec::TemperatureExt { t, delta, exponent } => {
            logits::temperature_ext(list, t, delta, exponent);
        }
        Spec::TopK(k) => filters::top_k(list, k),
        Spec::TopP { p, min_keep } => filters::top_p(list, p, min_keep),
        Spec::MinP { p, min_keep } => filters::min_p(list, p, min_keep),
        Spec::EpsilonCutoff { epsilon, min_keep } => {
            filters::epsilon_cutoff(list, epsilon, min_keep);
        }
        Spec::Typical { p, min_keep } => filters::typical(list, p, min_keep),
        Spec::TopNSigma(n) => filters::top_n_sigma(list, n),
        Spec::Xtc { probability, threshold, min_keep, .. } => {
            filters::xtc(list, &mut state.mt, probability, threshold, min_keep);
        }
        Spec::S2(params) => filters::s2(list, &params),
        Spec::S2First { params, keep_id } => filters::s2_first(list, &params, keep_id),
        Spec::Softmax => {
            list.softmax();
            list.held = true;
        }
        Spec::Greedy => return Some(list.best()),
        Spec::Dist(_) => return Some(select::dist(list, &mut state.mt)),
        Spec::DistWith(ref options) => {
            return Some(select::dist_with(list, &mut state.mt, options));
        }
        Spec::Mirostat { tau, eta, m, .. } => {
            return Some(select::mirostat(list, state, tau, eta, m));
        }
        Spec::AdaptiveP { target, .. } => return Some(select::adaptive_p(list, state, target)),
        Spec::MirostatV2 { tau, eta, .. } => {
            return Some(select::mirostat_v2(list, state, tau, eta));
        }
    }
    None
}

/// What the caller's own stage of the tests does.
fn thinned(list: &mut List, selects: bool, accepted: usize) -> Option<usize> {
    let (before, mut place) = (list.len(), 0);
    list.items.retain(|_| {
        place += 1;
        place % 3 != 2
    });
    list.edit(|c| if c.id % 2 == 0 { c.logit } else { c.logit - accepted as f32 });
    list.items.reverse();
    if list.len() < before {
        list.s2 = list.s2.map(|_| 0);
    }
    let best = list.items.iter().position(|c| c.logit > f32::NEG_INFINITY);
    if selects { Some(best.expect("a candidate above -inf")) } else { None }
}
