//! How much the long tests do: `S2_TEST_SCALE` is `quick`, `full` (also if unset) or `exhaustive`.
//!
//! A test that runs for long takes its sizes from here. Every test runs at every scale.

use std::sync::OnceLock;

/// In the order of the work they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// `make check`: a tenth of the random cases.
    Quick,
    /// `make test`.
    Full,
    /// For a machine at rest and a release build.
    Exhaustive,
}

pub fn scale() -> Scale {
    static SCALE: OnceLock<Scale> = OnceLock::new();
    *SCALE.get_or_init(|| match std::env::var("S2_TEST_SCALE").as_deref() {
        Ok("quick") => Scale::Quick,
        Ok("full") | Err(std::env::VarError::NotPresent) => Scale::Full,
        Ok("exhaustive") => Scale::Exhaustive,
        other => panic!("S2_TEST_SCALE is {other:?}, not quick, full or exhaustive"),
    })
}

pub fn is_quick() -> bool {
    scale() == Scale::Quick
}

/// A number of cases: `full`, a tenth of it if quick, five times as many if exhaustive.
pub fn cases(full: usize) -> usize {
    match scale() {
        Scale::Quick => full.div_ceil(10),
        Scale::Full => full,
        Scale::Exhaustive => 5 * full,
    }
}

/// Which cases of a numbered sequence a run does.
///
/// `S2_TEST_FROM` begins at a later one, such as one that failed; `S2_TEST_SECONDS` goes on for so long instead
/// of doing a fixed number.
pub struct Numbered {
    next: u64,
    from: u64,
    count: u64,
    until: Option<std::time::Instant>,
}

impl Numbered {
    pub fn new(full: usize) -> Self {
        let number = |name| std::env::var(name).ok().map(|v| v.parse::<u64>().expect("a number"));
        let from = number("S2_TEST_FROM").unwrap_or(0);
        let seconds = number("S2_TEST_SECONDS").map(std::time::Duration::from_secs);
        let until = seconds.map(|seconds| std::time::Instant::now() + seconds);
        Self { next: from, from, count: cases(full) as u64, until }
    }

    /// The cases given out so far.
    pub fn done(&self) -> u64 {
        self.next - self.from
    }

    /// Whether at least the fixed number of cases was given out.
    pub fn is_complete(&self) -> bool {
        self.done() >= self.count
    }
}

impl Iterator for &mut Numbered {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let goes_on = match self.until {
            Some(until) => std::time::Instant::now() < until,
            None => self.done() < self.count,
        };
        goes_on.then(|| {
            self.next += 1;
            self.next - 1
        })
    }
}
