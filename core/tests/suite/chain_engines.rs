//! Chains against what Hugging Face and llama.cpp give, where their rules are this library's.

use crate::common;

use common::chain::spec::{Spec, fill};
use common::{golden, rows};
use hexf_parse::parse_hexf32;
use s2sampler_core::{Chain, TokenData};

/// The lines of a table whose first four fields are a generated row.
fn lines(name: &str) -> Vec<(String, Vec<f32>, Vec<String>)> {
    let text = std::fs::read_to_string(golden::data("engines").join(name)).expect("a table");
    let line = |line: &str| {
        let fields: Vec<String> = line.split('\t').map(String::from).collect();
        let row =
            rows::generated(&fields[0], number(&fields[1]), float(&fields[2]), number(&fields[3]));
        (line.to_owned(), row, fields[4..].to_vec())
    };
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?}"))
}

fn float(text: &str) -> f32 {
    parse_hexf32(text, false).unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    text.split(',').map(number).collect()
}

/// The candidates above -inf that the chain leaves of the row.
fn left(mut chain: Chain, row: &[f32]) -> Vec<TokenData> {
    let mut tokens: Vec<TokenData> =
        (0..).zip(row).map(|(id, &logit)| TokenData { id, logit, p: 0.0 }).collect();
    let applied = chain.apply(&mut tokens, false).expect("candidates");
    tokens.truncate(applied.len);
    tokens.retain(|token| token.logit > f32::NEG_INFINITY);
    tokens
}

/// Their sums are those of binary64, so no line is one on which binary32 gives other candidates.
#[test]
fn hugging_face() {
    let mut count = 0;
    for (line, row, fields) in lines("huggingface.tsv") {
        let history: Vec<i32> = numbers(&fields[0]);
        let ngram: i32 = number(&fields[2]);
        let float = |place: usize| float(&fields[place]);
        // Off unless a sequence of `ngram` tokens may not come again.
        let multiplier = if ngram > 0 { 3.4e38 } else { 0.0 };
        let specs = [
            Spec::Penalties { last_n: -1, repeat: float(1), frequency: 0.0, presence: 0.0 },
            Spec::Dry {
                multiplier,
                base: 1.0,
                allowed_length: (ngram - 1).max(0),
                last_n: -1,
                breakers: vec![],
            },
            Spec::Temperature(float(3)),
            Spec::TopK(number(&fields[4])),
            Spec::TopP { p: float(5), min_keep: 1 },
            Spec::MinP { p: float(6), min_keep: 1 },
            Spec::Typical { p: float(7), min_keep: 1 },
            Spec::EpsilonCutoff { epsilon: float(8), min_keep: 1 },
        ];
        let mut chain = fill(Chain::new(), &specs);
        history.iter().for_each(|token| chain.accept(*token).expect("memory"));
        let mut tokens = left(chain, &row);
        // What may not come again stays, at -3.4e38, unless a later stage drops it.
        tokens.retain(|token| token.logit > -1e38);
        let m = tokens.iter().map(|token| token.logit).fold(f32::NEG_INFINITY, f32::max);
        let e: Vec<f64> = tokens.iter().map(|token| f64::from(token.logit - m).exp()).collect();
        let sum: f64 = e.iter().sum();
        let mut p: Vec<f64> = e.iter().map(|e| e / sum).collect();
        p.sort_by(|a, b| b.total_cmp(a));
        for (got, want) in p.iter().zip(numbers::<f64>(&fields[10])) {
            assert!((got - want).abs() < 1e-5, "{got} instead of {want}: {line}");
        }
        let mut ids: Vec<i32> = tokens.iter().map(|token| token.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, numbers::<i32>(&fields[9]), "{line}");
        count += 1;
    }
    assert_eq!(count, 15);
}

/// The same tokens of eight draws, and the same number of candidates above -inf after each stage.
#[test]
fn llama_cpp() {
    let mut count = 0;
    for (line, row, fields) in lines("llamacpp.tsv") {
        let specs: Vec<Spec> = fields[0].split(' ').map(stage).collect();
        let mut chain = fill(Chain::new(), &specs);
        let tokens: Vec<u32> = numbers(&fields[1]);
        for (draw, (token, counts)) in tokens.iter().zip(fields[2].split('|')).enumerate() {
            for (last, want) in counts.split(':').enumerate() {
                let mut chain = chain.try_clone().expect("memory");
                (last + 1..specs.len()).rev().for_each(|index| {
                    chain.remove(index).expect("a stage");
                });
                let want: usize = number(want.rsplit('/').next().expect("a number"));
                assert_eq!(left(chain, &row).len(), want, "draw {draw}, stage {last}: {line}");
            }
            assert_eq!(chain.sample(&row), Ok(*token), "draw {draw}: {line}");
        }
        count += tokens.len();
    }
    assert_eq!(count, 16 * 8);
}

fn stage(text: &str) -> Spec {
    let (name, rest) = text.split_once('(').unwrap_or_else(|| panic!("{text:?}"));
    let a: Vec<&str> = rest.trim_end_matches(')').split(',').collect();
    match name {
        "logit_bias" => Spec::LogitBias(vec![(number(a[0]), number(a[1]))]),
        "penalties" => Spec::Penalties {
            last_n: number(a[0]),
            repeat: number(a[1]),
            frequency: number(a[2]),
            presence: number(a[3]),
        },
        "temp" => Spec::Temperature(number(a[0])),
        "temp_ext" => {
            Spec::TemperatureExt { t: number(a[0]), delta: number(a[1]), exponent: number(a[2]) }
        }
        "top_k" => Spec::TopK(number(a[0])),
        "top_p" => Spec::TopP { p: number(a[0]), min_keep: number(a[1]) },
        "min_p" => Spec::MinP { p: number(a[0]), min_keep: number(a[1]) },
        "typical" => Spec::Typical { p: number(a[0]), min_keep: number(a[1]) },
        "top_n_sigma" => Spec::TopNSigma(number(a[0])),
        "xtc" => Spec::Xtc {
            probability: number(a[0]),
            threshold: number(a[1]),
            min_keep: number(a[2]),
            seed: number(a[3]),
        },
        "mirostat_v2" => {
            Spec::MirostatV2 { seed: number(a[0]), tau: number(a[1]), eta: number(a[2]) }
        }
        "dist" => Spec::Dist(number(a[0])),
        "greedy" => Spec::Greedy,
        _ => panic!("unknown stage {text:?}"),
    }
}
