//! Why two chains differ: named reasons, each of which is checked before it counts.

use crate::compare::{difference_of_lists, drawable, only_one_has, possible};
use crate::peer::{Llama, Outcome};
use crate::spec::Spec;
use s2sampler_core::{Chain, Error, TokenData};

/// Half a unit in the last place: what one binary32 operation can be off, relative to its result.
const HALF_ULP: f64 = 1.0 / (1 << 24) as f64;

macro_rules! reasons {
    ($($name:ident: $text:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Reason { $($name,)* }

        impl Reason {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

reasons! {
    Stale: "logit_bias: llama.cpp leaves a sorted list marked as sorted though the biases changed its order, so later stages cut it in the wrong place and dist takes its first entry for the largest",
    Masked: "entries at -inf: llama.cpp keeps them, and they count for min_keep, for the largest entropy in temperature_ext, and for whether xtc, mirostat and adaptive_p take random words; they leave mirostat one candidate; they make the entropy in typical NaN",
    Underflow: "typical: a candidate with probability 0 in binary32 makes llama.cpp's entropy NaN and its order arbitrary; here it adds 0",
    Ties: "equal logits at a cut, or in the order of the draw: llama.cpp's sort does not specify their order; here the lower id comes first",
    Sums: "top_p: llama.cpp's running sum is binary32, this library's is double, and they lie on different sides of p",
    Moments: "top_n_sigma: llama.cpp computes mean and standard deviation in binary32, this library in double",
    Entropy: "typical and temperature_ext: llama.cpp computes the entropy, and the running sum of typical, in binary32, this library in double",
    Threshold: "min_p, xtc, mirostat_v2: rounding puts a candidate on the other side of the threshold",
    Biases: "logit_bias: in a list out of id order, llama.cpp may add only the first of several biases for one token",
    AfterTemperature: "temperature_ext: llama.cpp computes the probabilities again at the end; here they are those before the division",
    Normalised: "probabilities: all differ by one factor, because llama.cpp's sum is binary32, this library's double",
    Nothing: "no logit above -inf: llama.cpp's probabilities are NaN; here a draw is an error",
    Edge: "the random number lies on the boundary between two candidates, up to rounding",
}

/// A reason, and what must hold for it.
type Rule<Scene> = (Reason, fn(&Scene) -> bool);

/// A stage, what it was given on both sides and what it made of it.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub spec: &'a Spec,
    pub index: usize,
    pub before: &'a [Outcome; 2],
    pub after: &'a [Outcome; 2],
    /// Both chains before the draw.
    pub chain: &'a Chain,
    pub llama: &'a Llama,
}

impl Scene<'_> {
    /// The reason why candidates or logits differ.
    pub fn reason(&self) -> Option<Reason> {
        let rules: [Rule<Self>; 10] = [
            (Reason::Nothing, Self::has_nothing),
            (Reason::Stale, Self::is_stale),
            (Reason::Ties, Self::is_tie),
            (Reason::Masked, Self::agrees_without_masked),
            (Reason::Underflow, Self::has_underflow),
            (Reason::Sums, Self::is_at_running_sum),
            (Reason::Moments, Self::is_at_deviation),
            (Reason::Entropy, Self::is_rounded_entropy),
            (Reason::Threshold, Self::is_at_threshold),
            (Reason::Biases, Self::has_biases_for_one_token),
        ];
        rules.into_iter().find(|(_, holds)| holds(self)).map(|(reason, _)| reason)
    }

    fn left(&self) -> [Vec<TokenData>; 2] {
        [0, 1].map(|side| drawable(&self.after[side].tokens))
    }

    fn contested(&self) -> Vec<TokenData> {
        let [ours, theirs] = self.left();
        only_one_has(&ours, &theirs)
    }

    fn has_nothing(&self) -> bool {
        self.before.iter().all(|outcome| possible(&outcome.tokens).is_empty())
    }

    fn is_stale(&self) -> bool {
        is_stale(&self.before[1])
    }

    /// The same logits, but of other tokens.
    fn is_tie(&self) -> bool {
        let logits = |side: usize| possible(&self.after[side].tokens).into_iter().map(|t| t.logit);
        if logits(0).eq(logits(1)) {
            return true;
        }
        let sorted = |tokens: Vec<TokenData>| {
            let mut logits: Vec<f32> = tokens.iter().map(|t| t.logit).collect();
            logits.sort_by(f32::total_cmp);
            logits
        };
        let [ours, theirs] = self.left().map(sorted);
        let contested = self.contested();
        !contested.is_empty() && ours.len() == theirs.len() && {
            let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * a.abs().max(1.0);
            ours.iter().zip(&theirs).all(near)
        }
    }

    fn agrees_without_masked(&self) -> bool {
        let masked =
            |outcome: &Outcome| outcome.tokens.iter().any(|t| t.logit == f32::NEG_INFINITY);
        if !self.before.iter().any(masked) {
            return false;
        }
        if matches!(self.spec, Spec::Mirostat { .. }) {
            // The exponent over ranks at -inf is NaN, which leaves one. Without these ranks the number of
            // candidates at first, which the rule uses too, would be another.
            return masked(&self.before[1]);
        }
        let [ours, theirs] = [0, 1].map(|side| possible(&self.before[side].tokens));
        if ours.is_empty() {
            return false;
        }
        let mut alone = self.chain.try_clone().expect("memory");
        for other in (0..alone.stages().len()).rev().filter(|other| *other != self.index) {
            alone.remove(other).expect("it is there");
        }
        let [ours, theirs] = [(ours, 0), (theirs, 1)].map(|(tokens, side)| Outcome {
            tokens,
            selected: None,
            sorted: self.before[side].sorted,
        });
        let after = [
            apply(&mut alone, &ours.tokens, ours.sorted),
            self.llama.clone().apply_stage(self.index, &theirs.tokens, theirs.sorted),
        ];
        // What is left of the difference may have a reason of its own.
        let before = [ours, theirs];
        let alone = Scene { before: &before, after: &after, ..*self };
        difference_of_lists(&after[0], &after[1]).is_none() || alone.reason().is_some()
    }

    fn has_underflow(&self) -> bool {
        let ranked = ranked(&self.before[0]);
        let zero = |t: &TokenData| (t.logit - ranked[0].logit).exp() == 0.0;
        matches!(self.spec, Spec::Typical { .. }) && ranked.last().is_some_and(zero)
    }

    fn is_at_running_sum(&self) -> bool {
        let Spec::TopP { p, .. } = self.spec else { return false };
        let running = running(&probabilities(&ranked(&self.before[0])));
        let [a, b] = self.left().map(|tokens| tokens.len());
        let near = |sum: &f64| (sum - f64::from(*p)).abs() <= running.len() as f64 * HALF_ULP;
        a != b
            && a > 0
            && b > 0
            && [a.min(b) - 1, a.max(b) - 2].iter().all(|at| near(&running[*at]))
    }

    fn is_at_deviation(&self) -> bool {
        let Spec::TopNSigma(n) = self.spec else { return false };
        let logits: Vec<f64> =
            drawable(&self.before[0].tokens).iter().map(|t| t.logit.into()).collect();
        let count = logits.len() as f64;
        let mean = logits.iter().sum::<f64>() / count;
        let deviation = (logits.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / count).sqrt();
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let threshold = largest - f64::from(*n) * deviation;
        let off = count * HALF_ULP * (largest.abs() + f64::from(*n) * deviation);
        self.contested().iter().all(|t| (f64::from(t.logit) - threshold).abs() <= off)
    }

    fn is_rounded_entropy(&self) -> bool {
        let p = probabilities(&ranked(&self.before[0]));
        let entropy: f64 = p.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum();
        let off = p.len() as f64 * HALF_ULP * entropy.max(1.0);
        match self.spec {
            Spec::TemperatureExt { .. } => {
                let [ours, theirs] = self.left();
                let ratio =
                    |(a, b): (&TokenData, &TokenData)| f64::from(a.logit) / f64::from(b.logit);
                let all: Vec<f64> = ours.iter().zip(&theirs).map(ratio).collect();
                self.contested().is_empty() && all.iter().all(|r| (r - 1.0).abs() <= 4.0 * off)
            }
            Spec::Typical { p: share, .. } => {
                // In the order of the distance, the contested are at the cut, or tokens in whose
                // distances no difference can be made out.
                let mut order: Vec<(f64, f64)> =
                    p.iter().map(|p| ((-p.ln() - entropy).abs(), *p)).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                let sums = running(&order.iter().map(|(_, p)| *p).collect::<Vec<_>>());
                let last =
                    self.left().map(|tokens| tokens.len()).map(|len| order[len.max(1) - 1].0);
                let at_sum = sums.iter().any(|sum| (sum - f64::from(*share)).abs() <= off);
                let (low, high) =
                    (last[0].min(last[1]) - 2.0 * off, last[0].max(last[1]) + 2.0 * off);
                let of = |t: &TokenData| {
                    let ranked = ranked(&self.before[0]);
                    let at =
                        ranked.iter().position(|other| other.id == t.id).expect("it was there");
                    (-p[at].ln() - entropy).abs()
                };
                let narrow = high - low <= 8.0 * off || at_sum;
                narrow && self.contested().iter().all(|t| (low..=high).contains(&of(t)))
            }
            _ => false,
        }
    }

    fn is_at_threshold(&self) -> bool {
        let ranked = ranked(&self.before[0]);
        let p = probabilities(&ranked);
        let off = 1e-5;
        match self.spec {
            Spec::MinP { p, .. } => {
                let threshold = ranked[0].logit + p.ln();
                let near =
                    |t: &TokenData| (t.logit - threshold).abs() <= 1e-5 * threshold.abs().max(1.0);
                self.contested().iter().all(near)
            }
            Spec::Xtc { threshold, .. } => {
                p.iter().any(|p| (p / f64::from(*threshold) - 1.0).abs() <= off)
            }
            Spec::MirostatV2 { .. } => {
                let [a, b] = self.left().map(|tokens| tokens.len());
                a != b && (p[a.min(b)] / p[a.max(b) - 1] - 1.0).abs() <= off
            }
            _ => false,
        }
    }

    fn has_biases_for_one_token(&self) -> bool {
        let Spec::LogitBias(biases) = self.spec else { return false };
        let ids: std::collections::BTreeSet<i32> = biases.iter().map(|bias| bias.0).collect();
        ids.len() < biases.len()
    }
}

/// The reason why probabilities differ where candidates and logits do not.
pub fn of_probabilities(
    specs: &[Spec],
    n: usize,
    ours: &Outcome,
    theirs: &Outcome,
) -> Option<Reason> {
    let writes = |spec: &&Spec| match spec {
        Spec::TopP { p, .. } | Spec::Typical { p, .. } => *p < 1.0,
        Spec::Xtc { probability, threshold, .. } => *probability > 0.0 && *threshold <= 0.5,
        Spec::TemperatureExt { delta, .. } => *delta > 0.0,
        Spec::MirostatV2 { .. } | Spec::Dist(_) => true,
        _ => false,
    };
    let selects = specs.iter().position(Spec::selects).map_or(specs.len(), |at| at + 1);
    let mut last = specs[..selects].iter().rev().filter(writes);
    if last.any(|spec| matches!(spec, Spec::TemperatureExt { .. }))
        && !specs[..selects]
            .iter()
            .any(|spec| matches!(spec, Spec::MirostatV2 { .. } | Spec::Dist(_)))
    {
        return Some(Reason::AfterTemperature);
    }
    // Probabilities differ as the logits do, which are near enough.
    let follows = |outcome: &Outcome| {
        let ranked = ranked(outcome);
        let near = |(p, t): (f64, &TokenData)| (p - f64::from(t.p)).abs() <= 1e-5 * p + 1e-37;
        probabilities(&ranked).into_iter().zip(&ranked).all(near)
    };
    let heats = |spec: &Spec| matches!(spec, Spec::TemperatureExt { delta, .. } if *delta > 0.0);
    if specs.iter().any(heats) && follows(ours) && follows(theirs) {
        return Some(Reason::Entropy);
    }
    let (ours, theirs) = (drawable(&ours.tokens), drawable(&theirs.tokens));
    let ratio = |(a, b): (&TokenData, &TokenData)| f64::from(a.p) / f64::from(b.p);
    let ratios: Vec<f64> = ours.iter().zip(&theirs).map(ratio).collect();
    let off = n as f64 * HALF_ULP;
    let one = ratios.iter().all(|r| (r / ratios[0] - 1.0).abs() <= 1e-6 && (r - 1.0).abs() <= off);
    one.then_some(Reason::Normalised)
}

/// The reason why the drawn tokens differ where nothing else does, the order of the candidates included.
pub fn of_token(ours: &Outcome, theirs: &Outcome) -> Option<Reason> {
    if [ours, theirs].iter().all(|outcome| possible(&outcome.tokens).is_empty()) {
        return Some(Reason::Nothing);
    }
    let place = |outcome: &Outcome| {
        let drawn = outcome.tokens[outcome.selected?].id;
        possible(&outcome.tokens).iter().position(|t| t.id == drawn)
    };
    (place(ours)?.abs_diff(place(theirs)?) == 1).then_some(Reason::Edge)
}

/// Whether a list says of itself that it is sorted, and is not.
pub fn is_stale(outcome: &Outcome) -> bool {
    outcome.sorted && !outcome.tokens.is_sorted_by(|a, b| a.logit >= b.logit)
}

pub fn apply(chain: &mut Chain, tokens: &[TokenData], sorted: bool) -> Outcome {
    let mut tokens = tokens.to_vec();
    match chain.apply(&mut tokens, sorted) {
        Ok(applied) => {
            tokens.truncate(applied.len);
            Outcome { tokens, selected: applied.selected, sorted: applied.sorted }
        }
        // Nothing is above -inf: there is no token to select.
        Err(Error::NoCandidate) => Outcome { tokens, selected: None, sorted: false },
        Err(error) => panic!("{error}"),
    }
}

/// Those that can be drawn, best first.
fn ranked(outcome: &Outcome) -> Vec<TokenData> {
    let mut tokens = drawable(&outcome.tokens);
    tokens.sort_by(|a, b| b.logit.total_cmp(&a.logit));
    tokens
}

fn probabilities(ranked: &[TokenData]) -> Vec<f64> {
    let e = |t: &TokenData| f64::from(t.logit - ranked[0].logit).exp();
    let all: Vec<f64> = ranked.iter().map(e).collect();
    let sum: f64 = all.iter().sum();
    all.iter().map(|e| e / sum).collect()
}

fn running(p: &[f64]) -> Vec<f64> {
    p.iter()
        .scan(0.0, |sum, p| {
            Some({
                *sum += p;
                *sum
            })
        })
        .collect()
}
