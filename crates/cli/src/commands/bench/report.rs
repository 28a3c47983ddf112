//! The report of the measurements, for JSON, tables and the page. docs/bench.md describes the
//! fields of the JSON.

use std::time::SystemTime;

use sealane_measure::{CLOCK_METHOD, Samples, check, figure, median};
use sealane_workloads::{Benchmark, Family, Size};
use serde::Serialize;

use super::plan::Plan;
use crate::error::{Error, Result};
use crate::io::output::json;
use crate::os::cpu;

/// Increases when a field changes its meaning or is removed.
const VERSION: u32 = 3;

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
    /// The measured families of benchmarks.
    pub(super) families: Vec<FamilyReport>,
    pub(super) time_per_cell_ms: u64,
    /// The median of the clocks of all cells.
    pub(super) clock_ghz: f64,
    pub(super) clock_method: &'static str,
}

/// Benchmarks that have the same backends.
#[derive(Serialize)]
pub(super) struct FamilyReport {
    pub(super) name: &'static str,
    /// The measured backends, the narrowest first.
    pub(super) backends: Vec<&'static str>,
    /// The backend in use, unless another is forced.
    pub(super) default_backend: &'static str,
}

/// One size of one benchmark on one backend.
#[derive(Serialize)]
pub(super) struct Cell {
    pub(super) benchmark: &'static str,
    pub(super) backend: &'static str,
    /// The size as text for people.
    pub(super) size: String,
    /// The bytes of an operation.
    pub(super) bytes: usize,
    /// Nanoseconds for one operation: the median of the rounds.
    pub(super) ns: f64,
    /// Nanoseconds for one operation: the quickest round.
    pub(super) best_ns: f64,
    /// 10^9 bytes a second, from the median time.
    pub(super) gb_per_s: f64,
    /// Cycles for each byte, from the median time and `clock_ghz`.
    pub(super) cycles_per_byte: f64,
    /// The core's clock during this cell.
    pub(super) clock_ghz: f64,
    pub(super) rounds: usize,
    pub(super) operations_per_round: u64,
    /// Whether this run checked the output.
    pub(super) verified: bool,
}

/// Proof that the results of a benchmark were compared and are right.
#[derive(Clone, Copy)]
#[must_use]
pub(super) struct Verified(());

impl Verified {
    /// Returns the proof, or an error that names the `wrong` result.
    pub(super) fn by(wrong: Option<String>) -> Result<Self> {
        match wrong {
            None => Ok(Self(())),
            Some(what) => Err(Error::new(format!("{what}: wrong result")).hint(
                "the machine, its emulator or this build computes wrong results; please report it with `sealane cpu`",
            )),
        }
    }
}

/// Refuses a time that no CPU can reach: the compiler must have removed some of the work. Messages
/// call the cell `row`.
pub(super) fn possible(row: &str, cell: &Cell, least_cycles: f64) -> Result<()> {
    check(row, cell.ns, cell.clock_ghz, least_cycles)
        .map_err(|error| Error::new(error.to_string()).hint("please report it with `sealane cpu`"))
}

impl Report {
    pub(super) fn new(environment: Environment, cells: Vec<Cell>) -> Self {
        Self { schema: "sealane-bench", version: VERSION, environment, cells }
    }

    pub(super) fn to_json(&self) -> Result<String> {
        json(self)
    }

    /// Returns the cells of each benchmark, in their order.
    pub(super) fn benchmarks(&self) -> impl Iterator<Item = Section<'_>> {
        self.cells.chunk_by(|a, b| a.benchmark == b.benchmark).filter_map(|cells| {
            let (_, benchmark) = Benchmark::all().find(|(_, benchmark)| benchmark.name == cells[0].benchmark)?;
            Some(Section { benchmark, cells })
        })
    }
}

/// The cells of one benchmark.
pub(super) struct Section<'a> {
    pub(super) benchmark: &'static Benchmark,
    pub(super) cells: &'a [Cell],
}

impl<'a> Section<'a> {
    /// Returns the backends, the narrowest first.
    pub(super) fn backends(&self) -> Vec<&'static str> {
        self.rows().next().map_or_else(Vec::new, |row| row.iter().map(|cell| cell.backend).collect())
    }

    /// Returns the cells of each size. Each row has every backend.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a [Cell]> {
        self.cells.chunk_by(|a, b| a.size == b.size)
    }

    /// Returns the units of the two figures of a cell.
    pub(super) fn units(&self) -> [&'static str; 2] {
        if self.benchmark.takes_any_length() { ["GB/s", "cyc/B"] } else { ["ns", "cycles"] }
    }

    /// Returns the figures of a cell.
    pub(super) fn figures(&self, cell: &Cell) -> [String; 2] {
        if self.benchmark.takes_any_length() {
            [cell.gb_per_s, cell.cycles_per_byte].map(figure)
        } else {
            [cell.ns, cell.ns * cell.clock_ghz].map(figure)
        }
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
            families: FamilyReport::all(plan),
            time_per_cell_ms: u64::try_from(plan.time_per_cell.as_millis()).unwrap_or(u64::MAX),
            clock_ghz: rounded(median(&clocks)),
            clock_method: CLOCK_METHOD,
        }
    }

    /// Returns the clock as text for people.
    pub(super) fn clock(&self) -> String {
        format!("{:.2} GHz measured", self.clock_ghz)
    }
}

impl FamilyReport {
    fn all(plan: &Plan) -> Vec<Self> {
        let report = |family: Family| {
            let task = plan.tasks.iter().find(|task| task.family == family)?;
            let default_backend = family.available().last().copied()?;
            Some(Self { name: family.name(), backends: task.backends.clone(), default_backend })
        };
        Family::ALL.into_iter().filter_map(report).collect()
    }
}

impl Cell {
    /// Computes the figures of a cell. `operations` is the number of operations in a call, and
    /// `bytes` the length of each.
    pub(super) fn new(
        (benchmark, backend, size): (&'static str, &'static str, Size),
        (operations, bytes): (usize, usize),
        samples: &Samples,
        _: Verified,
    ) -> Self {
        let (ns, clock_ghz) = (samples.median_ns() / operations as f64, samples.median_clock_ghz());
        Self {
            benchmark,
            backend,
            size: size.to_string(),
            bytes,
            ns: rounded(ns),
            best_ns: rounded(samples.best_ns() / operations as f64),
            gb_per_s: rounded(bytes as f64 / ns),
            cycles_per_byte: rounded(ns * clock_ghz / bytes as f64),
            clock_ghz: rounded(clock_ghz),
            rounds: samples.ns.len(),
            operations_per_round: samples.calls * operations as u64,
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
        let cell = Cell::new(("chacha20", "scalar", Size::Bytes(200)), (1, 200), &samples, Verified(()));
        assert_eq!((cell.ns, cell.best_ns, cell.gb_per_s, cell.cycles_per_byte), (100.0, 90.0, 2.0, 1.25));
        let cell = Cell::new(("haraka256", "scalar", Size::Inputs(4)), (10, 32), &samples, Verified(()));
        assert_eq!((cell.ns, cell.best_ns, cell.operations_per_round, &*cell.size), (10.0, 9.0, 70, "4 inputs"));
    }
}
