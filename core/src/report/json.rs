//! A report as JSON.

use super::text::{Text, written};
use super::{CandidateReport, Report, StageReport};
use crate::Error;
use core::fmt::{self, Display, LowerExp, Write};

impl Report {
    /// The report as a JSON object, with the names of the fields. NaN and the infinities, which JSON cannot
    /// express, are null; so is an absent value.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_json(&self) -> Result<String, Error> {
        written(|out| report(out, self))
    }
}

fn report(out: &mut Text, report: &Report) -> fmt::Result {
    let Report { tokens, nans, infinities, selecting, stages, candidates, warnings, .. } = report;
    write!(out, "{{\"tokens\":{tokens},\"nans\":{nans},\"infinities\":{infinities}")?;
    write!(out, ",\"entropy\":{},\"selecting\":", json_number(report.entropy))?;
    index(out, *selecting)?;
    list(out, ",\"stages\":", stages, stage)?;
    list(out, ",\"candidates\":", candidates, candidate)?;
    list(out, ",\"warnings\":", warnings, |out, warning| string(out, warning))?;
    out.write_char('}')
}

fn stage(out: &mut Text, stage: &StageReport) -> fmt::Result {
    out.write_str("{\"name\":")?;
    string(out, stage.name)?;
    out.write_str(",\"parameters\":")?;
    string(out, &stage.parameters)?;
    let StageReport { off, before, after, .. } = stage;
    write!(out, ",\"off\":{off},\"before\":{before},\"after\":{after}")?;
    write!(out, ",\"raw_mass\":{}", json_number(stage.raw_mass))?;
    write!(out, ",\"kept_mass\":{}", json_number(stage.kept_mass))?;
    write!(out, ",\"entropy\":{}", json_number(stage.entropy))?;
    write!(out, ",\"threshold\":{},\"unit\":", json_number(stage.threshold.unwrap_or(f64::NAN)))?;
    string(out, stage.unit)?;
    out.write_char('}')
}

fn candidate(out: &mut Text, token: &CandidateReport) -> fmt::Result {
    write!(out, "{{\"id\":{},\"logit\":{}", token.id, json_number(token.logit))?;
    write!(out, ",\"raw_probability\":{}", json_number(token.raw_probability))?;
    write!(out, ",\"running\":{},\"dropped_by\":", json_number(token.running))?;
    index(out, token.dropped_by)?;
    write!(out, ",\"final_logit\":{}", json_number(token.final_logit))?;
    write!(out, ",\"final_probability\":{}}}", json_number(token.final_probability))
}

fn index(out: &mut Text, index: Option<usize>) -> fmt::Result {
    match index {
        Some(index) => write!(out, "{index}"),
        None => out.write_str("null"),
    }
}

fn list<T>(
    out: &mut Text,
    name: &str,
    items: &[T],
    mut write: impl FnMut(&mut Text, &T) -> fmt::Result,
) -> fmt::Result {
    out.write_str(name)?;
    out.write_char('[')?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write(out, item)?;
    }
    out.write_char(']')
}

fn string(out: &mut Text, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}")?,
            '\0'..='\x1f' => write!(out, "\\u{:04x}", u32::from(character))?,
            _ => out.write_char(character)?,
        }
    }
    out.write_char('"')
}

/// The shortest text that reads back as the same number.
struct Number<T>(T);

fn json_number<T>(number: T) -> Number<T> {
    Number(number)
}

impl<T: Copy + Into<f64> + Display + LowerExp> Display for Number<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number) = *self;
        let size = number.into().abs();
        if !size.is_finite() {
            f.write_str("null")
        } else if size == 0.0 || (1e-5..1e15).contains(&size) {
            write!(f, "{number}")
        } else {
            write!(f, "{number:e}")
        }
    }
}
