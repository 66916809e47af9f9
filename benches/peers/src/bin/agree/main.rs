//! Builds random chains twice, from this library's stages and from llama.cpp's, and compares what they
//! make of random rows: candidates, logits, probabilities, and the tokens drawn with equal seeds.
//!
//! Prints CSV: rows,result,chains,reason. Every difference must have one of the named reasons, which is
//! checked; otherwise the case is shown and the program fails. NaN and +inf are left out: what
//! llama.cpp makes of them is undefined.

mod cases;
#[path = "../../../../../core/benches/common/mod.rs"]
mod common;
mod compare;
#[path = "../../../../../core/tests/common/chain/custom.rs"]
mod custom;
mod peer;
mod reasons;
#[path = "../../../../../core/tests/common/chain/spec.rs"]
mod spec;

use cases::Case;
use compare::{Difference, difference, difference_of_lists};
use peer::{Llama, Outcome};
use reasons::{Reason, Scene, apply};
use s2sampler_core::{Chain, TokenData};
use spec::{Spec, fill};
use std::collections::BTreeMap;

/// Chains on rows with few equal logits, and on rows in which many are.
const CASES: [(&str, u64, bool); 2] = [("continuous", 2000, false), ("tied", 500, true)];

/// Draws of a chain, unless the first ones differ: then the two have different histories.
const DRAWS: usize = 3;

enum Verdict {
    Same,
    Explained(Reason),
    Unexplained(String),
}

fn main() {
    // SAFETY: no data goes with the callback, which does nothing.
    unsafe { llama_cpp_sys_2::llama_log_set(Some(silent), std::ptr::null_mut()) };
    let only: Option<u64> = std::env::args().nth(1).map(|number| number.parse().expect("a number"));
    let mut failed = false;
    println!("rows,result,chains,reason");
    for (rows, cases, tied) in CASES {
        let (mut same, mut draws) = (0, 0);
        let mut explained = BTreeMap::new();
        for number in (0..cases).filter(|number| only.is_none_or(|only| only == *number)) {
            let case = Case::new(number, tied);
            match judge(&case, &mut draws) {
                Verdict::Same => same += 1,
                Verdict::Explained(reason) => *explained.entry(reason).or_insert(0) += 1,
                Verdict::Unexplained(what) => {
                    failed = true;
                    let (n, history) = (case.row.len(), &case.history);
                    eprintln!(
                        "{rows} {number}, n {n}, {:?}, history {history:?}: {what}",
                        case.specs
                    );
                }
            }
        }
        println!("{rows},agree,{same},\"{draws} draws\"");
        for reason in Reason::ALL.iter().filter(|reason| explained.contains_key(reason)) {
            println!("{rows},{reason:?},{},\"{}\"", explained[reason], reason.text());
        }
    }
    if failed {
        eprintln!("differences without a reason");
        std::process::exit(1);
    }
}

unsafe extern "C" fn silent(
    _: llama_cpp_sys_2::ggml_log_level,
    _: *const std::os::raw::c_char,
    _: *mut std::os::raw::c_void,
) {
}

fn judge(case: &Case, draws: &mut u64) -> Verdict {
    let mut chain = fill(Chain::new(), &case.specs);
    let llama = Llama::new(&case.specs, case.row.len());
    for token in &case.history {
        chain.accept(*token).expect("memory");
        llama.accept(*token);
    }
    let tokens: Vec<TokenData> =
        (0..).zip(&case.row).map(|(id, &logit)| TokenData { id, logit, p: 0.0 }).collect();
    for _ in 0..DRAWS {
        *draws += 1;
        let before = (chain.try_clone().expect("memory"), llama.clone());
        let ours = apply(&mut chain, &tokens, false);
        let theirs = llama.apply(&tokens, false);
        let verdict = difference(&ours, &theirs).map(|what| {
            // Where the lists parted on the way, that is the reason for the rest too.
            walk(&case.specs, &tokens, &before.0, &before.1).unwrap_or_else(|| match what {
                Difference::Probabilities => {
                    reasons::of_probabilities(&case.specs, tokens.len(), &ours, &theirs)
                }
                Difference::Token => reasons::of_token(&ours, &theirs),
                _ => None,
            })
        });
        match verdict {
            None => {}
            Some(Some(reason)) => return Verdict::Explained(reason),
            Some(None) => {
                let what = difference(&ours, &theirs);
                return Verdict::Unexplained(format!(
                    "{what:?}\n{}\n{}",
                    short(&ours),
                    short(&theirs)
                ));
            }
        }
        if has_one_beside_masked(&case.specs, &tokens, &before.0, &before.1) {
            return Verdict::Explained(Reason::Masked);
        }
        if let Some(at) = ours.selected {
            let token = ours.tokens[at].id;
            chain.accept(token).expect("memory");
            llama.accept(token);
        }
    }
    Verdict::Same
}

