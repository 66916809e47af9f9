//! The stages that a description can name, with their parameters and what these are if left out.

use crate::description::{Argument, Call};
use crate::problem::Problem;
use s2sampler_core::{Chain, Error, SamplerParams, Stage};
use std::str::FromStr;

/// What stands in the help; the names are those that [`stage`] knows.
pub const FORMS: &[&str] = &[
    "logit_bias(ID:BIAS, ...)",
    "penalties(LAST_N, REPEAT, FREQUENCY = 0, PRESENCE = 0)",
    "top_k(K)",
    "top_p(P, MIN_KEEP = 1)",
    "min_p(P, MIN_KEEP = 1)",
    "typical(P, MIN_KEEP = 1)",
    "top_n_sigma(N)",
    "xtc(PROBABILITY, THRESHOLD, MIN_KEEP = 1, SEED = --seed)",
    "temperature(T)",
    "temperature_ext(T, DELTA, EXPONENT = 1)",
    "dry(MULTIPLIER, BASE = 1.75, ALLOWED_LENGTH = 2, LAST_N = -1, [BREAKER], ...)",
    "mirostat_v2(SEED = --seed, TAU = 5, ETA = 0.1)",
    "s2(TEMPERATURE = 0.8, TOP_P = 0.8, TOP_K = 30)",
    "softmax",
    "greedy",
    "dist(SEED = --seed)",
];

/// Builds the chain. `seed` is for the stages that name none, and `draw` is added to the seed of the stage
/// that selects.
pub fn chain(calls: &[Call], seed: u32, draw: u32) -> Result<Chain, Problem> {
    let mut chain = Chain::new(seed);
    for call in calls {
        chain.add(stage(call, seed, draw)?).map_err(|error| refused(call, error))?;
    }
    Ok(chain)
}

fn refused(call: &Call, error: Error) -> Problem {
    Problem::Usage(format!("{call}: {error}"))
}

fn stage(call: &Call, seed: u32, draw: u32) -> Result<Stage, Problem> {
    let mut take = Taker { call, next: 0 };
    let built = match call.name.as_str() {
        "logit_bias" => Stage::logit_bias(&take.pairs()?),
        "penalties" => {
            let (last_n, repeat) = (take.needed("LAST_N")?, take.needed("REPEAT")?);
            Stage::penalties(last_n, repeat, take.or("FREQUENCY", 0.0)?, take.or("PRESENCE", 0.0)?)
        }
        "top_k" => Stage::top_k(take.needed("K")?),
        "top_p" => Stage::top_p(take.needed("P")?, take.or("MIN_KEEP", 1)?),
        "min_p" => Stage::min_p(take.needed("P")?, take.or("MIN_KEEP", 1)?),
        "typical" => Stage::typical(take.needed("P")?, take.or("MIN_KEEP", 1)?),
        "top_n_sigma" => Stage::top_n_sigma(take.needed("N")?),
        "xtc" => {
            let (probability, threshold) = (take.needed("PROBABILITY")?, take.needed("THRESHOLD")?);
            Stage::xtc(probability, threshold, take.or("MIN_KEEP", 1)?, take.or("SEED", seed)?)
        }
        "temperature" => Stage::temperature(take.needed("T")?),
        "temperature_ext" => {
            let (t, delta) = (take.needed("T")?, take.needed("DELTA")?);
            Stage::temperature_ext(t, delta, take.or("EXPONENT", 1.0)?)
        }
        "dry" => {
            let (multiplier, base) = (take.needed("MULTIPLIER")?, take.or("BASE", 1.75)?);
            let (allowed, last_n) = (take.or("ALLOWED_LENGTH", 2)?, take.or("LAST_N", -1)?);
            let breakers = take.lists()?;
            let breakers: Vec<&[i32]> = breakers.iter().map(Vec::as_slice).collect();
            Stage::dry(multiplier, base, allowed, last_n, &breakers)
        }
        "mirostat_v2" => {
            let seed = take.or("SEED", seed)?.wrapping_add(draw);
            Stage::mirostat_v2(seed, take.or("TAU", 5.0)?, take.or("ETA", 0.1)?)
        }
        "s2" => {
            let plain = SamplerParams::default();
            Stage::s2(SamplerParams {
                temperature: take.or("TEMPERATURE", plain.temperature)?,
                top_p: take.or("TOP_P", plain.top_p)?,
                top_k: take.or("TOP_K", plain.top_k)?,
            })
        }
        "softmax" => Stage::softmax(),
        "greedy" => Stage::greedy(),
        "dist" => Stage::dist(take.or("SEED", seed)?.wrapping_add(draw)),
        unknown => {
            let known: Vec<&str> = FORMS.iter().map(|form| name(form)).collect();
            let known = known.join(", ");
            return Err(Problem::Usage(format!("no stage is called {unknown}; there are {known}")));
        }
    };
    take.end()?;
    built.map_err(|error| refused(call, error))
}

fn name(form: &str) -> &str {
    form.split('(').next().unwrap_or(form)
}

