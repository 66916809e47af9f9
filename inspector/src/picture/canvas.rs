//! The few marks that a plot is made of.

use svg::node::element::{Circle, Group, Line, Polyline, Rectangle, Text};

pub const INK: &str = "#222222";
pub const GRID: &str = "#dddddd";

/// Marks one above the other, coordinates in tenths of a pixel at most.
pub struct Canvas {
    group: Group,
}

#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// Everything below and to the right of the point (0, `down`).
    pub fn new(down: f64) -> Self {
        Self { group: Group::new().set("transform", format!("translate(0 {})", tenths(down))) }
    }

    pub fn into_group(self) -> Group {
        self.group
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, size: u32, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let node = Text::new(legible(text))
            .set("x", tenths(x))
            .set("y", tenths(y))
            .set("text-anchor", anchor)
            .set("font-size", size);
        self.add(node);
    }

    /// A text from below to above, its middle at the point.
    pub fn upright(&mut self, x: f64, y: f64, text: &str) {
        let node = Text::new(legible(text))
            .set("text-anchor", "middle")
            .set("transform", format!("translate({} {}) rotate(-90)", tenths(x), tenths(y)));
        self.add(node);
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.add(line(from, to, colour, width));
    }

    pub fn dashes(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        self.add(line(from, to, colour, 1.5).set("stroke-dasharray", "5 3"));
    }

    pub fn curve(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", tenths(*x), tenths(*y))).collect();
        let node = Polyline::new()
            .set("points", points.join(" "))
            .set("fill", "none")
            .set("stroke", colour)
            .set("stroke-width", width);
        self.add(node);
    }

    pub fn dot(&mut self, (x, y): (f64, f64), colour: &str) {
        self.add(
            Circle::new().set("cx", tenths(x)).set("cy", tenths(y)).set("r", 3).set("fill", colour),
        );
    }

    fn add(&mut self, node: impl Into<Box<dyn svg::Node>>) {
        self.group = std::mem::take(&mut self.group).add(node);
    }
}

/// The background of the whole picture.
pub fn paper(width: f64, height: f64) -> Rectangle {
    Rectangle::new().set("width", width).set("height", height).set("fill", "#ffffff")
}

fn line(from: (f64, f64), to: (f64, f64), colour: &str, width: f64) -> Line {
    Line::new()
        .set("x1", tenths(from.0))
        .set("y1", tenths(from.1))
        .set("x2", tenths(to.0))
        .set("y2", tenths(to.1))
        .set("stroke", colour)
        .set("stroke-width", width)
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

/// Without the characters that XML has no way to write: file names may have them.
pub fn legible(text: &str) -> String {
    let bad = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.replace(bad, "\u{fffd}")
}
