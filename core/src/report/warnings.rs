//! Where a setting has no effect or too much, in words.

use super::shares::{Shares, counted};
use super::text::say;
use super::{Report, StageReport};
use crate::chain::{Setting, Step};
use crate::{Error, SamplerParams, Stage, TokenData};
use core::fmt::{self, Display};

/// From here on a temperature is hot, and below this a top_p is narrow: together they hardly make sense.
const HOT: f32 = 1.2;
const NARROW: f32 = 0.5;

/// A stage with the parameter that matters most.
struct Label<'a>(&'a Stage);

impl Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())?;
        match self.0.setting() {
            Setting::TopK(k) => write!(f, " {k}"),
            Setting::TopP(number)
            | Setting::MinP(number)
            | Setting::Typical(number)
            | Setting::TopNSigma(number)
            | Setting::Temperature(number) => write!(f, " {number}"),
            _ => Ok(()),
        }
    }
}

/// About the row itself, whose largest logit is `top`.
pub(super) fn row(report: &mut Report, top: f32) -> Result<(), Error> {
    let Report { tokens, nans, infinities, warnings, .. } = report;
    if top == f32::NEG_INFINITY {
        say(
            warnings,
            format_args!("nothing in the row is above -inf: token 0 counts as the best"),
        )?;
    }
    if *nans > 0 {
        say(warnings, format_args!("the row has {nans} NaN of {tokens}: they count as -inf"))?;
    }
    if *infinities > 0 {
        say(warnings, format_args!("the row has {infinities} +inf: no other token can be drawn"))?;
    }
    Ok(())
}

/// About a stage that is not off; `before` are the shares before it.
pub(super) fn stage(
    warnings: &mut Vec<String>,
    step: &Step<'_>,
    stage: &StageReport,
    before: &Shares,
) -> Result<(), Error> {
    match step.stage.setting() {
        Setting::S2(params) => s2(warnings, &params, stage, before)?,
        Setting::Greedy | Setting::Dist => {}
        setting => {
            edits(warnings, step, setting)?;
            filters(warnings, step, setting, stage)?;
        }
    }
    if let Setting::Temperature(f32::INFINITY)
    | Setting::S2(SamplerParams { temperature: f32::INFINITY, .. }) = step.stage.setting()
    {
        say(warnings, format_args!("temperature inf makes all candidates alike"))?;
    }
    Ok(())
}

/// About changes of logits.
fn edits(warnings: &mut Vec<String>, step: &Step<'_>, setting: Setting) -> Result<(), Error> {
    let name = step.stage.name();
    // These keep the order, so that the lists can be laid side by side.
    let idle = || step.before.iter().zip(step.after).all(|(a, b)| a.logit == b.logit);
    match setting {
        Setting::Penalties { heard: 0, .. } | Setting::Dry { heard: 0 } => {
            say(warnings, format_args!("{name} has no effect: no token was accepted yet"))?;
        }
        Setting::Penalties { .. } | Setting::LogitBias if idle() => {
            let why = "no candidate's logit changes";
            say(warnings, format_args!("{name} has no effect: {why}"))?;
        }
        _ => {}
    }
    if let Setting::Penalties { repeat, frequency, presence, .. } = setting {
        if repeat < 1.0 {
            say(warnings, format_args!("repeat penalty {repeat} below 1 rewards repetition"))?;
        }
        for (kind, penalty) in [("frequency", frequency), ("presence", presence)] {
            if penalty < 0.0 {
                say(warnings, format_args!("{kind} penalty {penalty} below 0 rewards repetition"))?;
            }
        }
    }
    let above = |tokens: &[TokenData]| tokens.iter().any(|t| t.logit > f32::NEG_INFINITY);
    if above(step.before) && !above(step.after) {
        say(warnings, format_args!("every candidate is banned: {name} leaves nothing above -inf"))?;
    }
    Ok(())
}

/// About what was left out.
fn filters(
    warnings: &mut Vec<String>,
    step: &Step<'_>,
    setting: Setting,
    stage: &StageReport,
) -> Result<(), Error> {
    let (label, before) = (Label(step.stage), stage.before);
    let is_filter = matches!(
        setting,
        Setting::TopK(_)
            | Setting::TopP(_)
            | Setting::MinP(_)
            | Setting::Typical(_)
            | Setting::TopNSigma(_)
    );
    if before < 2 {
        return Ok(());
    }
    if stage.after == before && is_filter {
        return say(warnings, format_args!("{label} drops nothing: {before} candidates before it"));
    }
    let left = counted(step.after, step.hidden.is_some()).next();
    if let Some(left) = left.filter(|_| stage.after == 1) {
        let rank = |token: &&TokenData| (-f64::from(token.logit), token.id);
        let best = counted(step.before, false).min_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        let greedy = best.is_some_and(|best| best.id == left.id);
        let what = match setting {
            _ if greedy => "equals greedy",
            // It acts by chance.
            Setting::Xtc(_) => "not the best",
            _ => "not the best, and always the same",
        };
        say(warnings, format_args!("{label} leaves 1 candidate: {what}"))?;
    }
    Ok(())
}

