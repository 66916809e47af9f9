//! A stage of the caller's own: what it may do, and what is refused.

use crate::common;

use common::chain::custom::Thinner;
use s2sampler_core::{CandidateArray, Chain, ChainRequest, CustomStage, Error, Stage, TokenData};

/// Does one thing to the candidates.
#[derive(Debug, Clone)]
struct Does(fn(&mut CandidateArray<'_>) -> Result<(), Error>, bool);

impl CustomStage for Does {
    fn name(&self) -> &str {
        "does"
    }

    fn selects(&self) -> bool {
        self.1
    }

    fn apply(&mut self, candidates: &mut CandidateArray<'_>) -> Result<(), Error> {
        (self.0)(candidates)
    }

    fn try_clone(&self) -> Result<Box<dyn CustomStage>, Error> {
        Ok(Box::new(self.clone()))
    }
}

/// Does nothing, and no copy of it can be made.
#[derive(Debug)]
struct Single;

impl CustomStage for Single {
    fn name(&self) -> &str {
        "single"
    }

    fn apply(&mut self, _candidates: &mut CandidateArray<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn try_clone(&self) -> Result<Box<dyn CustomStage>, Error> {
        Err(Error::OutOfMemory)
    }
}

const ROW: [f32; 4] = [1.0, 3.0, 2.0, f32::NEG_INFINITY];

fn chain(does: fn(&mut CandidateArray<'_>) -> Result<(), Error>, selects: bool) -> Chain {
    let mut chain = Chain::new();
    for stage in [Stage::custom(Box::new(Does(does, selects))), Stage::greedy()] {
        chain.add(stage).expect("memory");
    }
    chain
}

fn tokens() -> [TokenData; 4] {
    [0, 1, 2, 3].map(|id| TokenData { id, logit: ROW[id as usize], p: 0.0 })
}

#[test]
fn what_it_leaves_is_checked() {
    type Do = fn(&mut CandidateArray<'_>) -> Result<(), Error>;
    let cases: [(Do, Result<u32, Error>); 12] = [
        (|_| Ok(()), Ok(1)),
        (
            |c| {
                c.len = 0;
                Ok(())
            },
            Err(Error::NoCandidate),
        ),
        (
            |c| {
                c.len = 5;
                Ok(())
            },
            Err(Error::BadArgument),
        ),
        (
            |c| {
                c.len = 1;
                Ok(())
            },
            Ok(0),
        ),
        (
            |c| {
                c.tokens[1].logit = f32::NAN;
                Ok(())
            },
            Ok(2),
        ),
        (
            |c| {
                c.tokens.iter_mut().for_each(|t| t.logit = f32::NAN);
                Ok(())
            },
            Err(Error::NoCandidate),
        ),
        (
            |c| {
                c.selected = Some(2);
                Ok(())
            },
            Ok(2),
        ),
        (
            |c| {
                (c.selected, c.len) = (Some(2), 2);
                Ok(())
            },
            Err(Error::BadArgument),
        ),
        (
            |c| {
                c.selected = Some(3);
                Ok(())
            },
            Err(Error::NoCandidate),
        ),
        (
            |c| {
                c.tokens[0].id = 4;
                Ok(())
            },
            Err(Error::BadArgument),
        ),
        (
            |c| {
                c.tokens[0].id = -1;
                Ok(())
            },
            Err(Error::BadArgument),
        ),
        (|_| Err(Error::NoEntropy), Err(Error::NoEntropy)),
    ];
    for (number, (does, want)) in cases.into_iter().enumerate() {
        assert_eq!(chain(does, false).sample(&ROW), want, "number {number}");
        assert_eq!(chain(does, true).sample(&ROW), want, "number {number}, selecting");
    }
    // Ids of a caller's array may be any.
    let named: Do = |c| {
        c.tokens[1].id = -7;
        Ok(())
    };
    let mut tokens = tokens();
    let applied = chain(named, true).apply(&mut tokens, false).expect("candidates");
    assert_eq!((applied.selected, tokens[1].id), (Some(1), -7));
    // An id beyond those that are left does not count.
    let beyond: Do = |c| {
        (c.tokens[3].id, c.len) = (99, 3);
        Ok(())
    };
    assert_eq!(chain(beyond, true).sample(&ROW), Ok(1));
}

/// An order that is not there would make greedy and top_k take the wrong token.
#[test]
fn its_word_about_the_order_is_verified() {
    let lies = |c: &mut CandidateArray<'_>| {
        assert!(!c.sorted);
        c.sorted = true;
        Ok(())
    };
    let mut chain = chain(lies, false);
    chain.remove(1).expect("greedy");
    chain.add(Stage::top_k(1)).expect("memory");
    chain.add(Stage::greedy()).expect("memory");
    assert_eq!(chain.sample(&ROW), Ok(1));
}

#[test]
fn a_stage_that_selects_and_does_not() {
    let mut chain = Chain::new();
    let nothing: fn(&mut CandidateArray<'_>) -> Result<(), Error> = |_| Ok(());
    chain.add(Stage::xtc(1e-9, 0.1, 1, 1).expect("good")).expect("memory");
    chain.add(Stage::custom(Box::new(Does(nothing, true)))).expect("memory");
    assert_eq!(chain.sample(&ROW), Err(Error::NoSelection));
    let request = ChainRequest::new(&ROW);
    assert_eq!(chain.sample_request(&request).map(|_| ()), Err(Error::NoSelection));
    assert_eq!(chain.sample_request_token(&request).map(|_| ()), Err(Error::NoSelection));
    // It ends a pass only where it does select.
    chain.add(Stage::greedy()).expect("memory");
    assert_eq!(chain.sample(&ROW), Ok(1));
    let mut chain = Chain::new();
    chain.add(Stage::custom(Box::new(Thinner { selects: true, accepted: 0 }))).expect("memory");
    // 3, 2 and 0 are left, in this order, and 3 is at -inf.
    assert_eq!(chain.sample(&ROW), Ok(2));
}

/// A pass ends where a stage selects, whatever the stage said of itself.
#[test]
fn a_report_ends_where_the_pass_does() {
    type Do = fn(&mut CandidateArray<'_>) -> Result<(), Error>;
    let nothing: Do = |_| Ok(());
    let selects: Do = |c| {
        c.selected = Some(2);
        Ok(())
    };
    let none: Do = |c| {
        c.len = 0;
        Ok(())
    };
    for (does, says, selecting) in [
        (nothing, true, Some(2)),
        (nothing, false, Some(2)),
        (selects, true, Some(1)),
        (selects, false, Some(1)),
        (none, true, Some(1)),
        (none, false, None),
    ] {
        let mut chain = Chain::new();
        chain.add(Stage::softmax()).expect("memory");
        chain.add(Stage::custom(Box::new(Does(does, says)))).expect("memory");
        chain.add(Stage::dist(1)).expect("memory");
        let report = chain.report(&ROW, 4).expect("a report");
        assert_eq!(report.selecting, selecting);
        let never = report.warnings.iter().filter(|line| line.contains("never runs")).count();
        assert_eq!(never, usize::from(selecting != Some(2)));
        for told in &report.candidates {
            let watched_id = Some(told.id as i32);
            let request = ChainRequest { watched_id, ..ChainRequest::new(&ROW) };
            match chain.sample_request(&request) {
                Ok(result) => {
                    let drawn = result.watched.final_p;
                    assert!((told.final_probability - drawn).abs() < 1e-6, "{told:?}, {drawn}");
                }
                Err(error) => assert_eq!(error, Error::NoCandidate),
            }
        }
    }
}

#[test]
fn it_is_copied_reset_and_described() {
    let mut chain = Chain::new();
    chain.add(Stage::custom(Box::new(Thinner::default()))).expect("memory");
    let mut text = String::new();
    chain.stages()[0].describe(&mut text).expect("memory");
    assert_eq!((chain.stages()[0].name(), text.as_str()), ("custom", "name thinner"));
    chain.accept(1).expect("memory");
    let mut copy = chain.try_clone().expect("memory");
    copy.accept(1).expect("memory");
    let odd = |chain: &mut Chain| {
        let mut tokens = [TokenData { id: 1, logit: 9.0, p: 0.0 }];
        chain.apply(&mut tokens, false).expect("a candidate");
        tokens[0].logit
    };
    assert_eq!((odd(&mut chain), odd(&mut copy)), (8.0, 7.0));
    copy.reset();
    assert_eq!((odd(&mut chain), odd(&mut copy)), (8.0, 9.0));
    // A copy that fails is an error, of a report too.
    let mut chain = Chain::new();
    chain.add(Stage::custom(Box::new(Single))).expect("memory");
    assert_eq!(chain.try_clone().err(), Some(Error::OutOfMemory));
    assert_eq!(chain.report(&ROW, 1).err(), Some(Error::OutOfMemory));
}
