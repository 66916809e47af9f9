//! A request once more: masks as -inf in a copy, the kept token put back by hand, probabilities in double.

use super::spec::Spec;
use super::{Candidate, List, Oracle, is_off, pass, rank_order};
use crate::common::requests::allows;
use s2sampler_core::{ChainRequest, DistMethod, DistOptions, DistOrder, Error};
use std::collections::VecDeque;

/// What a request must give.
pub struct Expected {
    pub token: i32,
    pub words: u64,
    pub uniforms: usize,
    pub candidates: usize,
    /// Whether the kept token returned.
    pub returned: bool,
    pub raw: List,
    pub penalised: List,
    /// The candidates at the selection with the logarithms of their probabilities.
    pub last: Vec<(Candidate, f64)>,
    /// The place of the token among them.
    pub place: usize,
}

/// The logarithms of a softmax in double; NaN as -inf. Tokens at +inf share all.
pub fn logs(list: &List) -> Vec<f64> {
    let m = f64::from(list.largest());
    let infinite = list.items.iter().filter(|c| c.logit == f32::INFINITY).count() as f64;
    let sum: f64 = list.items.iter().map(|c| (f64::from(c.logit) - m).exp()).sum();
    let log = |c: &Candidate| match m {
        f64::INFINITY if c.logit == f32::INFINITY => -infinite.ln(),
        f64::INFINITY | f64::NEG_INFINITY => f64::NEG_INFINITY,
        _ => f64::from(c.logit) - m - sum.ln(),
    };
    list.items.iter().map(log).collect()
}

impl Oracle {
    /// Draws as the request says. After an error everything is as before.
    pub fn request(&mut self, request: &ChainRequest<'_>) -> Result<Expected, Error> {
        let before = self.stages.clone();
        let done = self.try_request(request);
        match &done {
            Ok(expected) if request.accept => self.accept(expected.token),
            Ok(_) => {}
            Err(_) => self.stages = before,
        }
        done
    }

    fn try_request(&mut self, request: &ChainRequest<'_>) -> Result<Expected, Error> {
        if !request.logits.is_empty() && !request.tokens.is_empty() {
            return Err(Error::BadArgument);
        }
        if request.logits.is_empty() && request.tokens.is_empty() {
            return Err(Error::EmptyRow);
        }
        if request.uniforms.iter().any(|u| u.is_nan() || *u < 0.0 || *u > 1.0) {
            return Err(Error::BadArgument);
        }
        if !self.stages.iter().any(|(spec, _)| spec.selects()) {
            return Err(Error::NoSelection);
        }
        let mut list = if request.tokens.is_empty() {
            List::of_row(request.logits)
        } else {
            List::new(request.tokens.iter().map(|t| (t.id, t.logit, t.p)))
        };
        let raw = list.clone();
        let open = |id| allows(request.ranges, request.allowed_ids, request.bitmask, id);
        if !list.items.iter().any(|c| open(c.id)) {
            return Err(Error::EmptyRow);
        }
        for c in &mut list.items {
            if !open(c.id) || request.banned.contains(&c.id) {
                c.logit = f32::NEG_INFINITY;
            }
        }
        let mut given: Option<VecDeque<f64>> =
            (!request.uniforms.is_empty()).then(|| request.uniforms.iter().copied().collect());
        let words = |oracle: &Self| oracle.stages.iter().map(|(_, s)| s.mt.words).sum::<u64>();
        let words_before = words(self);
        let (mut penalised, mut returned) = (None, false);
        for index in 0..self.stages.len() {
            let (spec, state) = &mut self.stages[index];
            if is_off(spec) {
                continue;
            }
            let edits = matches!(
                spec,
                Spec::LogitBias(_)
                    | Spec::SequenceBias(_)
                    | Spec::MinTokens { .. }
                    | Spec::Bitmask(_)
                    | Spec::Penalties { .. }
                    | Spec::PenaltyEach { .. }
                    | Spec::PenaltyRun(_)
                    | Spec::PenaltyDecay { .. }
                    | Spec::NoRepeatNgram { .. }
                    | Spec::Dry { .. }
            );
            if !edits && penalised.is_none() {
                penalised = Some(list.clone());
            }
            if spec.selects() && list.largest() == f32::NEG_INFINITY {
                return Err(Error::NoCandidate);
            }
            state.mt.given = given.take();
            let selected = match (request.keep_id, spec.selects()) {
                (Some(id), false) if matches!(spec, Spec::S2First { .. }) => {
                    // The rule's own kept id gives way.
                    let is_candidate = list.items.iter().any(|c| c.id == id);
                    let mut own = spec.clone();
                    if let (Spec::S2First { keep_id, .. }, true) =
                        (&mut own, id >= 0 && is_candidate)
                    {
                        *keep_id = id;
                    }
                    pass(&own, state, &mut list)
                }
                (Some(id), false) => {
                    returned |= keeping(id, spec, &mut list, |list| {
                        pass(spec, state, list);
                    });
                    None
                }
                _ => pass(spec, state, &mut list),
            };
            given = state.mt.given.take();
            if core::mem::take(&mut state.mt.ran_out) {
                return Err(Error::BadArgument);
            }
            let Some(place) = selected else { continue };
            let last = last(spec, &list, place);
            return Ok(Expected {
                token: list.items[place].id,
                words: words(self) - words_before,
                uniforms: given.map_or(0, |left| request.uniforms.len() - left.len()),
                candidates: list.len() + list.s2.unwrap_or(0),
                returned,
                raw,
                penalised: penalised.expect("the selecting stage edits no logits"),
                last,
                place,
            });
        }
        unreachable!("a stage selects")
    }
}

