//! Rows that rotate in one process, so that a drift of the machine's speed meets all of them.

use std::time::{Duration, Instant};

use serde::Serialize;

/// What a row does with message number `message` in `data`; returns the tag, where there is one.
pub type Operation = Box<dyn FnMut(u64, &mut [u8]) -> [u8; 16]>;

/// One implementation of a primitive.
pub struct Row {
    pub name: String,
    /// Whether it is ours.
    pub ours: bool,
    operation: Operation,
}

impl Row {
    pub fn new(
        name: impl Into<String>,
        ours: bool,
        operation: impl FnMut(u64, &mut [u8]) -> [u8; 16] + 'static,
    ) -> Self {
        Self { name: name.into(), ours, operation: Box::new(operation) }
    }
}

/// A primitive and its implementations.
pub struct Suite {
    pub name: &'static str,
    pub rows: Vec<Row>,
}

/// How long to measure.
pub struct Plan {
    pub rounds: usize,
    /// Time that a row runs in one round.
    pub slice: Duration,
    pub sizes: Vec<usize>,
}

/// Nanoseconds for each message of one size.
#[derive(Serialize, Clone, Copy)]
pub struct Time {
    pub best_ns: f64,
    pub median_ns: f64,
}

#[derive(Serialize)]
pub struct RowResult {
    pub name: String,
    pub ours: bool,
    /// The output was compared with that of the first row in this run.
    pub verified: bool,
    /// One for each size.
    pub times: Vec<Time>,
}

#[derive(Serialize)]
pub struct SuiteResult {
    pub name: &'static str,
    pub sizes: Vec<usize>,
    pub rows: Vec<RowResult>,
}

impl Suite {
    /// Compares each row's output with the first row's, at many lengths.
    pub fn verify(&mut self) -> Result<(), String> {
        for length in (0..300).chain([511, 512, 1023, 1024, 1350, 4096, 16384, 16385, 65536]) {
            let input: Vec<u8> = (0..length).map(|i| (i * 31 + i / 256) as u8).collect();
            let mut expected = None;
            for row in &mut self.rows {
                let mut data = input.clone();
                let tag = (row.operation)(length as u64, &mut data);
                let output = (data, tag);
                match &expected {
                    None => expected = Some(output),
                    Some(expected) if *expected == output => {}
                    Some(_) => return Err(format!("{}: {} differs at {length} bytes", self.name, row.name)),
                }
            }
        }
        Ok(())
    }

    pub fn measure(&mut self, plan: &Plan) -> SuiteResult {
        let mut times = vec![Vec::new(); self.rows.len()];
        for &size in &plan.sizes {
            let mut samples = vec![Vec::with_capacity(plan.rounds); self.rows.len()];
            let input = vec![0x5a; size];
            let mut data = input.clone();
            // As many messages as fill a slice, found while the row warms up.
            let counts: Vec<u64> =
                self.rows.iter_mut().map(|row| warm_up(&mut row.operation, &input, &mut data, plan.slice)).collect();
            for _ in 0..plan.rounds {
                for ((row, &count), samples) in self.rows.iter_mut().zip(&counts).zip(&mut samples) {
                    samples.push(time(&mut row.operation, &input, &mut data, count));
                }
            }
            for (times, mut samples) in times.iter_mut().zip(samples) {
                samples.sort_by(f64::total_cmp);
                times.push(Time { best_ns: samples[0], median_ns: samples[samples.len() / 2] });
            }
        }
        let rows = self.rows.iter().zip(times);
        let rows = rows.map(|(row, times)| RowResult { name: row.name.clone(), ours: row.ours, verified: true, times });
        SuiteResult { name: self.name, sizes: plan.sizes.clone(), rows: rows.collect() }
    }
}

fn warm_up(operation: &mut Operation, input: &[u8], data: &mut [u8], slice: Duration) -> u64 {
    let mut count = 1;
    loop {
        let ns = time(operation, input, data, count) * count as f64;
        let target = slice.as_nanos() as f64;
        if ns >= target / 2.0 {
            return ((count as f64 * target / ns) as u64).max(1);
        }
        count *= 2;
    }
}

/// Nanoseconds for each of `count` messages. From the second on, the data is what the one before left.
fn time(operation: &mut Operation, input: &[u8], data: &mut [u8], count: u64) -> f64 {
    data.copy_from_slice(input);
    let start = Instant::now();
    for message in 0..count {
        std::hint::black_box(operation(message, data));
    }
    start.elapsed().as_nanos() as f64 / count as f64
}
