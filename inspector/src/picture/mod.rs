//! The picture: logits by rank and the probability they carry, with a line where each stage cuts.
//!
//! Ranks stand on a logarithmic axis, for the first few matter and the last are a hundred thousand away.
//! A candidate has the colour of the stage that dropped it. A stage's line stands behind the last rank that
//! it leaves, whatever it drops before that.

mod canvas;

use crate::print::{percent, threshold};
use canvas::{Anchor, Canvas, GRID, INK};
use s2sampler_core::{CandidateReport, Report};
use std::cmp::Ordering;
use svg::Document;
use svg::node::element::Title;

const WIDTH: f64 = 960.0;
/// Of one report, unless its stages need more.
const HEIGHT: f64 = 490.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 640.0;
/// Top and bottom of the two plots, one below the other.
const LOGITS: (f64, f64) = (50.0, 235.0);
const SHARES: (f64, f64) = (255.0, 430.0);

/// Distinct to colour-blind eyes too.
const DRAWN: &str = "#d55e00";
const RAW: &str = "#888888";
const STAGES: [&str; 6] = ["#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#000000"];

/// So many first ranks have a dot each; from there on the dots have equal distances.
const EACH: usize = 48;
const DOTS: u32 = 72;

/// One report below the other, each with its title.
pub fn draw(parts: &[(String, &Report)]) -> String {
    let mut height = 0.0;
    let mut plots = Vec::new();
    for (title, report) in parts {
        let mut plot = Plot::new(report, height);
        plot.canvas.text(WIDTH / 2.0, 24.0, Anchor::Middle, 15, &shortened(title));
        plot.ranks();
        plot.logits();
        plot.shares();
        plot.cuts();
        height += plot.legend().max(HEIGHT);
        plots.push(plot.canvas.into_group());
    }
    let all: Vec<&str> = parts.iter().map(|(title, _)| title.as_str()).collect();
    let document = Document::new()
        .set("viewBox", (0.0, 0.0, WIDTH, height))
        .set("width", WIDTH)
        .set("height", height)
        .set("font-family", "sans-serif")
        .set("font-size", 13)
        .set("fill", INK)
        .set("role", "img")
        .add(Title::new(canvas::legible(&all.join("; "))))
        .add(canvas::paper(WIDTH, height));
    let document = plots.into_iter().fold(document, Document::add);
    format!("{document}\n")
}

struct Plot<'a> {
    report: &'a Report,
    canvas: Canvas,
    /// The ranks that get a dot.
    dots: Vec<usize>,
    /// For each stage its colour, if it drops anything.
    colours: Vec<Option<&'static str>>,
}

impl<'a> Plot<'a> {
    fn new(report: &'a Report, down: f64) -> Self {
        let ranks = report.candidates.len();
        let mut dots: Vec<usize> = (0..ranks.min(EACH)).collect();
        if let Some(last) = ranks.checked_sub(1).filter(|last| *last >= EACH) {
            let (from, to) = ((EACH as f64).ln(), (last as f64).ln());
            let spread =
                (0..=DOTS).map(|i| (from + (to - from) * f64::from(i) / f64::from(DOTS)).exp());
            // Ranks are far below 2^52.
            dots.extend(spread.map(|rank| rank.round() as usize));
            dots.dedup();
        }
        // Only stages that cut take a colour, so that two chains with the same cuts look alike.
        let mut palette = STAGES.iter().copied().cycle();
        let colours = report
            .stages
            .iter()
            .map(|stage| if stage.before == stage.after { None } else { palette.next() });
        let colours = colours.collect();
        Self { report, canvas: Canvas::new(down), dots, colours }
    }

