//! Shows what every stage of a sampler chain does to a row of logits.
//!
//! From the top: `main` · `cli`, what is wanted · `setting`, which reports and draws · `stages` and
//! `description`, a chain in words · `row`, files · `print` and `picture`, what is shown · `problem` ·
//! `terminal`, safe text.

mod cli;
mod description;
mod picture;
mod print;
mod problem;
mod row;
mod setting;
mod stages;
mod terminal;

use clap::Parser;
use cli::Command;
use print::{compare, draws, tables};
use problem::Problem;
use s2sampler_core::Report;
use setting::Setting;
use std::io::Write;
use std::process::ExitCode;
use terminal::escaped;

fn main() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => return refused(&error),
    };
    let shown = run(&command).and_then(|text| {
        // Whoever reads may have seen enough.
        match std::io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Problem::File(format!("standard output: {error}")))
            }
            _ => Ok(()),
        }
    });
    match shown {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {}", escaped(&problem.to_string()));
            problem.exit_code()
        }
    }
}

/// Shows the help, or what clap has against the command line; it quotes words as they came.
fn refused(error: &clap::Error) -> ExitCode {
    let hostile = |word: std::ffi::OsString| {
        let word = word.to_string_lossy();
        escaped(&word) != word
    };
    if !error.use_stderr() || !std::env::args_os().any(hostile) {
        error.exit();
    }
    for line in error.to_string().lines() {
        eprintln!("{}", escaped(line));
    }
    ExitCode::from(2)
}

/// Does what is wanted and gives back what to print.
fn run(command: &Command) -> Result<String, Problem> {
    let mut settings = vec![Setting::new(&command.setting)?];
    if let Some(second) = &command.compare {
        settings.push(Setting::new(&command.setting.second(second)?)?);
    }
    let row::Row { logits, notes } = row::read(&command.file, &command.choice())?;
    for note in notes {
        eprintln!("note: {}", escaped(&note));
    }
    let text = if command.json {
        json(&settings, &logits, command.show)?
    } else {
        page(command, &settings, &logits)?
    };
    if let Some(file) = &command.svg {
        let reports = reports(&settings, &logits)?;
        let name = name(command);
        let titles = settings.iter().map(|setting| format!("{name}, {}", setting.name()));
        let parts: Vec<_> = titles.zip(&reports).collect();
        let unwritten = |error| Problem::File(format!("{}: {error}", file.display()));
        std::fs::write(file, picture::draw(&parts)).map_err(unwritten)?;
    }
    Ok(text)
}

fn reports(settings: &[Setting], logits: &[f32]) -> Result<Vec<Report>, Problem> {
    settings.iter().map(|setting| setting.report(logits, logits.len())).collect()
}

fn json(settings: &[Setting], logits: &[f32], show: usize) -> Result<String, Problem> {
    let texts = settings.iter().map(|setting| {
        let report = setting.report(logits, show)?;
        report.to_json().map_err(|error| Problem::at_work(&setting.name(), error))
    });
    let texts = texts.collect::<Result<Vec<String>, Problem>>()?;
    Ok(match &texts[..] {
        [one] => format!("{one}\n"),
        several => format!("[{}]\n", several.join(",\n")),
    })
}

fn page(command: &Command, settings: &[Setting], logits: &[f32]) -> Result<String, Problem> {
    let reports = reports(settings, logits)?;
    let mut text = String::new();
    if let Some(report) = reports.first() {
        text += &tables::row(&escaped(&name(command)), logits, report);
    }
    for ((setting, report), letter) in settings.iter().zip(&reports).zip('A'..) {
        let letter = if settings.len() > 1 { format!("{letter}: ") } else { String::new() };
        text += &format!("\n{letter}{}\n\n", setting.name());
        text += &tables::stages(report);
        text += &tables::warnings(report);
    }
    text += "\n";
    text += &match &reports[..] {
        [a, b] => compare::candidates(a, b, command.show) + "\n" + &compare::summary(a, b),
        _ => reports.iter().map(|report| tables::candidates(report, command.show)).collect(),
    };
    if let Some(draws) = command.draws {
        for ((setting, report), letter) in settings.iter().zip(&reports).zip('A'..) {
            let letter = if settings.len() > 1 { format!("{letter}: ") } else { String::new() };
            let counts = setting.draw(logits, draws)?;
            text += &format!("\n{letter}{draws} draws\n\n");
            text += &draws::histogram(report, &counts, command.show);
        }
    }
    Ok(text)
}

/// The file without its folder, and which of its rows.
fn name(command: &Command) -> String {
    let file = row::name(command.file.file_name().unwrap_or_default().as_ref());
    let tensor = command.tensor.as_ref().map(|tensor| format!(", {tensor}"));
    let row = command.row.map(|row| format!(", row {row}"));
    file + &tensor.unwrap_or_default() + &row.unwrap_or_default()
}
