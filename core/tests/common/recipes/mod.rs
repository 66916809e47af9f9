//! For each engine the calls that return its tokens, held against what the engine itself returned.
//!
//! A recipe takes one line of a file, builds the engine's rule from the public interface, and compares
//! everything that the line tells. `tests/data/engines/README.md` has the rules and the columns.

mod audio_cpp;
mod bark;
mod crispasr;
mod huggingface;
mod koboldcpp;
mod llamacpp;
mod qwentts;
mod record;
mod s2;
mod ttscpp;
mod whisper;
mod zonos2;

use super::levels;
use record::{Header, Record};
use s2sampler_core::{Chain, ChainRequest, Error, SimdLevel, Stage, TokenData};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// Compares one line at one SIMD level.
type Check = fn(&Record, SimdLevel) -> Result<(), Mismatch>;

/// The recipes, by the names of their files.
const RECIPES: [(&str, Check); 15] = [
    ("bark", bark::check),
    ("cosyvoice3", crispasr::cosyvoice3),
    ("fish_audio", audio_cpp::fish_audio),
    ("greedy_decode", crispasr::greedy_decode),
    ("hfsampler", audio_cpp::hf_sampler),
    ("huggingface", huggingface::check),
    ("koboldcpp", koboldcpp::check),
    ("llamacpp", llamacpp::check),
    ("qwentts", qwentts::check),
    ("s2_gen0", s2::first_generation),
    ("s2_gen1", s2::first_generation),
    ("s2_loop", s2::generate),
    ("ttscpp", ttscpp::check),
    ("whisper", whisper::check),
    ("zonos2", zonos2::check),
];

/// What differs, or what is wrong with the line.
#[derive(Debug)]
pub struct Mismatch(String);

impl From<String> for Mismatch {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Mismatch {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Error> for Mismatch {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

/// A file's name, its lines, and what failed.
pub struct Held {
    pub name: String,
    pub lines: usize,
    pub failures: Vec<String>,
}

impl Held {
    pub fn holds(&self) -> bool {
        self.failures.is_empty()
    }
}

impl std::fmt::Display for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, lines, failures } = self;
        write!(f, "{name:<14} {:>3} of {lines:>3}", lines - failures.len())
    }
}

/// The files of a folder but `README.md`, or the file itself. A folder without files is an error.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = path.read_dir().map_err(|e| format!("{}: {e}", path.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.file_name().is_some_and(|name| name != "README.md"));
    files.sort();
    if files.is_empty() { Err(format!("{}: no files", path.display())) } else { Ok(files) }
}

/// Checks every line of a file at every SIMD level.
pub fn run(path: &Path) -> Result<Held, String> {
    let (name, check, text) = open(path)?;
    let lines = records(path, &text)?.into_iter().zip(2..);
    let mut held = Held { name, lines: 0, failures: Vec::new() };
    for (record, number) in lines {
        held.lines += 1;
        if let Err(what) = record.and_then(|record| at_each_level(check, &record)) {
            held.failures.push(format!("{}:{number}: {}", path.display(), what.0));
        }
    }
    Ok(held)
}

/// The lines of a file that still hold after one digit of their results was changed.
pub fn blind(path: &Path) -> Result<Vec<usize>, String> {
    let (_, check, text) = open(path)?;
    let holds = |record: Result<Record, Mismatch>| {
        let mut record = record.expect("a line");
        record.alter();
        at_each_level(check, &record).is_ok()
    };
    let lines = records(path, &text)?.into_iter().zip(2..);
    Ok(lines.filter_map(|(record, number)| holds(record).then_some(number)).collect())
}

/// A file's name, its recipe and its text.
fn open(path: &Path) -> Result<(String, Check, String), String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let recipe = RECIPES.iter().find(|(known, _)| *known == name);
    let (_, check) = recipe.ok_or_else(|| format!("{}: no recipe of this name", path.display()))?;
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok((name, *check, text))
}

fn records(path: &Path, text: &str) -> Result<Vec<Result<Record, Mismatch>>, String> {
    let mut lines = text.lines();
    let header = lines.next().ok_or_else(|| format!("{}: empty", path.display()))?;
    let header = Header::parse(header).map_err(|e| format!("{}: {}", path.display(), e.0))?;
    let records: Vec<_> = lines.map(|line| header.record(line)).collect();
    if records.is_empty() { Err(format!("{}: no lines", path.display())) } else { Ok(records) }
}

fn at_each_level(check: Check, record: &Record) -> Result<(), Mismatch> {
    levels::all().into_iter().try_for_each(|level| {
        check(record, level).map_err(|what| format!("{}: {}", level.name(), what.0).into())
    })
}

/// A chain of the stages.
fn chain(
    level: SimdLevel,
    stages: impl IntoIterator<Item = Result<Stage, Error>>,
) -> Result<Chain, Mismatch> {
    let mut chain = Chain::new().with_simd_level(level).ok_or("no such level")?;
    for stage in stages {
        chain.add(stage?)?;
    }
    Ok(chain)
}

/// Successive draws from the row, accepted or not, give the tokens of the line.
fn draws(chain: &mut Chain, line: &Record, accept: bool) -> Result<(), Mismatch> {
    let row = line.row()?;
    let request = ChainRequest { accept, ..ChainRequest::new(&row) };
    let tokens: Vec<i32> = line.numbers("tokens")?;
    for (token, draw) in tokens.iter().zip(1..) {
        same(&format!("token {draw}"), chain.sample_request_token(&request)?.token, *token)?;
    }
    Ok(())
}

/// Accepts what was fed to the engine before.
fn accept(chain: &mut Chain, tokens: &[i32]) -> Result<(), Mismatch> {
    tokens.iter().try_for_each(|token| chain.accept(*token)).map_err(Into::into)
}

fn same<T: PartialEq + Debug>(what: &str, got: T, want: T) -> Result<(), Mismatch> {
    if got == want { Ok(()) } else { Err(format!("{what}: {got:?}, not {want:?}").into()) }
}

/// Probabilities and their logarithms, which may differ in the last bits.
fn close(what: &str, got: f64, want: f32) -> Result<(), Mismatch> {
    let want = f64::from(want);
    let close = got == want || (got - want).abs() <= 1e-5 * want.abs();
    if close { Ok(()) } else { Err(format!("{what}: {got}, not {want}").into()) }
}

/// The candidates of a row.
fn candidates(row: &[f32]) -> Vec<TokenData> {
    (0..).zip(row).map(|(id, &logit)| TokenData { id, logit, p: 0.0 }).collect()
}

/// The sum of the e of a row at a temperature: exact, and added up in binary32 in id order. An engine that does
/// the latter returns probabilities that are wrong by one factor.
struct Sums {
    exact: f64,
    in_float: f32,
    largest_logit: f32,
}

impl Sums {
    fn new(row: &[f32], t: f32) -> Self {
        let logits: Vec<f32> = row.iter().map(|l| l / t).filter(|l| l.is_finite()).collect();
        let largest_logit = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let e = |l: &f32| (f64::from(*l) - f64::from(largest_logit)).exp();
        Self {
            exact: logits.iter().map(e).sum(),
            in_float: logits.iter().fold(0.0, |sum, l| sum + (l - largest_logit).exp()),
            largest_logit,
        }
    }
}
