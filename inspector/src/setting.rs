//! One setting of the sampler: the plain draw, a preset or a chain; what it reports and what it draws.

use crate::cli::SettingArgs;
use crate::description::{Call, parse};
use crate::problem::Problem;
use crate::stages;
use s2sampler_core::{Chain, Preset, PresetParams, Report, Sampler, SamplerParams, report_draw};
use std::collections::BTreeMap;
use std::fmt::Write;

const SEED: u32 = 42;

#[derive(Debug)]
enum Kind {
    Draw(SamplerParams),
    Preset(Preset, PresetParams),
    Chain(Vec<Call>),
}

/// A setting at work on its row.
enum Ready {
    Draw(Box<Sampler>, SamplerParams),
    Chain(Box<Chain>),
}

#[derive(Debug)]
pub struct Setting {
    kind: Kind,
    history: Vec<i32>,
    seed: u32,
}

impl Setting {
    pub fn new(args: &SettingArgs) -> Result<Self, Problem> {
        if args.history.is_some() && !args.takes_history() {
            let text = "--history: the plain draw has none; choose a --preset or a --chain";
            return Err(Problem::Usage(text.to_owned()));
        }
        let kind = match (&args.chain, args.preset) {
            (Some(chain), _) => Kind::Chain(parse(chain)?),
            (None, Some(name)) => {
                without_effect(args, name.into())?;
                let plain = PresetParams::of(name.into());
                let params = PresetParams {
                    temperature: args.temperature.unwrap_or(plain.temperature),
                    top_p: args.top_p.unwrap_or(plain.top_p),
                    top_k: args.top_k.unwrap_or(plain.top_k),
                    min_p: args.min_p.unwrap_or(plain.min_p),
                    repeat_penalty: args.repeat_penalty.unwrap_or(plain.repeat_penalty),
                    penalty_last_n: args.penalty_last_n.unwrap_or(plain.penalty_last_n),
                };
                Kind::Preset(name.into(), params)
            }
            (None, None) => {
                let plain = SamplerParams::default();
                Kind::Draw(SamplerParams {
                    temperature: args.temperature.unwrap_or(plain.temperature),
                    top_p: args.top_p.unwrap_or(plain.top_p),
                    top_k: args.top_k.unwrap_or(plain.top_k),
                })
            }
        };
        let history = args.history.clone().unwrap_or_default();
        let setting = Self { kind, history, seed: args.seed.unwrap_or(SEED) };
        // What is wrong with it is said before a row is read.
        setting.ready(0)?;
        Ok(setting)
    }

    /// In a line, as a head of what is printed for it.
    pub fn name(&self) -> String {
        let mut name = match &self.kind {
            Kind::Draw(SamplerParams { temperature, top_p, top_k }) => {
                format!("plain draw: temperature {temperature}, top_p {top_p}, top_k {top_k}")
            }
            Kind::Preset(preset, _) => format!("preset {}", preset_name(*preset)),
            Kind::Chain(calls) => {
                let calls: Vec<String> = calls.iter().map(Call::to_string).collect();
                format!("chain {}", calls.join(" "))
            }
        };
        if !self.history.is_empty() {
            let _ = write!(name, ", after {} tokens", self.history.len());
        }
        name
    }

    /// The report with the `first` candidates of the row.
    pub fn report(&self, logits: &[f32], first: usize) -> Result<Report, Problem> {
        let ready = self.ready(0)?;
        let report = match &ready {
            Ready::Draw(_, params) => report_draw(logits, params, first),
            Ready::Chain(chain) => chain.report(logits, first),
        };
        report.map_err(|error| Problem::at_work(&self.name(), error))
    }

    /// How often each token comes in `draws` draws, each of them in the state that the report shows.
    ///
    /// The seed of the stage that selects is one higher for each draw; the other stages keep theirs.
    pub fn draw(&self, logits: &[f32], draws: u32) -> Result<BTreeMap<u32, u32>, Problem> {
        let mut counts = BTreeMap::new();
        for draw in 0..draws {
            let token = match self.ready(draw)? {
                Ready::Draw(mut sampler, params) => sampler.sample(logits, &params),
                Ready::Chain(mut chain) => chain.sample(logits),
            };
            let token = token.map_err(|error| Problem::at_work(&self.name(), error))?;
            *counts.entry(token).or_default() += 1;
        }
        Ok(counts)
    }

    /// What stands before the draw numbered `draw`.
    fn ready(&self, draw: u32) -> Result<Ready, Problem> {
        let seed = self.seed.wrapping_add(draw);
        let mut chain = match &self.kind {
            Kind::Draw(params) => return Ok(Ready::Draw(Box::new(Sampler::new(seed)), *params)),
            Kind::Preset(preset, params) => Chain::preset(*preset, params, seed)
                .map_err(|error| Problem::Usage(format!("{}: {error}", self.name())))?,
            Kind::Chain(calls) => stages::chain(calls, self.seed, draw)?,
        };
        for token in &self.history {
            let wrong = |error| Problem::Usage(format!("--history: {token}: {error}"));
            chain.accept(*token).map_err(wrong)?;
        }
        Ok(Ready::Chain(Box::new(chain)))
    }
}

/// The name that `--preset` takes.
fn preset_name(preset: Preset) -> &'static str {
    match preset {
        Preset::S2 => "s2",
        Preset::TemperatureFirst => "temperature-first",
        Preset::Llama => "llama",
        Preset::HuggingFace => "huggingface",
        Preset::S2First => "s2-first",
    }
}

/// An option that the preset has no stage for is an error; otherwise it would be ignored silently.
fn without_effect(args: &SettingArgs, preset: Preset) -> Result<(), Problem> {
    let given = [
        ("--min-p", args.min_p.is_some()),
        ("--repeat-penalty", args.repeat_penalty.is_some()),
        ("--penalty-last-n", args.penalty_last_n.is_some()),
    ];
    let is_s2 = matches!(preset, Preset::S2 | Preset::S2First);
    match given.iter().find(|(_, given)| *given && is_s2) {
        Some((option, _)) => {
            let preset = preset_name(preset);
            Err(Problem::Usage(format!("{option}: preset {preset} has no stage for it")))
        }
        None => Ok(()),
    }
}
