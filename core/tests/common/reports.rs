//! What a report must say, made of what the chain's prefixes do to an array.

use super::rows::SplitMix;
use s2sampler_core::{Chain, Error, SampleRequest, Sampler, SamplerParams, Stage, TokenData};

/// A row in which min-p and top-p of the same number do quite different things, and its probabilities.
pub fn trap() -> (Vec<f32>, Vec<f64>) {
    let mut probabilities = vec![0.167526, 0.0759989, 0.0484584, 0.0450433, 0.0404461];
    let rest: f64 = 1.0 - probabilities.iter().sum::<f64>();
    let weights: Vec<f64> = (0..400).map(|rank| 0.98_f64.powi(rank)).collect();
    let sum: f64 = weights.iter().sum();
    probabilities.extend(weights.iter().map(|weight| rest * weight / sum));
    assert!(probabilities.is_sorted_by(|a, b| a > b));
    (probabilities.iter().map(|p| p.ln() as f32).collect(), probabilities)
}

/// A few stages with parameters that cut, for rows of `n` tokens, and some accepted tokens. If the S2 rule
/// is among them, only a selection comes after it.
pub fn random_chain(random: &mut SplitMix, n: usize) -> (Chain, Option<SamplerParams>) {
    let mut chain = Chain::new();
    let mut params = None;
    for _ in 0..1 + random.below(5) {
        let seed = random.next() as u32;
        let min_keep = random.below(4);
        let unit = random.unit();
        let stage = match random.below(18) {
            0 => Stage::logit_bias(&[(0, f32::NEG_INFINITY), (random.below(n) as i32, 3.0)]),
            1 => Stage::penalties(8, 1.3, 0.1, 0.2),
            2 => Ok(Stage::top_k(random.below(n + 2) as i32)),
            3 => Stage::top_p(unit * 1.1, min_keep),
            4 => Stage::min_p(unit * 0.3, min_keep),
            5 => Stage::typical(unit, min_keep),
            6 => Stage::top_n_sigma(unit * 4.0),
            7 => Stage::xtc(random.pick(&[0.5, 1.0]), unit * 0.4, min_keep, seed),
            8 => Stage::temperature(random.pick(&[0.0, 0.3, 0.8, 1.0, 1.7, f32::INFINITY])),
            9 => Stage::temperature_ext(1.0, unit, 1.3),
            10 => Stage::dry(0.8, 1.75, 1, -1, &[]),
            11 => Stage::mirostat_v2(seed, 1.0 + 4.0 * unit, 0.1),
            12 => Ok(Stage::softmax()),
            13 => Ok(Stage::greedy()),
            14 => Ok(Stage::dist(seed)),
            _ => break,
        };
        chain.add(stage.expect("good parameters")).expect("memory");
    }
    if random.below(4) == 0 {
        let temperature = random.pick(&[0.0, 0.8, 2.0, 1e-42, f32::INFINITY, f32::NAN]);
        let (top_p, top_k) = (random.unit() * 1.1, random.below(n + 2) as i32);
        params = Some(SamplerParams { temperature, top_p, top_k });
        let s2 = Stage::s2(SamplerParams { temperature, top_p, top_k });
        let last = random.pick(&[true, false]);
        let selects = if last { Stage::dist(7) } else { Stage::greedy() };
        for stage in [s2, selects] {
            chain.add(stage).expect("memory");
        }
    }
    for _ in 0..random.below(12) {
        chain.accept(random.below(n.min(4)) as i32).expect("memory");
    }
    (chain, params)
}

/// What a stage is to be reported with.
pub struct ShownStage {
    pub counts: (usize, usize),
    /// Raw mass, kept mass, entropy.
    pub numbers: [f64; 3],
}

/// What a report is to say.
pub struct Shown {
    pub raw_entropy: f64,
    pub selecting: Option<usize>,
    pub stages: Vec<ShownStage>,
    pub dropped_by: Vec<Option<usize>>,
    pub last_logits: Vec<f32>,
    /// The probabilities with which a token is selected, or those of what is left.
    pub chosen: Vec<f64>,
}

/// The softmax in double, by id.
fn softmax(tokens: &[TokenData], n: usize) -> Vec<f64> {
    let top = tokens.iter().map(|token| token.logit).fold(f32::NEG_INFINITY, f32::max);
    let mut shares = vec![0.0; n];
    for token in tokens {
        shares[token.id as usize] = match top {
            f32::INFINITY => f64::from(u8::from(token.logit == top)),
            f32::NEG_INFINITY => 0.0,
            _ => (f64::from(token.logit) - f64::from(top)).exp(),
        };
    }
    let sum: f64 = shares.iter().sum();
    // Where no token is above -inf none has a share.
    shares.iter().map(|share| if sum > 0.0 { share / sum } else { 0.0 }).collect()
}

