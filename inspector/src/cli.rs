//! The command line.

use crate::problem::Problem;
use crate::row::{Choice, Format};
use crate::stages::forms;
use clap::{Args, Parser, ValueEnum};
use s2sampler_core::Preset;
use std::num::{IntErrorKind, NonZeroU64, ParseIntError};
use std::path::PathBuf;

/// Shows what every stage of a sampler chain does to a row of logits.
///
/// Without --preset or --chain the row goes through the plain draw of the S2 engines: top-k and top-p at
/// temperature 1, then temperature.
#[derive(Debug, Parser)]
#[command(name = "s2inspect", version, after_help = legend())]
pub struct Command {
    /// The row: .npy, .npz, .safetensors, JSON, text, or .f32 (raw little-endian float32); "-": standard input
    pub file: PathBuf,

    /// Which row of a file that has several, from 0 on
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = row)]
    pub row: Option<u64>,

    /// The number of logits in a row of a raw file
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = columns)]
    pub columns: Option<NonZeroU64>,

    /// Which array of an .npz or .safetensors file that has several, or which key of a JSON object
    #[arg(long, value_name = "NAME")]
    pub tensor: Option<String>,

    /// The file's format, if its first bytes and its name do not tell
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormatName>,

    #[command(flatten)]
    pub setting: SettingArgs,

    /// A second setting to compare with: a chain, or options in one word, such as "--top-p 0.95"
    #[arg(long, value_name = "SETTING", allow_hyphen_values = true)]
    pub compare: Option<String>,

    /// How many candidates to list, the likeliest first
    #[arg(long, value_name = "N", default_value_t = 20, allow_hyphen_values = true,
        value_parser = |word: &str| whole::<usize>(word, 0))]
    pub show: usize,

    /// Draw N times, with consecutive seeds, and compare with the final probabilities
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = |word: &str| whole::<u32>(word, 1))]
    pub draws: Option<u32>,

    /// Print the report as JSON instead; with --compare a list of both
    #[arg(long, conflicts_with = "draws")]
    pub json: bool,

    /// Draw logits, probabilities and the stages' cuts into an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// The setting that a row goes through.
#[derive(Args, Debug, Clone, Default, PartialEq)]
pub struct SettingArgs {
    /// The divisor of the logits; 0 or less takes the best token
    #[arg(long, value_name = "T", allow_hyphen_values = true,
        value_parser = real)]
    pub temperature: Option<f32>,

    /// The nucleus: the total probability of the candidates that stay
    #[arg(long, value_name = "P", allow_hyphen_values = true,
        value_parser = real)]
    pub top_p: Option<f32>,

    /// The number of candidates that stay, best first; 0 or less: all
    #[arg(long, value_name = "K", allow_hyphen_values = true,
        value_parser = signed)]
    pub top_k: Option<i32>,

    /// A chain in a known order; the other options change its parameters
    #[arg(long, value_name = "NAME")]
    pub preset: Option<PresetName>,

    /// The least probability of a candidate, as a share of the best token's
    #[arg(long, value_name = "P", requires = "preset", allow_hyphen_values = true,
        value_parser = real)]
    pub min_p: Option<f32>,

    /// Divides the positive logits of recent tokens and multiplies the others
    #[arg(long, value_name = "X", requires = "preset", allow_hyphen_values = true,
        value_parser = real)]
    pub repeat_penalty: Option<f32>,

    /// The number of recent tokens; -1: the whole history
    #[arg(long, value_name = "N", requires = "preset", allow_hyphen_values = true,
        value_parser = signed)]
    pub penalty_last_n: Option<i32>,

    /// Stages in your own order: "top_k(40) top_p(0.9) temperature(0.8) dist(42)"
    #[arg(long, value_name = "STAGES", conflicts_with_all =
        ["temperature", "top_p", "top_k", "preset", "min_p", "repeat_penalty", "penalty_last_n"])]
    pub chain: Option<String>,

    /// The tokens drawn before, oldest first, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',', allow_hyphen_values = true,
        value_parser = signed)]
    pub history: Option<Vec<i32>>,

    /// The seed of stages that name none [default: 42]
    #[arg(long, value_name = "SEED", allow_hyphen_values = true, value_parser = |word: &str| whole::<u32>(word, 0))]
    pub seed: Option<u32>,
}

