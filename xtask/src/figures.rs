//! `cargo xtask figures`: makes the pages and plots in docs/ that come from lists, tables and
//! measurements in the repository.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::Result;

use crate::places::{LIST, List};
use crate::process;

const BACKENDS: &str = "docs/backends.md";
const SPEED: &str = "docs/speed.svg";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    process::write(BACKENDS, backends(&List::read()?)?)?;
    process::write(SPEED, speed()?)?;
    // The tables and plots of docs/dispatch.md, from the last measurement.
    let dispatch = ["run", "--release", "--manifest-path=examples/Cargo.toml", "--package=dispatch", "--features=vaes"];
    let from = ["--", "--from", "docs/dispatch.json", "--write"];
    process::output(
        process::cargo().args(dispatch).args(from).env("CARGO_TARGET_DIR", process::target_dir().join("examples")),
    )?;
    Ok(())
}

/// Draws the plot of the README from the tables of docs/performance.md.
fn speed() -> Result<String> {
    let files = ["-f", "docs/speed.awk", "docs/performance.md"];
    process::output(Command::new("awk").args(files).current_dir(process::workspace_root()))
}

/// Returns the page with backends, primitives, and where each is executed.
fn backends(list: &List) -> Result<String> {
    let mut text = format!(
        "# Where each backend is executed\n\n\
         With this page you can find where the tests of each backend run, and with which command.\n\
         `cargo xtask figures` writes it from `{LIST}`.\n\n\
         The tests print the backends that they run on. A run fails if a backend in its list did not run,\n\
         or if detection chooses a wrong backend. CI runs all places. [verification.md](verification.md)\n\
         says what the tests compare.\n\n\
         | place | | command |\n|---|---|---|\n"
    );
    for (number, place) in (1..).zip(&list.place) {
        writeln!(text, "| {number} | {} | `cargo xtask {}` |", place.what, place.chore)?;
    }
    for group in &list.families {
        let primitives: Vec<_> = group.family.workloads().map(|workload| workload.name).collect();
        write!(text, "\n## {}\n\n| backend | {} |\n", group.title, primitives.join(" | "))?;
        writeln!(text, "|---|{}", "---|".repeat(primitives.len()))?;
        for (backend, places) in &group.backends {
            let numbers = (1..).zip(&list.place).filter(|(_, place)| places.contains(&place.name));
            let numbers: Vec<_> = numbers.map(|(number, _)| i32::to_string(&number)).collect();
            writeln!(text, "| `{backend}` |{}", format!(" {} |", numbers.join(", ")).repeat(primitives.len()))?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_figures_are_up_to_date() {
        let made = [(BACKENDS, backends(&List::read().unwrap())), (SPEED, speed())];
        for (file, made) in made {
            assert!(process::read(file).unwrap() == made.unwrap(), "{file}: cargo xtask figures");
        }
    }
}
