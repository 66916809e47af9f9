//! Small rows from the bug reports of many engines, with the result the contract demands.

use crate::common;

use common::oracle::{Drawn, Mt19937, rank};
use common::{for_each_level, golden};
use s2sampler_core::{Error, Sampler, SamplerParams, sample_token, seed_thread};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Draws for what a case says of "every" draw and of "many": the rarest token that a case expects to
/// see has a probability above 1/20, so it is missing from as many draws with less than 1e-11.
const DRAWS: usize = 500;

/// The seed of the cases that name none.
const SEED: u32 = 20_240_229;

/// What a case may demand; a case has at least one of them.
const DEMANDS: [&str; 6] =
    ["always", "support", "first_tokens", "rng_words", "never", "at_least_distinct"];

#[test]
fn every_case() {
    let text = std::fs::read_to_string(golden::data("golden/edge_cases.json")).expect("the file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let cases = file["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), text.matches("\"id\":").count());
    for case in cases {
        check(case.as_object().expect("a case is an object"));
    }
}

fn check(case: &Map<String, Value>) {
    let id = case["id"].as_str().expect("an id");
    let inputs = ["id", "logits", "temperature", "top_p", "top_k", "seed"];
    for key in case.keys() {
        assert!(inputs.contains(&&**key) || DEMANDS.contains(&&**key), "{id}: unknown {key:?}");
    }
    assert!(DEMANDS.iter().any(|key| case.contains_key(*key)), "{id} demands nothing");

    let row = row(&case["logits"]);
    let params = SamplerParams {
        temperature: float(&case["temperature"]),
        top_p: float(&case["top_p"]),
        top_k: i32::try_from(case["top_k"].as_i64().expect("an integer")).expect("32 bits"),
    };
    let seed = case.get("seed").map_or(SEED, whole);

    if row.is_empty() {
        // Where the C function answers 0 the Rust API has an error, and no randomness is used.
        for_each_level(|level, make| {
            let mut sampler = make(seed);
            assert_eq!(sampler.sample(&row, &params), Err(Error::EmptyRow), "{id}, {level}");
            assert_eq!(sampler.rng_words(), 0, "{id}, {level}");
        });
        return;
    }
    if row.iter().all(|l| l.is_nan() || *l == f32::NEG_INFINITY) {
        // The C function's answer is 0, with the words that the case demands; a handle has a status.
        for_each_level(|level, make| {
            let mut sampler = make(seed);
            assert_eq!(sampler.sample(&row, &params), Err(Error::NoCandidate), "{id}, {level}");
            assert_eq!(sampler.rng_words(), 0, "{id}, {level}");
        });
        seed_thread(seed);
        let tokens: Vec<_> = (0..DRAWS).map(|_| sample_token(&row, &params)).collect();
        assert!(tokens.iter().all(|token| *token == Ok(0)), "{id}: {tokens:?}");
        return;
    }
    let ranked = rank(&row);
    let mut mt = Mt19937::new(seed);
    let expected: Vec<(u32, u64)> = (0..DRAWS)
        .map(|_| ranked.draw(&params, &mut mt))
        .map(|Drawn { token, words, .. }| (token.expect("a token"), words))
        .collect();
    hold(&format!("{id}, the oracle"), case, &expected);

    for_each_level(|level, make| {
        let drawn = draws(make(seed), &row, &params);
        for (draw, (got, want)) in drawn.iter().zip(&expected).enumerate() {
            assert_eq!(got, want, "{id}, {level}, draw {draw}: (token, words)");
        }
        hold(&format!("{id}, {level}"), case, &drawn);
    });

    seed_thread(seed);
    for (draw, (token, _)) in expected.iter().enumerate() {
        let got = sample_token(&row, &params);
        assert_eq!(got, Ok(*token), "{id}, the thread's generator, draw {draw}");
    }
}

fn draws(mut sampler: Sampler, row: &[f32], params: &SamplerParams) -> Vec<(u32, u64)> {
    let mut one = || {
        let before = sampler.rng_words();
        let token = sampler.sample(row, params).expect("a token");
        (token, sampler.rng_words() - before)
    };
    (0..DRAWS).map(|_| one()).collect()
}