impl Command {
    /// Which row is read, and how.
    pub fn choice(&self) -> Choice {
        Choice {
            row: self.row,
            columns: self.columns,
            tensor: self.tensor.clone(),
            format: self.format.map(Into::into),
        }
    }
}

fn real(word: &str) -> Result<f32, String> {
    let value: f32 = word.parse().map_err(|_| {
        let point = word.replacen(',', ".", 1);
        if point != word && point.parse::<f32>().is_ok() {
            format!("numbers have a decimal point here: {point}")
        } else {
            "not a number".to_owned()
        }
    })?;
    // What overflows would pass for an infinity that somebody wrote.
    if value.is_infinite() && word.contains(|c: char| c.is_ascii_digit()) {
        return Err("beyond the range of float32".to_owned());
    }
    Ok(value)
}

fn whole<T: TryFrom<i128>>(word: &str, least: i128) -> Result<T, String> {
    let large = || "too large".to_owned();
    let value: i128 = word.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => large(),
        _ => "not a whole number".to_owned(),
    })?;
    if value < least {
        return Err(format!("the least is {least}"));
    }
    T::try_from(value).map_err(|_| large())
}

fn signed(word: &str) -> Result<i32, String> {
    whole(word, i32::MIN.into())
}

fn row(word: &str) -> Result<u64, String> {
    whole(word, 0).map_err(|why| format!("{why}; rows are counted from 0 on"))
}

fn columns(word: &str) -> Result<NonZeroU64, String> {
    whole(word, 1).and_then(|count| NonZeroU64::new(count).ok_or_else(String::new))
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum FormatName {
    F32,
    Text,
    Json,
    Npy,
    Npz,
    Safetensors,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::F32 => Self::F32,
            FormatName::Text => Self::Text,
            FormatName::Json => Self::Json,
            FormatName::Npy => Self::Npy,
            FormatName::Npz => Self::Npz,
            FormatName::Safetensors => Self::Safetensors,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub enum PresetName {
    S2,
    TemperatureFirst,
    Llama,
    Huggingface,
    S2First,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::S2 => Self::S2,
            PresetName::TemperatureFirst => Self::TemperatureFirst,
            PresetName::Llama => Self::Llama,
            PresetName::Huggingface => Self::HuggingFace,
            PresetName::S2First => Self::S2First,
        }
    }
}

/// A setting in one word, for `--compare`.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Second {
    #[command(flatten)]
    setting: SettingArgs,
}

impl SettingArgs {
    /// The second setting. History and seed are those of the first unless it has its own.
    pub fn second(&self, text: &str) -> Result<Self, Problem> {
        let mut second = if text.trim_start().starts_with("--") {
            let no_words = || Problem::Usage("--compare: a quotation mark is open".to_owned());
            let words = shlex::split(text).ok_or_else(no_words)?;
            let parsed = Second::try_parse_from(words).map_err(|error| {
                let said = error.to_string();
                let line = said.lines().next().unwrap_or_default();
                Problem::Usage(format!("--compare: {}", line.trim_start_matches("error: ")))
            });
            parsed?.setting
        } else {
            Self { chain: Some(text.to_owned()), ..Self::default() }
        };
        second.seed = second.seed.or(self.seed);
        if second.takes_history() && second.history.is_none() {
            second.history.clone_from(&self.history);
        }
        Ok(second)
    }

    /// Whether there is a chain; the plain draw has no history.
    pub fn takes_history(&self) -> bool {
        self.chain.is_some() || self.preset.is_some()
    }
}

const FILES: &str = "\
Files: the first bytes decide the format before the name does. Arrays are float16, bfloat16, float32 or float64,
rounded to float32. Dimensions of 1 are ignored, so (n,), (1, n), (n, 1) and (1, T, n) are read; --row chooses one of
several rows. JSON is [1.5, -2], a list of such lists, or an object with one of them under \"logits\" or --tensor; NaN
and -Infinity are read. Raw float32 on standard input needs --columns or --format f32. A row has at most 4194304 logits.

Text: numbers with decimal points, separated by spaces, commas or line ends. 1,2,3 is three numbers. Ambiguous
text is refused: 1,5 alone, which may have a decimal comma, and lines that all begin with a whole number, which may
be an id before its logit. In --chain a comma between whole numbers needs a space: top_p(1, 5).";

