//! The measurements, which are printed as JSON. docs/bench.md describes the fields.

use std::time::SystemTime;

use sealane::Backend;
use sealane_measure::{CLOCK_METHOD, Samples, median};
use serde::Serialize;

use super::plan::Plan;
use super::verified::Verified;
use crate::error::Result;
use crate::io::output::json;
use crate::os::cpu;

/// Increases when a field changes its meaning or is removed.
const VERSION: u32 = 2;

/// The whole report.
#[derive(Serialize)]
pub(super) struct Report {
    schema: &'static str,
    version: u32,
    pub(super) environment: Environment,
    pub(super) cells: Vec<Cell>,
}

/// The conditions of the measurement.
#[derive(Serialize)]
pub(super) struct Environment {
    /// The version of this command.
    pub(super) sealane: &'static str,
    /// The end of the measurement, RFC 3339.
    pub(super) time: String,
    /// The CPU's own name, if it can be read.
    pub(super) cpu: Option<String>,
    pub(super) architecture: &'static str,
    pub(super) os: &'static str,
    pub(super) features: Vec<&'static str>,
    /// The measured backends, the narrowest first.
    pub(super) backends: Vec<&'static str>,
    /// The backend in use, unless another is forced.
    pub(super) default_backend: &'static str,
    pub(super) time_per_cell_ms: u64,
    /// The median over the cells.
    pub(super) clock_ghz: f64,
    pub(super) clock_method: &'static str,
}

/// One size of one primitive on one backend.
#[derive(Serialize)]
pub(super) struct Cell {
    pub(super) primitive: &'static str,
    pub(super) backend: &'static str,
    pub(super) bytes: usize,
    /// Nanoseconds for one message: the median of the rounds.
    pub(super) ns: f64,
    /// Nanoseconds for one message: the quickest round.
    pub(super) best_ns: f64,
    /// 10^9 bytes a second, from the median.
    pub(super) gb_per_s: f64,
    /// Cycles for each byte, from the median and the clock below.
    pub(super) cycles_per_byte: f64,
    /// The core's clock during this cell.
    pub(super) clock_ghz: f64,
    pub(super) rounds: usize,
    pub(super) messages_per_round: u64,
    /// Whether the output was compared in this run.
    pub(super) verified: bool,
}

impl Report {
    pub(super) fn new(environment: Environment, cells: Vec<Cell>) -> Self {
        Self { schema: "sealane-bench", version: VERSION, environment, cells }
    }

    pub(super) fn to_json(&self) -> Result<String> {
        json(self)
    }

    /// Returns the names of the primitives, in their order.
    pub(super) fn primitives(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.cells.iter().map(|cell| cell.primitive).collect();
        names.dedup();
        names
    }

    /// Returns the sizes of a primitive, ascending.
    pub(super) fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<_> = self.cells.iter().map(|cell| cell.bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Returns the cell, if it was measured.
    pub(super) fn cell(&self, primitive: &str, backend: &str, bytes: usize) -> Option<&Cell> {
        self.cells.iter().find(|cell| (cell.primitive, cell.backend, cell.bytes) == (primitive, backend, bytes))
    }
}

impl Environment {
    pub(super) fn read(plan: &Plan, cells: &[Cell]) -> Self {
        let clocks: Vec<_> = cells.iter().map(|cell| cell.clock_ghz).collect();
        Self {
            sealane: env!("CARGO_PKG_VERSION"),
            time: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            cpu: cpu::model(),
            architecture: std::env::consts::ARCH,
            os: std::env::consts::OS,
            features: cpu::features(),
            backends: plan.backends.iter().map(|backend| backend.name()).collect(),
            default_backend: Backend::detect().name(),
            time_per_cell_ms: u64::try_from(plan.time_per_cell.as_millis()).unwrap_or(u64::MAX),
            clock_ghz: rounded(median(&clocks)),
            clock_method: CLOCK_METHOD,
        }
    }

    /// Returns the clock for a person.
    pub(super) fn clock(&self) -> String {
        format!("{:.2} GHz measured", self.clock_ghz)
    }
}

impl Cell {
    pub(super) fn new(
        primitive: &'static str,
        backend: &'static str,
        bytes: usize,
        samples: &Samples,
        _: Verified,
    ) -> Self {
        let (ns, clock_ghz) = (samples.median_ns(), samples.median_clock_ghz());
        Self {
            primitive,
            backend,
            bytes,
            ns: rounded(ns),
            best_ns: rounded(samples.best_ns()),
            gb_per_s: rounded(bytes as f64 / ns),
            cycles_per_byte: rounded(ns * clock_ghz / bytes as f64),
            clock_ghz: rounded(clock_ghz),
            rounds: samples.ns.len(),
            messages_per_round: samples.calls,
            verified: true,
        }
    }
}

/// Rounds to five significant digits, because the measurement has no more.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_five_digits() {
        assert_eq!(rounded(1_234_567.0), 1_234_600.0);
        assert_eq!(rounded(0.000_123_456), 0.000_123_46);
    }

    #[test]
    fn cells_are_computed_from_medians() {
        let samples = Samples { ns: vec![90.0, 100.0, 400.0], clock_ghz: vec![3.0, 2.5, 2.0], calls: 7, every: 1 };
        let cell = Cell::new("chacha20", "scalar", 200, &samples, Verified::by("cell", true).unwrap());
        assert_eq!((cell.ns, cell.best_ns, cell.gb_per_s, cell.cycles_per_byte), (100.0, 90.0, 2.0, 1.25));
    }
}
