//! Rows for suites without messages, which only run: fields, secret sharing, slice multiplication.

use std::time::{Duration, Instant};

use sealane_measure::{Rounds, Table, Work, check, figure, take_turns};
use serde::Serialize;

/// Makes the rows of one column, or returns the name of a wrong one.
pub type MakeRows = fn() -> Result<Vec<Row>, String>;

/// One implementation of one operation, in one column of the table.
pub struct Row {
    pub name: String,
    pub operation: &'static str,
    /// Set if it is ours, on the backend that is chosen on this CPU.
    pub chosen: bool,
    /// Operations in each call.
    pub count: usize,
    /// Bytes of each operation, if its speed is reported instead of its time.
    pub bytes: Option<usize>,
    /// One call.
    pub run: Box<dyn FnMut()>,
}

impl Row {
    pub fn new(name: impl Into<String>, operation: &'static str, count: usize, run: impl FnMut() + 'static) -> Self {
        Self { name: name.into(), operation, chosen: false, count, bytes: None, run: Box::new(run) }
    }

    /// Returns a row whose operation takes that many bytes, one operation in each call.
    pub fn on_bytes(
        name: impl Into<String>,
        operation: &'static str,
        bytes: usize,
        run: impl FnMut() + 'static,
    ) -> Self {
        Self { bytes: Some(bytes), ..Self::new(name, operation, 1, run) }
    }

    /// Returns the time of that many calls.
    fn time(&mut self, calls: u64) -> Duration {
        let start = Instant::now();
        for _ in 0..calls {
            (self.run)();
        }
        start.elapsed()
    }

    /// Returns the least cycles for an operation: each writes a result of 8 bytes or more.
    fn least_cycles(&self) -> f64 {
        Work::Copy.least_cycles(self.bytes.unwrap_or(8))
    }
}

/// A goal for the chosen backend.
pub struct TimeTarget {
    pub suite: &'static str,
    pub operation: &'static str,
    pub column: &'static str,
    pub goals: &'static [Goal],
}

