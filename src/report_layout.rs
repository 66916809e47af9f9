//! Chapter "Reports": the structs of a report.

use crate::guard::count;
use core::ffi::c_char;
use core::ptr;
use s2sampler_core::{CandidateReport, Error, Report, StageReport, reserve};

/// What one stage did, in an S2Report.
///
/// Candidates are counted if they are above -inf; if none is, one counts. From stage s2 on,
/// candidates at -inf count too, as in S2SampleResult.
#[repr(C)]
pub struct S2ReportStage {
    /// sizeof(S2ReportStage) in the library's header.
    pub struct_size: u32,
    /// The number of candidates before the stage.
    pub before: i32,
    /// The number of candidates after it; 1 for greedy.
    pub after: i32,
    /// 1 if its parameters turn it off, otherwise 0.
    pub off: i32,
    /// The total probability of the candidates left, in the softmax of the row.
    pub raw_mass: f64,
    /// Their total probability among the candidates before the stage.
    pub kept_mass: f64,
    /// The entropy of the candidates left, in nats.
    pub entropy: f64,
    /// Where it cut, in `unit`; NaN if it has no threshold. The table above lists both.
    pub threshold: f64,
    /// As s2_chain_stage_name().
    pub name: *const c_char,
    /// The parameters with their names, such as "p 0.9, min_keep 1".
    pub parameters: *const c_char,
    /// What the threshold counts; "" if there is none.
    pub unit: *const c_char,
}

/// What became of one token, in an S2Report.
#[repr(C)]
pub struct S2ReportCandidate {
    /// sizeof(S2ReportCandidate) in the library's header.
    pub struct_size: u32,
    /// The token's id.
    pub id: i32,
    /// Its logit in the row.
    pub logit: f32,
    /// Its logit after the last stage that it reached.
    pub final_logit: f32,
    /// Its probability in the row, at temperature 1, as in S2SampleResult.
    pub raw_probability: f64,
    /// The sum of the raw probabilities from rank 0 to this one.
    pub running: f64,
    /// The probability with which it is selected; if no stage selects, its share among the
    /// candidates left.
    pub final_probability: f64,
    /// Its rank in the row, from 0.
    pub rank: i32,
    /// The index of the stage that dropped it; -1 if none did, or if its logit in the row is -inf.
    pub dropped_by: i32,
}

/// What the stages did to the candidates of a row. Read it, then free it with s2_report_free().
///
/// The report owns everything that its pointers lead to. No pointer and no element is NULL. The
/// structs state their sizes, so that they can grow: a field that struct_size does not cover does
/// not exist.
#[repr(C)]
pub struct S2Report {
    /// sizeof(S2Report) in the library's header.
    pub struct_size: u32,
    /// The number of tokens in the row.
    pub tokens: i32,
    /// The number of NaN in it.
    pub nans: i32,
    /// The number of +inf in it.
    pub infinities: i32,
    /// The entropy of its softmax, in nats.
    pub entropy: f64,
    /// The number of stages.
    pub n_stages: i32,
    /// The index of the selecting stage, after which none runs; -1 if there is none.
    pub selecting: i32,
    /// The number of elements of `candidates`.
    pub n_candidates: i32,
    /// The number of warnings.
    pub n_warnings: i32,
    /// The stages in their order. Stages that never run drop nothing: their numbers are those after
    /// the last stage that does run, and their kept_mass is 1.
    pub stages: *const *const S2ReportStage,
    /// The first tokens by rank in the row, dropped or not.
    pub candidates: *const *const S2ReportCandidate,
    /// English sentences about settings without effect, or with too much of it. The wording may
    /// change.
    pub warnings: *const *const c_char,
    /// The report as one JSON object with the names of these fields. Numbers that are not finite,
    /// and `selecting` or `dropped_by` of -1, are null; `off` is a Boolean; struct_size, rank and
    /// the n_* are left out.
    pub json: *const c_char,
}