fn entropy(shares: &[f64]) -> f64 {
    shares.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum()
}

/// Those above -inf, or the first.
fn counted(tokens: &[TokenData]) -> Vec<TokenData> {
    let above = |token: &&TokenData| token.logit > f32::NEG_INFINITY;
    let counted: Vec<TokenData> = tokens.iter().filter(above).copied().collect();
    if counted.is_empty() { tokens[..1].to_vec() } else { counted }
}

impl Shown {
    /// Applies the first stage, then the first two, and so on, each time to the whole row.
    pub fn of(chain: &Chain, s2: Option<SamplerParams>, row: &[f32]) -> Self {
        let n = row.len();
        let number = |logit: f32| if logit.is_nan() { f32::NEG_INFINITY } else { logit };
        let token = |(id, logit): (i32, &f32)| TokenData { id, logit: number(*logit), p: 0.0 };
        let whole: Vec<TokenData> = (0..).zip(row).map(token).collect();
        let raw = softmax(&counted(&whole), n);
        let mut shown = Self {
            raw_entropy: entropy(&raw),
            selecting: None,
            stages: Vec::new(),
            dropped_by: vec![None; n],
            last_logits: whole.iter().map(|token| token.logit).collect(),
            chosen: raw.clone(),
        };
        let (mut left, mut current) = (counted(&whole), raw.clone());
        let mut left_count = left.len();
        let mut previous = whole.clone();
        // Candidates of the S2 rule that are in no list, since they are at -inf; none without the rule.
        let mut hidden = None;
        for index in 0..chain.stages().len() {
            let mut prefix = chain.try_clone().expect("memory");
            while prefix.stages().len() > index + 1 {
                prefix.remove(index + 1).expect("a stage");
            }
            let mut tokens = whole.clone();
            let applied = match prefix.apply(&mut tokens, false) {
                // A selecting stage selects nothing then, and all are left.
                Err(Error::NoCandidate) => {
                    prefix.remove(index).expect("the last stage");
                    shown.selecting = Some(index);
                    tokens.clone_from(&whole);
                    prefix.apply(&mut tokens, false).expect("it applies")
                }
                applied => applied.expect("it applies"),
            };
            tokens.truncate(applied.len);
            for token in &tokens {
                shown.last_logits[token.id as usize] = token.logit;
            }
            let name = chain.stages()[index].name();
            if name == "s2" {
                let row: Vec<f32> = previous.iter().map(|token| token.logit).collect();
                let request = SampleRequest::new(&row, s2.expect("the chain has the rule"));
                let SamplerParams { temperature, top_k, .. } = request.params;
                let limit = match top_k {
                    _ if temperature <= 0.0 => 1,
                    1.. => row.len().min(top_k as usize),
                    _ => row.len(),
                };
                let dead = row.iter().all(|logit| *logit == f32::NEG_INFINITY);
                let candidates = match dead {
                    true => limit,
                    false => Sampler::new(0).sample_request(&request).expect("a result").candidates,
                };
                hidden = Some(candidates - tokens.len());
            }
            let mut now = if hidden.is_some() { tokens.clone() } else { counted(&tokens) };
            let is_dead = shown.selecting.is_some();
            if name == "greedy" && !is_dead {
                now = vec![tokens[applied.selected.expect("greedy selects")]];
                hidden = hidden.map(|_| 0);
            }
            let before = if name == "s2" { previous.len() } else { left_count };
            let left_now = now.len() + hidden.unwrap_or(0);
            let mass = |shares: &[f64]| now.iter().map(|token| shares[token.id as usize]).sum();
            let (raw_mass, kept_mass) = (mass(&raw), mass(&current));
            for token in left.iter().filter(|token| !now.iter().any(|left| left.id == token.id)) {
                if token.logit > f32::NEG_INFINITY {
                    shown.dropped_by[token.id as usize] = Some(index);
                }
            }
            current = softmax(&now, n);
            let numbers = [raw_mass, kept_mass, entropy(&current)];
            shown.stages.push(ShownStage { counts: (before, left_now), numbers });
            shown.chosen = current.clone();
            if let Some(place) = applied.selected {
                shown.selecting = Some(index);
                let sum: f64 = tokens.iter().map(|token| f64::from(token.p)).sum();
                if name != "greedy" && sum > 0.0 {
                    shown.chosen.fill(0.0);
                    for token in &tokens {
                        shown.chosen[token.id as usize] = f64::from(token.p) / sum;
                    }
                } else {
                    assert_eq!(current[tokens[place].id as usize], 1.0);
                }
                break;
            }
            if is_dead {
                break;
            }
            (left, left_count, previous) = (now, left_now, tokens);
        }
        shown
    }
}
