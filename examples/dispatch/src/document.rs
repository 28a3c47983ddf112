//! The part of docs/dispatch.md that is written by this program.

use std::fmt::Write;
use std::path::Path;

use sealane_measure::{figure, median};

use crate::choices::CHOICES;
use crate::plot;
use crate::report::{Report, StaticBuild, WITH_TARGET};

const BEGIN: &str = "<!-- measured: written by examples/dispatch, as are the plots -->";
const END: &str = "<!-- end of what was measured -->";

/// Writes the tables into docs/dispatch.md, and the plots and the JSON document beside it.
///
/// # Errors
/// If a file cannot be read or written, or the page lacks the markers.
pub(crate) fn write(report: &Report, docs: &Path) -> Result<(), String> {
    let page = docs.join("dispatch.md");
    let text = std::fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    let json = serde_json::to_string_pretty(report).map_err(|error| error.to_string())? + "\n";
    let files = [
        ("dispatch.md", replaced(&text, &section(report))?),
        ("dispatch.json", json),
        ("dispatch-multiples.svg", plot::multiples(report)),
        ("dispatch-price.svg", plot::price(report)),
    ];
    for (name, content) in files {
        let path = docs.join(name);
        std::fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the page with `measured` between the markers.
fn replaced(page: &str, measured: &str) -> Result<String, String> {
    let missing = || format!("the page has no lines {BEGIN} and {END}");
    let (before, rest) = page.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}\n{measured}\n{END}{after}"))
}

/// Returns the part of the page: the times, and the targets that are missed.
pub(crate) fn section(report: &Report) -> String {
    let mut missed = Vec::new();
    for operation in &report.operations {
        for choice in WITH_TARGET {
            let verdict = operation.row(choice).and_then(|row| report.verdict(operation, row));
            if let Some(verdict) = verdict.filter(|verdict| verdict.contains("missed")) {
                missed.push(format!("- {}, `{choice}`: {verdict}\n", operation.title));
            }
        }
    }
    let said = if missed.is_empty() { "All targets are met.\n" } else { "The target is met except here:\n\n" };
    format!("{}\n{said}{}", times(report), missed.concat())
}

/// Returns the whole report as Markdown, which is also readable on a terminal.
pub(crate) fn tables(report: &Report) -> String {
    let mut text = times(report);
    let mut line = |words: &str| {
        text.push_str(words);
        text.push('\n');
    };
    let choices: Vec<_> = CHOICES.iter().map(|(choice, _)| *choice).collect();
    line(&format!("\n| multiple of `static` (quartiles) | {} |", choices[1..].join(" | ")));
    line(&format!("|---|{}", "---:|".repeat(choices.len() - 1)));
    for operation in &report.operations {
        let mut cells = String::new();
        for choice in &choices[1..] {
            let ratio = operation.row(choice).map_or(String::new(), |row| {
                let [low, median, high] = row.ratio;
                format!("{median:.3} ({low:.3}–{high:.3})")
            });
            let _ = write!(cells, " {ratio} |");
        }
        line(&format!("| {} |{cells}", operation.title));
    }
    line(&format!("\n| beyond `static`: what was found, and the target | {} |", WITH_TARGET.join(" | ")));
    line(&format!("|---|{}", "---|".repeat(WITH_TARGET.len())));
    for operation in &report.operations {
        let mut cells = String::new();
        for choice in WITH_TARGET {
            let verdict = operation.row(choice).and_then(|row| report.verdict(operation, row));
            let _ = write!(cells, " {} |", verdict.unwrap_or_default());
        }
        line(&format!("| {} |{cells}", operation.title));
    }
    if !report.static_build.is_empty() {
        line("\n| `static`, in ns | this program | compiled for this CPU | ratio |\n|---|---:|---:|---:|");
        for StaticBuild { title, ns, compiled_for_this_cpu_ns } in &report.static_build {
            let ratio = ns / compiled_for_this_cpu_ns;
            line(&format!("| {title} | {ns:.1} | {compiled_for_this_cpu_ns:.1} | {ratio:.3} |"));
        }
    }
    text
}

/// Returns the CPU, the date and the times of all choices.
fn times(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |words: &str| {
        text.push_str(words);
        text.push('\n');
    };
    let Report { cpu, date, rounds, copy, .. } = report;
    let clocks: Vec<_> = report.operations.iter().map(|operation| operation.clock_ghz).collect();
    let clock = median(&clocks);
    line(&format!(
        "{cpu} at {clock:.2} GHz, {date}; medians of {rounds} rounds. The copy of `twice` is compiled for {copy}.\n"
    ));
    if report.preliminary {
        line("**Preliminary**: other programs ran beside this measurement.\n");
    }
    let choices: Vec<_> = CHOICES.iter().map(|(choice, _)| *choice).collect();
    line(&format!("| ns for a call | instruction set | {} | static, cycles |", choices.join(" | ")));
    line(&format!("|---|---|{}", "---:|".repeat(choices.len() + 1)));
    for operation in &report.operations {
        let mut cells = String::new();
        for choice in &choices {
            let ns = operation.row(choice).map_or(String::new(), |row| format!("{:.1}", row.ns));
            let _ = write!(cells, " {ns} |");
        }
        let cycles = operation.row("static").map_or(String::new(), |row| figure(row.ns * operation.clock_ghz));
        line(&format!("| {} | {} |{cells} {cycles} |", operation.title, operation.level));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn what_was_measured_takes_the_place_of_what_was() {
        let page = format!("# A\n{BEGIN}\nold\n{END}\nmore\n");
        let once = replaced(&page, "new").unwrap();
        assert_eq!(once, format!("# A\n{BEGIN}\nnew\n{END}\nmore\n"));
        assert_eq!(replaced(&once, "new").unwrap(), once);
        assert!(replaced("# A", "new").is_err());
        assert!(replaced(BEGIN, "new").is_err());
    }

    #[test]
    fn the_repositorys_page_has_a_place_for_it() {
        let page = std::fs::read_to_string(crate::docs().join("dispatch.md")).unwrap();
        assert!(replaced(&page, "").is_ok());
    }

    #[test]
    fn tables_have_all_rows() {
        let tables = tables(&report(2.5));
        for words in
            ["Preliminary", "multiply & co", "| 7.5 |", "1.025 (1.025–1.025)", "**missed** by 0.5 %", "| 1.100 |"]
        {
            assert!(tables.contains(words), "{words}:\n{tables}");
        }
    }

    #[test]
    fn the_page_names_the_missed_targets() {
        let missed = section(&report(2.5));
        assert!(missed.contains("- seal & co, `top`: +2.5 % (target 2 %): **missed** by 0.5 %\n"), "{missed}");
        assert!(section(&report(1.9)).ends_with("\nAll targets are met.\n"));
    }
}