    /// The grid of the ranks and their figures below.
    fn ranks(&mut self) {
        let mut rank = 1;
        while rank <= self.report.candidates.len() {
            let x = self.x(rank as f64);
            self.canvas.line((x, LOGITS.0), (x, LOGITS.1), GRID, 1.0);
            self.canvas.line((x, SHARES.0), (x, SHARES.1), GRID, 1.0);
            self.canvas.text(x, SHARES.1 + 18.0, Anchor::Middle, 12, &rank.to_string());
            rank *= 10;
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        self.canvas.text(
            middle,
            SHARES.1 + 40.0,
            Anchor::Middle,
            13,
            "rank, from the largest logit on",
        );
    }

    fn logits(&mut self) {
        let known = self.dotted().filter(|(_, candidate)| candidate.logit.is_finite());
        let known: Vec<(usize, f64, &str)> =
            known.map(|(rank, c)| (rank, f64::from(c.logit), self.colour(c))).collect();
        let values = || known.iter().map(|(_, logit, _)| *logit);
        let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        // A row may have one level only, or nothing finite.
        let (low, high) = match low.partial_cmp(&high) {
            Some(Ordering::Less) => (low, high),
            Some(Ordering::Equal) => (low - 1.0, low + 1.0),
            _ => (0.0, 1.0),
        };
        let y = |logit: f64| LOGITS.1 - (logit - low) / (high - low) * (LOGITS.1 - LOGITS.0);
        for quarter in 0..=4 {
            let logit = low + (high - low) * f64::from(quarter) / 4.0;
            let figure =
                if logit.abs() < 1e5 { format!("{logit:.1}") } else { format!("{logit:.1e}") };
            self.level(y(logit), &figure);
        }
        self.canvas.upright(18.0, f64::midpoint(LOGITS.0, LOGITS.1), "logit");
        let points: Vec<(f64, f64)> =
            known.iter().map(|(rank, logit, _)| (self.at(*rank), y(*logit))).collect();
        self.canvas.curve(&points, GRID, 2.0);
        for (point, (_, _, colour)) in points.iter().zip(&known) {
            self.canvas.dot(*point, colour);
        }
    }

    fn shares(&mut self) {
        let y = |share: f64| SHARES.1 - share.clamp(0.0, 1.0) * (SHARES.1 - SHARES.0);
        for quarter in 0..=4 {
            let share = f64::from(quarter) / 4.0;
            self.level(y(share), &format!("{} %", share * 100.0));
        }
        self.canvas.upright(18.0, f64::midpoint(SHARES.0, SHARES.1), "probability");
        for (rank, candidate) in self.report.candidates.iter().enumerate() {
            let x = self.at(rank);
            for (share, colour, aside) in
                [(candidate.raw_probability, RAW, -1.5), (candidate.final_probability, DRAWN, 1.5)]
            {
                // What is not half a pixel high shows in the sums alone.
                if y(0.0) - y(share) > 0.5 {
                    let x = x + aside;
                    self.canvas.line((x, y(0.0)), (x, y(share)), colour, 3.0);
                }
            }
        }
        let mut sum = 0.0;
        let finals: Vec<f64> = (self.report.candidates.iter())
            .map(|candidate| {
                sum += candidate.final_probability;
                sum
            })
            .collect();
        let points = |height: &dyn Fn(usize, &CandidateReport) -> f64| -> Vec<(f64, f64)> {
            self.dotted().map(|(rank, c)| (self.at(rank), y(height(rank, c)))).collect()
        };
        let raw = points(&|_, candidate| candidate.running);
        let last = points(&|rank, _| finals.get(rank).copied().unwrap_or_default());
        self.canvas.curve(&raw, RAW, 1.5);
        self.canvas.curve(&last, DRAWN, 1.5);
    }

    /// A line through both plots behind the last rank that a stage leaves.
    fn cuts(&mut self) {
        for (index, colour) in self.colours.iter().enumerate() {
            let Some(colour) = colour else { continue };
            let stays = |c: &CandidateReport| c.dropped_by.is_none_or(|by| by > index);
            let left = self.report.candidates.iter().rposition(stays).map_or(0, |last| last + 1);
            let x = self.x(left as f64 + 0.5);
            self.canvas.dashes((x, LOGITS.0), (x, SHARES.1), colour);
        }
    }

    /// What the colours mean; gives back how far down it reaches.
    fn legend(&mut self) -> f64 {
        let x = RIGHT + 24.0;
        let mut y = LOGITS.0 + 8.0;
        for (index, stage) in self.report.stages.iter().enumerate().filter(|(_, stage)| !stage.off)
        {
            let colour = self.colours.get(index).copied().flatten();
            if let Some(colour) = colour {
                self.canvas.dot((x - 8.0, y - 4.0), colour);
            }
            let mut lines = wrapped(&format!("{} {}", stage.name, stage.parameters));
            if colour.is_some() {
                let cut = threshold(stage);
                let at = if cut.is_empty() { cut } else { format!(", at {cut}") };
                lines.extend(wrapped(&format!("{} to {}{at}", stage.before, stage.after)));
            }
            for (number, line) in lines.iter().enumerate() {
                let (aside, size) = if number == 0 { (0.0, 12) } else { (10.0, 11) };
                self.canvas.text(x + aside, y, Anchor::Start, size, line);
                y += 15.0;
            }
            y += 5.0;
        }
        let all = self.report.candidates.iter();
        let drawn = all.filter(|candidate| candidate.final_probability > 0.0).count();
        let raw = self.report.stages.last().map_or(1.0, |stage| stage.raw_mass);
        let text = format!("can be drawn: {drawn}, {} of the row", percent(raw));
        self.canvas.dot((x - 8.0, y - 4.0), DRAWN);
        self.canvas.text(x, y, Anchor::Start, 12, &text);
        y = y.max(SHARES.0) + 20.0;
        for (colour, text) in [
            (RAW, "probability in the row, and its sum"),
            (DRAWN, "probability at the end, and its sum"),
        ] {
            self.canvas.line((x - 12.0, y - 4.0), (x - 4.0, y - 4.0), colour, 3.0);
            self.canvas.text(x, y, Anchor::Start, 12, text);
            y += 20.0;
        }
        y
    }

    /// A line of the grid with its figure.
    fn level(&mut self, y: f64, figure: &str) {
        self.canvas.line((LEFT, y), (RIGHT, y), GRID, 1.0);
        self.canvas.text(LEFT - 8.0, y + 4.0, Anchor::End, 12, figure);
    }

    fn dotted(&self) -> impl Iterator<Item = (usize, &'a CandidateReport)> {
        let candidates = &self.report.candidates;
        self.dots.iter().filter_map(|rank| candidates.get(*rank).map(|c| (*rank, c)))
    }

    fn at(&self, rank: usize) -> f64 {
        self.x(rank as f64 + 1.0)
    }

    /// Where a rank stands, counted from 1.
    fn x(&self, rank: f64) -> f64 {
        let all = (self.report.candidates.len() as f64 + 1.0).max(10.0);
        LEFT + 10.0 + rank.ln() / all.ln() * (RIGHT - LEFT - 10.0)
    }

    fn colour(&self, candidate: &CandidateReport) -> &'static str {
        let Some(index) = candidate.dropped_by else { return DRAWN };
        self.colours.get(index).copied().flatten().unwrap_or(INK)
    }
}

/// Lines that fit beside the plots, broken between words.
fn wrapped(text: &str) -> Vec<String> {
    const LONGEST: usize = 46;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= LONGEST => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A title that fits above the plots; the whole of it is the picture's name.
fn shortened(title: &str) -> String {
    const LONGEST: usize = 100;
    match title.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", title.get(..end).unwrap_or(title)),
        None => title.to_owned(),
    }
}
