//! One operation under each way of choosing the instruction set, as bars.

use std::fmt::Write as _;

use super::svg::escaped;
use crate::commands::bench::report::{DispatchOperation, figure};

/// The drawing, in the units of its view box; text has 12 of them.
const WIDTH: f64 = 360.0;
const ROW: f64 = 26.0;
/// Where bars begin, after the names.
const LEFT: f64 = 58.0;
/// The longest bar; its figures come after it.
const LONGEST: f64 = 190.0;

/// Draws the chart of one operation. Bars begin at 0.
pub(super) fn chart(out: &mut String, operation: &DispatchOperation) {
    let longest = operation.choices.iter().map(|row| row.ns).fold(f64::MIN_POSITIVE, f64::max);
    let name = escaped(operation.name);
    let height = ROW * operation.choices.len() as f64 + 2.0;
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        "<figure>\n<h3>{name}</h3>\n<p class=\"faint\">{}</p>\n\
         <svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{name}: nanoseconds by choice\">\n\
         <title>{name}: nanoseconds for one operation, by where the instruction set is chosen</title>\n",
        escaped(operation.description)
    );
    for (i, row) in operation.choices.iter().enumerate() {
        let (top, length) = (ROW * i as f64 + 4.0, (row.ns / longest * LONGEST).max(1.0));
        let text = top + 13.5;
        let _ = write!(
            out,
            "<text x=\"0\" y=\"{text}\">{choice}</text>\n\
             <rect class=\"bar {choice}\" x=\"{LEFT}\" y=\"{top}\" width=\"{length:.1}\" height=\"{}\" rx=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{text}\">{} ns <tspan class=\"faint\">{:.2}×</tspan></text>\n",
            ROW - 8.0,
            LEFT + length + 7.0,
            figure(row.ns),
            row.ratio_to_static,
            choice = row.choice,
        );
    }
    out.push_str("</svg>\n</figure>\n");
}
