//! The plot of docs/performance/java.md, from a table of that page.

use anyhow::{Context as _, Result};
use sealane_measure::{Axis, Line, Lines, Point};

use crate::process;

pub(super) const PLOT: &str = "docs/java.svg";

/// The lengths of the messages, which are those of the published figures.
const LENGTHS: [&str; 4] = ["256 B", "1,024 B", "4,096 B", "16,384 B"];

/// Draws the messages that SunJCE and Sealane encrypt in a second.
pub(super) fn plot() -> Result<String> {
    let page = process::read("docs/performance/java.md")?;
    let line = |(class, name): (usize, &str)| {
        let start = format!("| {name} here | ");
        let cells = page.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix(" |"));
        let cells: Vec<_> =
            cells.with_context(|| format!("docs/performance/java.md has no row {start}"))?.split(" / ").collect();
        let point = |(x, cell): (usize, &&str)| {
            let number = cell.replace(',', "").parse::<f64>().with_context(|| format!("{name}: {cell}"))?;
            let title = format!("{name}, {}: {cell} a second", LENGTHS.get(x).context("too many figures")?);
            Ok(Point { x: x as f64, y: number / 1e6, title })
        };
        let points = cells.iter().enumerate().map(point).collect::<Result<_>>()?;
        Ok(Line { name: name.to_owned(), class: format!("line-{class}"), points })
    };
    let lines = ["SunJCE", "Sealane"].into_iter().enumerate().map(line).collect::<Result<_>>()?;
    let ticks = (0..).map(f64::from).zip(LENGTHS.map(str::to_owned)).collect();
    let x = Axis { name: "message size".to_owned(), logarithmic: false, ticks };
    let y = Axis { name: "millions of messages in a second".to_owned(), logarithmic: true, ticks: Vec::new() };
    let title = "ChaCha20-Poly1305 in Java: messages encrypted in a second".to_owned();
    Ok(Lines { title, x, y, lines, marks: true }.file())
}