pub enum Goal {
    /// At most this time.
    Ns(f64),
    /// At least this many gigabytes a second, for an operation on bytes.
    GbPerSecond(f64),
    /// At most this multiple of the time of the row with that name.
    Times(f64, &'static str),
}

impl Goal {
    /// Returns the most time that our result may take, beside `all` of its column.
    fn ns(&self, ours: &TimedResult, all: &[TimedResult]) -> Option<f64> {
        match *self {
            Self::Ns(ns) => Some(ns),
            Self::GbPerSecond(rate) => ours.bytes.map(|bytes| bytes as f64 / rate),
            Self::Times(times, name) => {
                let named = all.iter().find(|other| other.name == name && other.operation == ours.operation);
                named.map(|named| times * named.median_ns)
            }
        }
    }
}

/// The time of one operation.
#[derive(Serialize)]
pub struct TimedResult {
    pub suite: &'static str,
    pub name: String,
    pub operation: &'static str,
    pub column: &'static str,
    pub bytes: Option<usize>,
    pub best_ns: f64,
    pub median_ns: f64,
    /// The core's clock.
    pub clock_ghz: f64,
    /// The longest time that meets its goals.
    pub target_ns: Option<f64>,
    pub met: Option<bool>,
    #[serde(skip)]
    chosen: bool,
}

/// Measures the rows of one column in turns.
///
/// # Errors
/// If a row takes less time than its work can.
pub fn measure(
    suite: &'static str,
    column: &'static str,
    mut rows: Vec<Row>,
    rounds: &Rounds,
    targets: &[TimeTarget],
) -> Result<Vec<TimedResult>, String> {
    let samples = take_turns(&mut rows, rounds, Row::time);
    let mut results = Vec::new();
    for (row, samples) in rows.into_iter().zip(samples) {
        let (median_ns, count) = (samples.median_ns() / row.count as f64, row.count as f64);
        let name = format!("{suite}, {}, {column}, {}", row.operation, row.name);
        check(name, median_ns, samples.median_clock_ghz(), row.least_cycles()).map_err(|error| error.to_string())?;
        results.push(TimedResult {
            suite,
            name: row.name,
            operation: row.operation,
            column,
            bytes: row.bytes,
            best_ns: samples.best_ns() / count,
            median_ns,
            clock_ghz: samples.median_clock_ghz(),
            target_ns: None,
            met: None,
            chosen: row.chosen,
        });
    }
    for target in targets.iter().filter(|target| (target.suite, target.column) == (suite, column)) {
        let is_judged = |result: &TimedResult| result.chosen && result.operation == target.operation;
        let Some(i) = results.iter().position(is_judged) else { continue };
        // The easiest of the goals.
        let ns = target.goals.iter().filter_map(|goal| goal.ns(&results[i], &results)).max_by(f64::total_cmp);
        results[i].target_ns = ns;
        results[i].met = ns.map(|ns| results[i].median_ns <= ns);
    }
    Ok(results)
}

/// Prints a table for each operation, then our chosen backend beside the fastest other of each
/// column, and the targets.
pub fn print(results: &[TimedResult], titles: &[(&'static str, &str)], columns: &[&'static str]) {
    for (operation, title) in titles {
        let of_operation: Vec<_> = results.iter().filter(|result| result.operation == *operation).collect();
        let Some(first) = of_operation.first() else { continue };
        println!("\n{}, {title}: {}, median; in brackets cycles or bytes a cycle", first.suite, first.unit());
        let mut table = Table::new([String::new()].into_iter().chain(columns.iter().map(ToString::to_string)));
        for name in names(&of_operation) {
            let result = |column: &&str| of_operation.iter().find(|row| row.name == name && row.column == *column);
            let cells = columns.iter().map(|column| result(column).map_or("-".into(), |result| result.shown()));
            table.row([name.to_owned()].into_iter().chain(cells));
        }
        print!("{}", table.text(0));
        for result in of_operation.iter().filter(|result| result.chosen) {
            result.print_verdict(&of_operation);
        }
    }
}

impl TimedResult {
    fn unit(&self) -> &'static str {
        if self.bytes.is_some() { "MB/s" } else { "ns" }
    }

    /// Formats a time, or the speed of an operation on bytes.
    fn figure(&self, ns: f64) -> String {
        figure(self.bytes.map_or(ns, |bytes| bytes as f64 * 1e3 / ns))
    }

    /// Returns the figure with the core's clock.
    fn shown(&self) -> String {
        let cycles = self.median_ns * self.clock_ghz;
        let by_clock = self.bytes.map_or(cycles, |bytes| bytes as f64 / cycles);
        format!("{} ({})", self.figure(self.median_ns), figure(by_clock))
    }

    /// Compares it with the target, and with each peer.
    fn print_verdict(&self, all: &[&Self]) {
        let Some(target) = self.target_ns else { return };
        let bound = if self.bytes.is_some() { "at least" } else { "at most" };
        print!("  {}: {} of {bound} {}: ", self.column, self.figure(self.median_ns), self.figure(target));
        if self.met == Some(true) {
            print!("met");
        } else {
            print!("MISSED by {:.0} %", (self.median_ns / target - 1.0) * 100.0);
        }
        let peers = all.iter().filter(|peer| peer.column == self.column && !peer.name.starts_with("sealane"));
        peers.for_each(|peer| print!("; {:.2} x {}", peer.median_ns / self.median_ns, peer.name));
        println!();
    }
}

/// Returns each name once, in order.
fn names<'a>(results: &[&'a TimedResult]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for result in results {
        if !names.contains(&result.name.as_str()) {
            names.push(&result.name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_does_nothing_is_refused() {
        let rounds = Rounds { count: 3, turn: Duration::from_micros(50), settle: Duration::ZERO };
        let idle = || Row::on_bytes("idle", "multiply", 1 << 20, || ());
        let error = measure("gf8", "1 MiB", vec![idle()], &rounds, &[]).err().expect("too fast");
        assert!(error.starts_with("gf8, multiply, 1 MiB, idle: "), "{error}");
    }
}
