//! Rows that do no more than run, for suites without messages: fields, sharing, products of slices.

use std::time::Instant;

use serde::Serialize;

use crate::harness::Plan;

/// Makes the rows of one column, or names one that is wrong.
pub type MakeRows = fn() -> Result<Vec<Row>, String>;

/// One implementation of one operation, of one column of the table.
pub struct Row {
    pub name: String,
    pub operation: &'static str,
    /// Whether it is ours, on the backend that is chosen on this CPU.
    pub chosen: bool,
    /// Operations in each call.
    pub count: usize,
    /// Bytes of each operation, where the speed is of interest and not the time.
    pub bytes: Option<usize>,
    /// One call.
    pub run: Box<dyn FnMut()>,
}

impl Row {
    pub fn new(name: impl Into<String>, operation: &'static str, count: usize, run: impl FnMut() + 'static) -> Self {
        Self { name: name.into(), operation, chosen: false, count, bytes: None, run: Box::new(run) }
    }

    /// An operation on that many bytes, one in each call.
    pub fn on_bytes(
        name: impl Into<String>,
        operation: &'static str,
        bytes: usize,
        run: impl FnMut() + 'static,
    ) -> Self {
        Self { bytes: Some(bytes), ..Self::new(name, operation, 1, run) }
    }

    /// Nanoseconds for each operation, over that many calls.
    fn time(&mut self, calls: u32) -> f64 {
        let start = Instant::now();
        for _ in 0..calls {
            (self.run)();
        }
        start.elapsed().as_nanos() as f64 / (f64::from(calls) * self.count as f64)
    }
}

/// What is to be reached on the chosen backend: one of the goals.
pub struct TimeTarget {
    pub suite: &'static str,
    pub operation: &'static str,
    pub column: &'static str,
    pub goals: &'static [Goal],
}

pub enum Goal {
    /// At most this time.
    Ns(f64),
    /// At least so many gigabytes in a second, of an operation on bytes.
    GbPerSecond(f64),
    /// At most so many times the time of the row of that name.
    Times(f64, &'static str),
}

impl Goal {
    /// The most time that our result may take, beside `all` of its column.
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
    /// No more than this is to be reached.
    pub target_ns: Option<f64>,
    pub met: Option<bool>,
    #[serde(skip)]
    chosen: bool,
}

/// Measures the rows of one column in turns.
pub fn measure(
    suite: &'static str,
    column: &'static str,
    mut rows: Vec<Row>,
    plan: &Plan,
    targets: &[TimeTarget],
) -> Vec<TimedResult> {
    let mut samples = vec![Vec::with_capacity(plan.rounds); rows.len()];
    let turns: Vec<_> = rows.iter_mut().map(|row| Turn::of(row, plan)).collect();
    for round in 0..plan.rounds {
        for i in 0..rows.len() {
            let i = (i + round) % rows.len();
            if round % turns[i].every == 0 {
                // Unmeasured first, for caches and predictors to become its own.
                rows[i].time(turns[i].settling_calls);
                samples[i].push(rows[i].time(turns[i].calls));
            }
        }
    }
    let result = |(row, mut samples): (Row, Vec<f64>)| {
        samples.sort_by(f64::total_cmp);
        TimedResult {
            suite,
            name: row.name,
            operation: row.operation,
            column,
            bytes: row.bytes,
            best_ns: samples[0],
            median_ns: samples[samples.len() / 2],
            target_ns: None,
            met: None,
            chosen: row.chosen,
        }
    };
    let mut results: Vec<_> = rows.into_iter().zip(samples).map(result).collect();
    for target in targets.iter().filter(|target| (target.suite, target.column) == (suite, column)) {
        let is_judged = |result: &TimedResult| result.chosen && result.operation == target.operation;
        let Some(i) = results.iter().position(is_judged) else { continue };
        // The easiest of the goals.
        let ns = target.goals.iter().filter_map(|goal| goal.ns(&results[i], &results)).max_by(f64::total_cmp);
        results[i].target_ns = ns;
        results[i].met = ns.map(|ns| results[i].median_ns <= ns);
    }
    results
}

/// How a row takes part in the rounds.
struct Turn {
    calls: u32,
    settling_calls: u32,
    /// It takes part in every so manieth round: a single call may be as long as many slices.
    every: usize,
}

impl Turn {
    /// Calls that fill a slice of time, at least one.
    fn of(row: &mut Row, plan: &Plan) -> Self {
        const FEWEST_ROUNDS: usize = 5;
        let slice = plan.slice.as_nanos() as f64;
        let mut calls = 1;
        loop {
            let total = row.time(calls) * f64::from(calls) * row.count as f64;
            if total >= slice / 2.0 {
                let every = ((total / (4.0 * slice)) as usize).clamp(1, plan.rounds / FEWEST_ROUNDS);
                return Self { calls, settling_calls: if every > 1 { 0 } else { calls / 8 + 1 }, every };
            }
            calls *= 2;
        }
    }
}

/// A table for each operation, then our chosen backend beside the fastest other of each column, and the targets.
pub fn print(results: &[TimedResult], titles: &[(&'static str, &str)], columns: &[&'static str]) {
    for (operation, title) in titles {
        let of_operation: Vec<_> = results.iter().filter(|result| result.operation == *operation).collect();
        let Some(first) = of_operation.first() else { continue };
        println!("\n{}, {title}: {}, median", first.suite, first.unit());
        print!("{:34}", "");
        columns.iter().for_each(|column| print!("{column:>11}"));
        println!();
        for name in names(&of_operation) {
            print!("{name:34}");
            for column in columns {
                match of_operation.iter().find(|result| result.name == name && result.column == *column) {
                    Some(result) => print!("{:>11}", result.figure(result.median_ns)),
                    None => print!("{:>11}", "-"),
                }
            }
            println!();
        }
        for result in of_operation.iter().filter(|result| result.chosen) {
            result.print_verdict(&of_operation);
        }
    }
}

impl TimedResult {
    fn unit(&self) -> &'static str {
        if self.bytes.is_some() { "MB/s" } else { "ns" }
    }

    /// A time, as it is shown: bytes by their speed.
    fn figure(&self, ns: f64) -> String {
        figure(self.bytes.map_or(ns, |bytes| bytes as f64 * 1e3 / ns))
    }

    /// Against the target, and each peer.
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

/// Three digits or more.
fn figure(value: f64) -> String {
    match value {
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Each figure as a multiple of that of the row `base`.
pub fn print_ratios(results: &[TimedResult], titles: &[(&'static str, &str)], columns: &[&'static str], base: &str) {
    for (operation, title) in titles {
        println!("\n{title}: multiple of {base}");
        let of_operation: Vec<_> = results.iter().filter(|result| result.operation == *operation).collect();
        for name in names(&of_operation).into_iter().filter(|name| *name != base) {
            print!("{name:34}");
            for column in columns {
                let find =
                    |name: &str| of_operation.iter().find(|result| result.name == name && result.column == *column);
                match find(name).zip(find(base)) {
                    Some((result, base)) => print!("{:>11.2}", result.median_ns / base.median_ns),
                    None => print!("{:>11}", "-"),
                }
            }
            println!();
        }
    }
}

/// Each name once, in order.
fn names<'a>(results: &[&'a TimedResult]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for result in results {
        if !names.contains(&result.name.as_str()) {
            names.push(&result.name);
        }
    }
    names
}