/// Both lists after each stage, from the same states.
fn steps(
    specs: &[Spec],
    tokens: &[TokenData],
    chain: &Chain,
    llama: &Llama,
) -> impl Iterator<Item = [Outcome; 2]> {
    let llama = llama.clone();
    let start = Outcome { tokens: tokens.to_vec(), selected: None, sorted: false };
    let mut theirs = start.clone();
    let after = (0..specs.len()).map(move |index| {
        // A chain of the stages so far, since ours may pass on more than an array.
        let mut chain = chain.try_clone().expect("memory");
        for later in (index + 1..chain.stages().len()).rev() {
            chain.remove(later).expect("it is there");
        }
        let ours = apply(&mut chain, &start.tokens, false);
        theirs = llama.apply_stage(index, &theirs.tokens, theirs.sorted);
        [ours, theirs.clone()]
    });
    let start = Outcome { tokens: tokens.to_vec(), selected: None, sorted: false };
    std::iter::once([start.clone(), start]).chain(after)
}

/// The reason of the first stage after which the lists differ; none if no such stage is found, and
/// none within if it has no reason.
fn walk(
    specs: &[Spec],
    tokens: &[TokenData],
    chain: &Chain,
    llama: &Llama,
) -> Option<Option<Reason>> {
    let mut before: Option<[Outcome; 2]> = None;
    for (step, after) in steps(specs, tokens, chain, llama).enumerate() {
        if let Some(before) = &before {
            let index = step - 1;
            let scene = Scene { spec: &specs[index], index, before, after: &after, chain, llama };
            if difference_of_lists(&after[0], &after[1]).is_some() {
                let reason = scene.reason();
                if reason.is_none() {
                    let [ours, theirs] = &after;
                    eprintln!("stage {index}:\n{}\n{}", short(ours), short(theirs));
                }
                return Some(reason);
            }
            if reasons::is_stale(&before[1]) {
                return Some(Some(Reason::Stale));
            }
        }
        before = Some(after);
    }
    None
}

/// Whether a stage takes random words in one of the chains only: their generators part without a sign of it.
fn has_one_beside_masked(
    specs: &[Spec],
    tokens: &[TokenData],
    chain: &Chain,
    llama: &Llama,
) -> bool {
    // Stages that take no word for one candidate.
    let spares = |spec: &Spec| {
        let draws = matches!(spec, Spec::Mirostat { .. } | Spec::MirostatV2 { .. });
        draws || matches!(spec, Spec::Xtc { .. } | Spec::AdaptiveP { .. })
    };
    specs.iter().any(spares)
        && steps(specs, tokens, chain, llama).zip(specs).any(|(before, spec)| {
            let [ours, theirs] = before.map(|outcome| outcome.tokens.len());
            spares(spec) && (ours < 2) != (theirs < 2)
        })
}

fn short(outcome: &Outcome) -> String {
    let first = &outcome.tokens[..outcome.tokens.len().min(6)];
    let Outcome { tokens, selected, sorted } = outcome;
    format!("  {} candidates, selected {selected:?}, sorted {sorted}, {first:?}", tokens.len())
}
