//! Measures one size of one benchmark on each backend: checks the results, then times them.

use std::time::{Duration, Instant};

use sealane::BackendError;
use sealane_measure::{Messages, Processing, Rounds, Samples, Work, take_turns};
use sealane_workloads::{Benchmark, Code, Prepared, Size};

use super::plan::{SCALAR, Task};
use super::report::{Cell, Verified, possible};
use crate::error::{Error, Result};

/// The code to measure for one size: a row for each backend.
enum Rows {
    /// All rows process the same messages. Each row has the number of its next message.
    Messages { messages: Messages, length: usize, work: Work, rows: Vec<(Processing, u64)> },
    /// Each row has its own code, inputs and outputs.
    Own(Vec<Prepared>),
}

/// Measures the backends of the task, which take turns.
pub(super) fn measure(task: &Task, size: Size, rounds: &Rounds) -> Result<Vec<Cell>> {
    let name = task.benchmark.name;
    // The first row is portable code, which the others are compared with.
    let names: Vec<_> = [SCALAR].into_iter().chain(task.backends.iter().copied()).collect();
    let mut rows = Rows::new(task.benchmark, &names, size).map_err(|error| Error::new(format!("{name}: {error}")))?;
    let proof = Verified::by(rows.first_wrong().map(|i| format!("{name} of {size} on {}", names[i])))?;

    let mut indices: Vec<_> = (1..names.len()).collect();
    let samples = take_turns(&mut indices, rounds, |i, calls| rows.time(*i, calls));
    let cell = |(&backend, samples): (&&'static str, &Samples)| {
        let cell = Cell::new((name, backend, size), rows.operation(), samples, proof);
        possible(&format!("{name} of {size} on {backend}"), &cell, rows.least_cycles()).map(|()| cell)
    };
    task.backends.iter().zip(&samples).map(cell).collect()
}

impl Rows {
    fn new(benchmark: &Benchmark, backends: &[&str], size: Size) -> Result<Self, BackendError> {
        Ok(match &benchmark.code {
            Code::Messages { work, batch, seal, processing } => {
                let mut messages = Messages::cached(size.length(), 0, *batch);
                seal.iter().for_each(|seal| messages.seal(&mut seal()));
                let rows = backends.iter().map(|backend| Ok((processing(backend)?, 0)));
                Self::Messages { messages, length: size.length(), work: *work, rows: rows.collect::<Result<_, _>>()? }
            }
            Code::Own(prepare) => {
                Self::Own(backends.iter().map(|backend| prepare(backend, size)).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Makes the first call of each row. Returns the first row whose result differs from the result
    /// of row 0.
    fn first_wrong(&mut self) -> Option<usize> {
        match self {
            Self::Messages { messages, rows, .. } => {
                let mut expected = None;
                rows.iter_mut().position(|(processing, _)| {
                    messages.restore();
                    let is_done = messages.process(processing, 0);
                    !is_done || !messages.have(expected.get_or_insert_with(|| messages.contents()))
                })
            }
            Self::Own(rows) => {
                let mut expected = None;
                rows.iter_mut().position(|row| {
                    row.call(1);
                    row.result() != *expected.get_or_insert_with(|| row.result())
                })
            }
        }
    }

    /// Returns the time that `calls` calls of a row take.
    fn time(&mut self, row: usize, calls: u64) -> Duration {
        match self {
            Self::Messages { messages, rows, .. } => {
                let (processing, next) = &mut rows[row];
                messages.time(processing, calls, next)
            }
            Self::Own(rows) => {
                let start = Instant::now();
                rows[row].call(calls);
                start.elapsed()
            }
        }
    }

    /// Returns the number of operations in a call, and the bytes of an operation.
    fn operation(&self) -> (usize, usize) {
        match self {
            Self::Messages { messages, length, .. } => (messages.count(), *length),
            Self::Own(rows) => (rows[0].operations, rows[0].bytes),
        }
    }

    /// Returns the fewest cycles that an operation can take.
    fn least_cycles(&self) -> f64 {
        match self {
            Self::Messages { length, work, .. } => work.least_cycles(*length),
            Self::Own(rows) => rows[0].work.least_cycles(rows[0].bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first two sizes of each benchmark.
    fn cases() -> impl Iterator<Item = (&'static Benchmark, Size)> {
        Benchmark::all().flat_map(|(_, benchmark)| benchmark.sizes.iter().take(2).map(move |size| (benchmark, *size)))
    }

    #[test]
    fn one_wrong_bit_is_found() {
        for (benchmark, size) in cases() {
            let mut rows = Rows::new(benchmark, &[SCALAR; 3], size).unwrap();
            assert_eq!(rows.first_wrong(), None, "{}", benchmark.name);
            let mut rows = Rows::new(benchmark, &[SCALAR; 3], size).unwrap();
            match &mut rows {
                Rows::Messages { rows, .. } => rows[2].0 = wrong(benchmark, size.length() - 1),
                Rows::Own(rows) => {
                    let mut result = benchmark.result(SCALAR, size).unwrap();
                    result[0] ^= 1;
                    rows[2] = Prepared::new((1, 1), result, |_| {}, Vec::clone);
                }
            }
            assert_eq!(rows.first_wrong(), Some(2), "{} of {size}", benchmark.name);
        }
    }

    /// Returns an operation that flips a bit of byte number `byte` after the correct work. A batch
    /// has wrong message numbers instead.
    fn wrong(benchmark: &Benchmark, byte: usize) -> Processing {
        let Code::Messages { processing, .. } = benchmark.code else { panic!("no messages") };
        match processing(SCALAR).unwrap() {
            Processing::Each(mut each) => Processing::Each(Box::new(move |number, data, tag| {
                let is_done = each(number, data, tag);
                data[byte] ^= 0x80;
                is_done
            })),
            Processing::Batch(mut many) => Processing::Batch(Box::new(move |first, batch| {
                // With other message numbers, the results differ.
                many(first + 1, batch)
            })),
        }
    }

    #[test]
    fn a_row_that_does_nothing_is_an_error() {
        for (benchmark, size) in cases() {
            let mut rows = Rows::new(benchmark, &[SCALAR; 2], size).unwrap();
            match &mut rows {
                Rows::Messages { rows, .. } => rows[1].0 = Processing::Each(Box::new(|_, _, _| true)),
                Rows::Own(rows) => rows[1] = Prepared::new((1, 1), rows[1].result(), |_| {}, Vec::clone),
            }
            assert_eq!(rows.first_wrong(), Some(1), "{} of {size}", benchmark.name);
        }
    }

    #[test]
    fn a_time_that_no_cpu_reaches_is_an_error() {
        for (benchmark, size) in cases() {
            let rows = Rows::new(benchmark, &[SCALAR], size).unwrap();
            let task_name = benchmark.name;
            let report = |ns| {
                let samples = Samples { ns: vec![ns; 3], clock_ghz: vec![4.0; 3], calls: 1, every: 1 };
                let cell =
                    Cell::new((task_name, SCALAR, size), rows.operation(), &samples, Verified::by(None).unwrap());
                possible("row", &cell, rows.least_cycles())
            };
            assert!(report(1e9).is_ok(), "{task_name}");
            let error = report(1e-3).unwrap_err().to_string();
            assert!(error.starts_with("row: 0.0 cycles were measured"), "{error}");
        }
    }
}