/// Takes a call's arguments one by one.
struct Taker<'a> {
    call: &'a Call,
    next: usize,
}

impl Taker<'_> {
    fn needed<T: FromStr>(&mut self, name: &str) -> Result<T, Problem> {
        self.number(name)?.ok_or_else(|| self.wrong(&format!("{name} is missing")))
    }

    fn or<T: FromStr>(&mut self, name: &str, otherwise: T) -> Result<T, Problem> {
        Ok(self.number(name)?.unwrap_or(otherwise))
    }

    fn number<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Problem> {
        let Some(argument) = self.call.arguments.get(self.next) else { return Ok(None) };
        let Argument::Word(word) = argument else {
            // What follows are lists: the numbers before them are left out.
            return Ok(None);
        };
        self.next += 1;
        self.value(name, word).map(Some)
    }

    fn value<T: FromStr>(&self, name: &str, word: &str) -> Result<T, Problem> {
        word.parse().map_err(|_| self.wrong(&format!("{name} cannot be {word}")))
    }

    fn pairs(&mut self) -> Result<Vec<(i32, f32)>, Problem> {
        let mut pairs = Vec::new();
        while let Some(Argument::Pair(id, bias)) = self.call.arguments.get(self.next) {
            pairs.push((self.value("ID", id)?, self.value("BIAS", bias)?));
            self.next += 1;
        }
        Ok(pairs)
    }

    fn lists(&mut self) -> Result<Vec<Vec<i32>>, Problem> {
        let mut lists = Vec::new();
        while let Some(Argument::List(list)) = self.call.arguments.get(self.next) {
            let tokens = list.iter().map(|token| self.value("a token", token));
            lists.push(tokens.collect::<Result<_, _>>()?);
            self.next += 1;
        }
        Ok(lists)
    }

    fn end(&self) -> Result<(), Problem> {
        match self.call.arguments.get(self.next) {
            None => Ok(()),
            Some(extra) => Err(self.wrong(&format!("it takes no {extra} there"))),
        }
    }

    fn wrong(&self, why: &str) -> Problem {
        let form = FORMS.iter().find(|form| name(form) == self.call.name);
        Problem::Usage(format!("{}: {why}; the form is {}", self.call, form.unwrap_or(&"another")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::parse;

    fn build(text: &str) -> Result<Vec<Stage>, Problem> {
        parse(text)?.iter().map(|call| stage(call, 1, 0)).collect()
    }

    #[test]
    fn every_stage_is_built_in_full_and_with_defaults() {
        let full = "logit_bias(1:2, 3:-inf) penalties(64, 1.1, 0.5, 0.25) top_k(-1) top_p(0.9, 2) \
            min_p(0.05, 2) typical(0.9, 2) top_n_sigma(1.5) xtc(0.5, 0.1, 2, 7) temperature(0.8) \
            temperature_ext(0.8, 0.5, 2) dry(0.8, 1.75, 2, -1, [13], [1 2]) mirostat_v2(7, 5, 0.1) \
            s2(0.8, 0.8, 30) softmax greedy dist(42)";
        let short = "logit_bias penalties(64, 1.1) top_k(40) top_p(0.9) min_p(0.05) typical(0.9) \
            top_n_sigma(1.5) xtc(0.5, 0.1) temperature(0.8) temperature_ext(0.8, 0.5) \
            dry(0.8, [13]) mirostat_v2 s2 softmax() greedy() dist";
        for text in [full, short] {
            let stages = build(text).expect("stages");
            let built: Vec<&str> = stages.iter().map(Stage::name).collect();
            let known: Vec<&str> = FORMS.iter().map(|form| name(form)).collect();
            assert_eq!(built, known);
        }
    }

    #[test]
    fn wrong_arguments_are_said_with_the_form() {
        for (text, want) in [
            ("top_k", "top_k: K is missing; the form is top_k(K)"),
            ("top_k(1.5)", "top_k(1.5): K cannot be 1.5; the form is top_k(K)"),
            ("top_k(1, 2)", "top_k(1, 2): it takes no 2 there"),
            ("top_k(1:2)", "top_k(1:2): K is missing"),
            ("top_p(0.9, -1)", "top_p(0.9, -1): MIN_KEEP cannot be -1"),
            ("greedy(1)", "greedy(1): it takes no 1 there"),
            ("dist(-1)", "dist(-1): SEED cannot be -1"),
            ("dist([1])", "dist([1]): it takes no [1] there"),
            ("logit_bias(1)", "logit_bias(1): it takes no 1 there"),
            ("dry(1, 1.75, 2, -1, [x])", "dry(1, 1.75, 2, -1, [x]): a token cannot be x"),
            ("top_p(nan)", "top_p(nan): an argument is out of range"),
            ("topk(40)", "no stage is called topk; there are logit_bias, penalties,"),
        ] {
            let problem = build(text).expect_err(text).to_string();
            assert!(problem.starts_with(want), "{problem}");
        }
    }
}