/// About the S2 rule.
fn s2(
    warnings: &mut Vec<String>,
    params: &SamplerParams,
    stage: &StageReport,
    before: &Shares,
) -> Result<(), Error> {
    let SamplerParams { temperature: t, top_p, top_k } = *params;
    let count = stage.before;
    if params.is_greedy() && count > 1 {
        return say(warnings, format_args!("temperature {t} leaves 1 candidate: equals greedy"));
    }
    if t.is_nan() {
        say(warnings, format_args!("temperature NaN leaves only what equals the best"))?;
    }
    if top_k > 0 && count > 1 && params.rank_limit(count) == count {
        say(warnings, format_args!("top_k {top_k} drops nothing: {count} candidates before it"))?;
    }
    if top_p >= 1.0 {
        let why = "rounding can drop the last candidates";
        say(
            warnings,
            format_args!("top_p {top_p} is not off under the S2 rule: {why}; NaN is off"),
        )?;
    }
    if count > 1 && params.rank_limit(count) == 1 {
        return say(warnings, format_args!("top_k 1 leaves 1 candidate: equals greedy"));
    }
    if count > 1 && stage.after == 1 {
        let two: f64 = before.first_two.iter().sum();
        let what = "top_p below p1 + p2: greedy under the S2 rule";
        say(warnings, format_args!("{what} ({top_p} is below {two:.6})"))?;
    }
    if t > HOT && top_p < NARROW {
        say(warnings, format_args!("{}", Quarrel { t, top_p }))?;
    }
    Ok(())
}

/// A temperature and a top_p that work against each other.
struct Quarrel {
    t: f32,
    top_p: f32,
}

impl Display for Quarrel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { t, top_p } = self;
        write!(f, "temperature above {HOT} with top_p below {NARROW}: ")?;
        write!(f, "one evens out what the other leaves hardly anything of ({t} and {top_p})")
    }
}

/// About the chain as a whole, of which those stages ran that are in the report.
pub(super) fn chain(report: &mut Report, stages: &[Stage]) -> Result<(), Error> {
    let Report { stages: reports, warnings, selecting, .. } = report;
    let ran = reports.len();
    let heat = |stage: &StageReport| stage.threshold.filter(|_| stage.unit == "temperature");
    let hottest = reports.iter().filter_map(heat).fold(0.0, f64::max) as f32;
    let active = stages.iter().take(ran).filter(|stage| !stage.is_off());
    let narrowest = active.filter_map(|stage| match stage.setting() {
        Setting::TopP(p) => Some(p),
        _ => None,
    });
    let narrowest = narrowest.fold(1.0, f32::min);
    if hottest > HOT && narrowest < NARROW {
        say(warnings, format_args!("{}", Quarrel { t: hottest, top_p: narrowest }))?;
    }
    for (index, stage) in stages.iter().enumerate().take(ran) {
        if matches!(stage.setting(), Setting::Softmax) && !is_used(&stages[index + 1..ran]) {
            say(warnings, format_args!("softmax has no effect: no top_p adds up what it holds"))?;
        }
    }
    idle_before_greedy(warnings, &stages[..ran])?;
    if selecting.is_none() {
        say(warnings, format_args!("no stage selects: a draw with this chain is an error"))?;
    }
    for (index, stage) in stages.iter().enumerate().skip(ran) {
        let what = "comes after a selecting stage and never runs";
        say(warnings, format_args!("stage {index} ({}) {what}", stage.name()))?;
    }
    Ok(())
}

/// Whether one of the stages after a softmax adds up its probabilities.
fn is_used(rest: &[Stage]) -> bool {
    // xtc does where it does not act.
    let keeps = |stage: &&Stage| {
        stage.is_off()
            || matches!(
                stage.setting(),
                Setting::TopK(_) | Setting::MinP(_) | Setting::TopNSigma(_) | Setting::Xtc(_)
            )
    };
    let next = rest.iter().find(|stage| !keeps(stage));
    next.is_some_and(|stage| matches!(stage.setting(), Setting::TopP(_)))
}

/// About stages that never change which token is the best, if the last of `stages` takes just that.
fn idle_before_greedy(warnings: &mut Vec<String>, stages: &[Stage]) -> Result<(), Error> {
    let mut stages = stages.iter().rev().filter(|stage| !stage.is_off());
    if !stages.next().is_some_and(|last| matches!(last.setting(), Setting::Greedy)) {
        return Ok(());
    }
    // Edits can depend on the scale that an earlier temperature gave; typical and xtc drop the best.
    let keeps_best = |stage: &&Stage| match stage.setting() {
        Setting::TopK(_) | Setting::TopP(_) | Setting::MinP(_) | Setting::TopNSigma(_) => true,
        Setting::Temperature(t) => t.is_finite(),
        _ => false,
    };
    stages.take_while(keeps_best).try_for_each(|stage| {
        let label = Label(stage);
        say(warnings, format_args!("{label} has no effect: greedy takes the best in any case"))
    })
}
