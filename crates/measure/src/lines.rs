//! Plots of lines.

use std::fmt::Write as _;

use crate::svg::{Scale, escaped, linear_ticks, logarithmic_ticks};

/// The size of the drawing, in the units of its view box. Text is 12 units high. The drawing is
/// small, so that it is readable on a phone.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 330.0;
/// The area of the lines.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 468.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 282.0;
/// The width of an entry of the legend, if there is room for all entries.
const LEGEND: f64 = 92.0;
/// With more ticks than this, some have no name.
const MAX_NAMES: usize = 13;
const MAX_X_NAMES: usize = 7;

/// The style of a plot in a standalone file. A page has its own style for the same classes.
const STYLE: &str = "\
svg{font:12px system-ui,sans-serif;fill:#222;background:#fff}.grid{stroke:#e6e9ed}\
.frame{fill:none;stroke:#d5dae0}.faint{fill:#59636e}\
.line{fill:none;stroke-width:1.2;stroke-linejoin:round;stroke:var(--line,#222)}.mark{fill:var(--line,#222)}\
.line-0{--line:#0072b2}.line-1{--line:#d55e00}.line-2{--line:#009e73}.line-3{--line:#a3239a}";

/// A point of a line.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its place on the x axis.
    pub x: f64,
    /// Its place on the y axis.
    pub y: f64,
    /// The text that a pointer shows.
    pub title: String,
}

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its class in the style; in [`Lines::file`], `line-0` to `line-3` have colours.
    pub class: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The quantity and its unit.
    pub name: String,
    /// Whether it is logarithmic. If not, it begins at 0.
    pub logarithmic: bool,
    /// The positions of the grid, with names. If empty, they are round numbers.
    pub ticks: Vec<(f64, String)>,
}

/// A plot of lines.
#[derive(Clone, Debug)]
pub struct Lines {
    /// A description for people who cannot see the plot.
    pub title: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether each point has a mark.
    pub marks: bool,
}

impl Lines {
    /// Returns the plot as a standalone file.
    #[must_use]
    pub fn file(&self) -> String {
        let svg = self.svg();
        let rest = svg.strip_prefix("<svg").expect("a plot begins with its element");
        let (tag, content) = rest.split_once('\n').expect("the element has a line of its own");
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\"{tag}\n<style>{STYLE}</style>\n{content}")
    }

    /// Returns the plot as an element of a page. The page's style sheet gives colours to the lines'
    /// classes and to `grid`, `frame`, `faint`, `line` and `mark`.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut out = String::new();
        let title = escaped(&self.title);
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n"
        );
        // Marks do not touch the frame.
        let inset = if self.marks { 10.0 } else { 0.0 };
        let x = self.x.drawn(self.values(|point| point.x), (LEFT + inset, RIGHT - inset), false);
        let y = self.y.drawn(self.values(|point| point.y), (BOTTOM, TOP), true);
        grid(&mut out, &self.x, &self.y, &x, &y);
        let legend = LEGEND.min((RIGHT - LEFT) / self.lines.len().max(1) as f64);
        for (i, line) in self.lines.iter().enumerate() {
            let _ = write!(out, "<g class=\"{}\">\n<polyline class=\"line\" points=\"", line.class);
            for point in &line.points {
                let _ = write!(out, "{:.1},{:.1} ", x.scale.at(point.x), y.scale.at(point.y));
            }
            out.push_str("\"/>\n");
            for point in line.points.iter().filter(|_| self.marks) {
                mark(&mut out, i, x.scale.at(point.x), y.scale.at(point.y));
                let _ = writeln!(out, "<title>{}</title></path>", escaped(&point.title));
            }
            // Its entry in the legend.
            let (at, height) = (LEFT + i as f64 * legend, 14.0);
            let end = at + 24.0;
            let _ = writeln!(out, "<line class=\"line\" x1=\"{at}\" y1=\"{height}\" x2=\"{end}\" y2=\"{height}\"/>");
            if self.marks {
                mark(&mut out, i, at + 12.0, height);
                out.push_str("</path>");
            }
            let (at, height, name) = (at + 30.0, height + 4.0, escaped(&line.name));
            let _ = writeln!(out, "<text x=\"{at}\" y=\"{height}\">{name}</text>\n</g>");
        }
        out.push_str("</svg>\n");
        out
    }

    /// Returns the lowest and the highest value.
    fn values(&self, value: impl Fn(&Point) -> f64) -> (f64, f64) {
        let values = self.lines.iter().flat_map(|line| &line.points).map(value);
        values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| (low.min(value), high.max(value)))
    }
}

