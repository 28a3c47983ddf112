//! Rows that rotate in one process, so that a drift of the machine's speed meets all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::buffers::Buffers;
use crate::peers::openssl_capabilities::Capabilities;
use crate::row::{Operation, Owner, Row};

/// Seals message `number` for a suite that opens: data, then tag.
pub type Prepare = Box<dyn FnMut(u64, &mut [u8], &mut [u8; 16])>;

/// A primitive and its implementations.
pub struct Suite {
    pub name: &'static str,
    pub rows: Vec<Row>,
    /// Where a message must be restored before each call, for the call destroys it.
    pub prepare: Option<Prepare>,
    /// Messages that a batch has; 1 where there are no batches.
    pub batch: usize,
    /// Sizes that are measured in place of the usual ones.
    pub own_sizes: Option<&'static [usize]>,
    /// Whether `verify` has passed.
    pub verified: bool,
}

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Plan {
    pub rounds: usize,
    /// Time that a row is measured in one round.
    pub slice: Duration,
    /// Time that it runs before, unmeasured, for caches and the clock to become its own.
    pub settle: Duration,
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
    #[serde(skip)]
    pub owner: Owner,
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
    /// Where messages begin, from an address that is a multiple of 64.
    pub offset: usize,
    pub rows: Vec<RowResult>,
}

impl Suite {
    /// A suite whose rows need no preparation of the message.
    pub fn new(name: &'static str, rows: Vec<Row>) -> Self {
        Self { name, rows, prepare: None, batch: 1, own_sizes: None, verified: false }
    }

    pub fn measure(&mut self, plan: &Plan, sizes: &[usize], offset: usize) -> SuiteResult {
        let mut times = vec![Vec::new(); self.rows.len()];
        for &size in sizes {
            let mut buffers = Buffers::cached(size, offset, self.batch);
            if let Some(prepare) = &mut self.prepare {
                buffers.seal(prepare);
            }
            buffers.keep();
            let restores = self.prepare.is_some();
            let mut stopwatches: Vec<_> =
                self.rows.iter_mut().map(|row| Stopwatch::warm_up(row, &mut buffers, restores, plan)).collect();
            let mut samples = vec![Vec::with_capacity(plan.rounds); self.rows.len()];
            for round in 0..plan.rounds {
                // Each round begins with another row, so that no row always follows the same one.
                for i in 0..self.rows.len() {
                    let i = (i + round) % self.rows.len();
                    samples[i].push(stopwatches[i].sample(&mut self.rows[i], &mut buffers));
                }
            }
            for (times, mut samples) in times.iter_mut().zip(samples) {
                samples.sort_by(f64::total_cmp);
                times.push(Time { best_ns: samples[0], median_ns: samples[samples.len() / 2] });
            }
        }
        let rows = self.rows.iter().zip(times);
        let rows = rows.map(|(row, times)| RowResult {
            name: row.name(),
            owner: row.owner,
            ours: row.is_ours(),
            verified: self.verified,
            times,
        });
        SuiteResult { name: self.name, sizes: sizes.to_vec(), offset, rows: rows.collect() }
    }
}

/// Measures one row with one size.
struct Stopwatch {
    restores: bool,
    /// Passes over all buffers that fill a slice, and the time before it.
    passes: u64,
    settling_passes: u64,
    /// The number of the next message.
    next: u64,
}

impl Stopwatch {
    /// Finds out, while the row warms up, how many passes fill a slice.
    fn warm_up(row: &mut Row, buffers: &mut Buffers, restores: bool, plan: &Plan) -> Self {
        let mut stopwatch = Self { restores, passes: 1, settling_passes: 0, next: 0 };
        loop {
            let ns = stopwatch.sample(row, buffers) * (stopwatch.passes * buffers.count() as u64) as f64;
            let scaled = |time: Duration| stopwatch.passes as f64 * time.as_nanos() as f64 / ns;
            if ns >= plan.slice.as_nanos() as f64 / 2.0 {
                let (passes, settling_passes) = (scaled(plan.slice), scaled(plan.settle));
                return Self {
                    passes: (passes as u64).max(1),
                    settling_passes: (settling_passes as u64).max(1),
                    ..stopwatch
                };
            }
            stopwatch.passes *= 2;
        }
    }

    /// Nanoseconds for each message. OpenSSL's capabilities are set before and reset after, outside what is measured.
    fn sample(&mut self, row: &mut Row, buffers: &mut Buffers) -> f64 {
        let _capabilities = row.capabilities.map(Capabilities::set);
        self.run(row, buffers, self.settling_passes);
        let elapsed = self.run(row, buffers, self.passes);
        elapsed.as_nanos() as f64 / (self.passes * buffers.count() as u64) as f64
    }

    /// The time of that many passes. Where messages must be restored, the clock stops meanwhile: it is read twice for
    /// each pass, which costs about 0.3 % of a pass over some 16 KiB, in all rows alike.
    fn run(&mut self, row: &mut Row, buffers: &mut Buffers, passes: u64) -> Duration {
        let mut done = true;
        let mut total = Duration::ZERO;
        if self.restores {
            for _ in 0..passes {
                buffers.restore();
                let start = Instant::now();
                done &= pass(row, buffers, 0);
                total += start.elapsed();
            }
        } else {
            let start = Instant::now();
            for _ in 0..passes {
                done &= pass(row, buffers, self.next);
                self.next += buffers.count() as u64;
            }
            total = start.elapsed();
        }
        assert!(done, "{} refused an authentic message", row.name());
        total
    }
}

/// Every buffer once, with the messages numbered from `first`; false if a tag is refused.
pub fn pass(row: &mut Row, buffers: &mut Buffers, first: u64) -> bool {
    let mut done = true;
    match &mut row.operation {
        Operation::Each(operation) => {
            for (number, (data, tag)) in (first..).zip(buffers.iter_mut()) {
                done &= operation(number, data, tag);
            }
        }
        Operation::Batch(operation) => {
            for (number, batch) in (first..).step_by(buffers.batch()).zip(buffers.batches_mut()) {
                done &= operation(number, batch);
            }
        }
    }
    black_box(done)
}