/// A report with the memory that its pointers lead to.
#[repr(C)]
pub(crate) struct Owned {
    /// First, so that a pointer to it is one to the whole.
    report: S2Report,
    /// Ended by NULs, one after the other.
    texts: Vec<u8>,
    stages: Vec<S2ReportStage>,
    candidates: Vec<S2ReportCandidate>,
    stage_pointers: Vec<*const S2ReportStage>,
    candidate_pointers: Vec<*const S2ReportCandidate>,
    warning_pointers: Vec<*const c_char>,
}

impl Owned {
    pub(crate) fn new(report: &Report) -> Result<Self, Error> {
        let texts = texts(report)?;
        let mut starts = texts.split_inclusive(|byte| *byte == 0).map(<[u8]>::as_ptr);
        let mut next = || starts.next().map_or(ptr::null(), <*const u8>::cast);
        let mut stages = room(report.stages.len())?;
        for from in &report.stages {
            let [name, parameters, unit] = [next(), next(), next()];
            stages.push(S2ReportStage { name, parameters, unit, ..stage(from) });
        }
        let mut warning_pointers = room(report.warnings.len())?;
        warning_pointers.extend(report.warnings.iter().map(|_| next()));
        let json = next();
        let mut candidates = room(report.candidates.len())?;
        candidates.extend((0..).zip(&report.candidates).map(candidate));
        let (stage_pointers, candidate_pointers) =
            (pointers_to(&stages)?, pointers_to(&candidates)?);
        let report = S2Report {
            struct_size: size_of::<S2Report>() as u32,
            tokens: count(report.tokens),
            nans: count(report.nans),
            infinities: count(report.infinities),
            entropy: report.entropy,
            n_stages: count(stages.len()),
            selecting: index(report.selecting),
            n_candidates: count(candidates.len()),
            n_warnings: count(warning_pointers.len()),
            stages: stage_pointers.as_ptr(),
            candidates: candidate_pointers.as_ptr(),
            warnings: warning_pointers.as_ptr(),
            json,
        };
        Ok(Self {
            report,
            texts,
            stages,
            candidates,
            stage_pointers,
            candidate_pointers,
            warning_pointers,
        })
    }
}

/// All texts in the order in which they are pointed to. None of them has a NUL in it.
fn texts(report: &Report) -> Result<Vec<u8>, Error> {
    let mut texts = Vec::new();
    let mut add = |text: &str| {
        reserve(&mut texts, text.len() + 1)?;
        texts.extend_from_slice(text.as_bytes());
        texts.push(0);
        Ok(())
    };
    for stage in &report.stages {
        [stage.name, &stage.parameters, stage.unit].into_iter().try_for_each(&mut add)?;
    }
    report.warnings.iter().try_for_each(|warning| add(warning))?;
    add(&report.to_json()?)?;
    Ok(texts)
}

fn room<T>(items: usize) -> Result<Vec<T>, Error> {
    let mut room = Vec::new();
    reserve(&mut room, items)?;
    Ok(room)
}

fn pointers_to<T>(items: &[T]) -> Result<Vec<*const T>, Error> {
    let mut pointers = room(items.len())?;
    pointers.extend(items.iter().map(ptr::from_ref));
    Ok(pointers)
}

fn stage(from: &StageReport) -> S2ReportStage {
    S2ReportStage {
        struct_size: size_of::<S2ReportStage>() as u32,
        before: count(from.before),
        after: count(from.after),
        off: from.off.into(),
        raw_mass: from.raw_mass,
        kept_mass: from.kept_mass,
        entropy: from.entropy,
        threshold: from.threshold.unwrap_or(f64::NAN),
        name: ptr::null(),
        parameters: ptr::null(),
        unit: ptr::null(),
    }
}

fn candidate((rank, from): (i32, &CandidateReport)) -> S2ReportCandidate {
    S2ReportCandidate {
        struct_size: size_of::<S2ReportCandidate>() as u32,
        id: from.id.cast_signed(),
        logit: from.logit,
        final_logit: from.final_logit,
        raw_probability: from.raw_probability,
        running: from.running,
        final_probability: from.final_probability,
        rank,
        dropped_by: index(from.dropped_by),
    }
}

fn index(index: Option<usize>) -> i32 {
    index.map_or(-1, count)
}
