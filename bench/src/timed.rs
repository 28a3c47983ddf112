//! Rows of benchmarks with their own inputs instead of messages: fields, secret sharing, products
//! of slices.

use std::time::{Duration, Instant};

use sealane_measure::{Rounds, Table, Work, check, figure, take_turns};
use sealane_workloads::{Benchmark, Family, MakePrepared, Prepared, Size};
use serde::Serialize;

use crate::args::Args;
use crate::targets::{Goal, TIME_TARGETS};

/// Returns the rows of a benchmark's peers for one size. The error is the name of a row with a
/// wrong result.
pub type Peers = fn(&str, Size) -> Result<Vec<Row>, String>;

/// A benchmark to measure.
pub struct Run<'a> {
    pub family: Family,
    pub benchmark: &'static Benchmark,
    pub prepare: MakePrepared,
    pub peers: Peers,
    pub args: &'a Args,
}

/// One implementation of a benchmark, for one size.
pub struct Row {
    pub name: String,
    /// Set if it is ours, on the backend that is chosen on this CPU.
    chosen: bool,
    /// Operations in each call.
    operations: usize,
    code: Calls,
}

/// The code of a row.
enum Calls {
    Ours(Prepared),
    Peer(Box<dyn FnMut()>),
}

impl Row {
    /// Returns the row of a peer, with one operation in each call.
    pub fn new(name: impl Into<String>, call: impl FnMut() + 'static) -> Self {
        Self::many(name, 1, call)
    }

    /// Returns the row of a peer, with several operations in each call.
    pub fn many(name: impl Into<String>, operations: usize, call: impl FnMut() + 'static) -> Self {
        Self { name: name.into(), chosen: false, operations, code: Calls::Peer(Box::new(call)) }
    }

    /// Returns a row of ours. The targets do not apply to it.
    pub fn ours(name: impl Into<String>, prepared: Prepared) -> Self {
        Self { name: name.into(), chosen: false, operations: prepared.operations, code: Calls::Ours(prepared) }
    }

    /// Returns the time of `calls` calls.
    fn time(&mut self, calls: u64) -> Duration {
        let start = Instant::now();
        match &mut self.code {
            Calls::Ours(prepared) => prepared.call(calls),
            Calls::Peer(call) => (0..calls).for_each(|_| call()),
        }
        start.elapsed()
    }
}

impl Run<'_> {
    /// Measures all rows at all sizes, and prints the tables unless JSON is wanted.
    ///
    /// # Errors
    /// If a row gives a wrong result, or takes less time than its work needs. The error names it.
    pub fn measure(&self, rounds: &Rounds) -> Result<Vec<TimedResult>, String> {
        let Self { benchmark, args, .. } = self;
        let mut sizes = benchmark.sizes.to_vec();
        if let (Some(lengths), true) = (&args.sizes, benchmark.takes_any_length()) {
            sizes = lengths.iter().copied().map(Size::Bytes).collect();
        }
        let mut results = Vec::new();
        for &size in &sizes {
            let wrong = |name| format!("{}: {name} gives a wrong result, {size}", benchmark.name);
            let (mut rows, bytes, work) = self.ours(size).map_err(wrong)?;
            rows.extend(
                (self.peers)(benchmark.name, size).map_err(wrong)?.into_iter().filter(|row| args.wants_peer(&row.name)),
            );
            results.extend(measure(benchmark, size, (bytes, work), rows, rounds)?);
        }
        if !args.json {
            print(benchmark, &results, &sizes);
        }
        Ok(results)
    }

    /// Returns our rows, the widest backend first, and the bytes and the work of an operation. The
    /// error is the name of a row whose result differs from the portable code's.
    fn ours(&self, size: Size) -> Result<(Vec<Row>, usize, Work), String> {
        let prepared = |backend: &str| {
            let mut prepared = (self.prepare)(backend, size).expect("the CPU has the backend");
            prepared.call(1);
            prepared
        };
        let portable = prepared("scalar");
        let available = self.family.available();
        let mut rows = Vec::new();
        for &backend in available.iter().rev().filter(|backend| self.args.wants_backend(backend)) {
            let (prepared, name) = (prepared(backend), format!("sealane ({backend})"));
            if prepared.result() != portable.result() {
                return Err(name);
            }
            rows.push(Row { chosen: available.last() == Some(&backend), ..Row::ours(name, prepared) });
        }
        Ok((rows, portable.bytes, portable.work))
    }
}

impl Goal {
    /// Returns the longest time that meets the goal, given `all` results at the same size.
    fn ns(&self, ours: &TimedResult, all: &[TimedResult]) -> Option<f64> {
        match *self {
            Self::Ns(ns) => Some(ns),
            Self::GbPerSecond(rate) => Some(ours.bytes as f64 / rate),
            Self::Times(times, name) => all.iter().find(|other| other.name == name).map(|peer| times * peer.median_ns),
        }
    }
}

