//! Rows that take turns in one process, so that a drift of the machine's speed affects all of them.

use std::time::Duration;

use sealane_measure::{Messages, Rounds, Samples, Seal, Work, check, take_turns};
use serde::Serialize;

use crate::peers::openssl_capabilities::Capabilities;
use crate::row::{Owner, Row};

/// A primitive and its implementations.
pub struct Suite {
    pub name: &'static str,
    pub rows: Vec<Row>,
    /// The kind of work, which gives the lower bound of the time. A row can set its own kind.
    pub work: Work,
    /// Creates the function that seals the messages, if the rows open them.
    pub seal: Option<fn() -> Seal>,
    /// The number of messages in a batch, or 1 without batches.
    pub batch: usize,
    /// The sizes to measure.
    pub sizes: Vec<usize>,
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
    /// Whether its output was compared with the first row's output in this run.
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
    /// Returns a suite of single messages, which are not sealed before a row processes them.
    pub fn new(name: &'static str, work: Work, rows: Vec<Row>) -> Self {
        Self { name, rows, work, seal: None, batch: 1, sizes: Vec::new(), verified: false }
    }

    /// Returns messages for the rows.
    pub fn messages(&self, size: usize, offset: usize) -> Messages {
        let mut messages = Messages::cached(size, offset, self.batch);
        self.seal.iter().for_each(|seal| messages.seal(&mut seal()));
        messages
    }

    /// Measures all rows at all sizes.
    ///
    /// # Errors
    /// If a row takes less time than its work needs.
    pub fn measure(&mut self, rounds: &Rounds, sizes: &[usize], offset: usize) -> Result<SuiteResult, String> {
        let mut times = vec![Vec::new(); self.rows.len()];
        for &size in sizes {
            let mut messages = self.messages(size, offset);
            let mut turns: Vec<_> = self.rows.iter_mut().map(|row| (row, 0)).collect();
            let samples = take_turns(&mut turns, rounds, |(row, next), passes| row.time(&mut messages, passes, next));
            for ((row, times), samples) in self.rows.iter().zip(&mut times).zip(samples) {
                let time = Time::of(&samples, messages.count());
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
    /// Returns the time of one message, where the samples are the times of `messages` messages.
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

    /// Checks that a CPU can reach this speed.
    ///
    /// # Errors
    /// If no CPU can reach this speed, so the compiler removed some of the work.
    pub fn possible(self, row: &str, work: Work, size: usize) -> Result<(), String> {
        check(row, self.median_ns, self.clock_ghz, work.least_cycles(size)).map_err(|error| error.to_string())
    }
}

impl Row {
    /// Returns the time of `passes` passes over all messages, which are numbered from `next` on.
    /// OpenSSL's capabilities are set before and reset after, outside the measured time.
    pub fn time(&mut self, messages: &mut Messages, passes: u64, next: &mut u64) -> Duration {
        let _capabilities = self.capabilities.map(Capabilities::set);
        messages.time(&mut self.processing, passes, next)
    }
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
        let rounds = Rounds { count: 25, turn: Duration::from_micros(50), settle: Duration::ZERO };
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