fn legend() -> String {
    format!(
        "{FILES}\n\nColumns: \"raw mass\" is the share of the row's probability that is left after a stage, \"kept\" \
         the share\nthat is left of the probability before the stage; entropies are in nats. \"raw\" is a \
         candidate's probability\nin the row, \"running\" the sum of \"raw\" up to it, \"final\" its \
         probability at the end. Pale bars are \
         of dropped candidates.\n\nStages of --chain:\n  {}",
        forms().join("\n  ")
    )
}

/// For the tests of clap's own rules.
#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(words: &[&str]) -> Result<Command, clap::Error> {
        Command::try_parse_from(["s2inspect", "row.f32"].iter().chain(words))
    }

    #[test]
    fn the_definition_is_sound() {
        Command::command().debug_assert();
        Second::command().debug_assert();
    }

    #[test]
    fn numbers_may_be_negative() {
        let command = parse(&["--top-k", "-1", "--temperature", "-0.5"]).expect("numbers");
        assert_eq!((command.setting.top_k, command.setting.temperature), (Some(-1), Some(-0.5)));
        for (word, want) in [("-inf", f32::NEG_INFINITY), ("-.5", -0.5), ("-1E-3", -1e-3)] {
            let command = parse(&["--temperature", word]).expect(word);
            assert_eq!(command.setting.temperature, Some(want));
        }
        let command = parse(&["--chain", "greedy", "--history", "-1,5"]).expect("ids");
        assert_eq!(command.setting.history, Some(vec![-1, 5]));
    }

    #[test]
    fn wrong_numbers_are_explained() {
        for (option, word, want) in [
            ("--row", "-1", "the least is 0; rows are counted from 0 on"),
            ("--row", "x", "not a whole number; rows are counted from 0 on"),
            ("--row", "18446744073709551616", "too large; rows"),
            ("--columns", "0", "the least is 1"),
            ("--columns", "-5", "the least is 1"),
            ("--show", "-1", "the least is 0"),
            ("--draws", "-1", "the least is 1"),
            ("--seed", "-1", "the least is 0"),
            ("--seed", "4294967296", "too large"),
            ("--top-k", "2147483648", "too large"),
            ("--top-p", "0,9", "numbers have a decimal point here: 0.9"),
            ("--temperature", "1e39", "beyond the range of float32"),
            ("--temperature", "warm", "not a number"),
        ] {
            let error = parse(&[option, word]).expect_err(want).to_string();
            let begin = format!("error: invalid value '{word}' for '{option} <");
            let named = error.starts_with(&begin);
            assert!(named && error.contains(&format!(">': {want}")), "{error}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for words in [
            &["--min-p", "0.1"][..],
            &["--chain", "greedy", "--top-k", "3"],
            &["--chain", "greedy", "--preset", "llama"],
            &["--json", "--draws", "10"],
            &["--draws", "0"],
            &["--preset", "other"],
            &["--top-k", "1.5"],
        ] {
            assert_eq!(parse(words).expect_err("refused").exit_code(), 2, "{words:?}");
        }
    }

    #[test]
    fn a_second_setting_is_options_or_a_chain() {
        let words = ["--preset", "llama", "--history", "1,2", "--seed", "7", "--top-k", "3"];
        let first = parse(&words).expect("options").setting;
        let chain = first.second("top_k(40) dist").expect("a chain");
        let want = SettingArgs {
            chain: Some("top_k(40) dist".to_owned()),
            history: Some(vec![1, 2]),
            seed: Some(7),
            ..SettingArgs::default()
        };
        assert_eq!(chain, want);
        let plain = first.second("--top-p 0.95 --seed 8").expect("options");
        let want = SettingArgs { top_p: Some(0.95), seed: Some(8), ..SettingArgs::default() };
        assert_eq!(plain, want);
        let quoted = first.second("--chain 'greedy dist' --history 3").expect("options");
        assert_eq!(quoted.chain.as_deref(), Some("greedy dist"));
        assert_eq!(quoted.history, Some(vec![3]));
    }

    #[test]
    fn a_wrong_second_setting_is_said_as_such() {
        let first = SettingArgs::default();
        for (text, want) in [
            ("--top-k x", "--compare: invalid value 'x' for '--top-k <K>'"),
            ("--draws 3", "--compare: unexpected argument '--draws' found"),
            ("--chain 'greedy", "--compare: a quotation mark is open"),
        ] {
            let problem = first.second(text).expect_err(text).to_string();
            assert!(problem.starts_with(want), "{problem}");
        }
    }
}
