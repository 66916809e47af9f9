//! Warnings about the row and about the chain as a whole. Each stage has its own warnings.

use super::Report;
use super::text::push_warning;
use crate::chain::ObservedChain;
use crate::{Error, Stage};

/// Warns about the row, whose largest logit is `top`.
pub(super) fn row(report: &mut Report, top: f32) -> Result<(), Error> {
    let Report { tokens, nans, infinities, warnings, .. } = report;
    if top == f32::NEG_INFINITY {
        push_warning(warnings, format_args!("no logit is above -inf: no token can be drawn"))?;
    }
    if *nans > 0 {
        push_warning(
            warnings,
            format_args!("{nans} of {tokens} logits are NaN and count as -inf"),
        )?;
    }
    if *infinities > 0 {
        let what = "they outrank every finite logit";
        push_warning(warnings, format_args!("{infinities} of {tokens} logits are +inf: {what}"))?;
    }
    Ok(())
}

/// Warns about the chain, whose stages in the report ran.
pub(super) fn chain(report: &mut Report, stages: &[Stage]) -> Result<(), Error> {
    let Report { stages: reports, warnings, selecting, .. } = report;
    let ran = reports.len();
    let temperatures = reports.iter().filter(|stage| stage.unit == "temperature");
    let highest_temperature = temperatures.filter_map(|s| s.threshold).fold(0.0, f64::max) as f32;
    for (index, stage) in stages[..ran].iter().enumerate().filter(|(_, stage)| !stage.is_off()) {
        let chain = ObservedChain { stages: &stages[..ran], index, highest_temperature };
        stage.warn_in_chain(&chain, &mut |line| push_warning(warnings, line))?;
    }
    if selecting.is_none() {
        let what = "a draw with this chain returns an error";
        push_warning(warnings, format_args!("no stage selects a token: {what}"))?;
    }
    for (index, stage) in stages.iter().enumerate().skip(ran) {
        let what = "comes after a selecting stage and never runs";
        push_warning(warnings, format_args!("stage {index} ({}) {what}", stage.name()))?;
    }
    Ok(())
}
