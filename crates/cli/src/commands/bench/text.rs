//! The report as tables for a terminal.

use std::fmt::Write as _;

use super::dispatch::{CHOICES, meaning};
use super::primitive::Primitive;
use super::report::{Dispatch, Report, figure, size_name};

/// Columns of a size, and of each of the two figures of a backend.
const SIZE: usize = 8;
const FIGURE: usize = 8;

/// Everything that was measured.
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
    if let Some(dispatch) = &report.dispatch {
        choices(&mut out, dispatch);
    }
    out
}

fn table(out: &mut String, report: &Report, primitive: &str) {
    let (title, what) = Primitive::title(primitive);
    let backends = &report.environment.backends;
    let _ = write!(out, "\n{title}: {what}\n{:SIZE$}", "");
    for backend in backends {
        // Over the middle of its two columns.
        let _ = write!(out, "  {backend:>width$}", width = 2 * FIGURE);
    }
    let _ = write!(out, "\n{:>SIZE$}", "size");
    for _ in backends {
        let _ = write!(out, "  {:>FIGURE$}{:>FIGURE$}", "GB/s", "cyc/B");
    }
    out.push('\n');
    for bytes in report.sizes() {
        let _ = write!(out, "{:>SIZE$}", size_name(bytes));
        for backend in backends {
            if let Some(cell) = report.cell(primitive, backend, bytes) {
                let _ = write!(out, "  {:>FIGURE$}{:>FIGURE$}", figure(cell.gb_per_s), figure(cell.cycles_per_byte));
            }
        }
        out.push('\n');
    }
}

fn choices(out: &mut String, dispatch: &Dispatch) {
    let _ =
        writeln!(out, "\nChoosing the instruction set ({}): ns for one operation, and times static", dispatch.backend);
    let _ = write!(out, "{:9}", "");
    for operation in &dispatch.operations {
        let _ = write!(out, "{:>17}", operation.name);
    }
    out.push('\n');
    for (i, choice) in CHOICES.iter().enumerate() {
        let _ = write!(out, "{choice:9}");
        for operation in &dispatch.operations {
            if let Some(row) = operation.choices.get(i) {
                let _ = write!(out, "{:>9}{:>8}", figure(row.ns), format!("{:.2}×", row.ratio_to_static));
            }
        }
        let _ = writeln!(out, "   {}", meaning(choice));
    }
    for operation in &dispatch.operations {
        let _ = writeln!(out, "{}: {}", operation.name, operation.description);
    }
}