/// The time of one operation.
#[derive(Serialize)]
pub struct TimedResult {
    pub benchmark: &'static str,
    pub name: String,
    pub size: String,
    /// The number of bytes of an operation.
    pub bytes: usize,
    pub best_ns: f64,
    pub median_ns: f64,
    /// The core's clock.
    pub clock_ghz: f64,
    /// The longest time that meets its target.
    pub target_ns: Option<f64>,
    pub met: Option<bool>,
    /// Whether there is a target, although its peer may not be among the rows.
    #[serde(skip)]
    pub has_target: bool,
    #[serde(skip)]
    chosen: bool,
    /// Whether its speed is shown instead of its time.
    #[serde(skip)]
    is_speed: bool,
}

/// Measures the rows at one size. They take turns.
///
/// # Errors
/// If a row takes less time than the work of its operations needs.
fn measure(
    benchmark: &'static Benchmark,
    size: Size,
    (bytes, work): (usize, Work),
    mut rows: Vec<Row>,
    rounds: &Rounds,
) -> Result<Vec<TimedResult>, String> {
    let least_cycles = work.least_cycles(bytes);
    let samples = take_turns(&mut rows, rounds, Row::time);
    let mut results = Vec::new();
    for (row, samples) in rows.into_iter().zip(samples) {
        let operations = row.operations as f64;
        let (median_ns, clock_ghz) = (samples.median_ns() / operations, samples.median_clock_ghz());
        let name = format!("{}, {size}, {}", benchmark.name, row.name);
        check(name, median_ns, clock_ghz, least_cycles).map_err(|error| error.to_string())?;
        results.push(TimedResult {
            benchmark: benchmark.name,
            name: row.name,
            size: size.to_string(),
            bytes,
            best_ns: samples.best_ns() / operations,
            median_ns,
            clock_ghz,
            target_ns: None,
            met: None,
            has_target: false,
            chosen: row.chosen,
            is_speed: benchmark.takes_any_length(),
        });
    }
    let target =
        TIME_TARGETS.iter().find(|target| target.benchmark == benchmark.name && target.size == size.to_string());
    if let (Some(target), Some(i)) = (target, results.iter().position(|result| result.chosen)) {
        let ns = target.goal.ns(&results[i], &results);
        results[i].has_target = true;
        results[i].target_ns = ns;
        results[i].met = ns.map(|ns| results[i].median_ns <= ns);
    }
    Ok(results)
}

/// Prints a table. Then, for each size with a target, compares our chosen backend with the target
/// and the peers.
fn print(benchmark: &Benchmark, results: &[TimedResult], sizes: &[Size]) {
    let Some(first) = results.first() else { return };
    let (name, what, unit) = (benchmark.name, benchmark.what, first.unit());
    println!("\n{name}, {what}: {unit}, median; in brackets cycles or bytes a cycle");
    let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    let mut table = Table::new([String::new()].into_iter().chain(sizes.iter().cloned()));
    for name in names(results) {
        let result = |size: &String| results.iter().find(|row| row.name == name && row.size == *size);
        let cells = sizes.iter().map(|size| result(size).map_or("-".into(), |result| result.shown()));
        table.row([name.to_owned()].into_iter().chain(cells));
    }
    print!("{}", table.text(0));
    results.iter().filter(|result| result.chosen).for_each(|result| result.print_verdict(results));
}

impl TimedResult {
    fn unit(&self) -> &'static str {
        if self.is_speed { "MB/s" } else { "ns" }
    }

    /// Formats a time, or the speed of an operation on bytes.
    fn figure(&self, ns: f64) -> String {
        figure(if self.is_speed { self.bytes as f64 * 1e3 / ns } else { ns })
    }

    /// Formats the figure, and in brackets the cycles, or the bytes a cycle.
    fn shown(&self) -> String {
        let cycles = self.median_ns * self.clock_ghz;
        let by_clock = if self.is_speed { self.bytes as f64 / cycles } else { cycles };
        format!("{} ({})", self.figure(self.median_ns), figure(by_clock))
    }

    /// Describes how it compares with its target, if that was checked.
    pub fn verdict(&self) -> Option<String> {
        let target = self.target_ns?;
        let bound = if self.is_speed { "at least" } else { "at most" };
        let mark = if self.met == Some(true) {
            "met".to_owned()
        } else {
            format!("MISSED by {:.0} %", (self.median_ns / target - 1.0) * 100.0)
        };
        Some(format!("{}: {} of {bound} {}: {mark}", self.size, self.figure(self.median_ns), self.figure(target)))
    }

    /// Prints how it compares with its target, if it has one, and with each peer.
    fn print_verdict(&self, all: &[Self]) {
        let Some(verdict) = self.verdict() else { return };
        print!("  {verdict}");
        let peers = all.iter().filter(|peer| peer.size == self.size && !peer.name.starts_with("sealane"));
        peers.for_each(|peer| print!("; {:.2} x {}", peer.median_ns / self.median_ns, peer.name));
        println!();
    }
}

/// Returns each name once, in the original order.
fn names(results: &[TimedResult]) -> Vec<&str> {
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
        let (_, benchmark) = Benchmark::all().find(|(_, benchmark)| benchmark.name == "gf8-multiply").unwrap();
        let idle = vec![Row::new("idle", || ())];
        let error =
            measure(benchmark, Size::Bytes(1 << 20), (1 << 20, Work::Copy), idle, &rounds).err().expect("too fast");
        assert!(error.starts_with("gf8-multiply, 1 MiB, idle: "), "{error}");
    }
}
