//! Rows that rotate in one process, so that a drift of the machine's speed meets all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sealane_measure::{Rounds, Samples, Work, check, take_turns};
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
    /// The work of its rows, unless a row has its own.
    pub work: Work,
    /// Set if a call destroys its message, which must then be restored before each call.
    pub prepare: Option<Prepare>,
    /// Messages in a batch; 1 without batches.
    pub batch: usize,
    /// Sizes that replace the default ones.
    pub own_sizes: Option<&'static [usize]>,
    /// Whether `verify` has passed.
    pub verified: bool,
}

/// Nanoseconds for each message of one size.
#[derive(Serialize, Clone, Copy)]
pub struct Time {
    pub best_ns: f64,
    pub median_ns: f64,
    /// The core's clock.
    pub clock_ghz: f64,
}

#[derive(Serialize)]
pub struct RowResult {
    pub name: String,
    #[serde(skip)]
    pub owner: Owner,
    pub ours: bool,
    /// Set if its output was compared with the first row's output in this run.
    pub verified: bool,
    /// One for each size.
    pub times: Vec<Time>,
}

#[derive(Serialize)]
pub struct SuiteResult {
    pub name: &'static str,
    pub sizes: Vec<usize>,
    /// The start of each message, in bytes from an address that is a multiple of 64.
    pub offset: usize,
    pub rows: Vec<RowResult>,
}

impl Suite {
    /// Returns a suite whose rows need no preparation of the message.
    pub fn new(name: &'static str, work: Work, rows: Vec<Row>) -> Self {
        Self { name, rows, work, prepare: None, batch: 1, own_sizes: None, verified: false }
    }

    /// Returns buffers with messages for the rows.
    pub fn buffers(&mut self, size: usize, offset: usize) -> Buffers {
        let mut buffers = Buffers::cached(size, offset, self.batch);
        if let Some(prepare) = &mut self.prepare {
            buffers.seal(prepare);
        }
        buffers.keep();
        buffers
    }

    /// Measures all rows at all sizes.
    ///
    /// # Errors
    /// If a row takes less time than its work can.
    pub fn measure(&mut self, rounds: &Rounds, sizes: &[usize], offset: usize) -> Result<SuiteResult, String> {
        let mut times = vec![Vec::new(); self.rows.len()];
        for &size in sizes {
            let mut buffers = self.buffers(size, offset);
            let restores = self.prepare.is_some();
            let mut turns: Vec<_> = self.rows.iter_mut().map(|row| Turn { row, restores, next: 0 }).collect();
            let samples = take_turns(&mut turns, rounds, |turn, passes| turn.run(&mut buffers, passes));
            for ((row, times), samples) in self.rows.iter().zip(&mut times).zip(samples) {
                let time = Time::of(&samples, buffers.count());
                time.possible(&format!("{}, {size} bytes, {}", self.name, row.name()), row.work(self.work), size)?;
                times.push(time);
            }
        }
        let rows = self.rows.iter().zip(times);
        let rows = rows.map(|(row, times)| RowResult {
            name: row.name(),
            owner: row.owner,
            ours: row.is_ours(),
            verified: self.verified && row.is_compared(),
            times,
        });
        Ok(SuiteResult { name: self.name, sizes: sizes.to_vec(), offset, rows: rows.collect() })
    }
}

impl Time {
    /// Returns the time of a message, if each call took `messages` of them.
    pub fn of(samples: &Samples, messages: usize) -> Self {
        let messages = messages as f64;
        Self {
            best_ns: samples.best_ns() / messages,
            median_ns: samples.median_ns() / messages,
            clock_ghz: samples.median_clock_ghz(),
        }
    }

    /// Returns cycles for each byte.
    pub fn cycles_per_byte(self, bytes: usize) -> f64 {
        self.median_ns * self.clock_ghz / bytes as f64
    }

    /// Checks that a CPU can be that fast.
    ///
    /// # Errors
    /// If no CPU can be that fast: the compiler removed some of the work.
    pub fn possible(self, row: &str, work: Work, size: usize) -> Result<(), String> {
        check(row, self.median_ns, self.clock_ghz, work.least_cycles(size)).map_err(|error| error.to_string())
    }
}

/// A row while it takes turns with others.
pub struct Turn<'a> {
    pub row: &'a mut Row,
    /// Whether messages must be restored before each pass.
    pub restores: bool,
    /// The number of the next message.
    pub next: u64,
}

impl Turn<'_> {
    /// Returns the time of `passes` passes over all buffers. If messages must be restored, the
    /// clock stops meanwhile: it is read twice for each pass, which costs about 0.3 % of a pass
    /// over some 16 KiB, in all rows alike. OpenSSL's capabilities are set before and reset after,
    /// outside the measured time.
    pub fn run(&mut self, buffers: &mut Buffers, passes: u64) -> Duration {
        let _capabilities = self.row.capabilities.map(Capabilities::set);
        let mut done = true;
        let mut total = Duration::ZERO;
        if self.restores {
            for _ in 0..passes {
                buffers.restore();
                let start = Instant::now();
                done &= pass(self.row, buffers, 0);
                total += start.elapsed();
            }
        } else {
            let start = Instant::now();
            for _ in 0..passes {
                done &= pass(self.row, buffers, self.next);
                self.next += buffers.count() as u64;
            }
            total = start.elapsed();
        }
        assert!(done, "{} refused an authentic message", self.row.name());
        total
    }
}

/// Processes every buffer once, with the messages numbered from `first`. Returns false if a tag is
/// refused.
pub fn pass(row: &mut Row, buffers: &mut Buffers, first: u64) -> bool {
    let mut done = true;
    match &mut row.operation {
        Operation::Each(operation) => {
            for (number, (data, tag)) in (first..).zip(buffers.iter_mut()) {
                done &= operation(black_box(number), black_box(data), tag);
            }
        }
        Operation::Batch(operation) => {
            for (number, batch) in (first..).step_by(buffers.batch()).zip(buffers.batches_mut()) {
                done &= operation(black_box(number), black_box(batch));
            }
        }
    }
    black_box(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Peer;

    /// Returns a row that does nothing with the message.
    fn idle() -> Row {
        Row::new(Owner::Peer(Peer::Ring), |_, _, _| true)
    }

    #[test]
    fn a_row_that_does_nothing_is_refused() {
        let rounds = Rounds { count: 3, turn: Duration::from_micros(50), settle: Duration::ZERO };
        for work in [Work::ChaCha20, Work::Poly1305, Work::Aead, Work::Aes256Gcm] {
            let error = Suite::new("seal", work, vec![idle()]).measure(&rounds, &[1350], 0).err().expect("too fast");
            assert!(error.starts_with("seal, 1350 bytes, ring: "), "{error}");
        }
        let slow = Row::new(Owner::Peer(Peer::Ring), |_, _, _| {
            std::thread::sleep(Duration::from_micros(20));
            true
        });
        assert!(Suite::new("seal", Work::Aead, vec![slow]).measure(&rounds, &[1350], 0).is_ok());
    }
}
