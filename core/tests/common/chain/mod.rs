//! The stage chain once more, slow and obvious, sharing nothing with the library: a list of candidates
//! through which one stage goes after the other.

pub mod filters;
pub mod logits;
pub mod random;
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
}

/// The candidates in their order.
#[derive(Debug, Clone)]
pub struct List {
    pub items: Vec<Candidate>,
    /// Whether they count as being in rank order, and are not sorted again.
    pub sorted: bool,
    /// Whether `p` is what a softmax stage computed for whoever comes later.
    pub held: bool,
    /// If the S2 rule went over them: how many more candidates it left, at -inf.
    pub s2: Option<usize>,
}

impl List {
    pub fn new(items: impl Iterator<Item = (i32, f32, f32)>, sorted: bool) -> Self {
        let candidate = |(id, logit, p)| Candidate { id, logit: number(logit), p };
        Self { items: items.map(candidate).collect(), sorted, held: false, s2: None }
    }

    pub fn of_row(row: &[f32]) -> Self {
        Self::new((0..).zip(row).map(|(id, &logit)| (id, logit, 0.0)), false)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    fn differs(&self, other: &Self) -> bool {
        let bits = |c: &Candidate| (c.id, c.logit.to_bits(), c.p.to_bits());
        !self.items.iter().map(bits).eq(other.items.iter().map(bits))
    }

    pub fn largest(&self) -> f32 {
        self.items.iter().fold(f32::NEG_INFINITY, |m, c| m.max(c.logit))
    }

    /// Rank order: the logit falling, equal ones by lower id. What is at -inf goes, but for the best.
    pub fn sort(&mut self) {
        if !self.sorted {
            self.items.sort_by(ranks);
        }
        self.sorted = true;
        let possible = self.items.iter().filter(|c| c.logit > f32::NEG_INFINITY).count();
        self.items.truncate(possible.max(1));
        self.unhide();
    }

    /// A stage that drops what is at -inf also drops what the S2 rule left there.
    pub fn unhide(&mut self) {
        self.s2 = self.s2.map(|_| 0);
    }

    /// The place of the best: the largest logit, of equal ones the lowest id.
    pub fn best(&self) -> usize {
        let places = 0..self.len();
        places.min_by(|a, b| ranks(&self.items[*a], &self.items[*b])).expect("never empty")
    }

    /// The exponentials before they are divided by their sum.
    pub fn exponentials(&self) -> Vec<f32> {
        let m = self.largest();
        let e = |(i, c): (usize, &Candidate)| match m {
            f32::INFINITY => f32::from(u8::from(c.logit == m)),
            f32::NEG_INFINITY => f32::from(u8::from(i == 0)),
            _ => (c.logit - m).exp(),
        };
        self.items.iter().enumerate().map(e).collect()
    }

    /// Computes `p`; what was held is no longer.
    pub fn softmax(&mut self) {
        self.held = false;
        let e = self.exponentials();
        let sum = e.iter().fold(0.0_f32, |s, e| s + e);
        for (c, e) in self.items.iter_mut().zip(e) {
            c.p = e / sum;
        }
    }

    /// The same for stages to come. The sum is that of the exponentials in rank order.
    pub fn hold(&mut self) {
        let mut ranked = self.clone();
        ranked.items.sort_by(ranks);
        let sum = ranked.exponentials().iter().fold(0.0_f32, |s, e| s + e);
        let e = self.exponentials();
        for (c, e) in self.items.iter_mut().zip(e) {
            c.p = e / sum;
        }
        self.held = true;
    }

    /// The entropy of `p`, in nats.
    pub fn entropy(&self) -> f64 {
        let mut h = 0.0_f64;
        for p in self.items.iter().map(|c| f64::from(c.p)).filter(|p| *p > 0.0) {
            h -= p * p.ln();
        }
        h
    }

    /// Sets logits anew where there is something new; NaN counts as -inf. What was held is void, whether
    /// or not any is set. A list is sorted only as long as it is in rank order.
    pub fn change(&mut self, mut logit: impl FnMut(&Candidate) -> Option<f32>) {
        self.held = false;
        for c in &mut self.items {
            if let Some(logit) = logit(c) {
                c.logit = number(logit);
            }
        }
        self.sorted &= self.items.is_sorted_by(|a, b| ranks(a, b).is_le());
    }

    /// Whether there is a candidate that can be drawn.
    pub fn has_candidate(&self) -> bool {
        self.largest() > f32::NEG_INFINITY
    }
}

fn ranks(a: &Candidate, b: &Candidate) -> Ordering {
    b.logit.partial_cmp(&a.logit).expect("no NaN is left").then(a.id.cmp(&b.id))
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
}

impl State {
    fn new(spec: &Spec) -> Self {
        let (seed, mu) = match spec {
            Spec::Xtc { seed, .. } | Spec::Dist(seed) => (*seed, 0.0),
            Spec::MirostatV2 { seed, tau, .. } => (*seed, 2.0 * tau),
            _ => (0, 0.0),
        };
        Self { accepted: Vec::new(), mt: Mt19937::new(seed), mu }
    }

