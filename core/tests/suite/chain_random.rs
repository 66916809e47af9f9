//! Random chains over random rows against the oracle, at every level: from the row, and on arrays.
//!
//! The cases are numbered and the same in every run (see `scale::Numbered`).

use crate::common;

use common::chain::random::Aim;
use common::chain::spec::{Spec, fill};
use common::chain::{List, Oracle, rank_order, rows};
use common::levels;
use common::rows::SplitMix;
use common::scale::{self, Numbered};
use s2sampler_core::{Applied, Chain, TokenData};
use std::collections::BTreeMap;

const CASES: usize = 3000;

/// Every stage changes something in at least so many of `CASES`.
const EFFECTS: usize = 100;

/// Draws of a chain: histories grow, generators and mirostat's mu move.
const DRAWS: usize = 4;

#[test]
fn random_chains_match_the_oracle() {
    let mut cases = Numbered::new(CASES);
    let mut effects = BTreeMap::new();
    for case in &mut cases {
        for (name, count) in Case::new(case).run() {
            *effects.entry(name).or_insert(0) += count;
        }
    }
    // A stage that never had anything to do would not have been tested.
    println!("{} cases, stages that changed something: {effects:?}", cases.done());
    if cases.is_complete() {
        let names: Vec<&str> = effects.keys().copied().collect();
        assert_eq!(names, documented());
        assert!(
            effects.values().all(|count| *count >= scale::cases(EFFECTS) as u64),
            "{effects:?}"
        );
    }
}

/// The names in the document's table of stages, sorted.
fn documented() -> Vec<&'static str> {
    let lines = include_str!("../../../docs/chain.md").lines();
    let table = lines.skip_while(|line| !line.starts_with("| stage |")).skip(2);
    let name = |line: &'static str| line.split('|').nth(1).expect("a cell").trim();
    let mut names: Vec<_> = table.take_while(|line| line.starts_with('|')).map(name).collect();
    names.sort_unstable();
    names
}

struct Case {
    random: SplitMix,
    specs: Vec<Spec>,
    row: Vec<f32>,
    history: Vec<i32>,
    /// What is said of it when it fails.
    what: String,
}

impl Case {
    fn new(case: u64) -> Self {
        let mut random = SplitMix(case);
        let (shape, row) = rows::row(&mut random);
        let aim = Aim::at(&row, &mut random);
        let specs = aim.chain(&mut random);
        let what = format!("case {case}, {shape}, n {}, {specs:?}", row.len());
        Self { random, specs, row, history: aim.history, what }
    }

    fn run(mut self) -> BTreeMap<&'static str, u64> {
        let mut oracle = Oracle::new(&self.specs);
        let mut chains = vec![("default", fill(Chain::new(), &self.specs))];
        for level in levels::all() {
            let chain = Chain::new().with_simd_level(level).expect("it is available");
            chains.push((level.name(), fill(chain, &self.specs)));
        }
        for draw in 0..DRAWS {
            let what = format!("{}, draw {draw}", self.what);
            if draw + 1 == DRAWS && self.random.below(4) == 0 {
                oracle.reset();
                chains.iter_mut().for_each(|(_, chain)| chain.reset());
            }
            for token in self.spoken() {
                oracle.accept(token);
                chains.iter_mut().for_each(|(_, chain)| chain.accept(token).expect("memory"));
            }
            let (array, sorted) = self.array();
            for (array, sorted) in [(filled(&self.row), false), (array, sorted)] {
                let mut list = list_of(&array);
                let selected = oracle.clone().apply(&mut list);
                for (level, chain) in &chains {
                    let mut chain = chain.try_clone().expect("memory");
                    let mut array = array.clone();
                    let what = format!("{what}, {level}");
                    match (selected, chain.apply(&mut array, sorted)) {
                        (Ok(selected), Ok(applied)) => {
                            same(&what, &list, selected, &array, &applied)
                        }
                        (want, got) => assert_eq!(got.err(), want.err(), "{what}"),
                    }
                }
            }
            let want = oracle.sample(&self.row);
            let (buffer, before) = self.placed();
            let row = &buffer[before..before + self.row.len()];
            for (level, chain) in &mut chains {
                assert_eq!(
                    chain.sample(row),
                    want,
                    "{what}, {level}, {before} floats into its buffer"
                );
            }
            // The next row is another one.
            for _ in 0..self.random.below(3) {
                let (a, b) = (self.random.below(self.row.len()), self.random.below(self.row.len()));
                self.row.swap(a, b);
            }
        }
        oracle.effects
    }

    /// Tokens that come from elsewhere: repeated stretches, as dry looks for them.
    fn spoken(&mut self) -> Vec<i32> {
        let (len, random) = (self.random.pick(&[0, 0, 1, 3, 12]), &mut self.random);
        let mut token = || match random.below(10) {
            0 => random.below(self.row.len() + 2) as i32,
            _ => random.pick(&self.history),
        };
        let mut tokens: Vec<i32> = (0..len).map(|_| token()).collect();
        let again = self.random.below(len + 1);
        tokens.extend_from_within(..again);
        tokens
    }

    /// Part of the row in some other order, with probabilities from before, and whether it is sorted.
    fn array(&mut self) -> (Vec<TokenData>, bool) {
        let random = &mut self.random;
        let mut array = filled(&self.row);
        array.truncate(1000);
        for i in (1..array.len()).rev() {
            array.swap(i, random.below(i + 1));
        }
        array.truncate(1 + random.below(array.len()));
        array.iter_mut().for_each(|token| token.p = random.unit());
        let sorted = random.below(3) == 0;
        if sorted {
            let mut list = list_of(&array);
            list.sort();
            let token =
                |c: &common::chain::Candidate| TokenData { id: c.id, logit: c.logit, p: c.p };
            array = list.items.iter().map(token).collect();
        }
        (array, sorted)
    }

    /// The row somewhere in a buffer: no load is aligned but by chance, and what lies beside the row
    /// would win if it were read.
    fn placed(&mut self) -> (Vec<f32>, usize) {
        let before = self.random.below(17);
        let mut buffer = vec![f32::INFINITY; before];
        buffer.extend_from_slice(&self.row);
        buffer.extend([f32::INFINITY; 5]);
        (buffer, before)
    }
}

fn filled(row: &[f32]) -> Vec<TokenData> {
    (0..).zip(row).map(|(id, &logit)| TokenData { id, logit, p: 0.0 }).collect()
}

fn list_of(array: &[TokenData]) -> List {
    List::new(array.iter().map(|token| (token.id, token.logit, token.p)))
}

/// The same candidates in the same order, to the last bit.
fn same(what: &str, list: &List, selected: Option<usize>, array: &[TokenData], applied: &Applied) {
    assert_eq!(applied.len, list.len(), "{what}: the number of candidates");
    for (i, (want, got)) in list.items.iter().zip(array).enumerate() {
        let want_bits = (want.id, want.logit.to_bits(), want.p.to_bits());
        let got_bits = (got.id, got.logit.to_bits(), got.p.to_bits());
        assert_eq!(got_bits, want_bits, "{what}: candidate {i}: {got:?} instead of {want:?}");
    }
    assert_eq!(applied.selected, selected, "{what}: the selected one");
    // The library may not know that a list is in rank order, but it must not say so of another.
    let ranked = list.items.is_sorted_by(|a, b| rank_order(a, b).is_le());
    assert!(ranked || !applied.sorted, "{what}: not sorted");
}
