//! The report as tables for a terminal.

use std::fmt::Write as _;

use sealane_measure::Table;

use super::report::{Report, Section};

/// Returns the whole report.
pub(super) fn tables(report: &Report) -> String {
    let mut out = String::new();
    let environment = &report.environment;
    // Writing to a String cannot fail.
    let _ = writeln!(out, "CPU       {}", environment.cpu.as_deref().unwrap_or("(name not readable)"));
    let _ = writeln!(out, "clock     {}: {}", environment.clock(), environment.clock_method);
    let _ = writeln!(out, "sealane   {} ({}, {})", environment.sealane, environment.architecture, environment.os);
    let _ = writeln!(
        out,
        "figures   medians over {} ms for each cell, backends taking turns; outputs compared in this run",
        environment.time_per_cell_ms
    );
    for family in &environment.families {
        let _ = writeln!(out, "{:10}the default is {}", family.name, family.default_backend);
    }
    for section in report.benchmarks() {
        table(&mut out, &section);
    }
    out
}

fn table(out: &mut String, section: &Section<'_>) {
    // Each backend has two columns.
    let backends = section.backends();
    let mut table =
        Table::new(std::iter::once("").chain(backends.iter().flat_map(|name| ["", *name])).map(String::from));
    table.row(std::iter::once("size").chain(backends.iter().flat_map(|_| section.units())).map(String::from));
    for row in section.rows() {
        table.row([row[0].size.clone()].into_iter().chain(row.iter().flat_map(|cell| section.figures(cell))));
    }
    let _ = write!(out, "\n{}: {}\n{}", section.benchmark.title, section.benchmark.what, table.text(0));
}
