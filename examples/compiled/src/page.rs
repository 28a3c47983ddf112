//! The table in docs/dispatch.md, and the JSON document from which it is generated.

use std::fmt::Write as _;
use std::path::Path;

use crate::rows::SIZES;
use crate::{Report, json};

const BEGIN: &str = "<!-- compiled for this CPU: written by examples/compiled -->";
const END: &str = "<!-- end of what was compiled for this CPU -->";

/// Writes the table and the document.
///
/// # Errors
/// If a file cannot be read or written, or the page has no place for the table.
pub(crate) fn write(report: &Report, docs: &Path) -> Result<(), String> {
    let page = docs.join("dispatch.md");
    let failed = |error: std::io::Error| format!("{}: {error}", docs.display());
    let text = std::fs::read_to_string(&page).map_err(failed)?;
    let missing = || format!("the page has no lines {BEGIN} and {END}");
    let (before, rest) = text.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    std::fs::write(&page, format!("{before}{BEGIN}\n{}\n{END}{after}", table(report))).map_err(failed)?;
    std::fs::write(docs.join("compiled.json"), json(report)? + "\n").map_err(failed)
}

/// Reads such a document.
///
/// # Errors
/// If the file cannot be read, or is not such a document.
pub(crate) fn read(file: &Path) -> Result<Report, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
    serde_json::from_str(&text).map_err(|error| failed(&error))
}

/// Returns the table in Markdown.
pub(crate) fn table(report: &Report) -> String {
    let mut text = format!("{}, {}.\n\n", report.cpu, report.compiler);
    let sizes: Vec<_> = SIZES.iter().map(|size| format!("{} KiB", size / 1024)).collect();
    let best = |column: usize| report.usual.iter().map(|row| row.gbits[column]).fold(0.0, f64::max);
    let _ = writeln!(text, "| ChaCha20, Gbit/s (share of the fastest usual row) | {} |", sizes.join(" | "));
    let _ = writeln!(text, "|---|{}", "---:|".repeat(SIZES.len()));
    for (build, rows) in [("compiled for every CPU", &report.usual), ("compiled for this CPU", &report.native)] {
        for row in rows {
            let name = match row.name.as_str() {
                "scalar" => "the library's portable source".into(),
                name if name.starts_with("loop") => format!("a {name}"),
                name => format!("the library's vectors, `{name}`"),
            };
            let _ = write!(text, "| {build}: {name} |");
            for (column, gbits) in row.gbits.iter().enumerate() {
                let _ = write!(text, " {gbits:.1} ({:.2}) |", gbits / best(column));
            }
            text.push('\n');
        }
    }
    text
}
