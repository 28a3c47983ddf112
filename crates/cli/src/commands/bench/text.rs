//! The report as tables for a terminal.

use std::fmt::Write as _;

use sealane_measure::{Table, figure, size_name};

use super::primitive::Primitive;
use super::report::Report;

/// Returns the whole report.
pub(super) fn tables(report: &Report) -> String {
    let mut out = String::new();
    let environment = &report.environment;
    // Writing to a String cannot fail.
    let _ = writeln!(out, "CPU       {}", environment.cpu.as_deref().unwrap_or("(name not readable)"));
    let _ = writeln!(out, "clock     {}: {}", environment.clock(), environment.clock_method);
    let _ = writeln!(
        out,
        "sealane   {} ({}, {}); without a choice it uses {}",
        environment.sealane, environment.architecture, environment.os, environment.default_backend
    );
    let _ = writeln!(
        out,
        "figures   medians over {} ms for each cell, backends taking turns; outputs compared in this run",
        environment.time_per_cell_ms
    );
    for primitive in report.primitives() {
        table(&mut out, report, primitive);
    }
    out
}

fn table(out: &mut String, report: &Report, primitive: &str) {
    let (title, what) = Primitive::title(primitive);
    let backends = &report.environment.backends;
    // Each backend has two columns.
    let head = |cells: [&str; 2]| cells.map(String::from);
    let mut table = Table::new(backends.iter().fold(vec![String::new()], |mut row, backend| {
        row.extend(head(["", backend]));
        row
    }));
    let units = backends.iter().flat_map(|_| head(["GB/s", "cyc/B"]));
    table.row([String::from("size")].into_iter().chain(units));
    for bytes in report.sizes() {
        let cells = backends.iter().filter_map(|backend| report.cell(primitive, backend, bytes));
        let figures = cells.flat_map(|cell| [figure(cell.gb_per_s), figure(cell.cycles_per_byte)]);
        table.row([size_name(bytes)].into_iter().chain(figures));
    }
    let _ = write!(out, "\n{title}: {what}\n{}", table.text(0));
}