/// An axis with its place in the drawing.
struct Drawn {
    scale: Scale,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Places the axis in the drawing. With `to_ticks`, it ends at ticks, not at values.
    fn drawn(&self, (low, high): (f64, f64), coordinates: (f64, f64), to_ticks: bool) -> Drawn {
        let mut values = match self.logarithmic {
            true => logarithmic_ticks(low, high),
            false => linear_ticks(high),
        };
        let mut range = if self.logarithmic { (low, high) } else { (0.0, high) };
        if to_ticks {
            range = (values[0], values[values.len() - 1]);
        } else if range.0 >= range.1 {
            // A single value is shown in the middle.
            range = (low / 2.0, low * 2.0);
        }
        values.retain(|tick| *tick <= range.1 * 1.000_001);
        let ticks = match self.ticks.is_empty() {
            true => values.iter().map(|tick| (*tick, tick.to_string())).collect(),
            false => self.ticks.clone(),
        };
        Drawn { scale: Scale::new(self.logarithmic, range, coordinates), ticks }
    }
}

fn grid(out: &mut String, x_axis: &Axis, y_axis: &Axis, x: &Drawn, y: &Drawn) {
    for (i, (tick, name)) in y.ticks.iter().enumerate() {
        let at = y.scale.at(*tick);
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{RIGHT}\" y2=\"{at:.1}\"/>");
        let is_power_of_10 = (tick.log10() - tick.log10().round()).abs() < 1e-6;
        if y.ticks.len() <= MAX_NAMES || is_power_of_10 || i == 0 {
            let (left, at) = (LEFT - 6.0, at + 4.0);
            let _ = writeln!(out, "<text x=\"{left}\" y=\"{at:.1}\" text-anchor=\"end\">{name}</text>");
        }
    }
    // Names do not touch.
    let named = x.ticks.len().div_ceil(MAX_X_NAMES).max(1);
    for (i, (tick, name)) in x.ticks.iter().enumerate() {
        let at = x.scale.at(*tick);
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{BOTTOM}\"/>");
        if i % named == 0 {
            let height = BOTTOM + 17.0;
            let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{height}\" text-anchor=\"middle\">{name}</text>");
        }
    }
    let _ = write!(
        out,
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>\n\
         <text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text class=\"faint\" transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        RIGHT - LEFT,
        BOTTOM - TOP,
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 38.0,
        escaped(&x_axis.name),
        (TOP + BOTTOM) / 2.0,
        escaped(&y_axis.name),
    );
}

/// Opens a path. The shape of a mark identifies the line if its colour does not.
fn mark(out: &mut String, line: usize, x: f64, y: f64) {
    let shape = match line % 5 {
        0 => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        1 => "m-3.6 -3.6h7.2v7.2h-7.2z",
        2 => "m0 -4.8l4.8 8.2h-9.6z",
        3 => "m0 -5l5 5l-5 5l-5 -5z",
        _ => "m0 4.8l4.8 -8.2h-9.6z",
    };
    let _ = write!(out, "<path class=\"mark\" d=\"M{x:.1} {y:.1}{shape}\">");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(logarithmic: bool, points: &[(f64, f64)]) -> Lines {
        let axis = |name: &str| Axis { name: name.into(), logarithmic, ticks: Vec::new() };
        let points = points.iter().map(|&(x, y)| Point { x, y, title: format!("{x} & {y}") }).collect();
        let line = Line { name: "a <b>".into(), class: "line-0".into(), points };
        Lines { title: "t".into(), x: axis("x"), y: axis("y"), lines: vec![line], marks: logarithmic }
    }

    #[test]
    fn points_are_in_their_places() {
        let linear = plot(false, &[(0.0, 0.0), (50.0, 1.0), (100.0, 2.0)]).file();
        assert!(linear.contains("points=\"58.0,282.0 263.0,158.0 468.0,34.0 \""), "{linear}");
        assert!(linear.starts_with("<svg xmlns=") && linear.contains("<style>") && linear.contains("a &lt;b&gt;"));
        assert!(!linear.contains("class=\"mark\""));
        let logarithmic = plot(true, &[(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)]).svg();
        assert!(logarithmic.contains("points=\"68.0,282.0 263.0,158.0 458.0,34.0 \""), "{logarithmic}");
        assert_eq!(logarithmic.matches("<title>").count(), 1 + 3);
        assert!(logarithmic.contains("1 &amp; 1"));
    }

    #[test]
    fn a_single_point_is_in_the_middle() {
        let svg = plot(true, &[(64.0, 3.0)]).svg();
        assert!(svg.contains("points=\"263.0,"), "{svg}");
    }
}