/// Applies a stage and puts the token back if the stage dropped it; whether it did.
fn keeping(id: i32, spec: &Spec, list: &mut List, stage: impl FnOnce(&mut List)) -> bool {
    let before = list.clone();
    let place = list.items.iter().position(|c| c.id == id && c.logit >= f32::NEG_INFINITY);
    (list.has_sorted, list.best_alone) = (false, false);
    stage(list);
    let Some(place) = place else { return false };
    let mut kept = before.items[place];
    let stays = list.items.iter().any(|c| c.id == id);
    if stays || list.best_alone || kept.logit == f32::NEG_INFINITY {
        return false;
    }
    match spec {
        Spec::S2(params) => {
            let (m, t) = (before.largest(), params.temperature);
            kept.logit = match t {
                _ if t.is_nan() && kept.logit == m => 0.0,
                _ if t.is_nan() => f32::NEG_INFINITY,
                _ if t == f32::INFINITY || kept.logit == m => 0.0,
                _ => (kept.logit - m) / t,
            };
            list.items.push(kept);
        }
        Spec::Typical { .. } => list.items.push(kept),
        Spec::Custom(_) if !list.items.is_sorted_by(|a, b| rank_order(a, b).is_le()) => {
            list.items.push(kept);
        }
        Spec::Custom(_) => {
            let behind = list.items.iter().filter(|c| rank_order(c, &kept).is_lt()).count();
            list.items.insert(behind, kept);
        }
        _ if list.has_sorted => {
            let behind = list.items.iter().filter(|c| rank_order(c, &kept).is_lt()).count();
            list.items.insert(behind, kept);
        }
        _ => {
            // The stage kept the order: one after the other of the old list, with the kept one in between.
            let mut left: VecDeque<Candidate> = list.items.drain(..).collect();
            for (old, c) in before.items.iter().enumerate() {
                let same = |new: &Candidate| new.id == c.id && new.logit == c.logit;
                if old == place {
                    list.items.push(kept);
                } else if left.front().is_some_and(same) {
                    list.items.extend(left.pop_front());
                }
            }
            assert!(left.is_empty(), "the stage kept the order");
        }
    }
    true
}

/// The logarithms of the probabilities with which a stage selects.
fn last(spec: &Spec, list: &List, place: usize) -> Vec<(Candidate, f64)> {
    let logs: Vec<f64> = match spec {
        Spec::DistWith(options) if options.mass < 1.0 => {
            within_mass(list, options, place).into_iter().map(f64::ln).collect()
        }
        _ => logs(list),
    };
    list.items.iter().copied().zip(logs).collect()
}

/// What of each candidate's probability lies within the mass, as a share of the mass.
fn within_mass(list: &List, options: &DistOptions, place: usize) -> Vec<f64> {
    assert_eq!(options.method, DistMethod::Inversion);
    let mut places: Vec<usize> = (0..list.len()).collect();
    match options.order {
        DistOrder::Id => places.sort_by_key(|place| list.items[*place].id),
        DistOrder::Rank => places.sort_by(|a, b| rank_order(&list.items[*a], &list.items[*b])),
        _ => {}
    }
    let mass = f64::from(options.mass);
    let (mut running, mut p) = (0.0_f64, vec![0.0; list.len()]);
    for place in places {
        let before = running;
        running += f64::from(list.items[place].p);
        p[place] = running.min(mass) - before.min(mass);
    }
    if mass == 0.0 {
        // The first that has a probability is certain.
        return p.iter().enumerate().map(|(i, _)| f64::from(u8::from(i == place))).collect();
    }
    p.iter().map(|p| p / running.min(mass)).collect()
}
