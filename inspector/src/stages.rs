//! Builds the stages that a description names, from the library's list of forms.

use crate::description::{Argument, Call};
use crate::problem::Problem;
use s2sampler_core::{Chain, Error, Parameter, Stage, StageForm, Value};
use std::str::FromStr;

/// The forms of all stages, for the help.
pub fn forms() -> Vec<String> {
    StageForm::ALL.iter().map(written).collect()
}

/// How a stage is written, as "top_p(P, MIN_KEEP = 1)".
fn written(form: &StageForm) -> String {
    fn or<T: ToString>(name: &str, default: Option<T>) -> String {
        default.map_or(name.to_owned(), |default| format!("{name} = {}", default.to_string()))
    }
    let parameter = |parameter: &Parameter| match *parameter {
        Parameter::Float(name, default) => or(name, default),
        Parameter::Int(name, default) => or(name, default),
        Parameter::Count(name, default) => or(name, default),
        Parameter::Seed(name) => or(name, Some("--seed")),
        Parameter::Biases => "ID:BIAS, ...".to_owned(),
        Parameter::Breakers => "[BREAKER], ...".to_owned(),
        Parameter::Tokens(name) => format!("{name}, ..."),
        Parameter::SequenceBiases => "BIAS, [SEQUENCE], ...".to_owned(),
    };
    let parameters: Vec<String> = form.parameters.iter().map(parameter).collect();
    match &parameters[..] {
        [] => form.name.to_owned(),
        parameters => format!("{}({})", form.name, parameters.join(", ")),
    }
}

/// Builds the chain. Stages without a seed get `seed`; `draw` is added to the seed of the stage that
/// selects.
pub fn chain(calls: &[Call], seed: u32, draw: u32) -> Result<Chain, Problem> {
    let mut chain = Chain::new();
    for call in calls {
        chain.add(stage(call, seed, draw)?).map_err(|error| refused(call, error))?;
    }
    Ok(chain)
}

fn refused(call: &Call, error: Error) -> Problem {
    Problem::Usage(format!("{call}: {error}"))
}

fn stage(call: &Call, seed: u32, draw: u32) -> Result<Stage, Problem> {
    let Some(form) = StageForm::ALL.iter().find(|form| form.name == call.name) else {
        let known: Vec<&str> = StageForm::ALL.iter().map(|form| form.name).collect();
        let (unknown, known) = (&call.name, known.join(", "));
        return Err(Problem::Usage(format!("no stage is called {unknown}; there are {known}")));
    };
    let mut reader = Reader { call, form, next: 0 };
    let mut values: Vec<Value> = form
        .parameters
        .iter()
        .map(|parameter| reader.value(parameter, seed))
        .collect::<Result<_, _>>()?;
    reader.end()?;
    let build = |values: &[Value]| (form.build)(values).map_err(|error| refused(call, error));
    let stage = build(&values)?;
    if !stage.selects() {
        return Ok(stage);
    }
    for value in &mut values {
        if let Value::Seed(seed) = value {
            *seed = seed.wrapping_add(draw);
        }
    }
    build(&values)
}

/// Reads a call's arguments one by one.
struct Reader<'a> {
    call: &'a Call,
    form: &'static StageForm,
    next: usize,
}