    /// The tokens that count: the last `last_n`, or all.
    pub fn last(&self, last_n: i32) -> &[i32] {
        let n = self.accepted.len();
        let from = usize::try_from(last_n).map_or(0, |last_n| n.saturating_sub(last_n));
        &self.accepted[from..]
    }
}

/// The chain.
#[derive(Clone)]
pub struct Oracle {
    stages: Vec<(Spec, State)>,
    /// How often stages of a name changed what they were given.
    pub effects: BTreeMap<&'static str, u64>,
}

impl Oracle {
    pub fn new(specs: &[Spec]) -> Self {
        let mut oracle = Self { stages: Vec::new(), effects: BTreeMap::new() };
        specs.iter().for_each(|spec| oracle.add(spec));
        oracle
    }

    /// Goes through the stages; the place of the token that one of them selected. An error changes no state.
    pub fn apply(&mut self, list: &mut List) -> Result<Option<usize>, Error> {
        let before = self.stages.clone();
        for index in 0..self.stages.len() {
            let (spec, state) = &mut self.stages[index];
            if spec.selects() && !list.has_candidate() {
                self.stages = before;
                return Err(Error::NoCandidate);
            }
            let unchanged = list.clone();
            let selected = pass(spec, state, list);
            let changed = selected.is_some() || list.differs(&unchanged);
            *self.effects.entry(spec.name()).or_default() += u64::from(changed);
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
        let at = self.apply(&mut list)?.expect("a stage that selects");
        let token = list.items[at].id;
        self.accept(token);
        Ok(token as u32)
    }

    pub fn accept(&mut self, token: i32) {
        self.stages.iter_mut().for_each(|(_, state)| state.accepted.push(token));
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

fn pass(spec: &Spec, state: &mut State, list: &mut List) -> Option<usize> {
    match spec {
        Spec::LogitBias(biases) => logits::bias(list, biases),
        Spec::Penalties { last_n: 0, .. } => {}
        Spec::Penalties { last_n, repeat, frequency, presence } => {
            logits::penalties(list, state.last(*last_n), *repeat, *frequency, *presence);
        }
        Spec::TopK(k) => filters::top_k(list, *k),
        Spec::TopP { p, min_keep } => filters::top_p(list, *p, *min_keep),
        Spec::MinP { p, min_keep } => filters::min_p(list, *p, *min_keep),
        Spec::EpsilonCutoff { epsilon, min_keep } => {
            filters::epsilon_cutoff(list, *epsilon, *min_keep);
        }
        Spec::Typical { p, min_keep } => filters::typical(list, *p, *min_keep),
        Spec::TopNSigma(n) => filters::top_n_sigma(list, *n),
        Spec::Xtc { probability, threshold, min_keep, .. } => {
            filters::xtc(list, &mut state.mt, *probability, *threshold, *min_keep);
        }
        Spec::Temperature(t) => logits::temperature(list, *t),
        Spec::TemperatureExt { t, delta, exponent } => {
            logits::temperature_ext(list, *t, *delta, *exponent);
        }
        Spec::Dry { last_n: 0, .. } => {}
        Spec::Dry { last_n, .. } => logits::dry(list, spec, state.last(*last_n)),
        Spec::MirostatV2 { tau, eta, .. } => {
            return Some(select::mirostat_v2(list, state, *tau, *eta));
        }
        Spec::S2(params) => filters::s2(list, params),
        Spec::Softmax => list.hold(),
        Spec::Greedy => return Some(list.best()),
        Spec::Dist(_) => return Some(select::dist(list, &mut state.mt)),
    }
    None
}
