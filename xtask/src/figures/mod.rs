//! `cargo xtask figures`: writes the pages and plots in docs/ that come from lists, tables and
//! measurements in the repository.

mod java;
mod lengths;

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use sealane_measure::{Axis, Line, Lines, Point, figure};

use crate::places::{LIST, List};
use crate::process;

const BACKENDS: &str = "docs/backends.md";
const SPEED: &str = "docs/speed.svg";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    for (file, content) in made_here()? {
        process::write(file, content)?;
    }
    // The tables and plots of docs/dispatch.md, from the last measurements.
    for (package, feature) in [("dispatch", Some("--features=vaes")), ("compiled", None)] {
        let from = format!("docs/{package}.json");
        let mut cargo = process::cargo();
        cargo.args(["run", "--release", "--manifest-path=examples/Cargo.toml", "--package", package]).args(feature);
        cargo.args(["--", "--from", &from, "--write"]);
        process::output(cargo.env("CARGO_TARGET_DIR", process::target_dir().join("examples")))?;
    }
    Ok(())
}

/// Returns the files that need no other program, with their content.
fn made_here() -> Result<Vec<(String, String)>> {
    let mut made = lengths::plots()?;
    made.push((BACKENDS.to_owned(), backends(&List::read()?)?));
    made.push((SPEED.to_owned(), speed()?));
    made.push((java::PLOT.to_owned(), java::plot()?));
    Ok(made)
}

/// Draws the plot of the README: the speed of sealing, from the table for the Emerald
/// Rapids.
fn speed() -> Result<String> {
    let page = process::read("docs/performance/emerald-rapids.md")?;
    let lines = page.lines().filter_map(|line| line.strip_prefix('|'));
    let rows: Vec<Vec<_>> = lines.map(|line| line.split('|').map(str::trim).collect()).collect();
    let sizes = rows.iter().find(|row| row.len() > 10).context("no row with sizes")?;
    let sealing = rows.iter().skip_while(|row| row[0] != "**seal**");
    let row = |name| sealing.clone().find(|row| row[0] == name).with_context(|| format!("no row {name}"));
    let number = |text: &str| text.split(' ').next().unwrap_or_default().parse::<f64>();

    let (ours, mut lines) = (row("**seal**")?, Vec::new());
    let of_peers = ["× best of all", "× best but ipsec-mb", "× OpenSSL"].map(|name| row(name).map(Some));
    let names = ["sealane", "best of 8", "best of 7", "OpenSSL"];
    for (class, (name, ratios)) in names.into_iter().zip([Ok(None)].into_iter().chain(of_peers)).enumerate() {
        let (ratios, mut points) = (ratios?, Vec::new());
        for (column, size) in sizes.iter().enumerate().filter(|(_, size)| !size.is_empty()) {
            // Cells of short messages hold times in ns. The other cells hold GB/s.
            let cell = number(ours[column])?;
            let ours = if ours[column].ends_with("ns") { number(size)? / cell } else { cell };
            // The speed of others is ours divided by the ratio.
            let y = ratios.map_or(Ok(ours), |ratios| number(ratios[column]).map(|ratio| ours / ratio))?;
            points.push(Point { x: column as f64 - 1.0, y, title: format!("{name}, {size}: {} GB/s", figure(y)) });
        }
        lines.push(Line { name: name.to_owned(), class: format!("line-{class}"), points });
    }
    let sizes = sizes.iter().filter(|size| !size.is_empty());
    let ticks = sizes.enumerate().map(|(place, size)| (place as f64, (*size).to_owned())).collect();
    let axis = |name: &str, ticks| Axis { name: name.to_owned(), logarithmic: false, ticks };
    let x = axis("message size, on an Intel Xeon (Emerald Rapids) with AVX-512 and IFMA", ticks);
    let y = axis("sealing on one core, GB/s", Vec::new());
    let title = "ChaCha20-Poly1305, sealing: GB/s by message size, one core".to_owned();
    Ok(Lines { title, x, y, lines, marks: true }.file())
}

/// Returns the page with backends, primitives, and where each is executed.
fn backends(list: &List) -> Result<String> {
    let mut text = format!(
        "# Where each backend is executed\n\n\
         With this page you can find where the tests of each backend run, and with which command.\n\
         `cargo xtask figures` writes it from `{LIST}`.\n\n\
         The tests print the backends that they run on. A run fails if a backend in its list did not run,\n\
         or if detection chooses a wrong backend. CI runs all places if there is time, and names those that\n\
         it did not run. [verification.md](verification.md) says what the tests compare.\n\n\
         | place | | command |\n|---|---|---|\n"
    );
    for (number, place) in (1..).zip(&list.place) {
        writeln!(text, "| {number} | {} | `cargo xtask {}` |", place.what, place.chore())?;
    }
    text.push_str(
        "\nPlaces that appear in no table below add no backend. They test detection and the known answers.\n",
    );
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
        let made = made_here().unwrap();
        assert!(made.len() > 6, "only {} files", made.len());
        for (file, content) in made {
            assert!(process::read(&file).unwrap() == content, "{file}: cargo xtask figures");
        }
    }
}