/// Holds (token, words) of successive draws against what the case demands.
fn hold(who: &str, case: &Map<String, Value>, drawn: &[(u32, u64)]) {
    let tokens: Vec<u32> = drawn.iter().map(|d| d.0).collect();
    let seen: BTreeSet<u32> = tokens.iter().copied().collect();
    for (key, demand) in case {
        match key.as_str() {
            "always" => assert_eq!(seen, BTreeSet::from([whole(demand)]), "{who}"),
            "support" => assert_eq!(seen, wholes(demand).into_iter().collect(), "{who}"),
            "first_tokens" => {
                let first = wholes(demand);
                assert_eq!(tokens[..first.len()], first, "{who}");
            }
            "rng_words" => {
                let words = u64::from(whole(demand));
                assert!(drawn.iter().all(|d| d.1 == words), "{who}: not {words} words each");
            }
            "never" => assert!(wholes(demand).iter().all(|id| !seen.contains(id)), "{who}"),
            "at_least_distinct" => assert!(seen.len() >= whole(demand) as usize, "{who}"),
            _ => {}
        }
    }
}

fn whole(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a whole number")).expect("32 bits")
}

fn wholes(values: &Value) -> Vec<u32> {
    values.as_array().expect("a list").iter().map(whole).collect()
}

fn float(value: &Value) -> f32 {
    match value {
        Value::Number(number) => number.as_f64().expect("a number") as f32,
        Value::String(name) => match name.as_str() {
            "nan" => f32::NAN,
            "inf" => f32::INFINITY,
            "-inf" => f32::NEG_INFINITY,
            other => panic!("{other:?} is not a float"),
        },
        other => panic!("{other} is not a float"),
    }
}

/// The logits of a case, in any of the forms the file has.
fn row(logits: &Value) -> Vec<f32> {
    let Value::Object(form) = logits else {
        return logits.as_array().expect("a list").iter().map(float).collect();
    };
    let keys: Vec<&str> = form.keys().map(String::as_str).collect();
    let n = form.get("n").map_or(0, |n| whole(n) as usize);
    match keys[..] {
        ["const", "n"] => vec![float(&form["const"]); n],
        ["ln_of"] => {
            form["ln_of"].as_array().expect("a list").iter().map(|v| float(v).ln()).collect()
        }
        ["fill", "n", "set"] => {
            let mut row = vec![float(&form["fill"]); n];
            for pair in form["set"].as_array().expect("a list of pairs") {
                row[whole(&pair[0]) as usize] = float(&pair[1]);
            }
            row
        }
        ["expr"] => expression(form["expr"].as_str().expect("text")),
        _ => panic!("logits of an unknown form {keys:?}"),
    }
}

/// The few shapes of C expression in the file, with their constants read from the text.
fn expression(text: &str) -> Vec<f32> {
    if let Some(list) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        let term = |t: &str| match t.strip_prefix("-logf(").and_then(|t| t.strip_suffix(')')) {
            Some(of) => -number::<f32>(of).ln(),
            None => number(t),
        };
        return list.split(", ").map(term).collect();
    }
    let mut parts = text.split(", ");
    let formula = parts.next().and_then(|f| f.strip_prefix("v[i]=")).expect("v[i]=...");
    let n: usize = number(parts.next().and_then(|p| p.strip_prefix("n=")).expect("n=..."));
    let mut row: Vec<f32> = if let Some((step, by)) = formula.split_once("f*i") {
        assert_eq!(by, "");
        let step: f32 = number(step);
        (0..n).map(|i| step * i as f32).collect()
    } else {
        let rest = formula.strip_prefix("((i*").expect("((i*a)%b)*cf");
        let (a, rest) = rest.split_once(")%").expect("((i*a)%b)*cf");
        let (b, c) = rest.split_once(")*").expect("((i*a)%b)*cf");
        let (a, b): (usize, usize) = (number(a), number(b));
        let c: f32 = number(c.strip_suffix('f').expect("a binary32 constant"));
        (0..n).map(|i| ((i * a) % b) as f32 * c).collect()
    };
    for part in parts {
        let (index, value) = part.split_once("]=").expect("v[q]=NaN");
        assert_eq!(value, "NaN");
        row[number::<usize>(index.strip_prefix("v[").expect("v[q]=NaN"))] = f32::NAN;
    }
    row
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is not a number"))
}
