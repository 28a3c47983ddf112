//! Throughput over size, one line for each backend, both axes logarithmic.

use std::fmt::Write as _;

use super::svg::{LogAxis, ticks};
use crate::commands::bench::report::{Report, figure, size_name};

/// The drawing, in the units of its view box; text has 12 of them. Small enough that a phone need not shrink it much.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 330.0;
/// The area of the lines.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 468.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 282.0;
/// Width of an entry of the legend, where there is room for all.
const LEGEND: f64 = 92.0;
/// More ticks than this are not all named.
const MAX_NAMES: usize = 13;
const MAX_SIZE_NAMES: usize = 7;

/// Draws the plot of one primitive.
pub(super) fn plot(out: &mut String, report: &Report, primitive: &str, title: &str) {
    let cells = || report.cells.iter().filter(|cell| cell.primitive == primitive);
    let speeds = || cells().map(|cell| cell.gb_per_s);
    let (slowest, fastest) = (speeds().fold(f64::MAX, f64::min), speeds().fold(f64::MIN_POSITIVE, f64::max));
    let speed_ticks = ticks(slowest, fastest);
    let speed_range = (speed_ticks[0], speed_ticks[speed_ticks.len() - 1]);
    let sizes = report.sizes();
    let (smallest, largest) = (sizes[0] as f64, sizes[sizes.len() - 1] as f64);
    // A single size is in the middle.
    let size_range = if smallest < largest { (smallest, largest) } else { (smallest / 2.0, largest * 2.0) };
    // Markers do not touch the frame.
    let x = LogAxis::new(size_range, (LEFT + 10.0, RIGHT - 10.0));
    let y = LogAxis::new(speed_range, (BOTTOM, TOP));

    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "<figure>\n<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}: throughput over message size\">\n\
         <title>{title}: throughput in GB/s over message size, one line for each backend</title>\n"
    );
    for (i, &tick) in speed_ticks.iter().enumerate() {
        let at = y.at(tick);
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{RIGHT}\" y2=\"{at:.1}\"/>");
        let is_power_of_10 = (tick.log10() - tick.log10().round()).abs() < 1e-6;
        if speed_ticks.len() <= MAX_NAMES || is_power_of_10 || i == 0 {
            let at = at + 4.0;
            let _ = writeln!(out, "<text x=\"{}\" y=\"{at:.1}\" text-anchor=\"end\">{tick}</text>", LEFT - 6.0);
        }
    }
    let size_ticks = size_ticks(&sizes);
    // Names do not touch.
    let named = size_ticks.len().div_ceil(MAX_SIZE_NAMES).max(1);
    for (i, &bytes) in size_ticks.iter().enumerate() {
        let at = x.at(bytes as f64);
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{BOTTOM}\"/>");
        if i % named == 0 {
            let (line, name) = (BOTTOM + 17.0, size_name(bytes));
            let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{line}\" text-anchor=\"middle\">{name}</text>");
        }
    }
    let _ = write!(
        out,
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/>\n\
         <text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">message size</text>\n\
         <text class=\"faint\" transform=\"translate(12 {}) rotate(-90)\" text-anchor=\"middle\">throughput in GB/s</text>\n",
        RIGHT - LEFT,
        BOTTOM - TOP,
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 38.0,
        (TOP + BOTTOM) / 2.0,
    );
    let backends = &report.environment.backends;
    let legend = LEGEND.min((RIGHT - LEFT) / backends.len() as f64);
    for (i, backend) in backends.iter().enumerate() {
        let cells: Vec<_> = cells().filter(|cell| cell.backend == *backend).collect();
        let _ = write!(out, "<g class=\"{backend}\">\n<polyline class=\"line\" points=\"");
        for cell in &cells {
            let _ = write!(out, "{:.1},{:.1} ", x.at(cell.bytes as f64), y.at(cell.gb_per_s));
        }
        out.push_str("\"/>\n");
        for cell in &cells {
            mark(out, i, x.at(cell.bytes as f64), y.at(cell.gb_per_s));
            let (speed, cycles) = (figure(cell.gb_per_s), figure(cell.cycles_per_byte));
            let size = size_name(cell.bytes);
            let _ = writeln!(out, "<title>{backend}, {size}: {speed} GB/s, {cycles} cycles per byte</title></path>");
        }
        // Its entry in the legend.
        let (at, line) = (LEFT + i as f64 * legend, 14.0);
        let _ = writeln!(out, "<line class=\"line\" x1=\"{at}\" y1=\"{line}\" x2=\"{}\" y2=\"{line}\"/>", at + 24.0);
        mark(out, i, at + 12.0, line);
        let _ = writeln!(out, "</path><text x=\"{}\" y=\"{}\">{backend}</text>\n</g>", at + 30.0, line + 4.0);
    }
    out.push_str("</svg>\n</figure>\n");
}

/// Where the grid is: powers of 4 within the range, or its ends where there are few.
fn size_ticks(sizes: &[usize]) -> Vec<usize> {
    let (smallest, largest) = (sizes[0], sizes[sizes.len() - 1]);
    let powers: Vec<_> = (0..16).map(|power| 1 << (2 * power)).filter(|p| (smallest..=largest).contains(p)).collect();
    if powers.len() >= 2 { powers } else { vec![smallest, largest][..if smallest < largest { 2 } else { 1 }].into() }
}

/// Opens a path: a marker whose shape tells the backend where its colour does not.
fn mark(out: &mut String, backend: usize, x: f64, y: f64) {
    let shape = match backend % 5 {
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
    use super::size_ticks;

    #[test]
    fn sizes_of_the_grid() {
        assert_eq!(size_ticks(&[16, 100, 1350, 4096]), [16, 64, 256, 1024, 4096]);
        assert_eq!(size_ticks(&[17, 60]), [17, 60]);
        assert_eq!(size_ticks(&[1350]), [1350]);
    }
}