impl Reader<'_> {
    /// The value of the next parameter.
    fn value(&mut self, parameter: &Parameter, seed: u32) -> Result<Value, Problem> {
        Ok(match *parameter {
            Parameter::Float(name, default) => Value::Float(self.number(name, default)?),
            Parameter::Int(name, default) => Value::Int(self.number(name, default)?),
            Parameter::Count(name, default) => Value::Count(self.number(name, default)?),
            Parameter::Seed(name) => Value::Seed(self.number(name, Some(seed))?),
            Parameter::Biases => Value::Biases(self.biases()?),
            Parameter::Breakers => Value::Breakers(self.lists()?),
            Parameter::Tokens(name) => Value::Tokens(self.words(name)?),
            Parameter::SequenceBiases => Value::SequenceBiases(self.sequence_biases()?),
        })
    }

    fn number<T: FromStr>(&mut self, name: &str, default: Option<T>) -> Result<T, Problem> {
        // Lists that follow numbers mean that the remaining numbers are left out.
        if let Some(Argument::Word(word)) = self.call.arguments.get(self.next) {
            self.next += 1;
            return self.parse(name, word);
        }
        default.ok_or_else(|| self.wrong(&format!("{name} is missing")))
    }

    fn parse<T: FromStr>(&self, name: &str, word: &str) -> Result<T, Problem> {
        word.parse().map_err(|_| self.wrong(&format!("{name} cannot be {word}")))
    }

    fn biases(&mut self) -> Result<Vec<(i32, f32)>, Problem> {
        let mut biases = Vec::new();
        while let Some(Argument::Pair(id, bias)) = self.call.arguments.get(self.next) {
            biases.push((self.parse("ID", id)?, self.parse("BIAS", bias)?));
            self.next += 1;
        }
        Ok(biases)
    }

    fn words(&mut self, name: &str) -> Result<Vec<i32>, Problem> {
        let mut words = Vec::new();
        while let Some(Argument::Word(word)) = self.call.arguments.get(self.next) {
            words.push(self.parse(name, word)?);
            self.next += 1;
        }
        Ok(words)
    }

    fn sequence_biases(&mut self) -> Result<Vec<(f32, Vec<i32>)>, Problem> {
        let mut biases = Vec::new();
        while let [Argument::Word(bias), Argument::List(list), ..] =
            &self.call.arguments[self.next..]
        {
            let tokens = list.iter().map(|token| self.parse("a token", token));
            biases.push((self.parse("BIAS", bias)?, tokens.collect::<Result<_, _>>()?));
            self.next += 2;
        }
        Ok(biases)
    }

    fn lists(&mut self) -> Result<Vec<Vec<i32>>, Problem> {
        let mut lists = Vec::new();
        while let Some(Argument::List(list)) = self.call.arguments.get(self.next) {
            let tokens = list.iter().map(|token| self.parse("a token", token));
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
        Problem::Usage(format!("{}: {why}; the form is {}", self.call, written(self.form)))
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
        let full = "logit_bias(1:2, 3:-inf) sequence_bias(1.5, [1 2], -inf, [3]) min_tokens(5, 1, 2) bitmask(-1, 7) \
            penalties(64, 1.1, 0.5, 0.25) penalty_each(64, 1.1) penalty_run(1.1) penalty_decay(8, 8, 1.1) \
            top_k(-1) top_k_ties(5) top_p(0.9, 2) top_p_exclusive(0.9) min_p(0.05, 2) top_a(0.2, 2) epsilon_cutoff(0.001, 2) \
            eta_cutoff(0.001, 2) typical(0.9, 2) top_n_sigma(1.5) xtc(0.5, 0.1, 2, 7) \
            xtc_protected(0.5, 0.1, 2, 7, 13, 14) temperature(0.8) scale(1.25) smoothing(0.2, 1.5) \
            temperature_ext(0.8, 0.5, 2) dry(0.8, 1.75, 2, -1, [13], [1 2]) no_repeat_ngram(3, 64) \
            mirostat(7, 5, 0.1, 100) mirostat_v2(7, 5, 0.1) adaptive_p(0.3, 0.9, 7) s2(0.8, 0.8, 30) \
            s2_first(0.7, 0.7, 30, 5) softmax greedy dist(42)";
        let short = "logit_bias sequence_bias min_tokens(5) bitmask penalties(64, 1.1) penalty_each(64, 1.1) penalty_run(1.1) \
            penalty_decay(8, 8, 1.1) top_k(40) top_k_ties(5) \
            top_p(0.9) top_p_exclusive(0.9) min_p(0.05) top_a(0.2) epsilon_cutoff(0.001) eta_cutoff(0.001) typical(0.9) \
            top_n_sigma(1.5) xtc(0.5, 0.1) xtc_protected(0.5, 0.1) temperature(0.8) scale(1.25) smoothing(0.2) temperature_ext(0.8, 0.5) \
            dry(0.8, [13]) no_repeat_ngram(3) mirostat mirostat_v2 adaptive_p(0.3) s2 s2_first softmax() greedy() dist";
        for text in [full, short] {
            let stages = build(text).expect("stages");
            let built: Vec<&str> = stages.iter().map(Stage::name).collect();
            let known: Vec<&str> = StageForm::ALL.iter().map(|form| form.name).collect();
            assert_eq!(built, known);
        }
    }

    #[test]
    fn forms_show_parameters_and_defaults() {
        let forms = forms();
        for form in [
            "logit_bias(ID:BIAS, ...)",
            "penalties(LAST_N, REPEAT, FREQUENCY = 0, PRESENCE = 0)",
            "xtc(PROBABILITY, THRESHOLD, MIN_KEEP = 1, SEED = --seed)",
            "dry(MULTIPLIER, BASE = 1.75, ALLOWED_LENGTH = 2, LAST_N = -1, [BREAKER], ...)",
            "s2(TEMPERATURE = 0.8, TOP_P = 0.8, TOP_K = 30)",
            "greedy",
        ] {
            assert!(forms.iter().any(|known| known == form), "{form}: {forms:?}");
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
            ("topk(40)", "no stage is called topk; there are logit_bias, sequence_bias,"),
        ] {
            let problem = build(text).expect_err(text).to_string();
            assert!(problem.starts_with(want), "{problem}");
        }
    }
}
